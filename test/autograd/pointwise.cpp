// Every elementwise op: gradients against differences, layouts, special values, promotion, refusals.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using autograd::variable_list;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

/// `n` values spread over (low, high), none of them round.
Tensor spread(double low, double high, std::int64_t n = 7, double shift = 0) {
    Tensor x = empty({n}, TensorOptions(kDouble));
    for (std::int64_t i = 0; i < n; ++i)
        x.data_ptr<double>()[i] = low + (high - low) * (double(i) + 0.37 + shift) / double(n);
    return x;
}
Tensor values(std::initializer_list<double> v) {
    Tensor x = empty({std::int64_t(v.size())}, TensorOptions(kDouble));
    std::copy(v.begin(), v.end(), x.data_ptr<double>());
    return x;
}
bool same(const Tensor& x, const Tensor& o) {
    if (x.scalar_type() != o.scalar_type() || !x.sizes().equals(o.sizes())) return false;
    const Tensor p = x.contiguous(), q = o.contiguous();
    return std::memcmp(p.data_ptr(), q.data_ptr(), p.nbytes()) == 0;
}
bool says(const std::exception& e, const char* text) { return std::string(e.what()).find(text) != std::string::npos; }

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
        {"cbrt", -3, -0.3},
        {"rsqrt", 0.3, 3},
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

BOOST_AUTO_TEST_SUITE(pointwise)

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

BOOST_AUTO_TEST_CASE(nan_passes_through_bounds_and_loses_in_fmax) {
    const Tensor x = values({not_a_number, -infinity, infinity, 0.5});
    for (const Tensor& y : {relu(x), clamp(x, -1, 1), hardtanh(x), maximum(x, zeros_like(x)), minimum(x, zeros_like(x)),
                            clamp_min(x, 0), relu6(x), softplus(x), hardsigmoid(x), hardshrink(x), elu(x)})
        BOOST_TEST(std::isnan(y.data_ptr<double>()[0]));
    BOOST_TEST(fmax(x, zeros_like(x)).data_ptr<double>()[0] == 0);
    BOOST_TEST(fmin(x, zeros_like(x)).data_ptr<double>()[0] == 0);
    BOOST_TEST(same(nan_to_num(x, 7.0, 8.0, 9.0), values({7, 9, 8, 0.5})));
}

BOOST_AUTO_TEST_CASE(a_nan_takes_the_whole_gradient_of_maximum_and_minimum) {
    const Tensor with_nan = values({not_a_number, 1, not_a_number, 2, 3, 3});
    for (const char* name : {"maximum", "minimum"}) {
        BOOST_TEST_CONTEXT(name) {
            const bool upper = std::string_view(name) == "maximum";
            const Tensor x = with_nan.clone().requires_grad_(),
                         o = values({1, not_a_number, not_a_number, 1, 4, 3}).requires_grad_();
            const variable_list g = autograd::grad({call(name, {x, o}, {})}, {x, o}, {full({6}, 4.0, kDouble)});
            BOOST_TEST(same(g[0], upper ? values({4, 4, 4, 4, 0, 2}) : values({4, 4, 4, 0, 4, 2})));
            BOOST_TEST(same(g[1], upper ? values({4, 4, 4, 0, 4, 2}) : values({4, 4, 4, 4, 0, 2})));
        }
    }
}

BOOST_AUTO_TEST_CASE(second_derivatives_survive_far_out) {
    // exp overflows in the branch that is not taken; nothing of it may leak.
    for (const char* name : {"nn.functional.elu", "nn.functional.selu", "nn.functional.softplus", "nn.functional.mish",
                             "nn.functional.logsigmoid"}) {
        BOOST_TEST_CONTEXT(name) {
            const Tensor x = values({-1000, 1000}).requires_grad_();
            const Tensor g = autograd::grad({call(name, {x}, {}).sum()}, {x}, {}, true, true)[0];
            const Tensor gg = autograd::grad({g.sum()}, {x})[0];
            BOOST_TEST(isfinite(g).all().item<bool>());
            BOOST_TEST(isfinite(gg).all().item<bool>());
        }
    }
}

BOOST_AUTO_TEST_CASE(promotion_follows_category_and_rank) {
    const Tensor whole = arange(3), narrow_float = ones({3}, TensorOptions(kHalf)),
                 scalar = ones({}, TensorOptions(kDouble)), truth = ones({3}, TensorOptions(kBool));
    BOOST_TEST((whole + narrow_float).scalar_type() == kHalf);
    BOOST_TEST((narrow_float + scalar).scalar_type() == kHalf);
    BOOST_TEST((whole + scalar).scalar_type() == kDouble);
    BOOST_TEST((whole + 1.5).scalar_type() == kFloat);
    BOOST_TEST((narrow_float * 2.5).scalar_type() == kHalf);
    BOOST_TEST((truth + truth).scalar_type() == kBool);
    BOOST_TEST((truth + 1).scalar_type() == kLong);
    BOOST_TEST((whole / whole).scalar_type() == kFloat);
    BOOST_TEST(floor_divide(whole, whole + 1).scalar_type() == kLong);
    BOOST_TEST(sin(whole).scalar_type() == kFloat);
    BOOST_TEST(eq(whole, narrow_float).scalar_type() == kBool);
    BOOST_TEST(float_power(narrow_float, whole).scalar_type() == kDouble);
    BOOST_TEST(where(truth, whole, scalar).scalar_type() == kDouble);
    BOOST_TEST(abs(complex(scalar, scalar)).scalar_type() == kDouble);
}

BOOST_AUTO_TEST_CASE(integers_divide_as_python_does) {
    const Tensor x = values({7, -7, 7, -7}).to(kLong), o = values({2, 2, -2, -2}).to(kLong);
    BOOST_TEST(same(floor_divide(x, o), values({3, -4, -4, 3}).to(kLong)));
    BOOST_TEST(same(div(x, o, "trunc"), values({3, -3, -3, 3}).to(kLong)));
    BOOST_TEST(same(remainder(x, o), values({1, 1, -1, -1}).to(kLong)));
    BOOST_TEST(same(fmod(x, o), values({1, -1, 1, -1}).to(kLong)));
    BOOST_TEST(same(pow(x, 3), values({343, -343, 343, -343}).to(kLong)));
    BOOST_TEST(same(gcd(x, o * 7), values({7, 7, 7, 7}).to(kLong)));
    BOOST_TEST(same(bitwise_left_shift(x, 64), values({0, 0, 0, 0}).to(kLong)));
    BOOST_TEST(same(bitwise_right_shift(x, 64), values({0, -1, 0, -1}).to(kLong)));
}

BOOST_AUTO_TEST_CASE(refusals_name_the_op_and_the_argument) {
    const Tensor x = values({1, 2}), whole = values({1, 0}).to(kLong);
    BOOST_CHECK_EXCEPTION(floor_divide(whole, whole), Error,
                          [](const auto& e) { return says(e, "floor_divide: an integer divisor is zero"); });
    BOOST_CHECK_EXCEPTION(pow(whole, -1), Error, [](const auto& e) { return says(e, "pow: exponent is -1"); });
    BOOST_CHECK_EXCEPTION(div(x, x, "up"), Error, [](const auto& e) { return says(e, "rounding_mode is 'up'"); });
    BOOST_CHECK_EXCEPTION(clamp(x, Tensor(), Tensor()), Error,
                          [](const auto& e) { return says(e, "clamp: both min and max are None"); });
    BOOST_CHECK_EXCEPTION(isclose(x, whole), Error,
                          [](const auto& e) { return says(e, "isclose: input is float64 and other is int64"); });
    BOOST_CHECK_EXCEPTION(hardtanh(x, 2, 1), ValueError,
                          [](const auto& e) { return says(e, "hardtanh: min_val is 2"); });
    BOOST_CHECK_EXCEPTION(l1_loss(x, x, "median"), ValueError,
                          [](const auto& e) { return says(e, "l1_loss: reduction is 'median'"); });
    BOOST_CHECK_EXCEPTION(binary_cross_entropy(x, x), Error,
                          [](const auto& e) { return says(e, "binary_cross_entropy: input must lie in [0, 1]"); });
    BOOST_CHECK_EXCEPTION(huber_loss(x, x, "mean", 0), Error,
                          [](const auto& e) { return says(e, "huber_loss: delta is 0"); });
    BOOST_CHECK_EXCEPTION(imag(x), Error, [](const auto& e) { return says(e, "imag: input is float64"); });
    BOOST_CHECK_EXCEPTION(glu(values({1, 2, 3})), Error,
                          [](const auto& e) { return says(e, "glu: dimension 0 of input has size 3"); });
    BOOST_CHECK_THROW(x.clone().add_(complex(x, x)), Error); // the result does not fit into a real tensor
}

BOOST_AUTO_TEST_CASE(the_root_binary_cross_entropy_passes_over_sizes_of_one) {
    const Tensor column = tensor({{0.25}, {0.5}, {0.75}}, kDouble), row = tensor({1., 0., 1.}, kDouble);
    const Tensor each = binary_cross_entropy(column, row, {}, "none");
    BOOST_TEST(each.sizes().equals({3, 1}));
    BOOST_TEST(each.equal(functional_binary_cross_entropy(column, row.unsqueeze(1), {}, "none")));
    BOOST_CHECK_EXCEPTION(functional_binary_cross_entropy(column, row), ValueError, [](const auto& e) {
        return says(e, "binary_cross_entropy: target has shape [3]; expected that of input, [3, 1]");
    });
    BOOST_CHECK_EXCEPTION(binary_cross_entropy(column, tensor({1., 0.}, kDouble)), ValueError,
                          [](const auto& e) { return says(e, "binary_cross_entropy: target has shape [2]"); });
}

BOOST_AUTO_TEST_CASE(known_values) {
    const auto near = [](const Tensor& x, double v) {
        return std::abs(x.item<double>() - v) < 1e-12 * std::max(1.0, std::abs(v));
    };
    const auto at = [](double v) { return values({v}).reshape({}); };
    BOOST_TEST(near(digamma(at(1)), -0.57721566490153286061));
    BOOST_TEST(near(polygamma(at(1), 1), 1.64493406684822643647));
    BOOST_TEST(near(special::zeta(at(2), at(1)), 1.64493406684822643647));
    BOOST_TEST(near(special::erfcx(at(20)), 0.02817434874138331));
    BOOST_TEST(near(special::log_ndtr(at(-40)), -804.6084420137538));
    BOOST_TEST(near(i0(at(1)), 1.26606587775200833560));
    BOOST_TEST(near(special::i0e(at(1000)), 0.012617240455891257));
    BOOST_TEST(near(special::chebyshev_polynomial_t(at(0.3), at(3)), 4 * 0.027 - 0.9));
    BOOST_TEST(near(special::legendre_polynomial_p(at(0.3), at(2)), (3 * 0.09 - 1) / 2));
    BOOST_TEST(near(hypot(at(3e200), at(4e200)), 5e200));
}

BOOST_AUTO_TEST_CASE(trigamma_near_a_pole) {
    const double x = -7.950586795806885, exact = 412.74422317252106; // to 40 digits; x is a float32
    BOOST_TEST(std::abs(polygamma(full({}, x, kDouble), 1).item<double>() / exact - 1) < 1e-12);
    BOOST_TEST(std::abs(double(polygamma(full({}, x, kFloat), 1).item<float>()) / exact - 1) < 1e-7);
}

BOOST_AUTO_TEST_SUITE_END()
