// Faults of a program that calls cuBLASLt, planted: the stand-in must refuse each, and take the clean twin.
#include <boost/test/unit_test.hpp>

#include <cublasLt.h>

#include <functional>
#include <vector>

#include "cuda_emulation/on_device.hpp"

using on_device::Array;

namespace {

/// [2, 3] by [3, 2], column after column, in memory of its own; a test changes one thing.
struct Product {
    Array<float> a{std::vector<float>{1, 2, 3, 4, 5, 6}}, b{std::vector<float>{1, 0, 1, 0, 1, 1}}, c{4};
    Array<char> workspace{4096};
    const void* first = a.data();
    std::uint64_t inner = 3, columns = 2;
    std::int64_t ld = 2;
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    std::uint64_t room = 0; ///< that the heuristics may count on
    std::size_t workspace_bytes = 0;
    int device_of_call = 0;
    std::uint32_t alignment = 16;

    cublasStatus_t run() {
        cublasLtHandle_t handle = nullptr;
        cublasLtCreate(&handle);
        cublasLtMatmulDesc_t operation = nullptr;
        cublasLtMatmulDescCreate(&operation, compute, CUDA_R_32F);
        cublasLtMatrixLayout_t left = nullptr, right = nullptr, out = nullptr;
        cublasLtMatrixLayoutCreate(&left, CUDA_R_32F, 2, inner, ld);
        cublasLtMatrixLayoutCreate(&right, CUDA_R_32F, 3, columns, 3);
        cublasLtMatrixLayoutCreate(&out, CUDA_R_32F, 2, 2, 2);
        cublasLtMatmulPreference_t preference = nullptr;
        cublasLtMatmulPreferenceCreate(&preference);
        cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof(room));
        for (const auto name : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                                CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
            cublasLtMatmulPreferenceSetAttribute(preference, name, &alignment, sizeof(alignment));
        cublasLtMatmulHeuristicResult_t best{};
        int count = 0;
        cublasStatus_t status =
            cublasLtMatmulAlgoGetHeuristic(handle, operation, left, right, out, out, preference, 1, &best, &count);
        const float alpha = 1, beta = 0;
        cudaSetDevice(device_of_call);
        if (status == CUBLAS_STATUS_SUCCESS)
            status = cublasLtMatmul(handle, operation, &alpha, first, left, b.data(), right, &beta, c.data(), out,
                                    c.data(), out, &best.algo, workspace.data(), workspace_bytes, nullptr);
        cudaSetDevice(0);
        cublasLtMatmulPreferenceDestroy(preference);
        for (const cublasLtMatrixLayout_t l : {left, right, out}) cublasLtMatrixLayoutDestroy(l);
        cublasLtMatmulDescDestroy(operation);
        cublasLtDestroy(handle);
        return status;
    }
};
cublasStatus_t ran(const std::function<void(Product&)>& change) {
    Product p;
    change(p);
    return p.run();
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_emulation_blas_lt)

BOOST_AUTO_TEST_CASE(a_clean_program_computes) {
    Product p;
    BOOST_TEST(p.run() == CUBLAS_STATUS_SUCCESS);
    BOOST_TEST(p.c.values() == (std::vector<float>{6, 8, 8, 10}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(faults_are_refused) {
    BOOST_TEST(ran([](Product& p) { p.inner = 4; }) == CUBLAS_STATUS_INVALID_VALUE);
    BOOST_TEST(ran([](Product& p) { p.columns = 3; }) == CUBLAS_STATUS_INVALID_VALUE);
    BOOST_TEST(ran([](Product& p) { p.ld = 1; }) == CUBLAS_STATUS_INVALID_VALUE);
    BOOST_TEST(ran([](Product& p) { p.ld = 3; }) == CUBLAS_STATUS_INVALID_VALUE); // runs beyond what is held
    BOOST_TEST(ran([](Product& p) { p.compute = CUBLAS_COMPUTE_64F; }) == CUBLAS_STATUS_NOT_SUPPORTED);
    static const float host[6] = {};
    BOOST_TEST(ran([](Product& p) { p.first = host; }) == CUBLAS_STATUS_INVALID_VALUE);
    BOOST_TEST(ran([](Product& p) { p.device_of_call = 1; }) == CUBLAS_STATUS_NOT_INITIALIZED);
    // an algorithm that wants memory gets it, all of it
    BOOST_TEST(ran([](Product& p) { p.room = p.workspace_bytes = 4096; }) == CUBLAS_STATUS_SUCCESS);
    BOOST_TEST(ran([](Product& p) { p.room = 4096, p.workspace_bytes = 4095; }) == CUBLAS_STATUS_INVALID_VALUE);
}

BOOST_AUTO_TEST_CASE(an_algorithm_for_aligned_operands) {
    const Array<float> shifted(8);
    BOOST_TEST(ran([&](Product& p) {
                   p.room = p.workspace_bytes = 4096;
                   p.first = shifted.data() + 1;
               }) == CUBLAS_STATUS_NOT_SUPPORTED);
    BOOST_TEST(ran([&](Product& p) {
                   p.room = p.workspace_bytes = 4096;
                   p.first = shifted.data() + 1;
                   p.alignment = 4;
               }) == CUBLAS_STATUS_SUCCESS);
}

BOOST_AUTO_TEST_SUITE_END()
