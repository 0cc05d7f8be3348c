// Forward hooks that run although the call fails.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;

BOOST_AUTO_TEST_SUITE(always_call)

namespace {
struct Broken : std::runtime_error {
    using std::runtime_error::runtime_error;
};
std::shared_ptr<AnyImpl> failing() {
    return any_module([](const Args&, const Kwargs&) -> Value { throw Broken("from forward"); });
}
std::string thrown_by(Module& m, const Args& args = {Value(ones({}))}, const Kwargs& kwargs = {}) {
    return message_of<Broken>([&] { m.call_values(args, kwargs); });
}
} // namespace

BOOST_AUTO_TEST_CASE(C_25_C_26_without_an_exception_it_is_an_ordinary_hook) {
    const CleanHooks clean;
    Scale m;
    int local = 0, global = 0;
    m->register_forward_hook(
        [&](Module&, const Tensor&, const Tensor& out) {
            ++local;
            return out + 1;
        },
        false, true);
    nn::register_module_forward_hook([&](Module&, const Tensor&, const Tensor&) { ++global; }, true);
    BOOST_TEST(number(m(ones({}))) == 4);
    BOOST_TEST(local == 1);
    BOOST_TEST(global == 1);
}

BOOST_AUTO_TEST_CASE(C_27_rescue_hooks_run_and_the_original_exception_leaves) {
    const CleanHooks clean;
    const auto m = failing();
    std::string log;
    const auto note = [&](const char* tag) {
        return [&log, tag](Module&, const Args& args, const Value& out) -> Value {
            log += std::string(tag) + (out.isNone() ? "-" : out.toStringRef()) + std::to_string(args.size()) + " ";
            return Value(tag);
        };
    };
    m->register_forward_hook(note("a"), false, true);
    m->register_forward_hook(note("plain"), false, false);
    m->register_forward_hook(note("b"), false, true);
    nn::register_module_forward_hook(note("global"), true);
    m->register_forward_pre_hook([](Module&, const Args& a) -> Value { return Value::tuple({a[0], a[0]}); });
    BOOST_TEST(thrown_by(*m) == "from forward");
    // global before local; each sees the replaced arguments and the result of the one before
    BOOST_TEST(log == "global-2 aglobal2 ba2 ");
}

BOOST_AUTO_TEST_CASE(C_27_a_hook_over_tensors_gets_an_undefined_one_for_the_missing_result) {
    const CleanHooks clean;
    const auto m = failing();
    int called = 0;
    m->register_forward_hook(
        [&](Module&, const Tensor& in, const Tensor& out) { called += in.defined() && !out.defined(); }, false, true);
    BOOST_TEST(thrown_by(*m) == "from forward");
    BOOST_TEST(called == 1);
}

BOOST_AUTO_TEST_CASE(C_27_a_failure_anywhere_in_the_call_is_rescued) {
    int rescued = 0;
    const auto rescue = [&](Module&, const Args&, const Value&) { ++rescued; };
    Scale pre;
    pre->register_forward_hook(rescue, false, true);
    pre->register_forward_pre_hook([](Module&, const Tensor&) { throw Broken("from a pre-hook"); });
    BOOST_TEST(thrown_by(*pre) == "from a pre-hook");
    BOOST_TEST(rescued == 1);
    Scale post;
    double out = 0;
    post->register_forward_hook([](Module&, const Tensor&, const Tensor&) { throw Broken("from a hook"); });
    post->register_forward_hook([&](Module&, const Args&, const Value& r) { out = number(r); }, false, true);
    BOOST_TEST(thrown_by(*post) == "from a hook");
    BOOST_TEST(out == 3); // forward had returned
}

BOOST_AUTO_TEST_CASE(C_28_a_hook_that_started_is_not_run_again) {
    Scale m;
    int first = 0, second = 0;
    m->register_forward_hook(
        [&](Module&, const Tensor&, const Tensor&) {
            ++first;
            throw Broken("from the first");
        },
        false, true);
    m->register_forward_hook([&](Module&, const Args&, const Value&) { ++second; }, false, true);
    BOOST_TEST(thrown_by(*m) == "from the first");
    BOOST_TEST(first == 1);
    BOOST_TEST(second == 1);
}

BOOST_AUTO_TEST_CASE(C_29_what_a_rescue_hook_throws_becomes_a_warning) {
    const auto m = failing();
    WarningLog log;
    int last = 0;
    m->register_forward_hook([](Module&, const Args&, const Value&) { throw Broken("from the rescue"); }, false, true);
    m->register_forward_hook([&](Module&, const Args&, const Value&) { ++last; }, false, true);
    BOOST_TEST(thrown_by(*m) == "from forward");
    BOOST_TEST(log.any("from the rescue"));
    BOOST_TEST(log.texts.size() == 1u);
    BOOST_TEST(last == 1);
}

BOOST_AUTO_TEST_CASE(C_30_ordinary_hooks_do_not_run_when_forward_throws) {
    const auto m = failing();
    int fired = 0;
    m->register_forward_hook([&](Module&, const Args&, const Value&) { ++fired; });
    BOOST_TEST(thrown_by(*m) == "from forward");
    BOOST_TEST(fired == 0);
}

BOOST_AUTO_TEST_CASE(C_31_rescue_hooks_get_keyword_arguments_and_may_change_the_table) {
    const CleanHooks clean;
    const auto m = failing();
    std::string seen;
    RemovableHandle later;
    nn::register_module_forward_hook(
        [&](Module& self, const Args&, const Kwargs& k, const Value&) {
            seen += k.at("a").toStringRef();
            later.remove(); // a snapshot: it runs all the same
            self.register_forward_hook([&](Module&, const Args&, const Value&) { seen += "new"; }, false, true);
        },
        true);
    later = m->register_forward_hook(
        [&](Module&, const Args&, const Kwargs& k, const Value&) { seen += "+" + k.at("a").toStringRef(); }, false,
        true);
    WarningLog log;
    BOOST_TEST(thrown_by(*m, {}, Kwargs{{"a", "given"}}) == "from forward");
    BOOST_TEST(seen.rfind("given", 0) == 0u);
    BOOST_TEST(log.texts.empty());
}

BOOST_AUTO_TEST_CASE(C_31_any_kind_of_exception_is_rescued) {
    int rescued = 0;
    const auto m = any_module([](const Args&, const Kwargs&) -> Value { throw 7; });
    m->register_forward_hook([&](Module&, const Args&, const Value&) { ++rescued; }, false, true);
    BOOST_CHECK_THROW(m->call_values({}), int);
    BOOST_TEST(rescued == 1);
}

BOOST_AUTO_TEST_SUITE_END()
