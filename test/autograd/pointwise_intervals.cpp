// Elementwise ops over the interval that each is made for: gradients against differences, layouts, in-place forms.
#include <boost/test/unit_test.hpp>

#include <cstring>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using autograd::variable_list;

namespace {

/// `n` values spread over (low, high), none of them round.
Tensor spread(double low, double high, std::int64_t n = 7, double shift = 0) {
    Tensor x = empty({n}, TensorOptions(kDouble));
    for (std::int64_t i = 0; i < n; ++i)
        x.data_ptr<double>()[i] = low + (high - low) * (double(i) + 0.37 + shift) / double(n);
    return x;
}
bool same(const Tensor& x, const Tensor& o) {
    if (x.scalar_type() != o.scalar_type() || !x.sizes().equals(o.sizes())) return false;
    const Tensor p = x.contiguous(), q = o.contiguous();
    return std::memcmp(p.data_ptr(), q.data_ptr(), p.nbytes()) == 0;
}
struct Unary {
    const char* name;
    double low, high;
    bool twice = true; ///< has second derivatives
    Kwargs options = {};
};
const std::vector<Unary>& unary() {
    static const std::vector<Unary> ops = {
        {"neg", -2, 2},
        {"abs", -2, 2},
        {"reciprocal", 0.4, 2},
        {"square", -2, 2},
        {"sqrt", 0.3, 3},
        {"rsqrt", 0.3, 3},
        {"cbrt", -3, -0.3},
        {"exp", -2, 2},
        {"exp2", -2, 2},
        {"expm1", -2, 2},
        {"log", 0.3, 3},
        {"log2", 0.3, 3},
        {"log10", 0.3, 3},
        {"log1p", -0.6, 3},
        {"erf", -2, 2},
        {"erfc", -2, 2},
        {"erfinv", -0.9, 0.9},
        {"sin", -3, 3},
        {"cos", -3, 3},
        {"tan", -1.3, 1.3},
        {"asin", -0.9, 0.9},
        {"acos", -0.9, 0.9},
        {"atan", -2, 2},
        {"sinh", -2, 2},
        {"cosh", -2, 2},
        {"tanh", -2, 2},
        {"asinh", -2, 2},
        {"acosh", 1.2, 3},
        {"atanh", -0.9, 0.9},
        {"sinc", -2, 2},
        {"deg2rad", -90, 90},
        {"rad2deg", -2, 2},
        {"floor", -2.3, 2.5},
        {"ceil", -2.3, 2.5},
        {"trunc", -2.3, 2.5},
        {"round", -2.3, 2.4},
        {"frac", -2.3, 2.5},
        {"sign", -2, 2},
        {"sgn", -2, 2},
        {"angle", -2, 2},
        {"sigmoid", -3, 3},
        {"relu", -2, 2},
        {"logit", 0.1, 0.9},
        {"nan_to_num", -2, 2},
        {"lgamma", 0.3, 4},
        {"digamma", 0.3, 4},
        {"i0", -3, 3},
        {"positive", -1, 1},
        {"real", -1, 1},
        {"clamp", -2, 2, true, {{"min", -0.7}, {"max", 0.9}}},
        {"clamp", -2, 2, true, {{"min", 0.2}}},
        {"polygamma", 0.5, 4, true, {{"n", 2}}},
        {"mvlgamma", 2.3, 5, true, {{"p", 3}}},
        {"special.i0e", -3, 3},
        {"special.i1", -3, 3},
        {"special.i1e", -3, 3},
        {"special.entr", 0.2, 2},
        {"special.erfcx", -1, 2},
        {"special.ndtr", -2, 2},
        {"special.log_ndtr", -3, 2},
        {"special.ndtri", 0.1, 0.9},
        {"special.bessel_j0", 0.3, 5},
        {"special.bessel_j1", 0.3, 5},
        {"special.bessel_y0", 0.5, 5},
        {"special.bessel_y1", 0.5, 5},
        {"special.modified_bessel_k0", 0.5, 4},
        {"special.modified_bessel_k1", 0.5, 4},
        {"special.scaled_modified_bessel_k0", 0.5, 4},
        {"special.scaled_modified_bessel_k1", 0.5, 4},
        {"nn.functional.gelu", -2, 2},
        {"nn.functional.gelu", -2, 2, true, {{"approximate", "tanh"}}},
        {"nn.functional.silu", -2, 2},
        {"nn.functional.mish", -2, 2},
        {"nn.functional.elu", -2, 2, true, {{"alpha", 1.3}}},
        {"nn.functional.celu", -2, 2, true, {{"alpha", 1.3}}},
        {"nn.functional.selu", -2, 2},
        {"nn.functional.softplus", -2, 2, true, {{"beta", 2.0}, {"threshold", 1.5}}},
        {"nn.functional.leaky_relu", -2, 2},
        {"nn.functional.hardtanh", -2, 2},
        {"nn.functional.relu6", -2, 8},
        {"nn.functional.hardsigmoid", -5, 5},
        {"nn.functional.hardswish", -5, 5},
        {"nn.functional.hardshrink", -2, 2},
        {"nn.functional.softshrink", -2, 2},
        {"nn.functional.threshold", -2, 2, true, {{"threshold", 0.3}, {"value", 7.0}}},
        {"nn.functional.logsigmoid", -3, 3},
        {"nn.functional.softsign", -2, 2},
        {"nn.functional.tanhshrink", -2, 2},
    };
    return ops;
}
struct Binary {
    const char* name;
    double low, high, other_low, other_high;
    Kwargs options = {};
};
const std::vector<Binary>& binary() {
    static const std::vector<Binary> ops = {
        {"add", -2, 2, -2, 2, {{"alpha", 0.7}}},
        {"sub", -2, 2, -2, 2},
        {"rsub", -2, 2, -2, 2},
        {"mul", -2, 2, -2, 2},
        {"div", -2, 2, 0.5, 2},
        {"div", -2, 2, 0.5, 2, {{"rounding_mode", "floor"}}},
        {"maximum", -2, 2, -1, 1.5},
        {"minimum", -2, 2, -1, 1.5},
        {"fmax", -2, 2, -1, 1.5},
        {"fmin", -2, 2, -1, 1.5},
        {"atan2", -2, 2, 0.5, 2},
        {"pow", 0.3, 2, -2, 2},
        {"float_power", 0.3, 2, -2, 2},
        {"hypot", 0.5, 2, -2, -0.5},
        {"ldexp", -2, 2, -1, 2},
        {"copysign", 0.5, 2, -2, 2},
        {"remainder", 1, 5, 0.7, 0.9},
        {"fmod", 1, 5, 0.7, 0.9},
        {"logaddexp", -2, 2, -1, 3},
        {"logaddexp2", -2, 2, -1, 3},
        {"xlogy", 0.5, 2, 0.3, 3},
        {"special.xlog1py", 0.5, 2, 0.3, 3},
        {"clamp_min", -2, 2, -1, 1.5},
        {"clamp_max", -2, 2, -1, 1.5},
        {"complex", -2, 2, -2, 2},
        {"polar", 0.5, 2, -2, 2},
        {"nn.functional.l1_loss", -2, 2, -1, 1.5},
        {"nn.functional.mse_loss", -2, 2, -1, 1.5},
        {"nn.functional.smooth_l1_loss", -2, 2, -1, 1.5, {{"beta", 0.4}, {"reduction", "sum"}}},
        {"nn.functional.huber_loss", -2, 2, -1, 1.5, {{"delta", 0.4}, {"reduction", "none"}}},
        {"nn.functional.binary_cross_entropy", 0.1, 0.9, 0.2, 0.8},
        {"nn.functional.binary_cross_entropy_with_logits", -2, 2, 0.1, 0.9},
        {"nn.functional.kl_div", -2, -0.1, 0.2, 0.8, {{"reduction", "batchmean"}}},
        {"nn.functional.kl_div", -2, -0.1, -2, -1, {{"log_target", true}}},
        {"nn.functional.soft_margin_loss", -2, 2, -1, 1},
        {"nn.functional.poisson_nll_loss", -2, 2, 1.5, 3, {{"full", true}}},
    };
    return ops;
}
Tensor call(const char* name, const Args& args, const Kwargs& options) {
    return ops::registry().at(name).call(args, options).toTensor();
}

} // namespace

BOOST_AUTO_TEST_SUITE(pointwise_intervals)

BOOST_AUTO_TEST_CASE(gradients_of_unary_ops) {
    for (const Unary& op : unary()) {
        BOOST_TEST_CONTEXT(op.name) {
            const auto f = [&](const Tensor& x) { return call(op.name, {x}, op.options); };
            const Tensor x = spread(op.low, op.high).requires_grad_();
            BOOST_CHECK_NO_THROW(autograd::gradcheck(f, {x}));
            if (op.twice) BOOST_CHECK_NO_THROW(autograd::gradgradcheck(f, {x}));
        }
    }
}

BOOST_AUTO_TEST_CASE(gradients_of_binary_ops) {
    for (const Binary& op : binary()) {
        BOOST_TEST_CONTEXT(op.name) {
            const auto f = [&](const variable_list& x) { return call(op.name, {x[0], x[1]}, op.options); };
            const Tensor x = spread(op.low, op.high).requires_grad_(),
                         o = spread(op.other_low, op.other_high, 7, 0.3).requires_grad_();
            BOOST_CHECK_NO_THROW(autograd::gradcheck(f, {x, o}));
            BOOST_CHECK_NO_THROW(autograd::gradgradcheck(f, {x, o}));
        }
    }
}

BOOST_AUTO_TEST_CASE(gradients_of_ternary_ops_broadcast) {
    const Tensor x = spread(-2, 2, 4).reshape({4, 1}).requires_grad_(), p = spread(0.5, 2, 3).requires_grad_(),
                 q = spread(0.6, 1.7, 3, 0.2).requires_grad_();
    for (const char* name : {"addcmul", "addcdiv", "lerp", "clamp", "nn.functional.gaussian_nll_loss"}) {
        BOOST_TEST_CONTEXT(name) {
            const bool loss = std::string_view(name).starts_with("nn");
            const variable_list in = {loss ? spread(-2, 2, 3).requires_grad_() : x, p, q};
            const auto f = [&](const variable_list& v) { return call(name, {v[0], v[1], v[2]}, {}); };
            BOOST_CHECK_NO_THROW(autograd::gradcheck(f, in));
            BOOST_CHECK_NO_THROW(autograd::gradgradcheck(f, in));
        }
    }
}

BOOST_AUTO_TEST_CASE(complex_gradients) {
    const Tensor z = view_as_complex(stack({spread(0.3, 1.5, 4), spread(-1.2, 0.8, 4)}, 1)).detach().requires_grad_();
    for (const char* name : {"exp",
                             "log",
                             "sqrt",
                             "rsqrt",
                             "reciprocal",
                             "sin",
                             "cos",
                             "tan",
                             "sinh",
                             "cosh",
                             "tanh",
                             "asin",
                             "acos",
                             "atan",
                             "asinh",
                             "acosh",
                             "atanh",
                             "log1p",
                             "expm1",
                             "log2",
                             "log10",
                             "abs",
                             "sgn",
                             "angle",
                             "sigmoid",
                             "square",
                             "sinc",
                             "conj",
                             "real",
                             "imag",
                             "nn.functional.silu",
                             "nn.functional.softsign",
                             "nn.functional.tanhshrink"}) {
        BOOST_TEST_CONTEXT(name) {
            const auto f = [&](const Tensor& x) { return call(name, {x}, {}); };
            BOOST_CHECK_NO_THROW(autograd::gradcheck(f, {z}));
        }
    }
    const Tensor w = view_as_complex(stack({spread(0.2, 0.9, 4), spread(0.3, 1.1, 4)}, 1)).detach().requires_grad_();
    for (const char* name : {"add", "sub", "mul", "div", "pow", "logaddexp"}) {
        BOOST_TEST_CONTEXT(name) {
            const auto f = [&](const variable_list& x) { return call(name, {x[0], x[1]}, {}); };
            BOOST_CHECK_NO_THROW(autograd::gradcheck(f, {z, w}));
        }
    }
}

BOOST_AUTO_TEST_CASE(results_do_not_depend_on_the_layout) {
    for (const ScalarType t : {kDouble, kFloat, kBFloat16, kHalf})
        for (const Unary& op : unary()) {
            BOOST_TEST_CONTEXT(op.name << " " << dtype_name(t)) {
                const Tensor x = spread(op.low, op.high, 35).to(t).reshape({5, 7});
                const Tensor y = call(op.name, {x}, op.options);
                BOOST_TEST(same(call(op.name, {x.t().contiguous().t()}, op.options), y), "transposed");
                Tensor wide = zeros({5, 14}, TensorOptions(t));
                const Tensor every_second = slice(wide, 1, 0, 14, 2);
                every_second.copy_(x);
                BOOST_TEST(same(call(op.name, {every_second}, op.options), y), "strided");
            }
        }
}

BOOST_AUTO_TEST_CASE(the_fused_derivative_is_the_recorded_one) {
    // Without create_graph some ops take a derivative kernel of their own (E-21 asks for one meaning).
    for (const Unary& op : unary()) {
        BOOST_TEST_CONTEXT(op.name) {
            const Tensor x = spread(op.low, op.high, 35).requires_grad_();
            const Tensor y = call(op.name, {x}, op.options);
            if (!y.requires_grad()) continue;
            const Tensor g = spread(-1, 2, 35);
            const Tensor fast = autograd::grad({y}, {x}, {g}, true, false)[0];
            const Tensor slow = autograd::grad({y}, {x}, {g}, true, true)[0];
            BOOST_TEST(isclose(fast, slow.detach(), 1e-12, 1e-12).all().item<bool>());
        }
    }
}

BOOST_AUTO_TEST_CASE(in_place_is_the_op) {
    for (const Unary& op : unary()) {
        if (!ops::registry().at(op.name).has_inplace()) continue;
        BOOST_TEST_CONTEXT(op.name) {
            const Tensor x = spread(op.low, op.high, 12), y = call(op.name, {x}, op.options);
            const Tensor z = x.clone();
            const Value r = ops::registry().at(op.name).call_inplace({z}, op.options);
            BOOST_TEST(r.toTensor().is_same(z));
            BOOST_TEST(same(z, y));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
