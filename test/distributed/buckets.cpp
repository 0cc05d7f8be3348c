// Which gradients travel together, and when (rules in libs/distributed/src/data_parallel/buckets.hpp).
#include <reel/distributed/data_parallel.hpp>

#include "distributed/data_parallel_nets.hpp"
#include "distributed/on_ranks.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using distributed::BucketContents;
using distributed::DistributedDataParallel;
using distributed::DistributedDataParallelOptions;

namespace {
std::string text_of(const std::vector<BucketContents>& buckets) {
    std::string text;
    for (const BucketContents& b : buckets) {
        for (const std::string& name : b.names) text += name + " ";
        text += str(b.elements, "; ");
    }
    return text;
}
/// Before the first pass, and after two.
std::vector<std::string> buckets_of_small_net(const DistributedDataParallelOptions& options) {
    return on_ranks(2, [&](std::int64_t rank) {
        nn::Sequential net = small_net();
        DistributedDataParallel ddp(net, options);
        const std::string before = text_of(ddp->buckets());
        for (std::int64_t step = 0; step < 2; ++step) {
            const Batch b = batch_of(step, rank);
            nn::functional::mse_loss(ddp(b.input), b.target).backward();
        }
        return before + "| " + text_of(ddp->buckets());
    });
}
} // namespace

BOOST_AUTO_TEST_SUITE(buckets)

// D-15
BOOST_AUTO_TEST_CASE(the_first_cut_is_from_last_to_first_and_the_next_in_the_order_of_gradients) {
    const std::string last_to_first = "4.bias 4.weight 2.bias 2.weight 115; 0.bias 0.weight 70; ";
    for (const std::string& text : buckets_of_small_net({.bucket_cap_mb = 0.0004})) {
        BOOST_TEST(text.starts_with(last_to_first + "| "), text);
        BOOST_TEST(text.ends_with("115; 0.bias 0.weight 70; ") | text.ends_with("115; 0.weight 0.bias 70; "), text);
    }
    for (const std::string& text : buckets_of_small_net({.bucket_cap_mb = 0.0004, .find_unused_parameters = true}))
        BOOST_TEST(text == last_to_first + "| " + last_to_first);
}

// D-15
BOOST_AUTO_TEST_CASE(a_given_limit_holds_for_the_first_bucket_too) {
    BOOST_TEST(buckets_of_small_net({})[0].starts_with("4.bias 4.weight 2.bias 2.weight 0.bias 0.weight 185; |"));
    BOOST_TEST(buckets_of_small_net({.first_bucket_mb = 0.0001})[0].starts_with(
        "4.bias 4.weight 27; 2.bias 2.weight 0.bias 0.weight 158; |"));
    BOOST_TEST(buckets_of_small_net({.bucket_cap_mb = 1e-6})[0].starts_with(
        "4.bias 3; 4.weight 24; 2.bias 8; 2.weight 80; 0.bias 10; 0.weight 60; |"));
}

// D-15
BOOST_AUTO_TEST_CASE(buckets_are_the_same_on_all_ranks_though_gradients_come_in_other_orders) {
    const auto found = on_ranks(3, [](std::int64_t rank) {
        TwoHeads net;
        DistributedDataParallel ddp(net, {.bucket_cap_mb = 1e-6});
        for (int pass = 0; pass < 3; ++pass) {
            const auto [left, right] = ddp->forward<std::tuple<Tensor, Tensor>>(full({}, double(rank + 1)));
            // What was recorded last runs first.
            const Tensor a = rank == 1 ? left * 2 : right * 2, b = rank == 1 ? right * 2 : left * 2;
            net->zero_grad();
            (a + b).backward();
        }
        return text_of(ddp->buckets()) + str(number(net->left->w.grad()));
    });
    BOOST_TEST(found[0] == found[1]);
    BOOST_TEST(found[0] == found[2]);
    BOOST_TEST(found[0].ends_with(" 1; 4"));
}

BOOST_AUTO_TEST_SUITE_END()
