// Faults of a program that calls cuSOLVER, planted: the stand-in must refuse each, and take the clean twin.
#include <boost/test/unit_test.hpp>

#if __has_include(<cusolverDn.h>)

#include <cusolverDn.h>

#include <cmath>
#include <functional>
#include <vector>

#include "cuda_emulation/on_device.hpp"

using on_device::Array;

namespace {

/// The Cholesky factor of [[4, 2], [2, 5]]; a test changes one thing.
struct Factor {
    Array<float> a{std::vector<float>{4, 2, 2, 5}};
    Array<int> info{1};
    Array<char> work{4096};
    std::int64_t n = 2, ld = 2;
    cudaDataType compute = CUDA_R_32F;
    void* data = a.data();
    int* told = info.data();
    bool with_params = true;
    std::size_t less = 0;

    cusolverStatus_t run() {
        cusolverDnHandle_t handle = nullptr;
        cusolverDnParams_t params = nullptr;
        cusolverDnCreate(&handle);
        if (with_params) cusolverDnCreateParams(&params);
        std::size_t there = 0, here = 0;
        std::vector<char> host(64);
        cusolverStatus_t status = cusolverDnXpotrf_bufferSize(handle, params, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_32F,
                                                              data, ld, compute, &there, &here);
        if (status == CUSOLVER_STATUS_SUCCESS)
            status = cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_32F, data, ld, compute,
                                      work.data(), there - less, host.data(), here, told);
        if (params) cusolverDnDestroyParams(params);
        cusolverDnDestroy(handle);
        return status;
    }
};
cusolverStatus_t ran(const std::function<void(Factor&)>& change) {
    Factor f;
    change(f);
    return f.run();
}

} // namespace

BOOST_AUTO_TEST_SUITE(emulated_solver)

BOOST_AUTO_TEST_CASE(the_clean_factor_is_computed) {
    Factor f;
    BOOST_REQUIRE(f.run() == CUSOLVER_STATUS_SUCCESS);
    const std::vector<float> l = f.a.values();
    BOOST_TEST(l[0] == 2);
    BOOST_TEST(l[1] == 1);
    BOOST_TEST(l[3] == 2);
    BOOST_TEST(f.info.values()[0] == 0);
}

BOOST_AUTO_TEST_CASE(what_has_no_factor_is_told_on_the_device) {
    Factor f;
    const float negative = -1;
    cudaMemcpy(f.a.data(), &negative, sizeof(negative), cudaMemcpyHostToDevice);
    BOOST_REQUIRE(f.run() == CUSOLVER_STATUS_SUCCESS);
    BOOST_TEST(f.info.values()[0] == 1);
}

BOOST_AUTO_TEST_CASE(faults_are_refused) {
    BOOST_TEST(ran([](Factor& f) { f.with_params = false; }) == CUSOLVER_STATUS_NOT_INITIALIZED);
    BOOST_TEST(ran([](Factor& f) { f.compute = CUDA_R_64F; }) == CUSOLVER_STATUS_INVALID_VALUE);
    BOOST_TEST(ran([](Factor& f) { f.ld = 1; }) == CUSOLVER_STATUS_INVALID_VALUE);
    BOOST_TEST(ran([](Factor& f) { f.less = 1; }) == CUSOLVER_STATUS_INVALID_VALUE);
    BOOST_TEST(ran([](Factor& f) { f.n = 3, f.ld = 3; }) == CUSOLVER_STATUS_INVALID_VALUE); // more than there is
    static int here = 0;
    BOOST_TEST(ran([](Factor& f) { f.told = &here; }) == CUSOLVER_STATUS_INVALID_VALUE);
    static float matrix[4]{};
    BOOST_TEST(ran([](Factor& f) { f.data = matrix; }) == CUSOLVER_STATUS_INVALID_VALUE);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
