// Factorizations of small matrices, which do not go to LAPACK: what it gives the same matrix inside a larger one.
#include <limits>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(small_factorizations)

namespace {

constexpr std::int64_t beyond = 17; ///< more rows than are small

/// [a 0; 0 1], too large to be small: its factors begin with those of `a`, since exchanges stay within its rows.
Tensor within(const Tensor& a) { return block_diag({a, eye(beyond, std::nullopt, a.options())}); }
Tensor corner(const Tensor& t, std::int64_t m, std::int64_t n) { return t.narrow(-2, 0, m).narrow(-1, 0, n); }
bool close(const Tensor& a, const Tensor& b) {
    const double most = a.scalar_type() == kFloat ? 2e-4 : 1e-10;
    return allclose(a, b, most, most, true);
}
const double nan = std::numeric_limits<double>::quiet_NaN();

} // namespace

BOOST_AUTO_TEST_CASE(triangles_and_exchanges_are_lapacks) {
    manual_seed(7);
    for (const ScalarType dtype : {kFloat, kDouble})
        for (const std::int64_t m : {1, 2, 3, 7, 8, 9, 15, 16})
            for (const std::int64_t n : {1, 2, 5, 8, 9, 16}) {
                const Tensor a = randn({m, n}, TensorOptions().dtype(dtype));
                const auto [p, l, u] = linalg::lu(a);
                BOOST_TEST(close(mm(p, mm(l, u)), a), dtype << " " << m << " x " << n);
                if (m < n) continue; // the larger matrix would exchange other rows
                const auto [small, exchanged] = linalg::lu_factor(a);
                const auto [large, all_exchanged] = linalg::lu_factor(within(a));
                BOOST_TEST(exchanged.equal(all_exchanged.narrow(0, 0, n)), dtype << " " << m << " x " << n);
                BOOST_TEST(close(corner(small, n, n), corner(large, n, n)), dtype << " " << m << " x " << n);
            }
}

BOOST_AUTO_TEST_CASE(systems_are_solved) {
    manual_seed(8);
    for (const ScalarType dtype : {kFloat, kDouble})
        for (const std::int64_t n : {1, 2, 4, 8, 9, 16, 17})
            for (const std::int64_t columns : {0, 1, 3, 8, 9, 16, 17, 40}) {
                const Tensor a = randn({3, n, n}, TensorOptions().dtype(dtype)) + 8 * eye(n).to(dtype),
                             b = randn({3, n, columns}, a.options());
                BOOST_TEST(close(bmm(a, linalg::solve(a, b)), b), dtype << " " << n << " x " << columns);
                BOOST_TEST(close(bmm(linalg::inv(a), a), eye(n).to(dtype).expand({3, n, n})), dtype << " " << n);
            }
}

BOOST_AUTO_TEST_CASE(cholesky_factors_are_lapacks) {
    manual_seed(9);
    for (const ScalarType dtype : {kFloat, kDouble})
        for (const std::int64_t n : {1, 2, 5, 8, 9, 16})
            for (const bool upper : {false, true}) {
                const Tensor r = randn({n, n}, TensorOptions().dtype(dtype)), a = mm(r, r.t()) + eye(n).to(dtype);
                const Tensor l = linalg::cholesky(a, upper);
                BOOST_TEST(close(l, corner(linalg::cholesky(within(a), upper), n, n)), dtype << " " << n);
                BOOST_TEST(close(upper ? mm(l.t(), l) : mm(l, l.t()), a), dtype << " " << n);
                BOOST_TEST(l.equal(upper ? l.triu() : l.tril()));
            }
}

BOOST_AUTO_TEST_CASE(the_first_pivot_that_cannot_be_used_is_named) {
    const Tensor a = tensor({1., 2., 3., 2., 4., 6., 1., 0., 1.}).view({3, 3}),
                 singular = tensor({1., 2., 2., 4.}).view({2, 2}),
                 indefinite = tensor({4., 2., 0., 2., 1., 0., 0., 0., -1.}).view({3, 3});
    const auto info = [](const Tensor& t) { return std::get<2>(linalg::lu_factor_ex(t)).item<int>(); };
    BOOST_TEST(info(a) == 3);
    BOOST_TEST(info(singular) == 2);
    BOOST_TEST(info(zeros({3, 3})) == 1);
    BOOST_TEST(info(within(a)) == 3);
    for (const bool upper : {false, true}) {
        const auto failed = [&](const Tensor& t) { return std::get<1>(linalg::cholesky_ex(t, upper)).item<int>(); };
        BOOST_TEST(failed(indefinite) == 2);
        BOOST_TEST(failed(within(indefinite)) == 2);
        BOOST_TEST(failed(-eye(4)) == 1);
        BOOST_TEST(failed(tensor({nan}).view({1, 1})) == 1);
        BOOST_TEST(failed(tensor({1., 0., 0., nan}).view({2, 2})) == 2);
    }
}

BOOST_AUTO_TEST_CASE(nan_and_infinity_are_not_lost) {
    for (const std::int64_t n : {2, 8, 16})
        for (const double bad : {nan, std::numeric_limits<double>::infinity()})
            for (std::int64_t at = 0; at < n * n; ++at) {
                const Tensor a = eye(n, std::nullopt, kDouble) + 0.5;
                a.view({-1}).data_ptr<double>()[at] = bad;
                const Tensor lu = std::get<0>(linalg::lu_factor_ex(a));
                BOOST_TEST(!lu.isfinite().all().item<bool>(), n << ": " << bad << " at " << at);
            }
}

BOOST_AUTO_TEST_CASE(threads_do_not_change_bits) {
    manual_seed(10);
    const Tensor a = randn({4000, 8, 8}) + 4 * eye(8);
    const int before = get_num_threads();
    set_num_threads(1);
    const Tensor alone = linalg::inv(a);
    set_num_threads(2);
    BOOST_TEST(linalg::inv(a).equal(alone));
    set_num_threads(before);
}

BOOST_AUTO_TEST_SUITE_END()
