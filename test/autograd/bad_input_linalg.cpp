// Matrices and factors that LAPACK must not see: inf and NaN, pivots that name no row.
#include "bad_input_helpers.hpp"

#include <cmath>

using namespace bad_input;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();
Tensor filled(IntArrayRef sizes, double v, ScalarType t = kDouble) { return full(sizes, v, TensorOptions(t)); }
Tensor pivots(std::vector<int> v) {
    const Tensor t = empty({std::int64_t(v.size())}, kInt);
    std::copy(v.begin(), v.end(), t.data_ptr<int>());
    return t;
}
} // namespace

BOOST_AUTO_TEST_SUITE(bad_input_linalg)

BOOST_AUTO_TEST_CASE(decompositions_refuse_what_is_not_finite) {
    const Tensor infs = filled({2, 5, 5}, inf, kFloat), nans = filled({5, 5}, not_a_number),
                 complex = filled({3, 3}, not_a_number).to(kComplexDouble);
    BOOST_TEST(message<LinAlgError>([&] { linalg::eigvals(infs); }) ==
               "linalg.eigvals: matrix 0 of the batch holds inf at [0, 0]; expected finite numbers");
    BOOST_TEST(refuses<LinAlgError>([&] { linalg::eig(nans); }, "linalg.eig: matrix 0", "nan"));
    BOOST_TEST(refuses<LinAlgError>([&] { linalg::eig(complex); }, "linalg.eig: matrix 0"));
    BOOST_TEST(refuses<LinAlgError>([&] { linalg::eigh(nans); }, "linalg.eigh: matrix 0"));
    BOOST_TEST(refuses<LinAlgError>([&] { linalg::eigvalsh(infs); }, "linalg.eigvalsh: matrix 0"));
    BOOST_TEST(refuses<LinAlgError>([&] { linalg::svd(nans); }, "linalg.svd: matrix 0"));
    BOOST_TEST(refuses<LinAlgError>([&] { svd(filled({3, 5}, inf, kFloat)); }, "svd: matrix 0"));
    BOOST_TEST(refuses<LinAlgError>([&] { linalg::svdvals(nans); }, "linalg.svdvals: matrix 0"));
    BOOST_TEST(refuses<LinAlgError>([&] { linalg::pinv(nans); }, "linalg.pinv: matrix 0"));
    BOOST_TEST(refuses<LinAlgError>([&] { linalg::matrix_rank(nans); }, "linalg.matrix_rank: matrix 0"));
    BOOST_TEST(refuses<LinAlgError>([&] { linalg::lstsq(nans, ones({5, 1}, kDouble)); }, "matrix 0"));
    const Tensor second = eye(3, std::nullopt, kDouble).repeat({2, 1, 1});
    second.select(0, 1).select(0, 2).fill_(inf);
    BOOST_TEST(message<LinAlgError>([&] { linalg::svd(second); }) ==
               "linalg.svd: matrix 1 of the batch holds inf at [2, 0]; expected finite numbers");
}

BOOST_AUTO_TEST_CASE(the_triangle_that_is_not_read_may_hold_anything) {
    const Tensor a = eye(3, std::nullopt, kDouble);
    a.select(0, 0).select(0, 2).fill_(not_a_number); // above the diagonal
    REEL_TEST_LIST(linalg::eigvalsh(a, "L"), 1, 1, 1);
    BOOST_TEST(refuses<LinAlgError>([&] { linalg::eigvalsh(a, "U"); }, "at [0, 2]"));
}

BOOST_AUTO_TEST_CASE(factorizations_of_what_is_not_finite_end) {
    const Tensor nans = filled({3, 3}, not_a_number);
    BOOST_TEST(refuses<LinAlgError>([&] { linalg::cholesky(nans); }, "not positive definite"));
    BOOST_TEST(std::isnan(std::get<1>(linalg::qr(nans)).select(0, 0).select(0, 0).item<double>()));
    BOOST_TEST(std::isnan(std::get<2>(linalg::lu(nans)).select(0, 0).select(0, 0).item<double>()));
    linalg::ldl_factor_ex(nans);
}

BOOST_AUTO_TEST_CASE(pivots_name_rows) {
    const Tensor lu = eye(3, std::nullopt, kDouble), b = ones({3, 1}, kDouble);
    for (const int bad : {0, -1, 4, 100000, -100000}) {
        const std::string holds = "holds " + std::to_string(bad) + "; expected rows from 1 to 3";
        BOOST_TEST(refuses<ValueError>([&] { lu_unpack(lu, pivots({1, bad, 3})); }, "lu_unpack: LU_pivots ", holds));
        BOOST_TEST(refuses<ValueError>(
            [&] {
                linalg::lu_solve(lu, pivots({bad, 2, 3}), b);
            },
            "linalg.lu_solve: pivots ", holds));
        BOOST_TEST(refuses<ValueError>([&] { lu_solve(b, lu, pivots({1, 2, bad})); }, holds));
    }
    BOOST_TEST(message<ValueError>([&] {
                   lu_unpack(lu, pivots({1, 1, 1, 1, 1}));
               }) == "lu_unpack: LU_pivots has shape [5]; expected [3] for factors of shape [3, 3]");
    BOOST_TEST(refuses<ValueError>(
        [&] {
            linalg::lu_solve(lu.expand({2, 3, 3}), pivots({1, 2, 3}), b.expand({2, 3, 1}));
        },
        "pivots has shape [3]; expected [2, 3]"));
    BOOST_TEST(refuses<TypeError>([&] { lu_unpack(lu, ones({3}, kLong)); }, "LU_pivots is int64; expected int32"));
    lu_unpack(lu, pivots({7}), true, false); // not read
    REEL_TEST_LIST(linalg::lu_solve(lu, pivots({3, 2, 3}), tensor({{1.}, {2.}, {3.}}, kDouble)), 3, 2, 1);
    REEL_TEST_LIST(linalg::ldl_solve(lu, pivots({1, 2, 3}), b), 1, 1, 1);
    BOOST_TEST(refuses<ValueError>(
        [&] {
            linalg::ldl_solve(lu, pivots({1, 100, 3}), b);
        },
        "linalg.ldl_solve: pivots hold 100 at 1"));
    BOOST_TEST(refuses<ValueError>([&] { linalg::ldl_solve(lu, pivots({1, 2, -3}), b); }, "pivots hold -3 at 2"));
    REEL_TEST_SIZES(linalg::ldl_solve(filled({2, 2}, 1), pivots({-2, -2}), ones({2, 1}, kDouble)), 2, 1);
}

BOOST_AUTO_TEST_CASE(powers_of_matrices_at_the_ends_of_the_integers) {
    const Tensor one = eye(2, std::nullopt, kDouble);
    // by squares: one product after the other would never end
    REEL_TEST_LIST(linalg::matrix_power(one, min64), 1, 0, 0, 1);
    REEL_TEST_LIST(linalg::matrix_power(one, max64), 1, 0, 0, 1);
}

BOOST_AUTO_TEST_SUITE_END()
