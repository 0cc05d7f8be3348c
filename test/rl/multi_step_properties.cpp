// n-step returns over random data, against a double loop.
#include <reel/rl/postprocs/multi_step.hpp>

#include <cmath>

#include "rl/testing.hpp"

using namespace reel;
using namespace reel::testing;
using rl::MultiStep;
using rl::MultiStepOptions;
using rl::NestedKey;
using rl::TensorDict;

BOOST_AUTO_TEST_SUITE(multi_step_properties)

namespace {

using Sizes = std::vector<std::int64_t>;

Sizes with(Sizes sizes, std::initializer_list<std::int64_t> more) {
    sizes.insert(sizes.end(), more.begin(), more.end());
    return sizes;
}
TensorDict draw(const Sizes& batch, bool observation_trails, bool reward_trails, double ends) {
    TensorDict td(batch);
    const Tensor done = rand(with(batch, {1})).lt(ends);
    const Tensor observation = randn(observation_trails ? with(batch, {3}) : batch);
    td.set("observation", observation);
    td.set({"next", "observation"}, observation + 1);
    td.set({"next", "image"}, randint(0, 100, with(batch, {2, 2}), kByte));
    td.set({"next", "reward"}, randn(reward_trails ? with(batch, {1}) : batch, kDouble));
    td.set({"next", "done"}, done);
    td.set({"next", "terminated"}, done.clone());
    return td;
}

/// MS-10 to MS-13 as they are written, row by row (MS-27).
struct Loop {
    std::vector<double> rewards, steps;
    std::vector<std::int64_t> source;
    Loop(const TensorDict& td, double gamma, std::int64_t n) {
        const auto done = numbers(td[{"next", "done"}]), r = numbers(td[{"next", "reward"}]);
        const std::int64_t length = td.batch_size(-1), rows = std::int64_t(done.size()) / length;
        for (std::int64_t row = 0; row < rows; ++row) {
            std::vector<std::int64_t> id(std::size_t(length), 0);
            const auto at = [&](std::int64_t t) { return std::size_t(row * length + t); };
            for (std::int64_t t = 1; t < length; ++t)
                id[std::size_t(t)] = id[std::size_t(t - 1)] + (done[at(t - 1)] != 0);
            for (std::int64_t t = 0; t < length; ++t) {
                std::int64_t remaining = 0;
                for (std::int64_t u = t; u < length; ++u) remaining += id[std::size_t(u)] == id[std::size_t(t)];
                const std::int64_t d = std::min(remaining, n + 1) - 1;
                double sum = 0;
                for (std::int64_t k = 0; k <= d; ++k) sum += std::pow(gamma, double(k)) * r[at(t + k)];
                rewards.push_back(sum);
                steps.push_back(double(d + 1));
                source.push_back(row * length + t + d);
            }
        }
    }
    /// Rows of `t` from where they are said to come.
    std::vector<double> moved(const Tensor& t) const {
        const auto all = numbers(t);
        const std::size_t width = source.empty() ? 0 : all.size() / source.size();
        std::vector<double> out;
        for (const std::int64_t s : source)
            for (std::size_t c = 0; c < width; ++c) out.push_back(all[std::size_t(s) * width + c]);
        return out;
    }
};

void check(const TensorDict& td, double gamma, std::int64_t n) {
    const TensorDict out = MultiStep(gamma, n)(td);
    const Loop want(td, gamma, n);
    BOOST_TEST((numbers(out["steps_to_next_obs"]) == want.steps));
    for (const char* key : {"observation", "image"})
        BOOST_TEST((numbers(out[{"next", key}]) == want.moved(td[{"next", key}])));
    const auto rewards = numbers(out[{"next", "reward"}]);
    BOOST_TEST_REQUIRE(rewards.size() == want.rewards.size());
    for (std::size_t i = 0; i < rewards.size(); ++i) BOOST_TEST(std::abs(rewards[i] - want.rewards[i]) < 1e-12);
    for (const char* key : {"done", "terminated"}) BOOST_TEST(same(out[{"next", key}], td[{"next", key}]));
    BOOST_TEST(same(out["observation"], td["observation"]));
    // MS-24, and MS-15
    const auto steps = numbers(out["steps_to_next_obs"]), factors = numbers(out["gamma"]),
               shifted = numbers(out["nonterminal"]);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        BOOST_TEST(std::abs(factors[i] - std::pow(gamma, steps[i])) < 1e-6);
        BOOST_TEST(shifted[i] == double(steps[i] > 1));
    }
    // the package's counting
    const TensorDict counted = MultiStep(MultiStepOptions(gamma, n + 1).counts_current_step(true))(td);
    for (const NestedKey& key : out.keys(true, true)) BOOST_TEST(same(counted[key], out[key]));
}

} // namespace

BOOST_AUTO_TEST_CASE(MS_26_MS_27_MS_24_every_shape_agrees_with_the_loop) {
    manual_seed(7);
    for (const Sizes& rows : {Sizes{}, Sizes{1}, Sizes{4}, Sizes{2, 3}})
        for (const std::int64_t length : {1, 2, 10})
            for (const std::int64_t n :
                 {std::int64_t(0), std::int64_t(1), std::int64_t(2), std::int64_t(4), length + 3})
                for (const bool observation_trails : {false, true})
                    for (const bool reward_trails : {false, true})
                        check(draw(with(rows, {length}), observation_trails, reward_trails, 0.25), 0.9, n);
}

BOOST_AUTO_TEST_CASE(MS_26_long_rows_and_many_threads) {
    manual_seed(8);
    check(draw({300, 70}, true, true, 0.05), 0.99, 5);
    check(draw({5, 400}, true, true, 0.), 1, 900);
    // inputs that lie otherwise in memory
    TensorDict td = draw({10, 4}, true, true, 0.3);
    TensorDict turned = td.transpose(0, 1);
    check(turned, 0.9, 3);
}

BOOST_AUTO_TEST_CASE(MS_22_without_look_ahead_nothing_moves) {
    manual_seed(9);
    const TensorDict td = draw({3, 10}, true, true, 0.2), out = MultiStep(0.9, 0)(td);
    for (const NestedKey& key : td.dict("next").keys(true, true))
        BOOST_TEST(same(out[key.under("next")], td[key.under("next")]));
    BOOST_TEST((same(out[{"next", "original_reward"}], out[{"next", "reward"}])));
}

BOOST_AUTO_TEST_CASE(MS_23_the_end_of_the_batch_is_an_end) {
    manual_seed(10);
    TensorDict td = draw({2, 9}, true, true, 0.2), ended = td.clone();
    ended[{"next", "done"}].select(1, 8).fill_(true);
    td[{"next", "done"}].select(1, 8).fill_(false);
    const TensorDict a = MultiStep(0.9, 3)(td), b = MultiStep(0.9, 3)(ended);
    for (const NestedKey& key : a.keys(true, true))
        if (key != NestedKey{"next", "done"}) BOOST_TEST(same(a[key], b[key]));
}

BOOST_AUTO_TEST_CASE(MS_25_finished_trajectories_do_not_know_of_each_other) {
    manual_seed(11);
    TensorDict first = draw({6}, true, true, 0.1), second = draw({5}, true, true, 0.1);
    for (TensorDict* td : {&first, &second}) (*td)[{"next", "done"}].slice(0, -1).fill_(true);
    const MultiStep module(0.7, 3);
    const TensorDict together = module(rl::cat({first, second})), apart = rl::cat({module(first), module(second)});
    for (const NestedKey& key : apart.keys(true, true)) BOOST_TEST(same(together[key], apart[key]));
}

BOOST_AUTO_TEST_SUITE_END()
