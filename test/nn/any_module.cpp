// AnyModule, Functional, calls on objects, hooks over spans and over single tensors.
#include <reel/nn/modules/any_module.hpp>

#include "nn/testing.hpp"

#include <span>

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using autograd::variable_list;
using nn::AnyModule;
using nn::Module;

BOOST_AUTO_TEST_SUITE(any_modules)

BOOST_AUTO_TEST_CASE(an_AnyModule_holds_any_module) {
    const Scale scale(2.0);
    const AnyModule any(scale);
    int fired = 0;
    scale->register_forward_hook([&](Module&, const Tensor&, const Tensor&) { ++fired; });
    BOOST_TEST(number(any(full({}, 4.0))) == 8);
    BOOST_TEST(fired == 1);
    BOOST_TEST(number(any.forward(full({}, 4.0))) == 8);
    BOOST_TEST(fired == 1); // forward alone runs no hooks (C-1)
    BOOST_TEST(&any.get<ScaleImpl>() == scale.get());
    BOOST_TEST(any.get<Scale>().get() == scale.get());
    BOOST_TEST((any.ptr<ScaleImpl>() == scale.ptr()));
    BOOST_TEST((any.type_info() == typeid(ScaleImpl)));
    const std::string text = message_of([&] { any.get<nn::ReLUImpl>(); });
    BOOST_TEST(has(text, {"AnyModule holds a", "ScaleImpl", "not a", "ReLUImpl"}), text);
    BOOST_TEST(has(message_of<TypeError>([&] { any.forward(ones({}), ones({})); }), {"ScaleImpl", "got 2"}));
    BOOST_TEST(has(message_of<TypeError>([&] { any.forward(std::string("text")); }), "expected Tensor, got"));
    BOOST_TEST(has(message_of([] { AnyModule().forward(ones({})); }), "empty AnyModule"));
    BOOST_TEST(AnyModule().is_empty());
    const AnyModule copy = any.clone();
    BOOST_TEST(&copy.get<ScaleImpl>() != scale.get());
    nn::Sequential s{any, AnyModule(nn::ReLU())};
    BOOST_TEST(number(s(full({}, -1.0))) == 0);
}

BOOST_AUTO_TEST_CASE(a_function_as_a_module) {
    nn::Functional twice([](const Tensor& x) { return x * 2; });
    BOOST_TEST(number(twice(full({}, 3.0))) == 6);
    nn::Functional bound([](const Tensor& x, double a, double b) { return x * a + b; }, 10.0, 1.0);
    BOOST_TEST(number(bound(full({}, 3.0))) == 31);
    nn::Sequential s(twice, bound);
    BOOST_TEST(number(s(ones({}))) == 21);
    BOOST_TEST(twice->repr() == "Functional()");
}

BOOST_AUTO_TEST_CASE(C_1_an_object_is_called_with_its_hooks) {
    ScaleImpl m(3.0);
    int fired = 0;
    m.register_forward_pre_hook([&](Module&, const Tensor&) { ++fired; });
    BOOST_TEST(number(m(full({}, 2.0))) == 6);
    BOOST_TEST(fired == 1);
    m.forward(ones({}));
    BOOST_TEST(fired == 1);
    const auto p = std::make_shared<ScaleImpl>(3.0);
    BOOST_TEST(number(nn::call(*p, Args{Value(ones({}))}, Kwargs{})) == 3);
}

BOOST_AUTO_TEST_CASE(C_6_C_10_hooks_over_spans_of_tensors) {
    const auto m = any_module([](const Args& a, const Kwargs&) {
        return Value::tuple({Value(a[0].toTensor() + a[1].toTensor()), Value(a[0].toTensor() * a[1].toTensor())});
    });
    std::size_t in = 0, out = 0;
    m->register_forward_pre_hook([](Module&, std::span<const Tensor> x) -> std::optional<variable_list> {
        return variable_list{x[0] * 10, x[1]};
    });
    m->register_forward_hook([&](Module&, std::span<const Tensor> x, std::span<const Tensor> y) {
        in = x.size();
        out = y.size();
        return variable_list{y[1], y[0]};
    });
    double go = 0;
    m->register_full_backward_hook(
        [&](Module&, std::span<const Tensor> gi, std::span<const Tensor> g) -> std::optional<variable_list> {
            go = number(g[1]);
            return variable_list{gi[0] * 2, gi[1]};
        });
    const Tensor a = leaf(1), b = leaf(2);
    const Value r = m->call_values({Value(a), Value(b)});
    BOOST_TEST(number(r.elements()[0]) == 20);
    BOOST_TEST(number(r.elements()[1]) == 12);
    BOOST_TEST(in == 2u);
    BOOST_TEST(out == 2u);
    r.elements()[1].toTensor().backward();
    BOOST_TEST(go == 1);
    BOOST_TEST(number(a.grad()) == 20);
    const std::string text = message_of<TypeError>([&] { m->call_values({Value(a), Value(3)}); });
    BOOST_TEST(has(text, {"over a span of tensors", "value 1 is int"}), text);
}

BOOST_AUTO_TEST_CASE(B_10_B_11_backward_hooks_over_one_tensor) {
    Scale m;
    m->register_full_backward_pre_hook([](Module&, const Tensor& go) { return go * 2; });
    double seen = 0;
    m->register_full_backward_hook([&](Module&, const Tensor& gi, const Tensor&) { seen = number(gi); });
    m->register_full_backward_hook([](Module&, const Tensor& gi, const Tensor&) { return gi + 1; });
    const Tensor x = leaf(1);
    m(x).backward();
    BOOST_TEST(seen == 6);
    BOOST_TEST(number(x.grad()) == 7);
    const auto two = any_module([](const Args& a, const Kwargs&) { return Value(a[0].toTensor() * a[1].toTensor()); });
    two->register_full_backward_hook([](Module&, const Tensor&, const Tensor&) {});
    const std::string text = message_of<TypeError>([&] {
        two->call_values({Value(leaf(1)), Value(leaf(2))}).toTensor().backward();
    });
    BOOST_TEST(has(text, {"AnyImpl", "one input", "got 2", "spans"}), text);
}

namespace {
struct AffineImpl : nn::Module {
    Tensor forward(const Tensor& x, std::int64_t times, double plus) { return x * times + plus; }

protected:
    REEL_FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(2)}, {2, nn::AnyValue(0.5)})
};
REEL_MODULE(Affine);
struct GapImpl : nn::Module {
    Tensor forward(const Tensor& x, std::int64_t, double) { return x; }
    REEL_FORWARD_HAS_DEFAULT_ARGS({0, nn::AnyValue(2)}, {2, nn::AnyValue(0.5)})
};
} // namespace

BOOST_AUTO_TEST_CASE(default_arguments_of_forward) {
    const AnyModule any{Affine()};
    BOOST_TEST(number(any.forward(full({}, 3.0))) == 6.5);
    BOOST_TEST(number(any.forward(full({}, 3.0), 4)) == 12.5);
    BOOST_TEST(number(any(full({}, 3.0), 4, 1.0)) == 13);
    BOOST_TEST(number(nn::Sequential(Affine())(full({}, 1.0))) == 2.5);
    BOOST_TEST(has(message_of<TypeError>([&] { any.any_forward(); }), {"argument 0", "is missing"}));
    BOOST_TEST(has(message_of<ValueError>([] { AnyModule(std::make_shared<GapImpl>()).forward(ones({})); }),
                   {"REEL_FORWARD_HAS_DEFAULT_ARGS", "after that of parameter 0 came one of 2"}));
}

BOOST_AUTO_TEST_CASE(an_AnyModule_is_assigned_from_modules) {
    AnyModule any;
    any = nn::ReLU();
    BOOST_TEST(number(any.any_forward(full({}, -1.0)).toTensor()) == 0);
    any = std::make_shared<ScaleImpl>(2.0);
    BOOST_TEST(number(any.any_forward(Args{full({}, 4.0)}).toTensor()) == 8);
    const AnyModule other = any;
    any = AnyModule();
    BOOST_TEST(any.is_empty());
    BOOST_TEST(!other.is_empty());
}

BOOST_AUTO_TEST_CASE(functions_with_bound_arguments) {
    BOOST_TEST(number(nn::Functional(leaky_relu, 0.2)(full({}, -1.0))) == -0.2f);
    BOOST_TEST(number(nn::Functional(silu)(full({}, 0.0))) == 0);
    BOOST_TEST(number(nn::Functional(elu, 1.0, 2.0, 1.0)(full({}, 3.0))) == 6);
}

BOOST_AUTO_TEST_SUITE_END()
