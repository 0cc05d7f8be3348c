// Faults of a program that calls cuFFT, planted: the stand-in must refuse each, and take the clean twin.
#include <boost/test/unit_test.hpp>

#if __has_include(<cufftXt.h>)

#include <cufftXt.h>

#include <cmath>
#include <functional>
#include <vector>

#include "cuda_emulation/on_device.hpp"

using on_device::Array;

namespace {

/// Four complex numbers, transformed forwards; a test changes one thing.
struct Transform {
    Array<double> in{std::vector<double>{1, 0, 2, 0, 3, 0, 4, 0}}, out{8};
    Array<char> work{4096};
    void* from = in.data();
    void* to = out.data();
    long long n = 4;
    cudaDataType type_in = CUDA_C_64F, type_out = CUDA_C_64F;
    int direction = CUFFT_FORWARD;
    bool with_work = true, made = true;

    cufftResult run() {
        cufftHandle plan = 0;
        cufftCreate(&plan);
        cufftSetAutoAllocation(plan, 0);
        std::size_t bytes = 0;
        cufftResult status = CUFFT_SUCCESS;
        if (made)
            status = cufftXtMakePlanMany(plan, 1, &n, nullptr, 1, 1, type_in, nullptr, 1, 1, type_out, 1, &bytes,
                                         CUDA_C_64F);
        cufftSetStream(plan, nullptr);
        if (with_work && made && status == CUFFT_SUCCESS) status = cufftSetWorkArea(plan, work.data());
        if (status == CUFFT_SUCCESS) status = cufftXtExec(plan, from, to, direction);
        cufftDestroy(plan);
        return status;
    }
};
cufftResult ran(const std::function<void(Transform&)>& change) {
    Transform t;
    change(t);
    return t.run();
}

} // namespace

BOOST_AUTO_TEST_SUITE(emulated_fft)

BOOST_AUTO_TEST_CASE(the_clean_transform_is_computed) {
    Transform t;
    BOOST_REQUIRE(t.run() == CUFFT_SUCCESS);
    const std::vector<double> got = t.out.values(), want{10, 0, -2, 2, -2, 0, -2, -2};
    for (std::size_t i = 0; i < want.size(); ++i) BOOST_TEST(std::abs(got[i] - want[i]) < 1e-12, i);
}

BOOST_AUTO_TEST_CASE(faults_are_refused) {
    BOOST_TEST(ran([](Transform& t) { t.made = false; }) == CUFFT_INVALID_PLAN);
    BOOST_TEST(ran([](Transform& t) { t.n = 0; }) == CUFFT_INVALID_SIZE);
    BOOST_TEST(ran([](Transform& t) { t.type_out = CUDA_C_32F; }) == CUFFT_INVALID_TYPE);
    BOOST_TEST(ran([](Transform& t) { t.with_work = false; }) == CUFFT_NO_WORKSPACE);
    BOOST_TEST(ran([](Transform& t) { t.n = 5; }) == CUFFT_INVALID_VALUE); // more than there is
    BOOST_TEST(ran([](Transform& t) { t.to = t.from; }) == CUFFT_INVALID_VALUE);
    BOOST_TEST(ran([](Transform& t) { t.direction = 0; }) == CUFFT_INVALID_VALUE);
    BOOST_TEST(ran([](Transform& t) { // backwards from real numbers
                   t.type_in = CUDA_R_64F;
                   t.direction = CUFFT_INVERSE;
               }) == CUFFT_INVALID_VALUE);
    BOOST_TEST(ran([](Transform& t) { t.from = t.in.data() + 1, t.n = 3; }) == CUFFT_UNALIGNED_DATA);
    static double here[8];
    BOOST_TEST(ran([](Transform& t) { t.to = here; }) == CUFFT_INVALID_VALUE); // the host's memory
}

BOOST_AUTO_TEST_CASE(what_a_transform_to_real_numbers_may_overwrite_is_spoilt) {
    Transform t;
    t.type_out = CUDA_R_64F;
    t.direction = CUFFT_INVERSE;
    BOOST_REQUIRE(t.run() == CUFFT_SUCCESS);
    BOOST_TEST(std::isnan(t.in.values()[0]));
    BOOST_TEST(std::abs(t.out.values()[0] - (1 + 2 * 2 + 3)) < 1e-12);
}

BOOST_AUTO_TEST_SUITE_END()

#endif
