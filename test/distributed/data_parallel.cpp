#include <reel/distributed/data_parallel.hpp>

#include "distributed/data_parallel_nets.hpp"
#include "distributed/on_ranks.hpp"
#include "distributed/training.hpp"
#include "warnings.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/checkpoint.hpp>
#include <reel/distributed/collectives.hpp>

using namespace reel;
using namespace reel::testing;
using distributed::DistributedDataParallel;
using distributed::DistributedDataParallelOptions;

BOOST_AUTO_TEST_SUITE(data_parallel)

// D-12, D-13
BOOST_AUTO_TEST_CASE(gradients_are_the_means_of_the_ranks_bit_for_bit) {
    for (const std::int64_t n : {1, 2, 3, 5}) {
        const auto gradients = on_ranks(n, [&](std::int64_t rank) {
            nn::Sequential net = small_net();
            DistributedDataParallel ddp(net, {.bucket_cap_mb = 0.0004});
            std::vector<Tensor> all;
            for (std::int64_t step = 0; step < 3; ++step) {
                net->zero_grad();
                const Batch b = batch_of(step, rank);
                nn::functional::mse_loss(ddp(b.input), b.target).backward();
                for (const Tensor& p : net->parameters()) all.push_back(p.grad().clone());
            }
            return all;
        });
        std::vector<Tensor> want;
        for (std::int64_t step = 0; step < 3; ++step)
            for (const Tensor& g : mean_gradients(step, n)) want.push_back(g);
        for (const auto& of_rank : gradients) BOOST_TEST(same_bits(of_rank, want), n << " ranks");
    }
}

// D-12: in the dtype of the gradients, however long they are
BOOST_AUTO_TEST_CASE(each_rank_divides_its_gradient_before_all_add_up) {
    const auto gradient_of = [](std::int64_t rank, ScalarType dtype) {
        Generator generator = reel::detail::createCPUGenerator(std::uint64_t(77 + rank));
        return reel::randn({1, 20'011}, generator, kDouble).to(dtype);
    };
    for (const ScalarType dtype : {kHalf, kBFloat16, kFloat, kDouble})
        for (const std::int64_t n : {2, 3}) {
            const ScalarType sums = dtype == kDouble ? kDouble : kFloat;
            Tensor want = reel::zeros({1, 20'011}, sums);
            for (std::int64_t r = 0; r < n; ++r) want = want + (gradient_of(r, dtype) / n).to(sums);
            const auto got = on_ranks(n, [&](std::int64_t rank) {
                nn::Linear net(nn::LinearOptions(20'011, 1).bias(false));
                net->to(dtype);
                DistributedDataParallel ddp(net);
                ddp(gradient_of(rank, dtype)).sum().backward();
                return net->weight.grad().clone();
            });
            for (const Tensor& g : got) BOOST_TEST(reel::equal(g, want.to(dtype)), dtype << ", " << n << " ranks");
        }
}

// D-12
BOOST_AUTO_TEST_CASE(training_is_that_of_one_process_with_the_mean_of_the_losses) {
    nn::Sequential alone = small_net();
    optim::SGD one(alone->parameters(), optim::SGDOptions(0.1).momentum(0.9));
    for (std::int64_t step = 0; step < 5; ++step) reference_step(alone, one, step, 2);
    const auto ends = on_ranks(2, [](std::int64_t rank) {
        nn::Sequential net = small_net();
        DistributedDataParallel ddp(net);
        optim::SGD optimizer(ddp->parameters(), optim::SGDOptions(0.1).momentum(0.9));
        for (std::int64_t step = 0; step < 5; ++step) {
            optimizer.zero_grad();
            const Batch b = batch_of(step, rank);
            nn::functional::mse_loss(ddp(b.input), b.target).backward();
            optimizer.step();
        }
        return copies(net->parameters());
    });
    for (const auto& end : ends) BOOST_TEST(same_bits(end, copies(alone->parameters())));
}

// D-10
BOOST_AUTO_TEST_CASE(all_start_with_parameters_and_buffers_of_the_first_rank) {
    const auto states = on_ranks(3, [](std::int64_t rank) {
        nn::Sequential net(nn::Linear(2, 3), nn::BatchNorm1d(3));
        {
            const NoGradGuard no_grad;
            for (const Tensor& p : net->parameters()) p.fill_(double(rank + 4));
            for (const Tensor& b : net->buffers()) b.fill_(rank + 4);
        }
        DistributedDataParallel ddp(net);
        std::vector<Tensor> all = copies(net->parameters());
        for (const Tensor& b : copies(net->buffers())) all.push_back(b);
        return all;
    });
    for (const auto& state : states)
        for (const Tensor& t : state) BOOST_TEST(reel::all(t == 4).item<bool>());
}

// D-11
BOOST_AUTO_TEST_CASE(the_wrapper_is_a_module_with_one_child) {
    const auto names = on_ranks(2, [](std::int64_t) {
        nn::Sequential net = small_net();
        DistributedDataParallel ddp(net);
        std::string text;
        for (const auto& item : ddp->named_parameters()) text += item.key() + " ";
        text += str(ddp->state_dict().size(), " ", ddp->named_children().size());
        ddp->eval();
        text += net->is_training() ? " training" : " evaluating";
        return text;
    });
    BOOST_TEST(names[1] == "module.0.weight module.0.bias module.2.weight module.2.bias module.4.weight module.4.bias "
                           "6 1 evaluating");
}

BOOST_AUTO_TEST_CASE(holders_and_pointers_are_wrapped) {
    const auto found = on_ranks(1, [](std::int64_t) {
        const auto typed = std::make_shared<ScaleImpl>();
        const nn::ModulePtr known = Scale().ptr(); // by a holder
        return number(DistributedDataParallel(typed)(ones({}))) +
               10 * number(DistributedDataParallel(typed, {.bucket_cap_mb = 1})(ones({}))) +
               100 * number(DistributedDataParallel(known)(ones({}))) +
               1000 * number(nn::parallel::DistributedDataParallel(Scale(), {.static_graph = true})(ones({})));
    });
    BOOST_TEST(found[0] == 3333.0);
}

// D-10
BOOST_AUTO_TEST_CASE(modules_that_differ_are_refused_on_all_ranks) {
    const auto with = [](nn::Sequential on_rank_one) {
        return errors_on_ranks(2, [&](std::int64_t rank) {
            DistributedDataParallel ddp(rank == 0 ? nn::Sequential(nn::Linear(2, 3), nn::BatchNorm1d(3)) : on_rank_one);
        });
    };
    const auto count = with(nn::Sequential(nn::Linear(2, 3)));
    BOOST_TEST(count[0] == "Error: DistributedDataParallel: rank 0 of 2 has 4 parameters, rank 1 has 2; all ranks must "
                           "wrap the same module");
    BOOST_TEST(count[1] == "Error: DistributedDataParallel: rank 1 of 2 has 2 parameters, rank 0 has 4; all ranks must "
                           "wrap the same module");
    const auto shape = with(nn::Sequential(nn::Linear(5, 3), nn::BatchNorm1d(3)));
    BOOST_TEST(shape[0] == "Error: DistributedDataParallel: parameter '0.weight' is float32 of shape [3, 2] on rank 0 "
                           "of 2, and is float32 of shape [3, 5] on rank 1; all ranks must wrap the same module");
    BOOST_TEST(has(shape[1], "'0.weight' is float32 of shape [3, 5] on rank 1 of 2"));
    nn::Sequential doubled(nn::Linear(2, 3), nn::BatchNorm1d(3));
    doubled->to(kDouble);
    const auto dtype = with(doubled);
    BOOST_TEST(
        has(dtype[0], "parameter '0.weight' is float32 of shape [3, 2] on rank 0 of 2, and is float64 of shape"));
    nn::Sequential frozen(nn::Linear(2, 3), nn::BatchNorm1d(3));
    frozen->get_parameter("1.bias").requires_grad_(false);
    const auto trains = with(frozen);
    BOOST_TEST(has(trains[0], "'1.bias' is float32 of shape [3] on rank 0 of 2, and is float32 of shape [3] without "
                              "requires_grad on rank 1"));
    const auto buffers =
        with(nn::Sequential(nn::Linear(2, 3), nn::BatchNorm1d(nn::BatchNorm1dOptions(3).track_running_stats(false))));
    BOOST_TEST(has(buffers[1], "rank 1 of 2 has 0 buffers, rank 0 has 3"));
}

BOOST_AUTO_TEST_CASE(a_rank_that_agrees_with_the_first_is_told_of_the_one_that_does_not) {
    const auto errors = errors_on_ranks(
        3, [](std::int64_t rank) { DistributedDataParallel ddp(nn::Sequential(nn::Linear(2, rank == 2 ? 4 : 3))); });
    BOOST_TEST(has(errors[1], "'0.weight' is float32 of shape [3, 2] on rank 1 of 3, and is float32 of shape [4, 2] on "
                              "rank 2"));
    BOOST_TEST(has(errors[2], "on rank 2 of 3, and is float32 of shape [3, 2] on rank 0"));
}

// D-10
BOOST_AUTO_TEST_CASE(modules_without_anything_to_train_are_refused) {
    const auto errors = errors_on_ranks(2, [](std::int64_t) {
        nn::Sequential net = small_net();
        net->requires_grad_(false);
        DistributedDataParallel ddp(net);
    });
    for (const std::string& e : errors)
        BOOST_TEST(e == "Error: DistributedDataParallel: none of the 6 parameters of Sequential requires grad: there "
                        "are no gradients to average; call the module itself");
    BOOST_TEST(
        errors_on_ranks(1, [](std::int64_t) { DistributedDataParallel ddp(nn::Sequential(nn::LazyLinear(3))); })[0] ==
        "Error: DistributedDataParallel: '0' (LazyLinear) has no parameters yet; call the module once "
        "before wrapping it");
    BOOST_TEST(errors_on_ranks(1,
                               [](std::int64_t) {
                                   DistributedDataParallel ddp(small_net(),
                                                               {.group = distributed::ProcessGroup::outside()});
                               })[0] ==
               "ValueError: DistributedDataParallel: this rank is no member of the group that it was given; "
               "make it on the group's members alone");
    BOOST_TEST(errors_on_ranks(1, [](std::int64_t) {
                   DistributedDataParallel ddp(small_net(), {.bucket_cap_mb = -1});
               })[0] == "ValueError: DistributedDataParallel: first_bucket_mb is -1; expected a number of MiB above 0");
}

// D-14
BOOST_AUTO_TEST_CASE(frozen_parameters_take_no_part_and_tied_ones_do_once) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Tied net;
        net->c->bias.requires_grad_(false);
        DistributedDataParallel ddp(net);
        net->c(net->b(net->a(Tensor(batch_of(0, rank).input.to(kFloat))))); // not through the wrapper: nothing happens
        ddp(batch_of(0, rank).input.to(kFloat)).sum().backward();
        return str(net->c->bias.grad().defined(), ' ', ddp->buckets().size(), ' ', ddp->buckets()[0].elements);
    });
    BOOST_TEST(found[0] == "0 1 60"); // a 6 x 6 + 6, c 3 x 6
}

// D-18
BOOST_AUTO_TEST_CASE(no_sync_accumulates_and_the_next_reduced_pass_takes_all) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        std::vector<Tensor> seen;
        {
            const auto alone = ddp->no_sync();
            ddp(leaf(double(rank + 1))).backward();
        }
        seen.push_back(net->w.grad().clone()); // 1, 2
        ddp(leaf(double(10 * (rank + 1)))).backward();
        seen.push_back(net->w.grad().clone()); // (11 + 22) / 2
        return seen;
    });
    for (std::size_t r = 0; r < 2; ++r) {
        BOOST_TEST(number(found[r][0]) == double(r + 1));
        BOOST_TEST(number(found[r][1]) == 16.5);
    }
}

// D-18
BOOST_AUTO_TEST_CASE(the_forward_decides) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        const Tensor x = full({}, double(rank + 1));
        std::vector<Tensor> seen;
        Tensor inside;
        {
            const auto alone = ddp->no_sync();
            inside = ddp(x);
        }
        inside.backward(); // forward inside, backward outside: not reduced
        seen.push_back(net->w.grad().clone());
        net->zero_grad();
        const Tensor outside = ddp(x);
        {
            const auto alone = ddp->no_sync();
            outside.backward();
        }
        seen.push_back(net->w.grad().clone());
        return seen;
    });
    for (std::size_t r = 0; r < 2; ++r) {
        BOOST_TEST(number(found[r][0]) == double(r + 1));
        BOOST_TEST(number(found[r][1]) == 1.5);
    }
}

// D-19
BOOST_AUTO_TEST_CASE(forwards_and_backwards_come_in_any_number) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        const Tensor x = full({}, double(rank + 1));
        std::vector<Tensor> seen;
        const auto note = [&] {
            seen.push_back(net->w.grad().clone());
            net->zero_grad();
        };
        (ddp(x) + ddp(x * 2)).backward(); // two forwards, one backward
        note();
        const Tensor y = ddp(x);
        y.backward({}, true);
        y.backward(); // one forward, two backwards
        note();
        const Tensor first = ddp(x), second = ddp(x * 10);
        first.backward(); // forwards first
        second.backward();
        note();
        {
            const NoGradGuard no_grad;
            ddp(x);
        }
        ddp(x).backward();
        note();
        return seen;
    });
    for (const auto& seen : found) {
        BOOST_TEST(number(seen[0]) == 4.5);
        BOOST_TEST(number(seen[1]) == 3.0);
        BOOST_TEST(number(seen[2]) == 16.5);
        BOOST_TEST(number(seen[3]) == 1.5);
    }
}

// D-19
BOOST_AUTO_TEST_CASE(ranks_may_have_batches_of_different_sizes) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        ddp(ones({rank == 0 ? 2 : 6})).sum().backward();
        return number(net->w.grad());
    });
    BOOST_TEST(found[0] == 4.0);
    BOOST_TEST(found[1] == 4.0);
}

BOOST_AUTO_TEST_CASE(grad_reduces_nothing) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        Scale net;
        DistributedDataParallel ddp(net);
        const Tensor y = ddp(full({}, double(rank + 1)));
        const double own = number(autograd::grad({y}, {net->w}, {}, true)[0]);
        y.backward();
        return 100 * own + number(net->w.grad());
    });
    BOOST_TEST(found[0] == 101.5);
    BOOST_TEST(found[1] == 201.5);
}

BOOST_AUTO_TEST_CASE(results_may_be_containers_and_structs) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        TwoHeads net;
        DistributedDataParallel ddp(net, {.find_unused_parameters = true});
        const auto [left, right] = ddp->forward<std::tuple<Tensor, Tensor>>(full({}, double(rank + 1)));
        (rank == 0 ? left : right).backward();
        return str(number(net->left->w.grad()), ' ', number(net->right->w.grad()));
    });
    BOOST_TEST(found[0] == "0.5 1"); // each used by one rank: the other has zeros
    BOOST_TEST(found[1] == "0.5 1");
}

// D-25
BOOST_AUTO_TEST_CASE(parameters_that_come_later_train_alone_and_are_told_of_once) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        const Warnings log;
        Scale net;
        DistributedDataParallel ddp(net);
        ddp(full({}, 1.0)).backward();
        net->register_parameter("late", full({}, 1.0));
        for (int i = 0; i < 3; ++i) (ddp(full({}, 1.0)) + net->get_parameter("late") * double(rank)).backward();
        return str(number(net->get_parameter("late").grad()), ' ', log.texts.size(), ' ', log.texts.at(0));
    });
    BOOST_TEST(found[1] == "3 1 DistributedDataParallel: parameter 'late' was added, replaced or unfrozen after "
                           "construction: its gradient stays this rank's own, and the ranks drift apart; wrap the "
                           "module again");
}

// D-23
BOOST_AUTO_TEST_CASE(buffers_follow_the_forward_before) {
    const auto found = on_ranks(2, [](std::int64_t rank) {
        WithBuffer net; // forward adds the rank to a buffer
        net->add = double(rank + 1);
        DistributedDataParallel ddp(net);
        std::string text;
        const auto call = [&] {
            ddp(ones({1}));
            text += str(number(net->seen), ' ');
        };
        call(); // 0 sent: 1 2
        call(); // 1 sent: 2 3
        {
            const auto alone = ddp->no_sync();
            call(); // the forward before was reduced: 2 sent: 3 4
            call(); // not sent: 4 6
        }
        call(); // nor here: 5 8
        call(); // 5 sent: 6 7
        {
            const NoGradGuard no_grad;
            call(); // 6 sent: 7 8
        }
        call(); // 8 10
        return text;
    });
    BOOST_TEST(found[0] == "1 2 3 4 5 6 7 8 ");
    BOOST_TEST(found[1] == "2 3 4 6 8 7 8 10 ");
    const auto own = on_ranks(2, [](std::int64_t rank) {
        WithBuffer net;
        net->add = double(rank + 1);
        DistributedDataParallel ddp(net, {.broadcast_buffers = false});
        for (int i = 0; i < 3; ++i) ddp(ones({1}));
        return number(net->seen);
    });
    BOOST_TEST(own[0] == 3.0);
    BOOST_TEST(own[1] == 6.0);
}

BOOST_AUTO_TEST_SUITE_END()
