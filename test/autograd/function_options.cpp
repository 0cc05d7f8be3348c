// Options of custom functions, and their forward mode (rule E-83).
#include "tape_helpers.hpp"

#include <reel/autograd/forward_ad.hpp>
#include <reel/autograd/function.hpp>
#include <reel/autograd/functional.hpp>

using namespace tape_test;
using autograd::AutogradContext;
using autograd::Function;
using autograd::grad;
namespace forward_ad = autograd::forward_ad;

namespace {

struct ReadsTwice : Function<ReadsTwice> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
        ctx->set_clear_saved_on_access();
        ctx->save_for_backward({x});
        return x * x;
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        const Tensor x = ctx->get_saved_variables()[0];
        BOOST_CHECK_EXCEPTION(ctx->get_saved_variables(), Error, says("ReadsTwiceBackward", "cleared"));
        return {g[0] * x * 2.0};
    }
};
struct Boxed : Function<Boxed> {
    static inline bool alone = false;
    static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2.0; }
    static variable_list backward(AutogradContext*, variable_list& g) {
        alone = g[0].use_count() == 1;
        Tensor r = g[0] * 2.0;
        g.clear(); // frees the incoming gradient before more is computed
        return {std::move(r)};
    }
};
template <ScalarType dtype> struct WiderGradients : Function<WiderGradients<dtype>> {
    static inline ScalarType seen = ScalarType::Undefined;
    static Tensor forward(AutogradContext* ctx, const Tensor& x) {
        const Tensor y = x * 2.0;
        ctx->set_output_grad_dtype(y, dtype);
        return y;
    }
    static variable_list backward(AutogradContext*, variable_list g) {
        seen = g[0].scalar_type();
        return {g[0] * 2.0};
    }
};
struct Cube : Function<Cube> {
    static inline int jvps = 0;
    static inline std::string tangents;
    static variable_list forward(AutogradContext* ctx, const Tensor& x, const Tensor& k, double) {
        ctx->save_for_backward({x, k});
        return {x * x * x * k, x + 1.0};
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        const auto s = ctx->get_saved_variables();
        return {g[0] * 3.0 * s[0] * s[0] * s[1] + g[1], g[0] * s[0] * s[0] * s[0], Tensor()};
    }
    static variable_list jvp(AutogradContext* ctx, variable_list t) {
        ++jvps;
        tangents = pattern(t);
        const auto s = ctx->get_saved_variables();
        Tensor first = t[0] * 3.0 * s[0] * s[0] * s[1];
        if (t[1].defined()) first = first + t[1] * s[0] * s[0] * s[0];
        return {first, t[0]};
    }
};
struct NoForwardMode : Function<NoForwardMode> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2.0; }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2.0}; }
};
struct WrongTangents : Function<WrongTangents> {
    static Tensor forward(AutogradContext*, const Tensor& x) { return x * 2.0; }
    static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * 2.0}; }
    static variable_list jvp(AutogradContext*, variable_list t) { return {t[0], t[0]}; }
};

} // namespace

BOOST_AUTO_TEST_SUITE(function_options)

BOOST_AUTO_TEST_CASE(E83_saved_tensors_cleared_on_access) { // E-83
    const Tensor x = leaf({3});
    ReadsTwice::apply(x).backward();
    BOOST_TEST(item(x.grad()) == 6);
}

BOOST_AUTO_TEST_CASE(E83_backward_owns_its_list_of_gradients) { // E-83, boxed gradients
    const Tensor x = leaf({3});
    (Boxed::apply(x) * 5.0).backward();
    BOOST_TEST(item(x.grad()) == 10);
    BOOST_TEST(Boxed::alone); // nobody else keeps the gradient alive
}

BOOST_AUTO_TEST_CASE(E83_the_dtype_of_an_outputs_gradient) { // E-83
    const Tensor x = ones({2}, kFloat).requires_grad_();
    const Tensor y = WiderGradients<kDouble>::apply(x);
    BOOST_TEST((y.scalar_type() == kFloat));
    ScalarType hooked = ScalarType::Undefined;
    x.register_hook([&](const Tensor& g) { hooked = g.scalar_type(); });
    (y * 3.0).sum().backward();
    BOOST_TEST((WiderGradients<kDouble>::seen == kDouble)); // cast before backward
    BOOST_TEST((hooked == kFloat));                         // and back for the input
    REEL_TEST_VALUES(x.grad(), 6, 6);
    WiderGradients<kDouble>::apply(x).backward(ones({2}, kFloat)); // a seed too
    BOOST_TEST((WiderGradients<kDouble>::seen == kDouble));
    BOOST_CHECK_EXCEPTION(WiderGradients<kLong>::apply(x), Error, says("set_output_grad_dtype", "float32", "int64"));
}

BOOST_AUTO_TEST_CASE(tangents_go_through_jvp) {
    const Tensor x = leaf({2, 3}), k = leaf({1, 10});
    const forward_ad::DualLevel level;
    const Tensor dual = forward_ad::make_dual(x, vec({1, 0.5}));
    Cube::jvps = 0;
    const auto out = Cube::apply(dual, k, 1.0);
    const auto [primal, tangent] = forward_ad::unpack_dual(out[0]);
    REEL_TEST_VALUES(primal, 8, 270);
    REEL_TEST_VALUES(tangent, 12, 135);
    BOOST_TEST(Cube::jvps == 1);
    BOOST_TEST(Cube::tangents == "110"); // zeros for the other tensor, nothing for the number
    REEL_TEST_VALUES(forward_ad::unpack_dual(out[1]).tangent, 1, 0.5);
    const Tensor second = forward_ad::make_dual(k, vec({1, 1}));
    REEL_TEST_VALUES(forward_ad::unpack_dual(Cube::apply(dual, second, 1.0)[0]).tangent, 12 + 8, 135 + 27);
}

BOOST_AUTO_TEST_CASE(tangents_go_through_built_in_ops) {
    const Tensor x = vec({0.3, -0.7, 1.1}), t = vec({1, 2, -1}); // needs no grad
    const auto f = [](const Tensor& a) {
        const Tensor b = tanh(a) * a.exp();
        b.slice(0, 0, 1).mul_(3.0); // in place through a view
        return cat({b, b.sum().view({1})}) / 2.0;
    };
    const forward_ad::DualLevel level;
    const Tensor y = f(forward_ad::make_dual(x, t));
    const V got = list(forward_ad::unpack_dual(y).tangent);
    const auto expected =
        autograd::functional::jvp([&](const variable_list& in) { return variable_list{f(in[0])}; }, {x}, {t});
    BOOST_TEST(got == list(expected.second[0]), boost::test_tools::tolerance(1e-12)
                                                    << boost::test_tools::per_element());
    BOOST_TEST(!forward_ad::unpack_dual(x * 2.0).tangent.defined());
    // Complex: z^2 along t is 2 z t.
    const Tensor z = full({1}, Scalar(std::complex<double>(1, 2)), kComplexDouble);
    const Tensor w = forward_ad::make_dual(z, full({1}, Scalar(std::complex<double>(0, 1)), kComplexDouble));
    const auto c = forward_ad::unpack_dual(w * w).tangent.item().toComplexDouble();
    BOOST_TEST(c.real() == -4, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(c.imag() == 2, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(tangents_and_gradients_together) {
    const Tensor x = leaf({3});
    const forward_ad::DualLevel level;
    const Tensor dual = forward_ad::make_dual(x, vec({2})), y = dual * dual * dual;
    const Tensor tangent = forward_ad::unpack_dual(y, true).tangent;
    BOOST_TEST(item(tangent) == 54);
    BOOST_TEST(item(grad({tangent}, {x}, {}, true)[0]) == 36); // d/dx 3 x^2 t
    BOOST_TEST(item(grad({y}, {x})[0]) == 27);                 // the ordinary gradient passes through
    BOOST_TEST(forward_ad::unpack_dual(dual).primal.is_same(x));
}

BOOST_AUTO_TEST_CASE(what_forward_mode_refuses) {
    const Tensor x = leaf({3});
    BOOST_CHECK_EXCEPTION(forward_ad::make_dual(x, vec({1})), Error, says("no dual level is open"));
    const auto level = forward_ad::enter_dual_level();
    BOOST_CHECK_EXCEPTION(forward_ad::enter_dual_level(), Error, says("do not nest"));
    BOOST_CHECK_EXCEPTION(forward_ad::exit_dual_level(level + 1), Error, says("is not the open one"));
    BOOST_CHECK_EXCEPTION(forward_ad::make_dual(x, vec({1, 2})), ValueError, says("tangent", "[2]", "[1]"));
    BOOST_CHECK_EXCEPTION(forward_ad::make_dual(ones({1}, kLong), ones({1}, kLong)), ValueError, says("int64"));
    const Tensor dual = forward_ad::make_dual(x, vec({1}));
    BOOST_CHECK_EXCEPTION(forward_ad::unpack_dual(NoForwardMode::apply(dual)), NotImplementedError,
                          says("NoForwardMode", "no jvp"));
    BOOST_CHECK_EXCEPTION(forward_ad::unpack_dual(WrongTangents::apply(dual)), Error,
                          says("WrongTangents", "jvp returned 2 tangents, expected 1"));
    const Tensor y = dual * 2.0;
    forward_ad::exit_dual_level(level);
    const forward_ad::DualLevel next;
    BOOST_TEST(!forward_ad::unpack_dual(y).tangent.defined()); // tangents of a closed level are gone
}

BOOST_AUTO_TEST_SUITE_END()
