// Parameters that a pass leaves without gradient, on all ranks or on some.
#include <reel/distributed/data_parallel.hpp>

#include "distributed/data_parallel_nets.hpp"
#include "distributed/on_ranks.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/distributed/collectives.hpp>

using namespace reel;
using namespace reel::testing;
using distributed::DistributedDataParallel;

BOOST_AUTO_TEST_SUITE(unused_parameters)

// D-20
BOOST_AUTO_TEST_CASE(parameters_without_gradient_end_the_backward_by_name) {
    const auto errors = errors_on_ranks(2, [](std::int64_t) {
        Branch net;
        DistributedDataParallel ddp(net);
        ddp(ones({2, 6})).sum().backward();
    });
    for (std::size_t r = 0; r < 2; ++r)
        BOOST_TEST((errors[r] == str("Error: DistributedDataParallel: rank ", r,
                                     " of 2: this backward gave no gradient to 2 of 8 parameters: 'right.weight', "
                                     "'right.bias'. Every rank must reduce all of them: use them all in the loss, or "
                                     "pass find_unused_parameters = true (static_graph = true if the same ones stay "
                                     "unused in each pass)") ||
                    errors[r].starts_with("DistError")),
                   errors[r]);
    BOOST_TEST((errors[0].starts_with("Error") || errors[1].starts_with("Error")));
}

// D-20
BOOST_AUTO_TEST_CASE(a_rank_that_misses_a_gradient_tells_the_others) {
    const auto errors = errors_on_ranks(2, [](std::int64_t rank) {
        Branch net;
        DistributedDataParallel ddp(net);
        const Tensor y = ddp(ones({2, 6})), unused = net->right(ones({2, 5}));
        (rank == 0 ? y : y + unused.sum()).sum().backward();
    });
    BOOST_TEST(has(errors[0], "rank 0 of 2: this backward gave no gradient to 2 of 8 parameters: 'right.weight'"));
    BOOST_TEST(has(errors[1], "DistError"), errors[1]);
    BOOST_TEST(has(errors[1], "rank 0 of 2: this backward gave no gradient to 2 of 8 parameters"));
}

// D-21
BOOST_AUTO_TEST_CASE(unused_parameters_are_found_in_each_pass) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Branch net;
        DistributedDataParallel ddp(net, {.bucket_cap_mb = 0.0001, .find_unused_parameters = true});
        std::string text;
        const std::int64_t which[][2] = {{0, 0}, {0, 1}, {2, 2}, {1, 1}};
        for (const auto& w : which) {
            net->zero_grad();
            net->which = w[rank];
            ddp(ones({2, 6})).sum().backward();
            text += str(net->left->bias.grad().defined(), net->right->bias.grad().defined(), ' ');
        }
        return text;
    });
    for (const std::string& text : found) BOOST_TEST(text == "10 11 00 01 ");
}

// D-21
BOOST_AUTO_TEST_CASE(what_nobody_uses_keeps_its_gradient) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Branch net;
        DistributedDataParallel ddp(net, {.find_unused_parameters = true});
        net->left->bias.mutable_grad() = full({5}, double(rank));
        net->which = 2;
        ddp(ones({2, 6})).sum().backward();
        return net->left->bias.grad().clone();
    });
    BOOST_TEST(number(found[0].sum()) == 0);
    BOOST_TEST(number(found[1].sum()) == 5);
}

BOOST_AUTO_TEST_CASE(what_nobody_uses_keeps_its_bits_in_a_bucket) {
    const auto found = on_ranks(3, [](std::int64_t rank) {
        Branch net;
        net->to(kDouble);
        DistributedDataParallel ddp(net, {.find_unused_parameters = true, .gradient_as_bucket_view = true});
        ddp(full({2, 6}, 0.1 * double(rank + 1), kDouble)).sum().backward();
        const Tensor before = net->left->weight.grad().clone();
        net->which = 2;
        for (int pass = 0; pass < 3; ++pass) ddp(full({2, 6}, double(rank), kDouble)).sum().backward();
        return str(equal(net->left->weight.grad(), before), net->left->weight.grad().is_view(),
                   net->right->weight.grad().defined());
    });
    for (const std::string& text : found) BOOST_TEST(text == "110");
}

// D-22
BOOST_AUTO_TEST_CASE(a_static_graph_learns_what_the_first_pass_uses) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Branch net;
        DistributedDataParallel ddp(net, {.bucket_cap_mb = 0.0001, .static_graph = true});
        std::string text;
        for (int pass = 0; pass < 4; ++pass) {
            net->zero_grad();
            net->which = 1;
            ddp(full({2, 6}, double(rank + 1))).sum().backward();
            text += str(net->left->bias.grad().defined(), net->right->bias.grad().defined(), ' ');
        }
        const Tensor g = net->head->weight.grad().clone();
        distributed::broadcast(g, 0);
        return text + str(equal(g, net->head->weight.grad()));
    });
    for (const std::string& text : found) BOOST_TEST(text == "01 01 01 01 1");
}

// D-22
BOOST_AUTO_TEST_CASE(a_static_graph_that_changes_is_an_error_of_the_next_forward) {
    const auto errors = errors_on_ranks(2, [](std::int64_t) {
        Branch net;
        DistributedDataParallel ddp(net, {.static_graph = true});
        ddp(ones({2, 6})).sum().backward();
        net->which = 1;
        ddp(ones({2, 6})).sum().backward();
        ddp(ones({2, 6}));
    });
    BOOST_TEST((has(errors[0], "static_graph = true, but parameter 'left.weight' got a gradient 0 times in backward 2 "
                               "and 1 times in the first one") ||
                has(errors[1], "static_graph = true, but parameter 'left.weight' got a gradient 0 times")),
               errors[0] << errors[1]);
    for (const std::string& e : errors) BOOST_TEST(!e.empty());
}

BOOST_AUTO_TEST_SUITE_END()
