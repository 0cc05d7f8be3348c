// n-step returns: the golden rows, the entries of the result, the switches.
#include <reel/rl/postprocs/multi_step.hpp>

#include <limits>

#include <message.hpp>

#include "rl/testing.hpp"

using namespace reel;
using namespace reel::testing;
namespace forward_ad = autograd::forward_ad;
using autograd::gradcheck;
using autograd::gradgradcheck;
using autograd::variable_list;
using rl::MultiStep;
using rl::MultiStepOptions;
using rl::NestedKey;
using rl::TensorDict;

BOOST_AUTO_TEST_SUITE(multi_step)

namespace {

using Numbers = std::vector<double>;

/// One row of steps as an environment with a step counter gives it.
TensorDict row(std::int64_t steps, std::initializer_list<std::int64_t> ends = {}) {
    TensorDict td({steps});
    td.set("step_count", arange(steps).unsqueeze(-1));
    td.set({"next", "step_count"}, arange(1, steps + 1).unsqueeze(-1));
    td.set({"next", "done"}, flags(steps, ends));
    td.set({"next", "terminated"}, flags(steps, ends));
    td.set({"next", "truncated"}, flags(steps, {}));
    td.set({"next", "reward"}, arange(1, steps + 1).to(kFloat).unsqueeze(-1));
    return td;
}
Numbers next_counts(const TensorDict& td) { return numbers(td[{"next", "step_count"}]); }

} // namespace

BOOST_AUTO_TEST_CASE(MS_21_the_golden_rows) {
    // The table of section A.5; MS-19: without look-ahead nothing was shifted
    const std::vector<Numbers> counts{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                                      {2, 3, 4, 5, 6, 7, 8, 9, 10, 10},
                                      {3, 4, 5, 6, 7, 8, 9, 10, 10, 10},
                                      {4, 5, 6, 7, 8, 9, 10, 10, 10, 10},
                                      {5, 6, 7, 8, 9, 10, 10, 10, 10, 10}};
    const std::vector<Numbers> steps{{1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                     {2, 2, 2, 2, 2, 2, 2, 2, 2, 1},
                                     {3, 3, 3, 3, 3, 3, 3, 3, 2, 1},
                                     {4, 4, 4, 4, 4, 4, 4, 3, 2, 1},
                                     {5, 5, 5, 5, 5, 5, 4, 3, 2, 1}};
    for (int n = 0; n < 5; ++n)
        for (const bool counts_current : {false, true}) {
            const TensorDict out =
                MultiStep(MultiStepOptions(0.99, n + counts_current).counts_current_step(counts_current))(row(10));
            BOOST_TEST(next_counts(out) == counts[std::size_t(n)], boost::test_tools::per_element());
            BOOST_TEST(numbers(out["steps_to_next_obs"]) == steps[std::size_t(n)], boost::test_tools::per_element());
            Numbers shifted(10, n > 0);
            shifted[9] = 0;
            BOOST_TEST(numbers(out["nonterminal"]) == shifted, boost::test_tools::per_element());
        }
}

BOOST_AUTO_TEST_CASE(MS_10_to_13_a_trajectory_that_ends_inside) {
    // MS-10, MS-11, MS-12, MS-13, MS-15, MS-17
    const TensorDict in = row(10, {4}), out = MultiStep(0.5, 2)(in);
    const auto each = boost::test_tools::per_element();
    BOOST_TEST(numbers(out[{"next", "reward"}]) == Numbers({2.75, 4.5, 6.25, 6.5, 5, 11.5, 13.25, 15, 14, 10}), each);
    BOOST_TEST(numbers(out["steps_to_next_obs"]) == Numbers({3, 3, 3, 2, 1, 3, 3, 3, 2, 1}), each);
    BOOST_TEST(numbers(out["gamma"]) == Numbers({.125, .125, .125, .25, .5, .125, .125, .125, .25, .5}), each);
    BOOST_TEST(next_counts(out) == Numbers({3, 4, 5, 5, 5, 8, 9, 10, 10, 10}), each);
    BOOST_TEST(numbers(out["nonterminal"]) == Numbers({1, 1, 1, 1, 0, 1, 1, 1, 1, 0}), each);
    BOOST_TEST(same(out["step_count"], in["step_count"]));
    // the entries that come new have the batch's sizes, without a 1
    for (const char* key : {"steps_to_next_obs", "gamma", "nonterminal"})
        BOOST_CHECK(out[key].sizes() == IntArrayRef({10}));
    BOOST_CHECK(out["steps_to_next_obs"].scalar_type() == kLong);
    BOOST_CHECK(out["gamma"].scalar_type() == kFloat);
    BOOST_CHECK(out["nonterminal"].scalar_type() == kBool);
}

BOOST_AUTO_TEST_CASE(MS_9_the_input_stays_and_what_is_untouched_is_shared) {
    const TensorDict in = row(6), before = in.clone();
    const auto keys = in.keys(true, true);
    const TensorDict out = MultiStep(0.9, 2)(in);
    BOOST_CHECK(in.keys(true, true) == keys);
    BOOST_TEST(in.equal(before));
    BOOST_TEST(!out.is(in));
    BOOST_TEST(!out.dict("next").is(in.dict("next")));
    BOOST_TEST(out["step_count"].data_ptr() == in["step_count"].data_ptr());
    for (const char* flag : {"done", "terminated", "truncated"})
        BOOST_TEST((out[{"next", flag}].data_ptr() == in[{"next", flag}].data_ptr()));
    BOOST_TEST((out[{"next", "original_reward"}].data_ptr() == in[{"next", "reward"}].data_ptr()));
    const std::vector<NestedKey> order{"step_count",           {"next", "step_count"}, {"next", "done"},
                                       {"next", "terminated"}, {"next", "truncated"},  {"next", "original_reward"},
                                       {"next", "reward"},     "steps_to_next_obs",    "gamma",
                                       "nonterminal"};
    BOOST_CHECK(out.keys(true, true) == order);
}

BOOST_AUTO_TEST_CASE(MS_15_entries_of_the_result_that_the_input_has_are_replaced) {
    TensorDict in = row(4);
    in.set("gamma", zeros({4, 3}));
    const TensorDict out = MultiStep(0.5, 1)(in);
    BOOST_CHECK(out["gamma"].sizes() == IntArrayRef({4}));
    BOOST_CHECK(out.keys() ==
                std::vector<NestedKey>({"step_count", "next", "gamma", "steps_to_next_obs", "nonterminal"}));
    // the default dtype, whatever the rewards are
    in.set({"next", "reward"}, in[{"next", "reward"}].to(kDouble));
    BOOST_CHECK((MultiStep(0.5, 1)(in)["gamma"].scalar_type() == kFloat));
    set_default_dtype(kDouble);
    BOOST_CHECK((MultiStep(0.5, 1)(row(4))["gamma"].scalar_type() == kDouble));
    set_default_dtype(kFloat);
}

BOOST_AUTO_TEST_CASE(MS_12_sums_in_the_dtype_of_the_reward) {
    TensorDict in = row(4);
    const Tensor rewards = tensor({100, 50, 120, 7}).unsqueeze(-1);
    // powers of gamma below 1 are 0 as integers; sums are int64, made of bytes that wrap
    for (const ScalarType t : {kLong, kInt, kShort, kChar, kByte}) {
        in.set({"next", "reward"}, rewards.to(t));
        const Tensor r = MultiStep(0.5, 2)(in)[{"next", "reward"}];
        BOOST_CHECK(r.scalar_type() == kLong);
        BOOST_TEST(numbers(r) == Numbers({100, 50, 120, 7}), boost::test_tools::per_element());
        const Numbers sums = t == kChar   ? Numbers({14, -79, 127, 7})
                             : t == kByte ? Numbers({14, 177, 127, 7})
                                          : Numbers({270, 177, 127, 7});
        BOOST_TEST(numbers(MultiStep(1, 2)(in)[{"next", "reward"}]) == sums, boost::test_tools::per_element());
    }
    // the switch: discounted as they should be
    in.set({"next", "reward"}, rewards);
    const TensorDict out = MultiStep(MultiStepOptions(0.5, 2).integer_rewards_as_float(true))(in);
    BOOST_CHECK((out[{"next", "reward"}].scalar_type() == kFloat));
    BOOST_TEST((numbers(out[{"next", "reward"}]) == Numbers({155, 111.75, 123.5, 7})));
    BOOST_CHECK((out[{"next", "original_reward"}].scalar_type() == kLong));
    in.set({"next", "reward"}, flags(4, {0, 1, 3}));
    BOOST_TEST((numbers(MultiStep(MultiStepOptions(0.5, 2).integer_rewards_as_float(true))(in)[{"next", "reward"}]) ==
                Numbers({1.5, 1.25, .5, 1})));
    BOOST_TEST(message([&] { MultiStep(0.5, 2)(in); }).find("('next', 'reward') is bool") != std::string::npos);
    BOOST_CHECK_THROW(MultiStep(0.5, 2)(in), TypeError);
    // halves are summed in float32 and rounded once; 0.3 is what the dtype makes of it
    for (const ScalarType t : {kHalf, kBFloat16}) {
        in.set({"next", "reward"}, rewards.to(t));
        const Tensor g = full({}, 0.3, kDouble).to(t).to(kFloat);
        const Tensor want = (rewards.to(t).to(kFloat) * tensor({1., 1., 1., 0.}).to(kFloat).unsqueeze(-1) +
                             g * tensor({50., 120., 7., 0.}).to(kFloat).unsqueeze(-1))
                                .to(t);
        BOOST_TEST(numbers(MultiStep(0.3, 1)(in)[{"next", "reward"}])[1] == numbers(want)[1]);
    }
    in.set({"next", "reward"}, rewards.to(kComplexDouble));
    BOOST_CHECK((MultiStep(0.5, 2)(in)[{"next", "reward"}].scalar_type() == kComplexDouble));
}

BOOST_AUTO_TEST_CASE(MS_12_infinite_rewards_stay_in_their_trajectory) {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    TensorDict in = row(6, {1, 3});
    in.set({"next", "reward"}, tensor({1., 2., inf, 1., nan, 1.}).unsqueeze(-1));
    const Numbers sums = numbers(MultiStep(0.5, 4)(in)[{"next", "reward"}]);
    BOOST_TEST(sums[0] == 2.);
    BOOST_TEST(sums[1] == 2.);
    BOOST_TEST(sums[2] == inf);
    BOOST_TEST(sums[3] == 1.);
    BOOST_TEST(std::isnan(sums[4]));
    BOOST_TEST(sums[5] == 1.);
    BOOST_TEST(numbers(MultiStep(0.5, 0)(in)[{"next", "reward"}])[2] == inf);
}

BOOST_AUTO_TEST_CASE(MS_14_several_rewards) {
    TensorDict in = row(4);
    in.set({"next", "cost"}, full({4, 2}, 3.));
    in.set({"next", "agents", "reward"}, full({4, 5}, 7.));
    MultiStep module(1, 1);
    module->reward_keys = {"reward", "cost", {"agents", "reward"}};
    TensorDict out = module(in);
    // one name serves all: the last one's original is left
    BOOST_TEST(same(out[{"next", "original_reward"}], in[{"next", "agents", "reward"}]));
    BOOST_TEST(numbers(out[{"next", "reward"}]) == Numbers({3, 5, 7, 4}), boost::test_tools::per_element());
    BOOST_TEST((numbers(out[{"next", "cost"}]) == Numbers({6, 6, 6, 6, 6, 6, 3, 3})));
    BOOST_TEST((numbers(out[{"next", "agents", "reward"}])[0] == 14));
    // the rule applied twice: the first original is moved along
    out = MultiStep(1, 1)(MultiStep(1, 1)(row(4)));
    BOOST_TEST((numbers(out[{"next", "original_reward"}]) == Numbers({2, 3, 4, 4})));
    BOOST_TEST((numbers(out[{"next", "reward"}]) == Numbers({8, 12, 11, 4})));
    // the switch: an original beside each, and one that is there stays
    const MultiStepOptions each = MultiStepOptions(1, 1).original_reward_per_key(true);
    MultiStep kept(each);
    kept->reward_keys = module->reward_keys;
    out = kept(kept(in));
    BOOST_TEST(same(out[{"next", "original_reward"}], in[{"next", "reward"}]));
    BOOST_TEST(same(out[{"next", "original_cost"}], in[{"next", "cost"}]));
    BOOST_TEST((same(out[{"next", "agents", "original_reward"}], in[{"next", "agents", "reward"}])));
    BOOST_TEST((numbers(out[{"next", "reward"}]) == Numbers({8, 12, 11, 4})));
}

BOOST_AUTO_TEST_CASE(MS_13_MS_5_what_is_moved_depends_on_the_names_alone) {
    TensorDict in = row(5, {2});
    in.set({"next", "agents", "done"}, flags(5, {0, 3}));
    // a nested flag moves like an observation, even when it says where trajectories end ...
    MultiStep module(1, 1);
    module->done_key = {"agents", "done"};
    TensorDict out = module(in);
    BOOST_TEST((numbers(out["steps_to_next_obs"]) == Numbers({1, 2, 2, 1, 1})));
    BOOST_TEST((numbers(out[{"next", "agents", "done"}]) == Numbers({1, 0, 1, 1, 0})));
    BOOST_TEST((same(out[{"next", "done"}], in[{"next", "done"}])));
    // ... unless it is listed
    module->done_keys = {{"agents", "done"}};
    out = module(in);
    BOOST_TEST((same(out[{"next", "agents", "done"}], in[{"next", "agents", "done"}])));
    BOOST_TEST((numbers(out[{"next", "done"}]) == Numbers({0, 1, 0, 0, 0})));
}

BOOST_AUTO_TEST_CASE(MS_18_flags_stay_behind_unless_told) {
    const TensorDict in = row(5, {2});
    TensorDict out = MultiStep(1, 2)(in);
    BOOST_TEST((numbers(out[{"next", "done"}]) == Numbers({0, 0, 1, 0, 0})));
    BOOST_TEST(next_counts(out) == Numbers({3, 3, 3, 5, 5}), boost::test_tools::per_element());
    out = MultiStep(MultiStepOptions(1, 2).move_done(true))(in);
    for (const char* flag : {"done", "terminated"})
        BOOST_TEST((numbers(out[{"next", flag}]) == Numbers({1, 1, 1, 0, 0})));
    BOOST_TEST((numbers(out[{"next", "truncated"}]) == Numbers(5, 0.)));
}

BOOST_AUTO_TEST_CASE(MS_16_the_mask_changes_nonterminal_alone) {
    TensorDict in = row(5);
    const TensorDict plain = MultiStep(0.9, 2)(in);
    const Tensor mask = tensor({1, 1, 0, 1, 0}).to(kBool);
    for (const Tensor& m : {mask, mask.unsqueeze(-1)}) {
        in.set({"collector", "mask"}, m);
        const TensorDict out = MultiStep(0.9, 2)(in);
        BOOST_TEST((numbers(out["nonterminal"]) == Numbers({1, 1, 0, 1, 0})));
        for (const NestedKey& key : plain.keys(true, true))
            if (key != NestedKey("nonterminal")) BOOST_TEST(same(out[key], plain[key]));
    }
    MultiStep none(0.9, 2);
    none->mask_key = std::nullopt;
    BOOST_TEST(same(none(in)["nonterminal"], plain["nonterminal"]));
    none->mask_key = "valid"; // not there
    BOOST_TEST(same(none(in)["nonterminal"], plain["nonterminal"]));
    in.set({"collector", "mask"}, ones({5, 2}, kBool));
    BOOST_TEST(message([&] { MultiStep(0.9, 2)(in); }).find("the mask ('collector', 'mask') has sizes [5, 2]") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(MS_20_nothing_is_known_beyond_the_batch) {
    // two halves, each with an edge of its own
    const TensorDict whole = row(8);
    const Tensor first = MultiStep(1, 3)(whole[indexing::Slice(0, 4)])[{"next", "reward"}];
    BOOST_TEST(numbers(first) == Numbers({10, 9, 7, 4}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(gradients_go_back_to_rewards_and_observations) {
    TensorDict in = row(5, {1});
    const Tensor reward = tensor({1., 2., 3., 4., 5.}).unsqueeze(-1).requires_grad_();
    const Tensor observation = tensor({1., 2., 3., 4., 5.}).unsqueeze(-1).requires_grad_();
    in.set({"next", "reward"}, reward);
    in.set({"next", "observation"}, observation);
    const TensorDict out = MultiStep(0.5, 1)(in);
    const Tensor weights = tensor({1., 10., 100., 1000., 10000.}).unsqueeze(-1);
    (out[{"next", "reward"}] * weights).sum().backward();
    BOOST_TEST(numbers(reward.grad()) == Numbers({1, 10.5, 100, 1050, 10500}), boost::test_tools::per_element());
    (out[{"next", "observation"}] * weights).sum().backward();
    BOOST_TEST(numbers(observation.grad()) == Numbers({0, 11, 0, 100, 11000}), boost::test_tools::per_element());
    const Tensor r = randn({5, 2}, kDouble).requires_grad_();
    const auto sums = [&](const variable_list& x) -> variable_list {
        TensorDict td = row(5, {2});
        td.set({"next", "reward"}, x[0]);
        td.set({"next", "observation"}, x[0] * x[0]);
        const TensorDict result = MultiStep(0.7, 3)(td);
        return {result[{"next", "reward"}] * result[{"next", "observation"}]};
    };
    BOOST_TEST(gradcheck(sums, {r}));
    BOOST_TEST(gradgradcheck(sums, {r}));
    // forward mode: the sums are linear
    const forward_ad::DualLevel level;
    in.set({"next", "reward"}, forward_ad::make_dual(reward.detach(), weights));
    in.set({"next", "observation"}, forward_ad::make_dual(reward.detach(), weights));
    const TensorDict dual = MultiStep(0.5, 1)(in);
    BOOST_TEST(
        (numbers(forward_ad::unpack_dual(dual[{"next", "reward"}]).tangent) == Numbers({6, 10, 600, 6000, 10000})));
    BOOST_TEST((numbers(forward_ad::unpack_dual(dual[{"next", "observation"}]).tangent) ==
                Numbers({10, 10, 1000, 10000, 10000})));
}

BOOST_AUTO_TEST_SUITE_END()
