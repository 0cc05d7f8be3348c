// Products and factorisations: any number of threads gives the same bits, whatever OpenBLAS was built with.
#include <cstdlib>

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

/// Whatever processor the library takes this one for.
BOOST_AUTO_TEST_CASE(the_library_multiplies_by_the_instruction_set_in_use) {
    if (std::getenv("OPENBLAS_CORETYPE")) return; // told
    const std::string config = show_config();
    if (config.find("DYNAMIC_ARCH") == std::string::npos) return; // it has kernels for one processor alone
    const auto says = [&](const char* text) { return config.find(text) != std::string::npos; };
    const bool wide = says(" on SkylakeX") || says(" on Cooperlake") || says(" on SapphireRapids");
    if (says("instruction set: v4")) BOOST_TEST(wide, config);
    if (says("instruction set: v3")) BOOST_TEST((wide || says(" on Haswell") || says(" on Zen")), config);
    BOOST_TEST(!std::getenv("OPENBLAS_CORETYPE")); // children find the environment as it was
}

BOOST_AUTO_TEST_SUITE_END()
