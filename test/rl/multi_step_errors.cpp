// What n-step returns refuse, and what they say.
#include <reel/rl/postprocs/multi_step.hpp>

#include <limits>

#include <message.hpp>

#include "rl/testing.hpp"

using namespace reel;
using namespace reel::testing;
using rl::MultiStep;
using rl::MultiStepOptions;
using rl::TensorDict;

BOOST_AUTO_TEST_SUITE(multi_step_errors)

namespace {

bool says(const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts)
        if (text.find(part) == std::string::npos) return false;
    return true;
}
TensorDict steps() {
    TensorDict td({2, 4});
    td.set({"next", "reward"}, ones({2, 4, 1}));
    td.set({"next", "done"}, zeros({2, 4, 1}, kBool));
    return td;
}

} // namespace

BOOST_AUTO_TEST_CASE(MS_2_n_steps_is_not_negative) {
    BOOST_CHECK_THROW(MultiStep(0.9, -1), ValueError);
    std::string text = message([] { MultiStep(0.9, -1); });
    BOOST_TEST(says(text, {"MultiStep: n_steps must be a non-negative integer", "n_steps=-1"}), text);
    BOOST_CHECK_NO_THROW(MultiStep(0.9, 0));
    for (const int n : {0, -1}) {
        const auto make = [n] { MultiStep m(MultiStepOptions(0.9, n).counts_current_step(true)); };
        BOOST_CHECK_THROW(make(), ValueError);
        text = message(make);
        BOOST_TEST(says(text, {"n_steps must be a non-negative integer", "counts the current step"}), text);
    }
    BOOST_CHECK_THROW(MultiStep(0.9, std::numeric_limits<std::int64_t>::max()), ValueError);
}

BOOST_AUTO_TEST_CASE(MS_3_gamma_lies_above_0_and_not_above_1) {
    for (const double gamma :
         {0., -0.5, 1.1, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        const auto make = [gamma] { MultiStep m(gamma, 2); };
        BOOST_CHECK_THROW(make(), ValueError);
    }
    BOOST_TEST(says(message([] { MultiStep(1.1, 2); }), {"got out-of-bounds gamma decay: gamma=1.1;"}),
               message([] { MultiStep(1.1, 2); }));
    BOOST_TEST(says(message([] { MultiStep(std::numeric_limits<double>::quiet_NaN(), 2); }), {"gamma=nan"}));
    BOOST_CHECK_NO_THROW(MultiStep(1, 2));
    MultiStep changed(0.9, 2); // and later on
    changed->options.gamma(2.);
    BOOST_CHECK_THROW(changed(steps()), ValueError);
}

BOOST_AUTO_TEST_CASE(MS_6_missing_entries_are_named) {
    const MultiStep module(0.9, 2);
    for (const char* gone : {"reward", "done"}) {
        TensorDict td = steps();
        td.del_({"next", gone});
        BOOST_CHECK_THROW(module(td), KeyError);
        const std::string text = message([&] { module(td); });
        BOOST_TEST(says(text, {"MultiStep: the tensordict has no entry ('next', '", gone, "it has ('next', '"}), text);
    }
    TensorDict td = steps();
    td.del_("next");
    td.set("observation", ones({2, 4, 3}));
    std::string text = message([&] { module(td); });
    BOOST_TEST(says(text, {"no entry ('next', 'done'); it has 'observation'"}), text);
    BOOST_TEST(says(message([&] { module(TensorDict({2})); }), {"it has none"}));
    td = steps();
    td.set({"next", "agents", "reward"}, ones({2, 4}));
    const MultiStep agents(0.9, 2);
    agents->reward_keys = {"agents"};
    BOOST_CHECK_THROW(agents(td), TypeError);
    text = message([&] { agents(td); });
    BOOST_TEST(says(text, {"('next', 'agents') is a tensordict, expected a tensor"}), text);
    td.set("next", ones({2, 4}));
    BOOST_CHECK_THROW(module(td), Error);
}

BOOST_AUTO_TEST_CASE(MS_6_there_are_steps) {
    const MultiStep module(0.9, 2);
    BOOST_CHECK_THROW(module(TensorDict()), ValueError);
    BOOST_TEST(says(message([&] { module(TensorDict()); }), {"batch size is []", "[*B, T]"}));
    TensorDict td({3, 0});
    td.set({"next", "reward"}, ones({3, 0, 1}));
    td.set({"next", "done"}, zeros({3, 0, 1}, kBool));
    BOOST_CHECK_THROW(module(td), Error);
    BOOST_TEST(says(message([&] { module(td); }), {"[3, 0]", "no steps"}), message([&] { module(td); }));
    // no rows are no error: there is nothing to do
    TensorDict none({0, 4});
    none.set({"next", "reward"}, ones({0, 4, 1}));
    none.set({"next", "done"}, zeros({0, 4, 1}, kBool));
    BOOST_CHECK(module(none)["gamma"].sizes() == IntArrayRef({0, 4}));
}

BOOST_AUTO_TEST_CASE(MS_9_a_refused_input_is_as_it_was) {
    TensorDict td = steps();
    td.set({"next", "reward"}, zeros({2, 4, 1}, kBool));
    const TensorDict before = td.clone();
    BOOST_CHECK_THROW(MultiStep(0.9, 2)(td), TypeError);
    BOOST_TEST(td.equal(before));
    BOOST_CHECK(td.keys(true) == before.keys(true));
}

BOOST_AUTO_TEST_SUITE_END()
