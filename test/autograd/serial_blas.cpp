// Products and factorisations: any number of threads gives the same bits, whatever OpenBLAS was built with.
#include <boost/test/unit_test.hpp>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(serial_blas)

namespace {

/// f's result on one thread, on two and on three.
template <class F> bool same_bits(F f) {
    const int before = get_num_threads();
    set_num_threads(1);
    const Tensor alone = f();
    bool same = true;
    for (const int threads : {2, 3}) {
        set_num_threads(threads);
        same &= f().equal(alone);
    }
    set_num_threads(before);
    return same;
}

} // namespace

BOOST_AUTO_TEST_CASE(products_have_the_same_bits) {
    manual_seed(1);
    for (const ScalarType dtype : {kFloat, kDouble, kComplexFloat, kComplexDouble})
        for (const std::int64_t rows : {60, 2000, 6667, 13334})
            for (const std::int64_t inner : {3, 5, 17}) {
                const Tensor a = randn({rows, inner}, TensorOptions().dtype(dtype)),
                             b = randn({8, inner}, TensorOptions().dtype(dtype));
                BOOST_TEST(same_bits([&] { return mm(a, b.t()); }), dtype << " " << rows << " x " << inner);
                BOOST_TEST(same_bits([&] { return mm(a.t(), a); }), dtype << " transposed " << rows << " x " << inner);
            }
}

BOOST_AUTO_TEST_CASE(factorisations_have_the_same_bits) {
    manual_seed(1);
    for (const ScalarType dtype : {kFloat, kDouble, kComplexDouble}) {
        const Tensor a = randn({150, 150}, TensorOptions().dtype(dtype)), b = randn({150, 90}, a.options());
        const Tensor positive = mm(a, a.mH()) + 150 * eye(150).to(dtype);
        BOOST_TEST(same_bits([&] { return linalg::solve(a, b); }));
        BOOST_TEST(same_bits([&] { return linalg::inv(a); }));
        BOOST_TEST(same_bits([&] { return linalg::cholesky(positive); }));
        BOOST_TEST(same_bits([&] { return std::get<0>(linalg::qr(b)); }));
        BOOST_TEST(same_bits([&] { return std::get<1>(linalg::svd(a)); }));
        BOOST_TEST(same_bits([&] { return std::get<1>(linalg::eigh(positive)); }));
        BOOST_TEST(same_bits([&] { return linalg::eigvals(a); }));
        BOOST_TEST(same_bits([&] { return linalg::solve_triangular(positive.triu(), b, true); }));
    }
}

/// A thread that multiplies keeps its own number of threads.
BOOST_AUTO_TEST_CASE(a_product_leaves_the_number_of_threads) {
    const int before = get_num_threads();
    set_num_threads(3);
    (void)mm(ones({64, 64}), ones({64, 64}));
    BOOST_TEST(get_num_threads() == 3);
    BOOST_TEST(get_parallel_info().find("threads: 3 (OpenMP, max 3)") == 0u);
    set_num_threads(before);
}

BOOST_AUTO_TEST_SUITE_END()
