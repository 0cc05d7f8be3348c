// Derivatives of factorizations and systems where a reference or a shortcut is wrong: directions of a triangle that is
// not read, matrices without an inverse, values that are cut off, factors that were constants. Cotangents are free.
#include "shape_helpers.hpp"

#include <reel/autograd/backward.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

namespace {

Tensor general(IntArrayRef sizes) {
    const Tensor t = numbers(sizes) * 0.3;
    return (t + eye(sizes[sizes.size() - 2], sizes[sizes.size() - 1], kDouble) * 3.0).detach();
}
Tensor complex_matrix(std::int64_t m, std::int64_t n) {
    return view_as_complex(general({m, n, 2}).contiguous() + numbers({m, n, 2}) + 2.0).detach();
}
Tensor rest(const Tensor& t) { return t.detach().clone().requires_grad_(); }
bool close(const Tensor& a, const Tensor& b) { return allclose(a, b, 1e-9, 1e-9); }

/// d/dc of <w, gradient of <c, f(x)> in x>: the double backward with respect to the cotangent, in the direction w.
template <class F> Tensor along(F f, const Tensor& x, const Tensor& w) {
    const Tensor y = f(x), c = ones_like(y).detach().requires_grad_();
    const Tensor g = autograd::grad({y}, {x}, {c}, true, true)[0];
    return autograd::grad({g}, {c}, {w}, true, false, true)[0];
}

} // namespace

BOOST_AUTO_TEST_SUITE(linalg_derivatives)

BOOST_AUTO_TEST_CASE(the_triangle_that_is_not_read_has_no_directions) {
    const Tensor a = rest(tensor({{2., 1.}, {5., 3.}}, kDouble)), b = tensor({{1.}, {2.}}, kDouble);
    const Tensor w = tensor({{1., 2.}, {3., 4.}}, kDouble);
    const Tensor d = along([&](const Tensor& t) { return std::get<0>(triangular_solve(b, t)); }, a, w);
    BOOST_TEST(close(d, tensor({{-11. / 36}, {-8. / 9}}, kDouble))); // -A^-1 triu(w) x for x = (1/6, 2/3)
    for (const bool upper : {false, true})
        for (const bool transposed : {false, true})
            for (const bool unit : {false, true})
                check_gradients(
                    [=](const std::vector<Tensor>& x) {
                        return std::get<0>(triangular_solve(x[0], x[1], upper, transposed, unit));
                    },
                    {leaf({3, 2}), rest(general({3, 3}))});
}

BOOST_AUTO_TEST_CASE(cholesky_takes_the_hermitian_part_of_a_direction) {
    const Tensor a = rest(tensor({{4., 1.}, {1., 3.}}, kDouble)), w = tensor({{1., 2.}, {5., 4.}}, kDouble);
    const Tensor d = along([](const Tensor& t) { return linalg::cholesky(t); }, a, w);
    BOOST_TEST(close(d, along([](const Tensor& t) { return linalg::cholesky(t); }, a, (w + w.mT()) * 0.5)));
    BOOST_TEST(std::abs(d[1][0].item<double>() - (3.5 / 2 - 0.5 * 0.25 / 2)) < 1e-12);
    BOOST_TEST(close(d, along([](const Tensor& t) { return std::get<0>(linalg::cholesky_ex(t)); }, a, w)));
    BOOST_TEST(close(d.mT(), along([](const Tensor& t) { return linalg::cholesky(t, true); }, a, w).clone()));
    for (const bool upper : {false, true})
        check_gradients(
            [upper](const Tensor& x) {
                return linalg::cholesky(matmul(x, conj(x.mT())) + eye(2, std::nullopt, kDouble), upper);
            },
            {rest(complex_matrix(2, 2))});
}

BOOST_AUTO_TEST_CASE(full_factors_get_gradients_in_the_triangle_that_is_read) {
    for (const bool upper : {false, true}) {
        check_gradients([upper](const Tensor& x) { return cholesky_inverse(x, upper); }, {rest(general({3, 3}))});
        check_gradients([upper](const Tensor& x) { return cholesky_inverse(x, upper); }, {rest(complex_matrix(2, 2))});
        check_gradients([upper](const std::vector<Tensor>& x) { return cholesky_solve(x[0], x[1], upper); },
                        {leaf({3, 2}), rest(general({3, 3}))});
        check_gradients([upper](const std::vector<Tensor>& x) { return cholesky_solve(x[0], x[1], upper); },
                        {rest(complex_matrix(2, 1)), rest(complex_matrix(2, 2))});
    }
}

BOOST_AUTO_TEST_CASE(pseudo_inverses_that_cut_singular_values_off) {
    const Tensor a = tensor({{3., 1., 0.2}, {0.5, 2., 0.3}, {0.1, 0.4, 0.05}}, kDouble);
    for (const double cut : {0.2, 0.9})
        check_gradients([cut](const Tensor& x) { return linalg::pinv(x, std::nullopt, cut); }, {rest(a)});
    for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{4, 3}, {3, 4}}) {
        check_gradients([](const Tensor& x) { return linalg::pinv(x, std::nullopt, 0.7); }, {rest(general({m, n}))});
        check_gradients([](const Tensor& x) { return linalg::pinv(x, 1.5, std::nullopt); },
                        {rest(complex_matrix(m, n))});
    }
    // equal singular values, and a cut one close to a kept one
    const Tensor twins = diag(tensor({2., 2., 1.98, 0.}, kDouble));
    check_gradients([](const Tensor& x) { return linalg::pinv(x, 1.99, 0.); }, {rest(twins)});
    check_gradients([](const Tensor& x) { return linalg::pinv(x, 5.0, 0.); }, {rest(twins)}); // nothing is kept
    check_gradients([](const Tensor& x) { return linalg::pinv(x + x.mT(), std::nullopt, 0.3, true); },
                    {rest(general({3, 3}))});
    check_gradients([](const std::vector<Tensor>& x) { return std::get<0>(linalg::lstsq(x[0], x[1], 0.5, "gelsd")); },
                    {rest(general({4, 3})), leaf({4, 2})});
}

BOOST_AUTO_TEST_CASE(determinants_of_matrices_without_an_inverse) {
    const std::vector<Tensor> singular{
        tensor({{1., 2.}, {2., 4.}}, kDouble),
        zeros({2, 2}, kDouble),
        tensor({{0., 0., 0.}, {1., 2., 3.}, {4., 5., 6.}}, kDouble), // a zero pivot
        diag(tensor({1., 1., 0.}, kDouble)),                         // equal singular values
        diag(tensor({2., 0., 0., 3.}, kDouble)),                     // rank two less than full
        tensor({{0.}}, kDouble),
        stack({eye(3, std::nullopt, kDouble), diag(tensor({1., 0., 2.}, kDouble))}),
    };
    for (const Tensor& a : singular) check_gradients([](const Tensor& x) { return linalg::det(x); }, {rest(a)});
    const Tensor z = complex_matrix(3, 1), projector = matmul(z, conj(z.mT()));
    check_gradients([](const Tensor& x) { return linalg::det(x); }, {rest(projector)});
}

BOOST_AUTO_TEST_CASE(logarithms_of_singular_determinants_have_infinite_gradients) {
    const double inf = INFINITY;
    const Tensor a = tensor({{1., 2.}, {2., 4.}}, kDouble).requires_grad_();
    BOOST_TEST(logdet(a).item<double>() == -inf);
    logdet(a).backward();
    REEL_TEST_LIST(a.grad(), -inf, inf, inf, -inf);
    a.mutable_grad() = Tensor();
    std::get<1>(linalg::slogdet(a)).backward();
    REEL_TEST_LIST(a.grad(), -inf, inf, inf, -inf);
    // with the graph recorded too, and beside a regular matrix
    const Tensor both = stack({a.detach(), eye(2, std::nullopt, kDouble)}).requires_grad_();
    const Tensor g = autograd::grad({logdet(both).sum()}, {both}, {}, true, true)[0];
    REEL_TEST_LIST(g, -inf, inf, inf, -inf, 1, 0, 0, 1);
}

BOOST_AUTO_TEST_CASE(reflectors_are_differentiable) {
    for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 3}, {4, 2}, {2, 4}, {1, 1}}) {
        check_gradients(
            [](const Tensor& x) {
                const auto [a, tau] = geqrf(x);
                return std::vector<Tensor>{a, tau};
            },
            {rest(general({m, n}))});
        check_gradients(
            [](const Tensor& x) {
                const auto [a, tau] = geqrf(x);
                return std::vector<Tensor>{a, tau};
            },
            {rest(complex_matrix(m, n))});
    }
    check_gradients([](const Tensor& x) { return std::get<0>(geqrf(x)); }, {rest(general({2, 3, 2}))});
    // through the product of the reflections, as through linalg.qr
    const Tensor x = rest(general({4, 3})), y = rest(x);
    const auto [a, tau] = geqrf(x);
    square(linalg::householder_product(a, tau) * numbers({4, 3})).sum().backward();
    square(std::get<0>(linalg::qr(y)) * numbers({4, 3})).sum().backward();
    BOOST_TEST(close(x.grad(), y.grad()));
}

BOOST_AUTO_TEST_CASE(factors_of_indefinite_matrices_are_differentiable) {
    const Tensor one_by_one =
        tensor({{4., 9., 9.}, {1., -3., 9.}, {2., 1., 0.5}}, kDouble); // the upper part is not read
    const Tensor two_by_two =
        tensor({{0.1, 9., 9., 9.}, {3., 0.2, 9., 9.}, {1., 2., 0.3, 9.}, {5., 1., 1., 0.1}}, kDouble);
    for (const Tensor& a : {one_by_one, two_by_two, stack({one_by_one, one_by_one + 0.5})}) {
        check_gradients([](const Tensor& x) { return std::get<0>(linalg::ldl_factor(x)); }, {rest(a)});
        const auto [ld, pivots] = linalg::ldl_factor(a);
        const Tensor whole = tril(a) + tril(a, -1).mT(), b = numbers({a.size(-1), 2});
        BOOST_TEST(close(matmul(whole, linalg::ldl_solve(ld, pivots, b)), b.expand_as(matmul(whole, b))));
        check_gradients([ld = ld, pivots = pivots](const Tensor& b) { return linalg::ldl_solve(ld, pivots, b); },
                        {rest(b)});
        check_gradients(
            [pivots = pivots](const std::vector<Tensor>& x) { return linalg::ldl_solve(x[0], pivots, x[1]); },
            {rest(ld), rest(b)});
    }
    BOOST_TEST((std::get<1>(linalg::ldl_factor(two_by_two)) < Scalar(0)).any().item<bool>()); // there is such a block
    const Tensor z = complex_matrix(3, 3) - eye(3, std::nullopt, kDouble) * 2.5, b = complex_matrix(3, 1);
    for (const bool hermitian : {false, true}) {
        check_gradients([=](const Tensor& x) { return std::get<0>(linalg::ldl_factor(x, hermitian)); }, {rest(z)});
        const auto [ld, pivots] = linalg::ldl_factor(z, hermitian);
        check_gradients(
            [=, ld = ld, pivots = pivots](const Tensor& x) { return linalg::ldl_solve(ld, pivots, x, hermitian); },
            {rest(b)});
        check_gradients([=, pivots = pivots](
                            const std::vector<Tensor>& x) { return linalg::ldl_solve(x[0], pivots, x[1], hermitian); },
                        {rest(ld), rest(b)});
    }
}

BOOST_AUTO_TEST_CASE(indefinite_matrices_of_a_batch_go_their_own_ways) {
    const Tensor single = tensor({{4., 9., 9.}, {1., -3., 9.}, {2., 1., 0.5}}, kDouble),
                 pair = tensor({{0.1, 9., 9.}, {3., 0.2, 9.}, {1., 2., 0.3}}, kDouble);
    const Tensor turned = tensor({{0.2, 9., 9.}, {1., -5., 9.}, {-3., 0.4, 0.1}}, kDouble);
    const Tensor batch = rest(stack({single, pair, single + 0.5, pair * 2., turned}).reshape({5, 1, 3, 3}));
    const auto [ld, pivots] = linalg::ldl_factor(batch);
    const Tensor in_pairs = (pivots < Scalar(0)).any(-1);
    BOOST_TEST((in_pairs.any().item<bool>() && !in_pairs.all().item<bool>())); // blocks of two, and none
    check_gradients([](const Tensor& x) { return std::get<0>(linalg::ldl_factor(x)); }, {rest(batch)});
    const Tensor weights = numbers({5, 1, 3, 3});
    (ld * weights).sum().backward();
    for (std::int64_t i = 0; i < 5; ++i) {
        const Tensor alone = rest(batch.detach()[i][0]);
        (std::get<0>(linalg::ldl_factor(alone)) * weights[i][0]).sum().backward();
        BOOST_TEST(close(batch.grad()[i][0], alone.grad()));
    }
}

BOOST_AUTO_TEST_CASE(exponentials_in_sixteen_bits_are_those_of_float32) {
    const Tensor a = tensor({{0.5, -1.}, {2., 0.25}}, kFloat), exact = linalg::matrix_exp(a);
    for (const ScalarType t : {kHalf, kBFloat16}) {
        const Tensor r = linalg::matrix_exp(a.to(t));
        BOOST_TEST(isfinite(r).all().item<bool>());
        BOOST_TEST(equal(r, exact.to(t)));
    }
}

BOOST_AUTO_TEST_SUITE_END()
