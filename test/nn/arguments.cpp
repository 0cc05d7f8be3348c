// Calls over values with wrong arguments: TypeError with the module's path, the argument, what came, what was expected.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/nn/module_paths.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;

BOOST_AUTO_TEST_SUITE(arguments)

namespace {
struct MixImpl : nn::Cloneable<MixImpl> {
    static constexpr const char* forward_arguments = "input, weight, bias";
    void reset() override {}
    Tensor forward(const Tensor& input, double weight, std::optional<Tensor> bias) {
        return bias ? input * weight + *bias : input * weight;
    }
};
REEL_MODULE(Mix);
struct OuterImpl : nn::Cloneable<OuterImpl> {
    OuterImpl() { reset(); }
    void reset() override { body = register_module("body", nn::Sequential(nn::Identity(), MixImpl())); }
    Tensor forward(const Tensor& x) { return nn::call(*body, x); }
    std::shared_ptr<nn::SequentialImpl> body;
};
REEL_MODULE(Outer);
const Value one() { return Value(ones({})); }
template <class F> std::string wrong(F&& fn) { return message_of<TypeError>(std::forward<F>(fn)); }
} // namespace

BOOST_AUTO_TEST_CASE(arguments_bind_by_position_and_by_name) {
    Mix m;
    BOOST_TEST(number(m->call_values({one(), Value(2.0)})) == 2); // an optional may be left out
    BOOST_TEST(number(m->call_values({one()}, Kwargs{{"bias", full({}, 5.0)}, {"weight", 3}})) == 8);
    m->register_forward_hook([](Module&, const Args&, const Value&) {});
    BOOST_TEST(number(m->call_values({one()}, Kwargs{{"weight", 3}})) == 3);
}

BOOST_AUTO_TEST_CASE(a_wrong_type_names_argument_and_both_types) {
    for (const bool hooked : {false, true}) {
        Mix m;
        if (hooked) m->register_forward_hook([](Module&, const Args&, const Value&) {});
        std::string text = wrong([&] { m->call_values({one(), Value("two")}); });
        BOOST_TEST(has(text, {"MixImpl: argument 1 (weight): expected float, got", "two"}), text);
        text = wrong([&] { m->call_values({Value::list({one()}), Value(2.0)}); });
        BOOST_TEST(has(text, {"MixImpl: argument 0 (input): expected Tensor, got ["}), text);
        text = wrong([&] { nn::call(static_cast<Module&>(*m), Args{one(), Value(2.0), Value(3)}, {}); });
        BOOST_TEST(has(text, {"MixImpl: argument 2 (bias): expected Tensor, got 3"}), text);
    }
}

BOOST_AUTO_TEST_CASE(missing_extra_and_unknown_arguments) {
    Mix m;
    std::string text = wrong([&] { m->call_values({one()}); });
    BOOST_TEST(
        has(text, {"MixImpl: argument 1 (weight) is missing", "takes 3 arguments (input, weight, bias)", "got 1:"}),
        text);
    text = wrong([&] { m->call_values({one(), Value(1), one(), Value(4)}); });
    BOOST_TEST(has(text, {"MixImpl: forward takes 3 arguments (input, weight, bias), got 4:", ", 4"}), text);
    text = wrong([&] { m->call_values({one()}, Kwargs{{"wieght", 2.0}}); });
    BOOST_TEST(has(text, {"unexpected keyword argument 'wieght' = 2", "it takes 3 arguments (input, weight, bias)"}),
               text);
    text = wrong([&] { m->call_values({one(), Value(1)}, Kwargs{{"weight", 2.0}}); });
    BOOST_TEST(has(text, {"argument 1 (weight) twice", "keyword argument 'weight'"}), text);
    Scale unnamed;
    text = wrong([&] { unnamed->call_values({one()}, Kwargs{{"scale", 2.0}}); });
    BOOST_TEST(has(text, {"ScaleImpl", "unexpected keyword argument 'scale'", "by position", "forward_arguments"}),
               text);
    text = wrong([&] { unnamed->call_values({Value("x")}); });
    BOOST_TEST(has(text, {"ScaleImpl: argument 0: expected Tensor, got"}), text);
}

BOOST_AUTO_TEST_CASE(the_path_leads_from_the_outermost_module) {
    Outer net;
    const auto check = [&](const std::string& text) {
        BOOST_TEST(has(text, {"body.1 (", "MixImpl): argument 1 (weight) is missing"}), text);
    };
    check(wrong([&] { net(ones({})); }));
    check(wrong([&] { net->call_values({one()}); }));
    ScopedHook hook(net->register_forward_hook([](Module&, const Args&, const Value&) {}));
    check(wrong([&] { net(ones({})); }));
    ScopedHook other(net->body->ptr(1)->register_full_backward_hook(
        [](Module&, const autograd::variable_list&, const autograd::variable_list&) {}));
    check(wrong([&] { net(ones({})); }));
    const nn::RecordModulePaths record(*net, "net");
    const std::string text = wrong([&] { net(ones({})); });
    BOOST_TEST(has(text, "net.body.1 ("), text);
}

BOOST_AUTO_TEST_CASE(hooks_that_replace_by_another_kind) {
    Scale m;
    ScopedHook hook(
        m->register_forward_pre_hook([](Module&, const Args&) -> Value { return Value::tuple({Value(3)}); }));
    std::string text = wrong([&] { m(ones({})); });
    BOOST_TEST(has(text, {"ScaleImpl: argument 0: expected Tensor, got 3"}), text);
    Scale out;
    out->register_forward_hook([](Module&, const Args&, const Value&) -> Value { return Value("text"); });
    text = wrong([&] { out(ones({})); });
    BOOST_TEST(has(text, {"ScaleImpl: a forward hook replaced the result by another kind: expected Tensor, got"}),
               text);
}

BOOST_AUTO_TEST_SUITE_END()
