// Extreme eigenpairs against the complete decomposition, and their gradients
// against finite differences.
#include "tape_helpers.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/random.hpp>

#include "message.hpp"

using namespace reel;
using namespace tape_test;

namespace {
Tensor symmetric(std::int64_t m, std::int64_t seed) {
    manual_seed(std::uint64_t(seed));
    const Tensor r = randn({m, m}, kDouble);
    return r + r.t();
}
Tensor positive(std::int64_t m, std::int64_t seed) {
    const Tensor s = symmetric(m, seed);
    return s.matmul(s) + eye(m, {}, kDouble);
}
} // namespace

BOOST_AUTO_TEST_SUITE(extreme_eigenpairs)

BOOST_AUTO_TEST_CASE(largest_and_smallest) {
    const Tensor A = symmetric(20, 1), all = linalg_eigvalsh(A);
    const auto [high, x] = lobpcg(A, 3, {}, {}, {}, {}, {}, 1e-11);
    BOOST_TEST(high.allclose(all.narrow(0, 17, 3).flip({0}), 1e-8));
    BOOST_TEST(A.matmul(x).allclose(x * high, 1e-6, 1e-7));
    BOOST_TEST(x.t().matmul(x).allclose(eye(3, {}, kDouble)));
    const Tensor low = std::get<0>(lobpcg(A, 2, {}, {}, 4, {}, {}, 1e-11, false));
    BOOST_TEST(low.allclose(all.narrow(0, 0, 2), 1e-8));
}

BOOST_AUTO_TEST_CASE(another_metric_a_start_a_preconditioner_and_batches) {
    const Tensor A = positive(15, 2), B = positive(15, 3) * 0.1;
    const Tensor root = linalg_cholesky(B), half = linalg_solve_triangular(root, A, false);
    const Tensor all = linalg_eigvalsh(linalg_solve_triangular(root, half.t(), false));
    const auto [E, x] = lobpcg(A, 2, B, randn({15, 3}, kDouble), {}, linalg_inv(A), {}, 1e-10, false);
    BOOST_TEST(E.allclose(all.narrow(0, 0, 2), 1e-7));
    BOOST_TEST(x.t().matmul(B).matmul(x).allclose(eye(2, {}, kDouble), 1e-7, 1e-8));
    BOOST_TEST(A.matmul(x).allclose(B.matmul(x) * E, 1e-5, 1e-6));
    const Tensor both = stack({A, symmetric(15, 4)});
    const auto [values, vectors] = lobpcg(both, 2);
    BOOST_TEST(values.sizes().equals({2, 2}));
    BOOST_TEST(vectors.sizes().equals({2, 15, 2}));
    BOOST_TEST(values.allclose(linalg_eigvalsh(both).narrow(1, 13, 2).flip({1}), 1e-6));
}

BOOST_AUTO_TEST_CASE(eigenvectors_that_repeat_or_start_dependent) {
    const Tensor A = cat({vec({5, 5, 5}), arange(9., kDouble)}).diag();
    BOOST_TEST(std::get<0>(lobpcg(A, 2, {}, {}, 4)).allclose(vec({8, 7}), 1e-6));
    Tensor X = ones({12, 3}, kDouble);
    X.select(1, 2).copy_(arange(12., kDouble));
    BOOST_TEST(std::get<0>(lobpcg(A, 1, {}, X)).allclose(vec({8}), 1e-6));
}

BOOST_AUTO_TEST_CASE(gradients) {
    const Tensor A = symmetric(9, 5).requires_grad_(), start = randn({9, 3}, kDouble);
    const auto pairs = [&](const Tensor& a, const Tensor& b) {
        const auto [E, x] = lobpcg((a + a.t()) * 0.5, 2, b.defined() ? (b + b.t()) * 0.5 : b, start, {}, {}, {}, 1e-13);
        // the product of a vector with itself does not know its sign
        return variable_list{E, (x * vec({1, 2})).matmul(x.t())};
    };
    const auto plain = [&](const variable_list& v) { return pairs(v[0], {}); };
    const auto general = [&](const variable_list& v) { return pairs(v[0], v[1]); };
    BOOST_TEST(autograd::gradcheck(plain, {A}));
    BOOST_TEST(autograd::gradgradcheck(plain, {A}));
    BOOST_TEST(autograd::gradcheck(general, {A, positive(9, 6).requires_grad_()}));
}

BOOST_AUTO_TEST_CASE(what_does_not_fit) {
    const Tensor A = symmetric(8, 7);
    const auto says = [](auto... a) { return testing::message([&] { lobpcg(a...); }); };
    BOOST_TEST(says(A, 3) == "lobpcg: A has 8 rows; expected at least three "
                             "times the 3 pairs that are looked for");
    BOOST_TEST(says(A.narrow(0, 0, 7)) == "lobpcg: A has shape [7, 8]; expected square matrices");
    BOOST_TEST(says(A, 0) == "lobpcg: k is 0; expected 1 to 0");
    BOOST_TEST(says(A, 1, ones({2, 2}, kDouble)) == "lobpcg: B has shape [2, 2]; expected that of A, [8, 8]");
    BOOST_CHECK_THROW(lobpcg(A.to(kLong)), NotImplementedError);
}

BOOST_AUTO_TEST_SUITE_END()
