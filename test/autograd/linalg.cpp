// Factorizations, systems, spectra and norms. Factors that are not unique are tested by reconstruction and by
// gradients of functions that do not depend on the choice.
#include "shape_helpers.hpp"

#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

namespace {

/// Well-conditioned matrices without symmetry.
Tensor general(IntArrayRef sizes) {
    Tensor t = numbers(sizes) * 0.3;
    return (t + eye(sizes[sizes.size() - 2], sizes[sizes.size() - 1], kDouble) * 3.0).detach();
}
Tensor positive(std::int64_t n) {
    const Tensor a = general({n, n});
    return (matmul(a, a.mT()) + eye(n, std::nullopt, kDouble)).detach();
}
Tensor complex_matrix(std::int64_t m, std::int64_t n) {
    return view_as_complex(general({m, n, 2}).contiguous() + numbers({m, n, 2})).detach();
}
bool close(const Tensor& a, const Tensor& b) { return allclose(a, b, 1e-9, 1e-9); }
Tensor rest(const Tensor& t) { return t.detach().requires_grad_(); }

} // namespace

BOOST_AUTO_TEST_SUITE(linear_algebra)

BOOST_AUTO_TEST_CASE(systems_and_inverses) {
    const Tensor a = general({2, 3, 3}), b = numbers({2, 3, 2});
    BOOST_TEST(close(matmul(a, linalg::solve(a, b)), b));
    BOOST_TEST(close(matmul(linalg::solve(a, b.mT(), false), a), b.mT()));
    BOOST_TEST(close(matmul(linalg::inv(a), a), eye(3, std::nullopt, kDouble).expand({2, 3, 3})));
    check_gradients([](const std::vector<Tensor>& x) { return linalg::solve(x[0], x[1]); },
                    {rest(general({2, 3, 3})), leaf({2, 3})});
    check_gradients([](const Tensor& x) { return linalg::inv(x); }, {rest(complex_matrix(2, 2))});
    BOOST_TEST(message<LinAlgError>([] { linalg::inv(zeros({2, 2}, kDouble)); }).find("singular") != std::string::npos);
    BOOST_TEST(message([] {
                   linalg::inv(zeros({2, 3}, kDouble));
               }).find("expected square matrices") != std::string::npos);
    BOOST_TEST(!message<NotImplementedError>([] { linalg::inv(ones({2, 2}, kLong)); }).empty());
}

BOOST_AUTO_TEST_CASE(determinants) {
    check_gradients([](const Tensor& x) { return linalg::det(x); }, {rest(general({2, 3, 3}))});
    check_gradients([](const Tensor& x) { return std::get<1>(linalg::slogdet(x)); }, {rest(complex_matrix(3, 3))});
    const Tensor singular = tensor({{1., 2.}, {2., 4.}}, kDouble).requires_grad_();
    linalg::det(singular).backward();
    BOOST_TEST(close(singular.grad(), tensor({{4., -2.}, {-2., 1.}}, kDouble))); // the adjugate's transpose
}

BOOST_AUTO_TEST_CASE(lu_of_every_shape) {
    for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 3}, {4, 3}, {3, 4}}) {
        const Tensor a = general({m, n});
        const auto [p, l, u] = linalg::lu(a);
        BOOST_TEST(close(matmul(p, matmul(l, u)), a));
        check_gradients(
            [](const Tensor& x) {
                return std::vector<Tensor>{std::get<1>(linalg::lu(x)), std::get<2>(linalg::lu(x))};
            },
            {rest(a)});
        check_gradients([](const Tensor& x) { return std::get<0>(linalg::lu_factor(x)); }, {rest(a)});
    }
    const Tensor a = general({3, 3}), b = numbers({3, 2});
    const auto [lu, pivots] = linalg::lu_factor(a);
    BOOST_TEST(close(matmul(a, linalg::lu_solve(lu, pivots, b)), b));
    BOOST_TEST(close(matmul(a.mT(), linalg::lu_solve(lu, pivots, b, true, true)), b));
    BOOST_TEST(close(matmul(linalg::lu_solve(lu, pivots, b.mT(), false), a), b.mT()));
}

BOOST_AUTO_TEST_CASE(cholesky_and_triangles) {
    const Tensor a = positive(3);
    const Tensor l = linalg::cholesky(a);
    BOOST_TEST(close(matmul(l, l.mT()), a));
    BOOST_TEST(close(linalg::cholesky(a, true), l.mT()));
    BOOST_TEST(close(matmul(a, cholesky_inverse(l)), eye(3, std::nullopt, kDouble)));
    BOOST_TEST(close(matmul(a, cholesky_solve(numbers({3, 2}), l)), numbers({3, 2})));
    check_gradients([](const Tensor& x) { return linalg::cholesky(matmul(x, x.mT()) + eye(3, std::nullopt, kDouble)); },
                    {rest(general({3, 3}))});
    for (const bool upper : {false, true})
        for (const bool left : {false, true})
            for (const bool unit : {false, true})
                check_gradients(
                    [=](const std::vector<Tensor>& x) {
                        return linalg::solve_triangular(x[0], x[1], upper, left, unit);
                    },
                    {rest(general({3, 3})), left ? leaf({3, 2}) : leaf({2, 3})});
    BOOST_TEST(message<LinAlgError>([] {
                   linalg::cholesky(-eye(2, std::nullopt, kDouble));
               }).find("not positive definite") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(orthogonal_factors) {
    for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 3}, {4, 3}, {3, 4}}) {
        const Tensor a = general({m, n});
        const auto [q, r] = linalg::qr(a);
        BOOST_TEST(close(matmul(q, r), a));
        check_gradients(
            [](const Tensor& x) {
                const auto [q, r] = linalg::qr(x);
                return std::vector<Tensor>{matmul(q, q.mT()), matmul(r.mT(), r)};
            },
            {rest(a)});
        const auto [u, s, vh] = linalg::svd(a, false);
        BOOST_TEST(close(matmul(u * s, vh), a));
        check_gradients(
            [](const Tensor& x) {
                const auto [u, s, vh] = linalg::svd(x, false);
                return std::vector<Tensor>{s, matmul(u, u.mT()), matmul(vh.mT(), vh)};
            },
            {rest(a)});
    }
    check_gradients(
        [](const Tensor& x) {
            const auto [u, s, vh] = linalg::svd(x, false);
            return matmul(u * exp(s).to(kComplexDouble), vh);
        },
        {rest(complex_matrix(3, 2))});
    const auto [packed, tau] = geqrf(general({4, 3}));
    BOOST_TEST(close(linalg::householder_product(packed, tau), std::get<0>(linalg::qr(general({4, 3})))));
}

BOOST_AUTO_TEST_CASE(a_product_of_no_reflections) {
    const Tensor packed = general({3, 2}).requires_grad_(), other = general({3, 2}), tau = empty({0}, kDouble);
    packed.detach()[0][0].fill_(std::numeric_limits<double>::infinity()); // what no reflection reads
    BOOST_TEST(equal(linalg::householder_product(packed, tau), eye(3, 2, kDouble)));
    for (const bool left : {true, false}) {
        const Tensor given = left ? other : other.t().contiguous(), result = ormqr(packed, tau, given, left);
        BOOST_TEST(equal(result, given));
        BOOST_TEST(!result.is_same(given));
        BOOST_TEST(result.storage().get() != given.storage().get());
        BOOST_TEST(result.requires_grad());
        result.sum().backward();
        BOOST_TEST(equal(packed.grad(), zeros({3, 2}, kDouble)));
    }
}

BOOST_AUTO_TEST_CASE(spectra) {
    const auto symmetric = [](const Tensor& x) { return x + x.mT(); };
    check_gradients(
        [&](const Tensor& x) {
            const auto [w, v] = linalg::eigh(symmetric(x));
            return std::vector<Tensor>{w, matmul(v * exp(w), v.mT())};
        },
        {rest(general({3, 3}))});
    check_gradients([](const Tensor& x) { return real(sum(square(linalg::eigvals(x)))); }, {rest(general({3, 3}))});
    const Tensor a = general({3, 3});
    const auto [w, v] = linalg::eig(a);
    BOOST_TEST(close(matmul(a.to(kComplexDouble), v), v * w));
    const Tensor root = linalg::matrix_sqrth(positive(3));
    BOOST_TEST(close(matmul(root, root), positive(3)));
    const auto [u, p] = linalg::polar(general({4, 3}));
    BOOST_TEST(close(matmul(u, p), general({4, 3})));
    BOOST_TEST(close(matmul(u.mT(), u), eye(3, std::nullopt, kDouble)));
}

BOOST_AUTO_TEST_CASE(inverses_of_any_shape) {
    for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{4, 3}, {3, 4}})
        check_gradients([](const Tensor& x) { return linalg::pinv(x); }, {rest(general({m, n}))});
    BOOST_TEST(linalg::matrix_rank(tensor({{1., 2.}, {2., 4.}}, kDouble)).item<std::int64_t>() == 1);
    BOOST_TEST(close(linalg::matrix_exp(zeros({2, 2}, kDouble)), eye(2, std::nullopt, kDouble)));
    check_gradients([](const Tensor& x) { return linalg::matrix_exp(x); }, {rest(general({2, 2}))});
    for (const double a : {1e-9, 0.1, 0.49, 0.51, 3.0}) { // rotations, and their inverses beside them
        const Tensor r = linalg::matrix_exp(tensor({{{0., a}, {-a, 0.}}, {{0., -a}, {a, 0.}}}, kDouble));
        const double c = std::cos(a), s = std::sin(a);
        BOOST_TEST(allclose(r, tensor({{{c, s}, {-s, c}}, {{c, -s}, {s, c}}}, kDouble), 4e-15, 4e-16));
    }
    check_gradients([](const Tensor& x) { return linalg::matrix_power(x, -3); }, {rest(general({2, 2}))});
}

BOOST_AUTO_TEST_CASE(least_squares) {
    for (const char* driver : {"gels", "gelsy", "gelsd", "gelss"}) {
        BOOST_TEST_CONTEXT("driver " << driver) {
            const bool by_rank = std::string_view(driver) != "gels";
            const bool values = by_rank && std::string_view(driver) != "gelsy";
            for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{{5, 3}, {3, 3}, {3, 5}}) {
                const Tensor a = general({2, m, n}), b = numbers({2, m, 2}), ah = a.mT();
                const auto [x, residuals, rank, s] = linalg::lstsq(a, b, std::nullopt, driver);
                BOOST_TEST(close(matmul(ah, matmul(a, x)), matmul(ah, b))); // the normal equations
                BOOST_TEST(close(x, matmul(linalg::pinv(a), b)));           // the smallest of all solutions
                BOOST_TEST(by_rank == (rank.numel() == 2));
                if (by_rank) REEL_TEST_LIST(rank, 3, 3);
                if (values) BOOST_TEST(close(s, linalg::svdvals(a)));
                else BOOST_TEST(s.numel() == 0);
                if (m > n && std::string_view(driver) != "gelsy")
                    BOOST_TEST(close(residuals, square(matmul(a, x) - b).sum(1)));
                else BOOST_TEST(residuals.numel() == 0);
                check_gradients(
                    [driver](const std::vector<Tensor>& v) {
                        return std::get<0>(linalg::lstsq(v[0], v[1], std::nullopt, driver));
                    },
                    {rest(a), rest(b)});
            }
        }
    }
    check_gradients(
        [](const std::vector<Tensor>& v) { return std::get<1>(linalg::lstsq(v[0], v[1], std::nullopt, "gels")); },
        {rest(general({4, 2})), rest(numbers({4, 3}))});
    // complex; one right side per matrix; batches that broadcast
    const Tensor z = complex_matrix(4, 2), zb = complex_matrix(4, 1);
    const Tensor zx = std::get<0>(linalg::lstsq(z, zb));
    BOOST_TEST(allclose(matmul(conj(z.mT()), matmul(z, zx) - zb), zeros({2, 1}, kComplexDouble), 1e-9, 1e-9));
    check_gradients([](const std::vector<Tensor>& v) { return std::get<0>(linalg::lstsq(v[0], v[1])); },
                    {rest(z), rest(zb)});
    const Tensor a = general({2, 4, 3}), v = numbers({2, 4});
    BOOST_TEST(close(std::get<0>(linalg::lstsq(a, v)), squeeze(matmul(linalg::pinv(a), unsqueeze(v, -1)), -1)));
    BOOST_TEST(std::get<0>(linalg::lstsq(a, numbers({4, 2}))).sizes().equals({2, 3, 2}));
    BOOST_TEST(std::get<0>(linalg::lstsq(zeros({3, 0}, kDouble), zeros({3, 2}, kDouble))).sizes().equals({0, 2}));
    // a rank that falls short: the smallest solution, no residuals, and rcond decides what counts
    const Tensor poor = tensor({{1., 2.}, {2., 4.}, {3., 6.}}, kDouble), right = numbers({3, 1});
    const auto [x, residuals, rank, s] = linalg::lstsq(poor, right, std::nullopt, "gelsd");
    BOOST_TEST(rank.item<std::int64_t>() == 1);
    BOOST_TEST(residuals.numel() == 0);
    BOOST_TEST(close(x, matmul(linalg::pinv(poor), right)));
    const Tensor nearly = tensor({{1., 0.}, {0., 1e-3}, {0., 0.}}, kDouble);
    BOOST_TEST(std::get<2>(linalg::lstsq(nearly, right)).item<std::int64_t>() == 2);
    BOOST_TEST(std::get<2>(linalg::lstsq(nearly, right, 1e-2)).item<std::int64_t>() == 1);
    BOOST_TEST(message([&] { linalg::lstsq(poor, right, std::nullopt, "qr"); }).find("driver is 'qr'") !=
               std::string::npos);
    BOOST_TEST(message([&] { linalg::lstsq(poor, numbers({2, 1})); }).find("as many rows as A") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(gradients_where_the_reference_is_wrong) { // see test/reference/differences.json
    for (const bool upper : {false, true})
        check_gradients([upper](const Tensor& x) { return cholesky_inverse(x, upper); },
                        {rest(linalg::cholesky(positive(3), upper))});
    const Tensor x = numbers({2, 2}) + 5.5;
    for (const auto& f : {special_bessel_j0, special_bessel_j1, special_bessel_y0, special_bessel_y1})
        check_gradients([f](const Tensor& t) { return f(t); }, {rest(abs(x) + 0.5)});
    check_gradients([](const Tensor& t) { return logcumsumexp(t, 1); }, {rest(complex_matrix(2, 3))});
    check_gradients(
        [](const std::vector<Tensor>& v) {
            return as_strided_scatter(v[0], v[1], {2, 2}, {1, 2}, 1);
        },
        {leaf({3, 3}), leaf({2, 2})});
}

BOOST_AUTO_TEST_CASE(norms_and_distances) {
    for (const double p : {0.5, 1.0, 1.5, 2.0, 3.0, double(INFINITY), -double(INFINITY)})
        check_gradients([p](const Tensor& x) { return linalg::vector_norm(x, p, 1); }, {rest(numbers({2, 3}) + 0.01)});
    for (const double p : {1.0, -1.0, 2.0, double(INFINITY)})
        check_gradients([p](const Tensor& x) { return linalg::matrix_norm(x, p); }, {rest(general({3, 3}))});
    const Tensor origin = zeros({3}, kDouble).requires_grad_();
    origin.norm(2).backward();
    REEL_TEST_LIST(origin.grad(), 0, 0, 0); // the subgradient of least length
    check_gradients([](const std::vector<Tensor>& x) { return cdist(x[0], x[1]); },
                    {leaf({3, 2}), rest(numbers({2, 2}) + 9.0)});
    check_gradients([](const std::vector<Tensor>& x) { return cosine_similarity(x[0], x[1]); },
                    {leaf({2, 3}), rest(numbers({2, 3}) + 5.0)});
    check_gradients([](const Tensor& x) { return normalize(x); }, {rest(numbers({2, 3}) + 5.0)});
    BOOST_TEST(!message([] { linalg::matrix_norm(general({2, 2}), 3); }).empty());
}

BOOST_AUTO_TEST_CASE(any_number_of_empty_matrices_takes_no_time) {
    const std::int64_t many = std::int64_t(1) << 62;
    const Tensor none = zeros({many, 0, 0}, kDouble), thin = zeros({many, 1, 0}, kDouble);
    REEL_TEST_SIZES(std::get<1>(svd(thin)), many, 0);
    REEL_TEST_SIZES(linalg::eigvalsh(none), many, 0);
    REEL_TEST_SIZES(linalg::eigvals(none), many, 0);
    REEL_TEST_SIZES(std::get<1>(geqrf(thin)), many, 0);
    REEL_TEST_SIZES(linalg::solve_triangular(none, none, true), many, 0, 0);
    REEL_TEST_SIZES(bmm(none, none), many, 0, 0);
    for (const bool singular_values : {false, true}) {
        const Tensor x = thin.detach().requires_grad_();
        const Tensor y = singular_values ? std::get<0>(linalg::svd(x, false)) : std::get<0>(linalg::qr(x));
        REEL_TEST_SIZES(autograd::grad({y.sum()}, {x})[0], many, 1, 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
