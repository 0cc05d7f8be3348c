// clip_grad_norm_ over shards: the norm of one process, on every rank.
#include <reel/distributed/clip_grad_norm.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

#include <reel/distributed/fully_shard.hpp>

#include "distributed/on_ranks.hpp"
#include "distributed/training.hpp"

using namespace reel;
using namespace reel::testing;

namespace {
/// A net whose last layer is not sharded, with gradients that every rank has alike.
std::pair<double, std::vector<Tensor>> clipped(double norm_type, double max_norm, double times = 1) {
    nn::Sequential net = small_net();
    for (const std::size_t i : {0, 2}) distributed::fully_shard(*net->children()[i]);
    (loss_of(net, batch_of(0, 0)) * times).backward();
    const double norm = distributed::clip_grad_norm_(net->parameters(), max_norm, norm_type);
    std::vector<Tensor> gradients;
    for (const Tensor& p : net->parameters()) {
        const auto shard = distributed::shard_of(p);
        gradients.push_back(shard ? distributed::full_tensor(p.grad(), *shard).clone() : p.grad());
    }
    return {norm, gradients};
}
} // namespace

BOOST_AUTO_TEST_SUITE(distributed_clip, *boost::unit_test::label("threads"))

// D-38
BOOST_AUTO_TEST_CASE(norms_are_those_of_one_process) {
    const double infinite = std::numeric_limits<double>::infinity();
    for (const double norm_type : {2.0, 1.0, 3.0, 0.0, infinite})
        for (const double max_norm : {0.05, 1e9}) {
            nn::Sequential net = small_net();
            loss_of(net, batch_of(0, 0)).backward();
            const double expected = nn::utils::clip_grad_norm_(net->parameters(), max_norm, norm_type);
            std::vector<Tensor> gradients;
            for (const Tensor& p : net->parameters()) gradients.push_back(p.grad());
            for (const std::int64_t n : {1, 2, 3, 4})
                for (const auto& [norm, found] :
                     on_ranks(n, [&](std::int64_t) { return clipped(norm_type, max_norm); })) {
                    BOOST_TEST(std::abs(norm - expected) <= 1e-14 * expected);
                    BOOST_TEST(largest_difference(found, gradients) < 1e-14);
                }
        }
}
BOOST_AUTO_TEST_CASE(without_shards_nothing_is_said_to_others) {
    nn::Sequential net = small_net(); // there is no group
    loss_of(net, batch_of(0, 0)).backward();
    BOOST_TEST(distributed::clip_grad_norm_(net->parameters(), 1e9) ==
               nn::utils::clip_grad_norm_(net->parameters(), 1e9));
}
BOOST_AUTO_TEST_CASE(the_call_of_every_loop_knows_shards) {
    nn::Sequential net = small_net();
    loss_of(net, batch_of(0, 0)).backward();
    const double expected = nn::utils::clip_grad_norm_(net->parameters(), 0.05);
    for (const double norm : on_ranks(3, [](std::int64_t) {
             nn::Sequential own = small_net();
             distributed::fully_shard(own);
             loss_of(own, batch_of(0, 0)).backward();
             return nn::utils::clip_grad_norm_(own->parameters(), 0.05);
         }))
        BOOST_TEST(std::abs(norm - expected) <= 1e-14 * expected);
}
BOOST_AUTO_TEST_CASE(what_is_not_finite_is_told_to_all) {
    for (const double norm_type : {2.0, std::numeric_limits<double>::infinity()})
        for (const auto& [norm, _] : on_ranks(3, [&](std::int64_t) { return clipped(norm_type, 1, std::nan("")); }))
            BOOST_TEST(std::isnan(norm));
    const auto errors = errors_on_ranks(2, [](std::int64_t r) {
        nn::Sequential net = small_net();
        distributed::fully_shard(net);
        loss_of(net, batch_of(0, r)).backward();
        if (r == 1) net->parameters()[0].mutable_grad().fill_(std::numeric_limits<double>::infinity());
        distributed::clip_grad_norm_(net->parameters(), 1, 2, true);
    });
    for (const std::string& e : errors)
        BOOST_TEST(has(e, "Error: clip_grad_norm_: the total norm of order 2 is inf"), e);
    const auto negative = errors_on_ranks(2, [](std::int64_t) { clipped(-1, 1); });
    for (const std::string& e : negative) BOOST_TEST(has(e, "ValueError: clip_grad_norm_: norm_type is -1"), e);
}

BOOST_AUTO_TEST_SUITE_END()
