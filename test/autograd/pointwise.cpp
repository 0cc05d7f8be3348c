// Elementwise ops: special values, promotion, refusals, known numbers.
#include "shape_helpers.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/pointwise/bitwise.hpp>
#include <reel/autograd/pointwise/integer_loops.hpp>
#include <reel/autograd/pointwise/loop.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using autograd::variable_list;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

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

Tensor call(const char* name, const Args& args, const Kwargs& options) {
    return ops::registry().at(name).call(args, options).toTensor();
}

} // namespace

BOOST_AUTO_TEST_SUITE(pointwise)

BOOST_AUTO_TEST_CASE(decimals_beyond_the_range_of_the_dtype) {
    for (const ScalarType t : {kHalf, kBFloat16, kFloat, kDouble}) {
        const Tensor x = tensor({-8.4765625, 0.5, 3.0}).to(t);
        BOOST_TEST((t == kDouble || equal(round(x, 60), x)));
        BOOST_TEST(equal(round(x, 400), x));
        BOOST_TEST(equal(round(x, -400), zeros({3}, TensorOptions(t))));
    }
    // 16-bit numbers are rounded in float32: 0.0355 and 35.5 are no ties there
    const Tensor narrow_x = tensor({0.0355, 1.2345, 2049.0, 65504.0}).to(kHalf);
    BOOST_TEST(equal(round(narrow_x, 3), round(narrow_x.to(kFloat), 3).to(kHalf)));
    BOOST_TEST(equal(round(narrow_x, -1), round(narrow_x.to(kFloat), -1).to(kHalf)));
}
BOOST_AUTO_TEST_CASE(ldexp_with_whole_exponents_leaves_the_dtype) {
    // 2^20 does not fit into float16, the product does
    const Tensor y = ldexp(tensor({0.0009765625, -3.0}).to(kHalf), tensor({20, -1}).to(kInt));
    BOOST_TEST((y.scalar_type() == kHalf));
    BOOST_TEST(equal(y, tensor({1024.0, -1.5}).to(kHalf)));
    BOOST_TEST((ldexp(tensor({3, 4}), tensor({1, 2}).to(kInt)).scalar_type() == kFloat));
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

BOOST_AUTO_TEST_CASE(rules_say_which_integer_loops_are_worth_it) {
    BOOST_TEST((std::is_base_of_v<reel::pointwise::integer_loops, reel::pointwise::bitwise_xor_op>));
    BOOST_TEST((!std::is_base_of_v<reel::pointwise::integer_loops, reel::pointwise::bitwise_left_shift_op>));
    BOOST_TEST((reel::pointwise::loop_table<reel::pointwise::bitwise_left_shift_op>.forward[int(kLong)] == nullptr));
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

BOOST_AUTO_TEST_CASE(bounds_that_no_integer_holds) {
    const Tensor x = tensor({-3, 0, 7}, TensorOptions(kInt)), bytes = tensor({3, 200}, TensorOptions(kByte));
    BOOST_TEST(equal(hardtanh(x, -1e10, 1e10), x));
    BOOST_TEST(equal(hardtanh(x, -1e300, 5), tensor({-3, 0, 5}, TensorOptions(kInt))));
    BOOST_TEST(equal(hardtanh(x.to(kLong), -1e19, 1e19), x.to(kLong)));
    BOOST_TEST(equal(hardtanh(bytes, 0, 1e3), bytes));
    const auto refused = [](auto f, const char* text) {
        BOOST_CHECK_EXCEPTION(f(), ValueError, [&](const auto& e) { return says(e, text); });
    };
    refused([&] { hardtanh(x, 1e10, 2e10); }, "hardtanh: min_val is 1e+10, above every number of dtype int32");
    refused([&] { hardtanh(x, -2e10, -1e10); }, "hardtanh: max_val is -1e+10, below every number of dtype int32");
    refused([&] { threshold(x, 1e10, 0); }, "threshold: threshold is 1e+10, no number of dtype int32");
    refused([&] { threshold(x, 0, 1e10); }, "threshold: value is 1e+10, no number of dtype int32");
    refused([&] { threshold(bytes, 0, 256); }, "threshold: value is 256, no number of dtype uint8");
    BOOST_TEST(equal(threshold(bytes, 3, 255), tensor({255, 200}, TensorOptions(kByte))));
    BOOST_TEST(threshold(x.to(kFloat), 1e10, 1e10).min().item<float>() == 1e10f);
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

/// What the vectors of a loop and single numbers compute is the same, far out, too.
BOOST_AUTO_TEST_CASE(remainders_are_exact) {
    manual_seed(3);
    const auto check = [](auto number, ScalarType dtype) {
        using T = decltype(number);
        const Tensor x = exp(randn({4000}, dtype) * 12) * sign(randn({4000}, dtype)),
                     o = exp(randn({4000}, dtype) * 6) * sign(randn({4000}, dtype));
        const Tensor left = fmod(x, o), rest = remainder(x, o);
        for (std::int64_t i = 0; i < x.numel(); ++i) {
            const T a = x[i].item<T>(), b = o[i].item<T>(), r = std::fmod(a, b);
            BOOST_REQUIRE_EQUAL(left[i].item<T>(), r);
            BOOST_REQUIRE_EQUAL(rest[i].item<T>(), r != 0 && (r < 0) != (b < 0) ? r + b : r);
        }
    };
    check(float(), kFloat);
    check(double(), kDouble);
    const Tensor ends = values({5., -5., 0., -0., infinity, 1.}), by = values({3., 3., 3., 3., 2., 0.});
    REEL_TEST_LIST(remainder(ends, by).slice(0, 0, 4), 2, 1, 0, 0);
    BOOST_TEST(isnan(fmod(ends, by)).slice(0, 4).all().item<bool>());
    REEL_TEST_LIST(floor_divide(values({7., -7., 7., -7., 1., 0.}), values({2., 2., -2., -2., 0., -3.})), 3, -4, -4, 3,
                   infinity, 0);
}

BOOST_AUTO_TEST_CASE(sums_of_exponentials_of_infinities) {
    const Tensor x = values({infinity, -infinity, infinity, -infinity, not_a_number, 2., 800.}),
                 o = values({infinity, -infinity, -infinity, 1., 1., not_a_number, 800.});
    for (const Tensor& y : {logaddexp(x, o), logaddexp2(x, o)}) {
        REEL_TEST_LIST(y.slice(0, 0, 4), infinity, -infinity, infinity, 1);
        BOOST_TEST(isnan(y.slice(0, 4, 6)).all().item<bool>());
    }
    BOOST_TEST(logaddexp(x, o)[6].item<double>() == 800 + std::log(2.));
    BOOST_TEST(logaddexp2(x, o)[6].item<double>() == 801.);
}

BOOST_AUTO_TEST_CASE(small_whole_powers) {
    const Tensor x = values({-2., 0.5, 1e-200, 1e160, 0., -0., infinity, not_a_number});
    for (const int n : {3, 4, -1, -2}) {
        const Tensor y = pow(x, n);
        for (std::int64_t i = 0; i < x.numel(); ++i) {
            const double expected = std::pow(x[i].item<double>(), n), got = y[i].item<double>();
            BOOST_TEST(
                (std::isnan(expected) ? std::isnan(got) : got == expected || std::abs(got / expected - 1) < 4e-16),
                x[i].item<double>() << " to " << n << ": " << got);
            BOOST_TEST((expected != 0 || std::signbit(expected) == std::signbit(got)));
        }
        shape_test::check_gradients([n](const Tensor& t) { return t.pow(n); },
                                    {values({-2., 0.5, 3.}).requires_grad_()});
    }
    BOOST_TEST(pow(tensor({1e-18f}), 2).item<float>() > 0);
    BOOST_TEST(pow(tensor({1e20f}), -2).item<float>() > 0); // the square overflows, its inverse is a number
}

/// Where the bound of a smooth loss is zero it is the absolute difference; nothing is divided by it.
BOOST_AUTO_TEST_CASE(slopes_of_smooth_losses) {
    const Tensor x = values({-2., -0.25, 0., 0.25, 2., not_a_number}), zero = zeros({6}, kDouble);
    const auto slope = [&](auto loss) {
        const Tensor leaf = x.clone().requires_grad_();
        loss(leaf).sum().backward();
        return leaf.grad();
    };
    const auto smooth = [&](double beta) {
        return slope([&](const Tensor& t) { return smooth_l1_loss(t, zero, "none", beta); });
    };
    REEL_TEST_LIST(smooth(0.5).slice(0, 0, 5), -1, -0.5, 0, 0.5, 1);
    REEL_TEST_LIST(smooth(0).slice(0, 0, 5), -1, -1, 0, 1, 1);
    BOOST_TEST(std::isnan(smooth(0.5)[5].item<double>()));
    const Tensor huber = slope([&](const Tensor& t) { return huber_loss(t, zero, "none", 0.5); });
    REEL_TEST_LIST(huber.slice(0, 0, 5), -0.5, -0.25, 0, 0.25, 0.5);
    shape_test::check_gradients([&](const Tensor& t) { return smooth_l1_loss(t, zeros({4}, kDouble), "none", 0.5); },
                                {values({-2., -0.25, 0.125, 2.}).requires_grad_()});
}

BOOST_AUTO_TEST_CASE(a_number_beside_a_tensor_is_no_tensor_in_backward) {
    const std::complex<double> i(0.5, -2);
    const auto gradients = [&](const Tensor& x, const Scalar& number, const Tensor& as_tensor) {
        const auto check = [&](const Tensor& with_number, const Tensor& with_tensor) {
            BOOST_TEST(with_number.grad_fn()->saved_tensors().empty());
            BOOST_TEST(with_number.grad_fn()->next_edges().size() == 2u);
            const Tensor seed = with_number.detach();
            const Tensor g = autograd::grad({with_number}, {x}, {seed}, true)[0];
            BOOST_TEST(same(g, autograd::grad({with_tensor}, {x}, {seed}, true)[0]));
        };
        check(x * number, x * as_tensor);
        check(x / number, x / as_tensor);
        check(x + number, x + as_tensor);
        check(x - number, x - as_tensor);
    };
    const Tensor x = values({1, -0.25, 3e-5}).requires_grad_();
    gradients(x, 1.7, values({1.7, 1.7, 1.7}));
    gradients(x, i, complex(values({0.5, 0.5, 0.5}), values({-2, -2, -2})));
    const Tensor z = complex(values({1, 2, 3}), values({-1, 0.5, 0})).requires_grad_();
    gradients(z, i, complex(values({0.5, 0.5, 0.5}), values({-2, -2, -2})));
    // Twice: the first gradient is recorded, too.
    const Tensor g = autograd::grad({(x.square() * 3).sum()}, {x}, {}, true, true)[0];
    BOOST_TEST(same(autograd::grad({g.sum()}, {x})[0], values({6, 6, 6})));
}
BOOST_AUTO_TEST_CASE(one_element_stands_beside_rows_of_any_order) {
    const Tensor x = values({1, 2, 3, 4, 5, 6}).view({2, 3}), one = values({2});
    BOOST_TEST(same(x * one, values({2, 4, 6, 8, 10, 12}).view({2, 3})));
    BOOST_TEST(same(one.expand({2, 3}) - x.t().contiguous().t(), values({1, 0, -1, -2, -3, -4}).view({2, 3})));
    BOOST_TEST(same(x.t() / one, values({0.5, 2, 1, 2.5, 1.5, 3}).view({3, 2})));
    BOOST_TEST(same(one.expand({2, 3}).exp(), values({4, 4, 4, 4, 4, 4}).log2().exp().view({2, 3})));
    BOOST_TEST(same(where(x > 3, one, x), values({1, 2, 3, 2, 2, 2}).view({2, 3})));
}

BOOST_AUTO_TEST_CASE(operands_that_lie_turned) {
    for (const ScalarType t : {kBFloat16, kFloat, kDouble, kLong}) {
        const Tensor x = arange(40 * 3 * 50).reshape({40, 3, 50}).to(t), y = (arange(40 * 3 * 50) % 97).to(t),
                     turned = y.reshape({50, 40, 3}).permute({1, 2, 0}), dense = turned.contiguous();
        BOOST_TEST(!turned.is_contiguous());
        BOOST_TEST((x + turned).equal(x + dense));
        BOOST_TEST((turned - x).equal(dense - x));
        BOOST_TEST((turned - x).strides() == turned.strides());
        BOOST_TEST(where(x > turned, x, turned).equal(where(x > dense, x, dense)));
        BOOST_TEST((turned * x[0]).equal(dense * x[0])); // broadcast beside it
    }
}

BOOST_AUTO_TEST_SUITE_END()
