// Points at which the textbook formula of a derivative is undefined and the derivative is not: every order is finite.
#include "derivative_helpers.hpp"

#include <limits>

#include "message.hpp"

using namespace derivative_test;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = 3.14159265358979323846;
Tensor long_indices(std::vector<std::int64_t> v) {
    Tensor t = empty({std::int64_t(v.size())}, kLong);
    std::copy(v.begin(), v.end(), t.data_ptr<std::int64_t>());
    return t;
}
} // namespace

BOOST_AUTO_TEST_SUITE(singular_points)

BOOST_AUTO_TEST_CASE(powers_at_zero) {
    const auto to = [](Scalar n) { return [n](const variable_list& x) { return pow(x[0], n); }; };
    REEL_TEST_ORDERS(orders(to(0), {point({0, 2})}), ({0, 0}), ({0, 0}), ({0, 0}));
    REEL_TEST_ORDERS(orders(to(1), {point({0, 2})}), ({1, 1}), ({1, 1}), ({0, 0}));
    REEL_TEST_ORDERS(orders(to(2), {point({0, 2})}), ({0, 4}), ({0, 4}), ({2, 2}));
    REEL_TEST_ORDERS(orders(to(3), {point({0, 2})}), ({0, 12}), ({0, 12}), ({0, 12}));
    REEL_TEST_ORDERS(orders(to(1), {complex_point({0, 0})}), ({1, 1}), ({1, 0}), ({0, 0}));
    REEL_TEST_ORDERS(orders(to(0), {complex_point({0, 0})}), ({0, 0}), ({0, 0}), ({0, 0}));
    REEL_TEST_LIST(view_as_real(pow(complex_point({0, 0}), Scalar(0))), 1, 0);
    // Exponents as tensors, at 0^0, 0^1 and 0^2.
    const auto tensors = [](const variable_list& x) { return pow(x[0], x[1]); };
    const Tensor base = point({0, 0, 0}), exponent = point({0, 1, 2});
    REEL_TEST_ORDERS(orders([&](const variable_list& x) { return pow(x[0], exponent.detach()); }, {base}), ({0, 1, 0}),
                     ({0, 1, 0}), ({0, 0, 2}));
    REEL_TEST_ORDERS(orders([&](const variable_list& x) { return float_power(x[0], exponent.detach()); }, {base}),
                     ({0, 1, 0}), ({0, 1, 0}), ({0, 0, 2}));
    const Orders both = orders(tensors, {base, exponent});
    REEL_TEST_NEAR(both.reverse, 0, 1, 0, 0, 0, 0);
    REEL_TEST_NEAR(both.forward, 0, 1, 0);
    const auto complex_zeros = orders([](const variable_list& x) { return pow(zeros({2}, kComplexDouble), x[0]); },
                                      {complex_point({1, 2, 0, 0})});
    REEL_TEST_NEAR(complex_zeros.reverse, 0, 0, 0, 0);
    REEL_TEST_NEAR(complex_zeros.forward_over_reverse, 0, 0, 0, 0);
    // Away from zero the mixed derivative at exponent 0 is 1 / x.
    const Orders mixed = orders(tensors, {point({2}), point({0})});
    REEL_TEST_NEAR(mixed.double_backward, 0.5, 0.5 + std::log(2) * std::log(2));
    BOOST_TEST(autograd::gradgradcheck(tensors, {point({0.5, 2, 3}), point({0, 1, -2})}));
}
BOOST_AUTO_TEST_CASE(powers_of_negative_numbers_to_complex_ones) {
    const Tensor z = complex_point({1, 1, 0.5, -2});
    BOOST_TEST(autograd::gradcheck([](const Tensor& t) { return pow(Scalar(-2.0), t); }, {z}));
    BOOST_TEST(autograd::gradgradcheck([](const Tensor& t) { return pow(Scalar(-2.0), t); }, {z}));
    const Tensor base = point({-2, 3}).detach();
    BOOST_TEST(autograd::gradcheck([&](const Tensor& t) { return pow(base, t); }, {z}));
    BOOST_TEST(autograd::gradcheck([&](const Tensor& t) { return pow(Scalar(2.5), t); }, {point({1, -2})}));
}

BOOST_AUTO_TEST_CASE(sines_over_their_arguments) {
    const double second = -pi * pi / 3;
    REEL_TEST_ORDERS(orders([](const variable_list& x) { return sinc(x[0]); }, {point({0, 1e-9})}),
                     ({0, second * 1e-9}), ({0, second * 1e-9}), ({second, second}));
    REEL_TEST_ORDERS(orders([](const variable_list& x) { return special_spherical_bessel_j0(x[0]); }, {point({0})}),
                     ({0}), ({0}), ({-1.0 / 3}));
    const Orders z = orders([](const variable_list& x) { return sinc(x[0]); }, {complex_point({0, 0})});
    REEL_TEST_NEAR(z.reverse, 0, 0);
    REEL_TEST_NEAR(z.forward, 0, 0);
    const Tensor x = point({-2.3, -0.31, 0.02, 0.29, 0.4, 3});
    check_gradients([](const Tensor& t) { return sinc(t); }, {x});
    check_gradients([](const Tensor& t) { return special_spherical_bessel_j0(t); }, {x});
    check_gradients([](const Tensor& t) { return sinc(t); }, {complex_point({0.2, 0.1, 1, -0.5, 0, 0})});
    // Fourth derivative at zero, pi^4 / 5.
    const Tensor at = point({0});
    Tensor y = sinc(at);
    for (int i = 0; i < 4; ++i) y = autograd::grad({y.sum()}, {at}, {}, true, true)[0];
    REEL_TEST_NEAR(list(y), std::pow(pi, 4) / 5);
}

BOOST_AUTO_TEST_CASE(logarithms_where_they_are_bounded) {
    REEL_TEST_ORDERS(orders([](const variable_list& x) { return logit(x[0], 0.1); }, {point({0, 1, 0.5})}), ({0, 0, 4}),
                     ({0, 0, 4}), ({0, 0, 0}));
    const auto sums = [](const variable_list& x) { return logcumsumexp(x[0], 0); };
    const Orders o = orders(sums, {point({-infinity, 1, 1})});
    REEL_TEST_NEAR(o.reverse, 0, 1.5, 0.5);
    REEL_TEST_NEAR(o.forward, 0, 1, 1);
    REEL_TEST_NEAR(o.double_backward, 0, 0, 0);
    REEL_TEST_NEAR(o.forward_over_reverse, 0, 0, 0);
    REEL_TEST_ORDERS(
        orders([](const variable_list& x) { return logsumexp(x[0], {0}); }, {point({-infinity, -infinity})}), ({0, 0}),
        ({0}), ({0, 0}));
    REEL_TEST_ORDERS(orders([](const variable_list& x) { return special_log_ndtr(x[0]); }, {point({40})}), ({0}), ({0}),
                     ({0}));
    check_gradients([](const Tensor& t) { return special_log_ndtr(t); }, {point({-30, -3, 0, 2, 20})});
    const auto add = [](const variable_list& x) { return logaddexp(x[0], x[1]); };
    REEL_TEST_ORDERS(orders(add, {point({-900, 900}), point({0, 0})}), ({0, 1, 1, 0}), ({1, 1}), ({0, 0, 0, 0}));
    REEL_TEST_ORDERS(
        orders([](const variable_list& x) { return logaddexp2(x[0], x[1]); }, {point({-1200, 1200}), point({0, 0})}),
        ({0, 1, 1, 0}), ({1, 1}), ({0, 0, 0, 0}));
    check_gradients([](const variable_list& x) { return logaddexp(x[0], x[1]); }, {point({-1, 2}), point({0.5, 2})});
    check_gradients([](const variable_list& x) { return logaddexp2(x[0], x[1]); }, {point({-1, 2}), point({0.5, 2})});
}
BOOST_AUTO_TEST_CASE(products_with_logarithms_at_zero) {
    REEL_TEST_ORDERS(orders([](const variable_list& x) { return xlogy(x[0], x[1]); }, {point({0, 0}), point({0, -1})}),
                     ({0, 0, 0, 0}), ({0, 0}), ({0, 0, 0, 0}));
    REEL_TEST_ORDERS(
        orders([](const variable_list& x) { return special_xlog1py(x[0], x[1]); }, {point({0, 0}), point({-1, -2})}),
        ({0, 0, 0, 0}), ({0, 0}), ({0, 0, 0, 0}));
    check_gradients([](const variable_list& x) { return xlogy(x[0], x[1]); }, {point({0, 2, -1}), point({3, 0.5, 2})});
}
BOOST_AUTO_TEST_CASE(masked_out_by_both) {
    const Tensor first = tensor({true, true, false, false}), second = tensor({true, false, true, false});
    const auto f = [&](const variable_list& x) { return masked_logaddexp(x[0], x[1], std::nullopt, first, second); };
    const Tensor x = point({1, 2, 3, 4}), o = point({1, 5, 6, 7});
    REEL_TEST_NEAR(list(f({x, o})), 1 + std::log(2), 2, 6, -infinity);
    REEL_TEST_ORDERS(orders(f, {x, o}), ({0.5, 1, 0, 0, 0.5, 0, 1, 0}), ({1, 1, 1, 0}), ({0, 0, 0, 0, 0, 0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(complex_zeros) {
    const Tensor z = complex_point({0, 0, 3, 4});
    const auto finite = [](const Orders& o) {
        for (const V* v : {&o.reverse, &o.forward, &o.double_backward, &o.forward_over_reverse})
            for (const double d : *v)
                if (!std::isfinite(d)) return false;
        return true;
    };
    REEL_TEST_NEAR(orders([](const variable_list& x) { return abs(x[0]); }, {z}).forward_over_reverse, 0, 0, 0.128,
                   -0.096);
    BOOST_TEST(finite(orders([](const variable_list& x) { return sgn(x[0]); }, {z})));
    BOOST_TEST(finite(orders([](const variable_list& x) { return angle(x[0]); }, {z})));
    BOOST_TEST(finite(orders([](const variable_list& x) { return l1_loss(x[0], zeros_like(x[0])); }, {z})));
    for (const double p : {1.0, 2.0, 2.5, 3.0, infinity, -1.0})
        BOOST_TEST(finite(orders([p](const variable_list& x) { return norm(x[0], p); }, {z})));
    BOOST_TEST(finite(orders(
        [](const variable_list& x) {
            return renorm(x[0].reshape({2, 1}), infinity, 0, 1);
        },
        {z})));
    const Tensor regular = complex_point({0.5, -2, 3, 4});
    check_gradients([](const Tensor& t) { return sgn(t); }, {regular});
    check_gradients([](const Tensor& t) { return angle(t); }, {regular});
}
BOOST_AUTO_TEST_CASE(polar_numbers_without_length) {
    const Tensor r = point({0, -1, 2}), phi = point({0.5, 0.5, 0.5});
    const auto f = [](const variable_list& x) { return real(polar(x[0], x[1])); };
    const double c = std::cos(0.5), s = std::sin(0.5);
    REEL_TEST_ORDERS(orders(f, {r, phi}), ({c, c, c, 0, s, -2 * s}), ({c, c + s, c - 2 * s}),
                     ({-s, -s, -s, -s, -s + c, -s - 2 * c}));
    check_gradients([](const variable_list& x) { return polar(x[0], x[1]); }, {r, phi});
}

BOOST_AUTO_TEST_CASE(hypotenuse_of_nothing) {
    const Orders o = orders([](const variable_list& x) { return hypot(x[0], x[1]); }, {point({0, 3}), point({0, 4})});
    REEL_TEST_NEAR(o.reverse, 0, 0.6, 0, 0.8);
    REEL_TEST_NEAR(o.forward, 0, 1.4);
}

BOOST_AUTO_TEST_CASE(norms_of_nothing) {
    for (const double p : {0.5, 1.5, 2.0, 2.5, 3.0})
        REEL_TEST_ORDERS(orders([p](const variable_list& x) { return norm(x[0], p); }, {point({0, 0})}), ({0, 0}),
                         ({0}), ({0, 0}));
    REEL_TEST_ORDERS(orders([](const variable_list& x) { return norm(x[0], 2.5); }, {point({0, 2})}), ({0, 1}), ({1}),
                     ({0, 0}));
    REEL_TEST_ORDERS(orders([](const variable_list& x) { return dist(x[0], x[1]); }, {point({1, 2}), point({1, 2})}),
                     ({0, 0, 0, 0}), ({0}), ({0, 0, 0, 0}));
    REEL_TEST_ORDERS(orders([](const variable_list& x) { return normalize(x[0], 2, {0}); }, {point({0, 0})}),
                     ({1e12, 1e12}), ({1e12, 1e12}), ({0, 0}));
    REEL_TEST_ORDERS(orders([](const variable_list& x) { return x[0].std(); }, {point({1, 1})}), ({0, 0}), ({0}),
                     ({0, 0}));
    REEL_TEST_ORDERS(orders([](const variable_list& x) { return std::get<0>(std_mean(x[0])); }, {point({1, 1})}),
                     ({0, 0}), ({0}), ({0, 0}));
    for (const double p : {1.5, 2.5, 3.0})
        check_gradients([p](const Tensor& t) { return norm(t, p); }, {point({0.5, -2, 3})});
}
BOOST_AUTO_TEST_CASE(distances_of_equal_rows_leave_the_others_alone) {
    const Tensor x = point({1, 2, 1, 2, 3, 5}), apart = point({1, 2, 4, 4, 3, 5});
    const auto pairs = [](const variable_list& t) { return pdist(t[0].reshape({3, 2})); };
    for (const double v : orders(pairs, {x}).double_backward) BOOST_TEST(std::abs(v) < 1e-9);
    for (const double v : orders(pairs, {x}).forward_over_reverse) BOOST_TEST(std::abs(v) < 1e-9);
    for (const double p : {1.5, 2.0}) {
        const auto d = [&](const variable_list& t) {
            return cdist(t[0].reshape({3, 2}), x.detach().reshape({3, 2}), p);
        };
        for (const double v : orders(d, {x}).double_backward) BOOST_TEST(std::isfinite(v));
        for (const double v : orders(d, {x}).forward_over_reverse) BOOST_TEST(std::isfinite(v));
    }
    BOOST_TEST(autograd::gradgradcheck([&](const Tensor& t) { return pdist(t.reshape({3, 2})); }, {apart}));
}

BOOST_AUTO_TEST_CASE(products_of_several_zeros_in_one_place) {
    const Tensor at = long_indices({0, 0, 0});
    const Tensor self = point({1.5}), src = point({0, 0, 3});
    for (const bool include : {true, false}) {
        const auto f = [&](const variable_list& x) { return scatter_reduce(x[0], 0, at, x[1], "prod", include); };
        const double s = include ? 1.5 : 1;
        const Orders o = orders([&](const variable_list& x) { return f({self.detach(), x[0]}); }, {src});
        REEL_TEST_NEAR(o.reverse, 0, 0, 0);
        REEL_TEST_NEAR(o.double_backward, 3 * s, 3 * s, 0);
        REEL_TEST_NEAR(o.forward_over_reverse, 3 * s, 3 * s, 0);
        check_gradients([&](const variable_list& x) { return f(x); }, {self, src});
    }
    // Slots with and without zeros beside each other, in two dimensions.
    const Tensor many = point({0, 0, 2, 0, 5, 6, 7, 0}).detach().reshape({4, 2}).requires_grad_(),
                 to = long_indices({0, 1, 0, 0, 0, 1, 1, 1}).reshape({4, 2}), wide = leaf({2, 2});
    check_gradients([&](const variable_list& x) { return scatter_reduce(x[0], 0, to, x[1], "prod"); }, {wide, many});
    check_gradients(
        [&](const variable_list& x) {
            return index_reduce(x[0], 0, long_indices({0, 0, 1, 0}), x[1], "prod");
        },
        {wide, many});
}
BOOST_AUTO_TEST_CASE(extrema_without_the_input_itself) {
    const Tensor s = point({1, 5, 7}), src = point({1, 3}), at = long_indices({0, 1});
    for (const char* reduce : {"amax", "amin"}) {
        const Orders o =
            orders([&](const variable_list& x) { return scatter_reduce(x[0], 0, at, x[1], reduce, false); }, {s, src});
        REEL_TEST_NEAR(o.reverse, 0, 0, 1, 1, 1);
    }
    const Orders o =
        orders([&](const variable_list& x) { return scatter_reduce(x[0], 0, at, x[1], "amax"); }, {s, src});
    REEL_TEST_NEAR(o.reverse, 0.5, 1, 1, 0.5, 0);
}
BOOST_AUTO_TEST_CASE(elements_that_were_overwritten) {
    const Tensor x = point({1, 2, 3}), at = long_indices({1, 1, 4}).reshape({1, 1, 3});
    const auto f = [&](const Tensor& t) { return max_unpool1d(t.reshape({1, 1, 3}), at, {2}); };
    REEL_TEST_LIST(f(x), 0, 2, 0, 0, 3, 0);
    REEL_TEST_LIST(autograd::grad({(f(x) * tensor({1., 2., 3., 4., 5., 6.}, kDouble)).sum()}, {x})[0], 0, 2, 5);
    check_gradients(f, {x});
}
BOOST_AUTO_TEST_CASE(a_value_that_fills_a_slice_named_twice) {
    const Tensor x = leaf({3, 2}), value = point({2}).detach().reshape({}).requires_grad_();
    const auto f = [](const variable_list& v) { return index_fill(v[0], 0, long_indices({0, 2, 0, -1}), v[1]); };
    REEL_TEST_LIST(autograd::grad({f({x, value}).sum()}, {value})[0], 4);
    check_gradients(f, {x, value});
}

BOOST_AUTO_TEST_CASE(losses) {
    const Tensor x = point({-800, 2}), t = point({1, 1}).detach();
    REEL_TEST_ORDERS(orders([&](const variable_list& v) { return soft_margin_loss(v[0], t, "sum"); }, {x}),
                     ({-1, -1 / (1 + std::exp(2))}), ({-1 - 1 / (1 + std::exp(2))}),
                     ({0, std::exp(2) / (1 + std::exp(2)) / (1 + std::exp(2))}));
    REEL_TEST_LIST(soft_margin_loss(point({-800}), point({1})), 800);
    const auto poisson = [](const variable_list& v) { return poisson_nll_loss(v[0], v[1], true, true, 1e-8, "none"); };
    REEL_TEST_ORDERS(orders(poisson, {point({0, 0}), point({-1, 1})}), ({2, 0, 0, 0}), ({2, 0}), ({0, 0, -1, -1}));
    // The variance that counts is eps: the given one moves nothing.
    const auto gaussian = [](const variable_list& v) {
        return gaussian_nll_loss(v[0], zeros({1}, kDouble), v[1], false, 0.5, "none");
    };
    REEL_TEST_ORDERS(orders(gaussian, {point({1}), point({0})}), ({2, 0}), ({2}), ({2, 0}));
    check_gradients(gaussian, {point({1}), point({2})});
}
BOOST_AUTO_TEST_CASE(a_variance_for_a_whole_dimension) {
    const Tensor input = leaf({4, 3}), row = (leaf({1, 3}).detach().abs() + 0.6).requires_grad_();
    const auto rows = [](const variable_list& v) { return gaussian_nll_loss(v[0], zeros({4, 3}, kDouble), v[1]); };
    BOOST_TEST(rows({input, row}).allclose(rows({input, row.expand({4, 3})})));
    check_gradients(rows, {input, row});
    const auto refusal = [&](const Tensor& var) {
        return reel::testing::message([&] { gaussian_nll_loss(input.detach(), zeros({4, 3}, kDouble), var); });
    };
    for (const Tensor& var : {ones({1, 1}, kDouble), ones({2, 3}, kDouble), ones({3}, kDouble)})
        BOOST_TEST(refusal(var).find("gaussian_nll_loss: var has shape [") == 0, refusal(var));
}

BOOST_AUTO_TEST_CASE(hardswish_is_the_identity_far_out) {
    const auto f = [](const variable_list& v) { return hardswish(v[0]); };
    REEL_TEST_ORDERS(orders(f, {point({infinity, 4, 1})}), ({1, 1, 5.0 / 6}), ({1, 1, 5.0 / 6}), ({0, 0, 1.0 / 3}));
}
BOOST_AUTO_TEST_CASE(inverse_hyperbolic_functions_far_out) {
    const auto check = [](ScalarType t, double far) {
        const Tensor x = tensor({-far, far, 3.0, -0.5, 0.0}, kDouble).to(t);
        const V y = list(asinh(x));
        for (std::size_t i = 0; i < y.size(); ++i) BOOST_TEST(std::abs(y[i] - std::asinh(list(x)[i])) < 1e-4);
        BOOST_TEST(std::abs(list(acosh(x))[1] - std::acosh(list(x)[1])) < 1e-4);
    };
    check(kFloat, 1e30);
    check(kFloat, 2e9);
    check(kDouble, 1e300);
    BOOST_TEST(list(asinh(tensor({-infinity, infinity}, kFloat))) == (V{-infinity, infinity}));
}

BOOST_AUTO_TEST_SUITE_END()
