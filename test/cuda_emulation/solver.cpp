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

namespace {

/// The singular values of [[3, 0], [0, 4]]; a test changes one thing.
struct Values {
    Array<float> a{std::vector<float>{3, 0, 0, 4}}, s{2}, u{4}, v{4};
    Array<int> info{1};
    Array<char> work{4096};
    signed char job = 'A', other_job = 'A';
    std::int64_t m = 2, ld_of_u = 2;
    cudaDataType type_of_s = CUDA_R_32F, type_of_u = CUDA_R_32F;
    void* left = u.data();
    std::size_t less = 0;

    cusolverStatus_t run() {
        cusolverDnHandle_t handle = nullptr;
        cusolverDnParams_t params = nullptr;
        cusolverDnCreate(&handle);
        cusolverDnCreateParams(&params);
        std::size_t there = 0, here = 0;
        std::vector<char> host(64);
        cusolverStatus_t status = cusolverDnXgesvd_bufferSize(
            handle, params, job, other_job, m, 2, CUDA_R_32F, a.data(), 2, type_of_s, s.data(), type_of_u, left,
            ld_of_u, CUDA_R_32F, v.data(), 2, CUDA_R_32F, &there, &here);
        if (status == CUSOLVER_STATUS_SUCCESS)
            status = cusolverDnXgesvd(handle, params, job, other_job, m, 2, CUDA_R_32F, a.data(), 2, type_of_s,
                                      s.data(), type_of_u, left, ld_of_u, CUDA_R_32F, v.data(), 2, CUDA_R_32F,
                                      work.data(), there - less, host.data(), here, info.data());
        cusolverDnDestroyParams(params);
        cusolverDnDestroy(handle);
        return status;
    }
};
cusolverStatus_t values(const std::function<void(Values&)>& change) {
    Values v;
    change(v);
    return v.run();
}

/// Eigenvalues of a turn by a right angle; a test changes one thing.
struct Eigen {
    Array<double> a{std::vector<double>{0, 1, -1, 0}}, w{4}, v{4};
    Array<int> info{1};
    Array<char> work{4096};
    cudaDataType type_of_w = CUDA_C_64F;
    cusolverEigMode_t left = CUSOLVER_EIG_MODE_NOVECTOR;
    std::int64_t ld_of_v = 2;

    cusolverStatus_t run() {
        cusolverDnHandle_t handle = nullptr;
        cusolverDnParams_t params = nullptr;
        cusolverDnCreate(&handle);
        cusolverDnCreateParams(&params);
        std::size_t there = 0, here = 0;
        std::vector<char> host(64);
        cusolverDnXgeev_bufferSize(handle, params, left, CUSOLVER_EIG_MODE_VECTOR, 2, CUDA_R_64F, a.data(), 2,
                                   type_of_w, w.data(), CUDA_R_64F, nullptr, 2, CUDA_R_64F, v.data(), ld_of_v,
                                   CUDA_R_64F, &there, &here);
        const cusolverStatus_t status = cusolverDnXgeev(
            handle, params, left, CUSOLVER_EIG_MODE_VECTOR, 2, CUDA_R_64F, a.data(), 2, type_of_w, w.data(), CUDA_R_64F,
            nullptr, 2, CUDA_R_64F, v.data(), ld_of_v, CUDA_R_64F, work.data(), there, host.data(), here, info.data());
        cusolverDnDestroyParams(params);
        cusolverDnDestroy(handle);
        return status;
    }
};
cusolverStatus_t eigen(const std::function<void(Eigen&)>& change) {
    Eigen e;
    change(e);
    return e.run();
}

} // namespace

BOOST_AUTO_TEST_CASE(clean_spectra_are_computed) {
    Values v;
    BOOST_REQUIRE(v.run() == CUSOLVER_STATUS_SUCCESS);
    BOOST_TEST(v.s.values()[0] == 4);
    BOOST_TEST(v.s.values()[1] == 3);
    Eigen e;
    BOOST_REQUIRE(e.run() == CUSOLVER_STATUS_SUCCESS);
    const std::vector<double> w = e.w.values(); // i and -i, in parts
    BOOST_TEST(std::abs(w[0]) < 1e-15);
    BOOST_TEST(std::abs(w[1] - 1) < 1e-15);
    BOOST_TEST(std::abs(w[3] + 1) < 1e-15);
}

BOOST_AUTO_TEST_CASE(faults_of_spectra_are_refused) {
    const auto invalid = CUSOLVER_STATUS_INVALID_VALUE;
    BOOST_TEST(values([](Values& v) { v.m = 1; }) == invalid); // fewer rows than columns
    BOOST_TEST(values([](Values& v) { v.other_job = 'S'; }) == invalid);
    BOOST_TEST(values([](Values& v) { v.job = v.other_job = 'X'; }) == invalid);
    BOOST_TEST(values([](Values& v) { v.type_of_s = CUDA_R_64F; }) == invalid);
    BOOST_TEST(values([](Values& v) { v.type_of_u = CUDA_C_32F; }) == invalid);
    BOOST_TEST(values([](Values& v) { v.ld_of_u = 1; }) == invalid);
    BOOST_TEST(values([](Values& v) { v.less = 1; }) == invalid);
    static float here[4]{};
    BOOST_TEST(values([](Values& v) { v.left = here; }) == invalid);
    BOOST_TEST(eigen([](Eigen& e) { e.type_of_w = CUDA_R_64F; }) == invalid); // half of the room that there must be
    BOOST_TEST(eigen([](Eigen& e) { e.left = CUSOLVER_EIG_MODE_VECTOR; }) == invalid);
    BOOST_TEST(eigen([](Eigen& e) { e.ld_of_v = 1; }) == invalid);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
