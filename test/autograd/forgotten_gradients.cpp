// Operands whose gradient is easily forgotten: each has one, or backward says that it has none.
#include "derivative_helpers.hpp"

#include <functional>

#include <reel/autograd/op.hpp>

using namespace derivative_test;

namespace {
Tensor long_indices(std::vector<std::int64_t> v) {
    Tensor t = empty({std::int64_t(v.size())}, kLong);
    std::copy(v.begin(), v.end(), t.data_ptr<std::int64_t>());
    return t;
}
} // namespace

BOOST_AUTO_TEST_SUITE(forgotten_gradients)

BOOST_AUTO_TEST_CASE(real_operands_beside_complex_ones) {
    const Tensor r = leaf({2, 2}),
                 z = complex_point({1, 2, -1, 0.5, 3, -2, 0, 1}).detach().reshape({2, 2}).requires_grad_();
    using F = std::function<Tensor(const variable_list&)>;
    const std::vector<F> joins{
        [](const variable_list& x) {
            return cat({x[0], x[1]}, 1);
        },
        [](const variable_list& x) {
            return stack({x[1], x[0]});
        },
        [](const variable_list& x) {
            return hstack({x[0], x[1]});
        },
        [](const variable_list& x) {
            return vstack({x[0], x[1]});
        },
        [](const variable_list& x) {
            return dstack({x[0], x[1]});
        },
        [](const variable_list& x) {
            return column_stack({x[0], x[1]});
        },
        [](const variable_list& x) {
            return block_diag({x[0], x[1]});
        },
        [](const variable_list& x) { return diff(x[0], 1, -1, x[1]); },
    };
    for (const F& f : joins) check_gradients([&](const variable_list& x) { return f(x); }, {r, z});
    const Tensor row = leaf({2}), one = point({2}).detach().reshape({}).requires_grad_();
    check_gradients([](const variable_list& x) { return select_scatter(x[0], x[1], 0, 1); }, {z, row});
    check_gradients([](const variable_list& x) { return slice_scatter(x[0], x[1], 0, 0, 2); }, {z, r});
    check_gradients([](const variable_list& x) { return diagonal_scatter(x[0], x[1]); }, {z, row});
    check_gradients([](const variable_list& x) { return as_strided_scatter(x[0], x[1], {2}, {2}, 0); }, {z, row});
    check_gradients([](const variable_list& x) { return index_fill(x[0], 0, long_indices({1}), x[1]); }, {z, one});
}
BOOST_AUTO_TEST_CASE(sources_that_are_longer_than_their_index) {
    Tensor index = long_indices({0, 1, 1, 0, 2, 1}).reshape({2, 3});
    const Tensor x = leaf({4, 3}), src = (leaf({3, 5}).detach() * 1.3 + 0.1).requires_grad_(); // no ties
    for (const char* const reduce : {"sum", "mean", "prod", "amax", "amin"})
        for (const bool self : {true, false})
            check_gradients([&](const variable_list& v) { return scatter_reduce(v[0], 0, index, v[1], reduce, self); },
                            {x, src});
    // nothing at all, and no dimensions
    Tensor used = leaf({3, 5});
    scatter_reduce(x, 0, empty({0}, kLong), used, "sum").sum().backward();
    BOOST_TEST(equal(used.grad(), zeros({3, 5}, kDouble)));
    check_gradients(
        [&](const variable_list& v) { return scatter_reduce(v[0], 0, long_indices({0}).reshape({}), v[1], "sum"); },
        {leaf({2}), leaf({3})});
}
BOOST_AUTO_TEST_CASE(reflectors_of_one_row) {
    const Tensor a = leaf({1, 1}), tau = point({1});
    linalg_householder_product(a, tau.detach()).sum().backward();
    BOOST_TEST(equal(a.grad(), zeros({1, 1}, kDouble)));
}
BOOST_AUTO_TEST_CASE(sums_in_integers_are_refused_where_a_gradient_is_asked_for) {
    const Tensor x = leaf({2, 3});
    const auto says = [](const char* op, const char* dtype) {
        return std::string(op) + ": dtype is " + dtype +
               ", and input requires a gradient, which ends in integers. Pass a floating dtype, or input.detach()";
    };
    BOOST_TEST(message([&] { sum(x, kLong); }) == says("sum", "int64"));
    BOOST_TEST(message([&] { sum(x, {0}, false, kInt); }) == says("sum", "int32"));
    BOOST_TEST(message([&] { nansum(x, {0}, false, kBool); }) == says("nansum", "bool"));
    BOOST_TEST(message([&] { prod(x, kLong); }) == says("prod", "int64"));
    BOOST_TEST(message([&] { cumsum(x, 0, kShort); }) == says("cumsum", "int16"));
    BOOST_TEST(message([&] { cumprod(x, 0, kLong); }) == says("cumprod", "int64"));
    BOOST_TEST(sum(x.detach(), kLong).scalar_type() == kLong);
    const NoGradGuard off;
    BOOST_TEST(sum(x, kLong).scalar_type() == kLong);
}
BOOST_AUTO_TEST_CASE(values_that_cannot_be_put) {
    const Tensor x = zeros({3, 5}, kDouble);
    BOOST_TEST(message([&] {
                   index_put(x, {long_indices({})}, zeros({0}, kDouble));
               }).find("index_put: values of sizes [0] do not broadcast to the indexed part, [0, 5]") == 0u);
    REEL_TEST_SIZES(index_put(x, {long_indices({})}, zeros({1, 5}, kDouble)), 3, 5);
}

BOOST_AUTO_TEST_CASE(distinct_elements) {
    const Tensor x = point({3, 1, 3, 2});
    const Tensor w = tensor({1., 10., 100.}, kDouble);
    const auto values = [](const Tensor& t) { return std::get<0>(unique(t)); };
    REEL_TEST_LIST(autograd::grad({(values(x) * w).sum()}, {x})[0], 50, 1, 50, 10);
    const Tensor apart = point({3, 1, 4, 2});
    check_gradients(values, {apart});
    check_gradients([](const Tensor& t) { return std::get<0>(unique_dim(t.reshape({2, 2}), 0)); }, {apart});
    check_gradients([](const Tensor& t) { return std::get<0>(unique_dim(t.reshape({2, 2}), 1)); }, {apart});
    check_gradients([](const Tensor& t) { return std::get<0>(unique_consecutive(t)); }, {apart});
    const Tensor runs = point({1, 1, 2});
    REEL_TEST_LIST(autograd::grad({std::get<0>(unique_consecutive(runs)).sum()}, {runs})[0], 0.5, 0.5, 1);
    BOOST_TEST(ops::registry().at("unique").call({x}).toTensor().requires_grad());
}
BOOST_AUTO_TEST_CASE(weights_of_counts) {
    const Tensor w = point({1, 2, 3, 4}), x = point({0.1, 0.6, 0.7, 5});
    check_gradients([](const Tensor& t) { return bincount(long_indices({0, 2, 2, 1}), t); }, {w});
    for (const bool density : {false, true}) {
        check_gradients(
            [&](const Tensor& t) {
                const V range{0, 1};
                return std::get<0>(histogram(x.detach(), 3, ArrayRef<double>(range), t, density));
            },
            {w});
        check_gradients(
            [&](const Tensor& t) {
                return std::get<0>(
                    histogramdd(x.detach().reshape({2, 2}), IntArrayRef(S{2, 2}), std::nullopt, t, density));
            },
            {point({1, 3})});
    }
    const auto refused = [](const Tensor& t) { return message<NotImplementedError>([&] { t.sum().backward(); }); };
    BOOST_TEST(refused(std::get<0>(histogram(x, 3))) ==
               "histogram: the derivative with respect to input is not implemented; detach it first");
    BOOST_TEST(refused(std::get<1>(histogram(x, 3))).find("histogram: the derivative with respect to input") == 0u);
    BOOST_TEST(refused(std::get<0>(histogram(x.detach(), point({0, 0.5, 1})))).find("with respect to bins") !=
               std::string::npos);
    REEL_TEST_LIST(autograd::grad({histc(x, 4).sum()}, {x})[0], 0, 0, 0, 0);
}

BOOST_AUTO_TEST_CASE(weights_of_classes) {
    const Tensor x = leaf({3, 4}), w = point({0.5, 2, 1, 3}), t = long_indices({1, 3, 0}),
                 skipped = long_indices({1, -100, 0});
    for (const char* reduction : {"mean", "sum", "none"}) {
        for (const Tensor& labels : {t, skipped}) {
            const auto nll = [&](const variable_list& v) { return nll_loss(v[0], labels, v[1], -100, reduction); };
            const auto entropy = [&](const variable_list& v) {
                return cross_entropy(v[0], labels, v[1], -100, reduction, 0.25);
            };
            check_gradients(nll, {x, w});
            check_gradients(entropy, {x, w});
            // The same numbers on either way.
            BOOST_TEST(near(list(nll({x, w})), list(nll({x, w.detach()}))));
        }
    }
    check_gradients(
        [&](const variable_list& v) {
            return nll_loss(v[0].reshape({4, 1, 3}).transpose(1, 0), t.reshape({1, 3}), v[1]);
        },
        {x, w});
    check_gradients(
        [&](const variable_list& v) { return nll_loss(v[0].select(0, 0), t.select(0, 0), v[1], -100, "sum"); }, {x, w});
    check_gradients(
        [&](const variable_list& v) {
            return linear_cross_entropy(numbers({3, 4}), v[0], t.clamp_max(2), {}, v[1].slice(0, 0, 3));
        },
        {x, w});
}
BOOST_AUTO_TEST_CASE(running_moments_in_evaluation) {
    const Tensor x = leaf({3, 2, 2}), mean = point({0.5, -1}), var = point({1, 2}), w = point({1, 3}),
                 b = point({0, 1});
    const auto f = [](const variable_list& v) {
        return batch_norm(v[0], v[3], v[4], v[1], v[2], false, 0.1, 1e-5, true);
    };
    check_gradients(f, {x, mean, var, w, b});
    check_gradients(
        [](const variable_list& v) { return functional_batch_norm(v[0].transpose(0, 2), v[1].slice(0, 0, 2), v[2]); },
        {x, mean, var});
    check_gradients(
        [](const variable_list& v) { return instance_norm(v[0], {}, {}, v[1], v[2], false, 0.1, 1e-5, true); },
        {x, mean, var});
    BOOST_TEST(near(list(f({x, mean, var, w, b})), list(f({x, mean.detach(), var.detach(), w, b}))));
}
BOOST_AUTO_TEST_CASE(steps_and_draws_are_flat) {
    const Tensor x = point({-1, 0, 2}), v = point({5, 6, 7});
    REEL_TEST_ORDERS(orders([](const variable_list& t) { return heaviside(t[0], t[1]); }, {x, v}), ({0, 0, 0, 0, 1, 0}),
                     ({0, 1, 0}), ({0, 0, 0, 0, 0, 0}));
    const Tensor y = x * 1;
    y.heaviside_(v.detach());
    REEL_TEST_LIST(autograd::grad({y.sum()}, {x})[0], 0, 0, 0);
    const Tensor p = point({0.2, 0.5});
    for (const Tensor& draw : {bernoulli(p), normal(p, 1), normal(0, p), normal(p, p)}) {
        BOOST_TEST(draw.requires_grad());
        REEL_TEST_LIST(autograd::grad({draw.sum()}, {p})[0], 0, 0);
    }
}

BOOST_AUTO_TEST_CASE(polynomials_and_airy) {
    const Tensor x = point({-0.7, 0.2, 0.9, 1}), n = point({3, 7, 12, 4});
    using P = Tensor (*)(const Tensor&, const Tensor&);
    for (const P f :
         {P(special_chebyshev_polynomial_t), P(special_chebyshev_polynomial_u), P(special_chebyshev_polynomial_v),
          P(special_chebyshev_polynomial_w), P(special_shifted_chebyshev_polynomial_t),
          P(special_shifted_chebyshev_polynomial_u), P(special_shifted_chebyshev_polynomial_v),
          P(special_shifted_chebyshev_polynomial_w), P(special_hermite_polynomial_h), P(special_hermite_polynomial_he),
          P(special_laguerre_polynomial_l), P(special_legendre_polynomial_p)}) {
        const Tensor inside = point({-0.7, 0.2, 0.9, 0.4});
        BOOST_TEST(autograd::gradcheck([&](const Tensor& t) { return f(t, n.detach()); }, {inside}));
        BOOST_TEST(autograd::gradgradcheck([&](const Tensor& t) { return f(t, n.detach()); }, {inside}));
        BOOST_TEST(
            near(orders([&](const variable_list& v) { return f(x.detach(), v[0]); }, {n}).reverse, {0, 0, 0, 0}));
    }
    // The third one's slope is 12 x^2 - 3, at the end of the interval, too.
    REEL_TEST_NEAR(
        orders([](const variable_list& v) { return special_chebyshev_polynomial_t(v[0], 3); }, {point({1, -1, 2})})
            .reverse,
        9, 9, 45);
    check_gradients([](const Tensor& t) { return special_airy_ai(t); }, {point({-8, -1, 0, 0.5, 3})});
    Tensor y = special_legendre_polynomial_p(x, 6);
    const auto fifth = [&] {
        for (int i = 0; i < 5; ++i) y = autograd::grad({y.sum()}, {x}, {}, true, true)[0];
    };
    BOOST_TEST(message<NotImplementedError>(fifth).find("special.legendre_polynomial_p: derivatives beyond order 4") ==
               0u);
}
BOOST_AUTO_TEST_CASE(orders_of_the_incomplete_gamma_functions) {
    const Tensor a = point({0.4, 1.5, 3, 20, 8}), x = point({0.2, 3, 2.5, 18, 30});
    check_gradients([](const variable_list& v) { return igamma(v[0], v[1]); }, {a, x});
    check_gradients([](const variable_list& v) { return igammac(v[0], v[1]); }, {a, x});
    // Q(a, x) = a E1(x) + ... at a = 0: the slope is the exponential integral, E1(1) = 0.2193839343955203.
    REEL_TEST_NEAR(
        orders([](const variable_list& v) { return igammac(v[0], ones({1}, kDouble)); }, {point({0})}).reverse,
        0.21938393439552029);
    Tensor y = igamma(a, x);
    const auto third = [&] {
        for (int i = 0; i < 3; ++i) y = autograd::grad({y.sum()}, {a}, {}, true, true)[0];
    };
    BOOST_TEST(message<NotImplementedError>(third).find("igamma: derivatives with respect to input (the order)") == 0u);
}
BOOST_AUTO_TEST_CASE(exponents_of_zeta) {
    const Tensor s = point({1.5, 2, 4, 12}), q = point({0.3, 1, 5.5, 20});
    check_gradients([](const variable_list& v) { return special_zeta(v[0], v[1]); }, {s, q});
    REEL_TEST_NEAR(orders([](const variable_list& v) { return special_zeta(v[0], 1); }, {point({2})}).reverse,
                   -0.93754825431584376);
}
BOOST_AUTO_TEST_CASE(second_derivatives_of_alignments) {
    const Tensor x = leaf({5, 2, 4}), labels = long_indices({1, 1, 2, 3, 0, 0}).reshape({2, 3}),
                 full = long_indices({1, 1, 2, 1, 1, 1}).reshape({2, 3});
    const auto loss = [](const Tensor& t, const Tensor& labels, const S& steps, const S& counts, bool zero_infinity) {
        return ctc_loss(log_softmax(t, 2), labels, IntArrayRef(steps), IntArrayRef(counts), 0, "none", zero_infinity);
    };
    for (const bool zero_infinity : {false, true}) {
        const auto f = [&](const Tensor& t) { return loss(t, labels, {5, 4}, {3, 1}, zero_infinity); };
        check_gradients(f, {x});
        // A shift of all scores changes nothing.
        BOOST_TEST(near(orders([&](const variable_list& v) { return f(v[0]); }, {x}).forward, {0, 0}));
    }
    // One alignment is impossible: it neither counts nor spoils the other's derivatives.
    const auto partly = [&](const Tensor& t) { return loss(t, full, {5, 2}, {3, 3}, true); };
    REEL_TEST_NEAR(list(partly(x).select(0, 1)), 0);
    check_gradients(partly, {x});
    Tensor y = loss(x, labels, {5, 4}, {3, 1}, false);
    const auto third = [&] {
        for (int i = 0; i < 3; ++i) y = autograd::grad({y.square().sum()}, {x}, {}, true, true)[0];
    };
    BOOST_TEST(message<NotImplementedError>(third) == "ctc_loss: third derivatives are not implemented");
}

BOOST_AUTO_TEST_SUITE_END()
