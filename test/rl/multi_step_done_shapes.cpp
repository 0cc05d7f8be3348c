// done flags of every shape that the rule takes.
#include <reel/rl/postprocs/multi_step.hpp>

#include <message.hpp>

#include "rl/testing.hpp"

using namespace reel;
using namespace reel::testing;
using rl::MultiStep;
using rl::NestedKey;
using rl::TensorDict;

BOOST_AUTO_TEST_SUITE(multi_step_done_shapes)

namespace {

using Sizes = std::vector<std::int64_t>;

TensorDict steps(const Sizes& batch, const Sizes& done, const Sizes& reward) {
    TensorDict td(batch);
    td.set({"next", "done"}, rand(done).lt(0.2));
    td.set({"next", "reward"}, randn(reward, kDouble));
    return td;
}

} // namespace

BOOST_AUTO_TEST_CASE(MS_7_the_examples_of_the_rule) {
    manual_seed(0);
    const MultiStep module(0.9, 2);
    TensorDict td = steps({10, 3, 10}, {10, 3, 10, 5, 1}, {10, 3, 10, 5});
    BOOST_CHECK_THROW(module(td), Error);
    BOOST_TEST(message([&] { module(td); }).starts_with("tensordict shape must be compatible with the done's shape"));
    BOOST_TEST(message([&] { module(td); }).find("('next', 'reward') has sizes [10, 3, 10, 5]") != std::string::npos);
    BOOST_CHECK_NO_THROW(module(steps({10, 3, 10}, {10, 3, 10, 5, 1}, {10, 3, 10, 5, 1})));
    td = steps({10, 3, 10}, {10, 3, 10, 5}, {10, 3, 10, 5});
    BOOST_CHECK_NO_THROW(module(td));
    td.set({"next", "observation"}, ones({10, 3, 10, 2}));
    BOOST_TEST(message([&] { module(td); }).starts_with("tensordict shape must be compatible with the done's shape"));
    // root entries count, too
    td = steps({2, 4}, {2, 4, 3}, {2, 4, 3});
    td.set({"collector", "traj_ids"}, zeros({2, 4}, kLong));
    BOOST_TEST(message([&] { module(td); }).find("('collector', 'traj_ids')") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(MS_7_one_flag_per_step_with_and_without_a_1) {
    manual_seed(1);
    const MultiStep module(0.9, 2);
    TensorDict td = steps({3, 8}, {3, 8, 1}, {3, 8, 1});
    td.set({"next", "observation"}, randn({3, 8, 4}));
    const TensorDict with = module(td);
    td.set({"next", "done"}, td[{"next", "done"}].squeeze(-1));
    const TensorDict without = module(td);
    for (const NestedKey& key : with.keys(true, true))
        if (key != NestedKey{"next", "done"}) BOOST_TEST(same(with[key], without[key]));
    // integer and floating flags: ends are where they are not 0
    td.set({"next", "done"}, td[{"next", "done"}].to(kInt).mul(3));
    BOOST_TEST((same(module(td)[{"next", "reward"}], with[{"next", "reward"}])));
}

BOOST_AUTO_TEST_CASE(MS_7_MS_8_every_agent_has_a_trajectory_of_its_own) {
    manual_seed(2);
    // [2, 6, 3] and [2, 6, 3, 2]: the same as each agent on its own
    for (const Sizes& extra : {Sizes{3}, Sizes{3, 2}, Sizes{3, 1}}) {
        Sizes done{2, 6}, reward{2, 6}, single{2, 6};
        done.insert(done.end(), extra.begin(), extra.end());
        reward = done;
        reward.push_back(2); // further dimensions of the reward alone
        TensorDict td = steps({2, 6}, done, reward);
        td.set({"next", "observation"}, randn(reward));
        td.set("action", randn(done));
        td.set({"agents", "state"}, randn(done));
        const MultiStep module(0.8, 2);
        const TensorDict out = module(td);
        const std::int64_t agents = out["gamma"].numel() / 12;
        const auto lane = [&](const Tensor& t, std::int64_t e) {
            Sizes flat{2, 6, agents};
            for (std::int64_t i = std::int64_t(done.size()); i < t.dim(); ++i) flat.push_back(t.size(i));
            return t.reshape(flat).select(2, e).contiguous();
        };
        for (std::int64_t e = 0; e < agents; ++e) {
            TensorDict one({2, 6});
            for (const char* key : {"done", "reward", "observation"})
                one.set({"next", key}, lane(td[{"next", key}], e));
            const TensorDict alone = module(one);
            for (const NestedKey& key : alone.keys(true, true)) BOOST_TEST(same(lane(out[key], e), alone[key]));
        }
        // the batch size is the input's again, that of nested dictionaries stays
        BOOST_CHECK(out.batch_size() == Sizes({2, 6}));
        BOOST_CHECK(out.dict("next").batch_size() == done);
        BOOST_CHECK(out.dict("agents").batch_size() == done);
        BOOST_CHECK(td.batch_size() == Sizes({2, 6}));
        BOOST_CHECK(td.dict("next").batch_size() == Sizes({2, 6}));
        for (const char* key : {"steps_to_next_obs", "gamma", "nonterminal"})
            BOOST_CHECK(out[key].sizes() == IntArrayRef(done));
    }
}

BOOST_AUTO_TEST_CASE(MS_7_MS_16_masks_of_agents) {
    manual_seed(3);
    TensorDict td = steps({2, 6}, {2, 6, 3}, {2, 6, 3});
    const Tensor mask = rand({2, 6, 3}).lt(0.5);
    const MultiStep module(0.8, 2);
    const Tensor plain = module(td)["nonterminal"];
    for (const Tensor& m : {mask, mask.unsqueeze(-1)}) {
        td.set({"collector", "mask"}, m);
        BOOST_TEST(same(module(td)["nonterminal"], plain.logical_and(mask)));
    }
}

BOOST_AUTO_TEST_SUITE_END()
