// Faults of a program that calls cuBLAS, planted: the stand-in must refuse each, and take the clean twin.
#include <boost/test/unit_test.hpp>

#include <cublas_v2.h>

#include <functional>
#include <vector>

#include "cuda_emulation/on_device.hpp"

using on_device::Array;

namespace {

/// x of [[2, 0], [1, 4]] x = [4, 10], column after column; a test changes one thing.
struct Solve {
    Array<float> a{std::vector<float>{2, 1, 0, 4}}, x{std::vector<float>{4, 10}};
    Array<char> room{4096};
    cublasSideMode_t side = CUBLAS_SIDE_LEFT;
    cublasFillMode_t triangle = CUBLAS_FILL_MODE_LOWER;
    cublasDiagType_t diagonal = CUBLAS_DIAG_NON_UNIT;
    int rows = 2, columns = 1, ld = 2, device_of_call = 0;
    float* solved = x.data();
    std::size_t room_bytes = 4096;

    cublasStatus_t run() {
        cublasHandle_t handle = nullptr;
        cublasCreate(&handle);
        cublasStatus_t status = cublasSetWorkspace(handle, room.data(), room_bytes);
        const float one = 1;
        cudaSetDevice(device_of_call);
        if (status == CUBLAS_STATUS_SUCCESS)
            status = cublasStrsm(handle, side, triangle, CUBLAS_OP_N, diagonal, rows, columns, &one, a.data(), ld,
                                 solved, rows);
        cudaSetDevice(0);
        cublasDestroy(handle);
        return status;
    }
};
cublasStatus_t ran(const std::function<void(Solve&)>& change) {
    Solve s;
    change(s);
    return s.run();
}
std::vector<float> solved(const std::function<void(Solve&)>& change) {
    Solve s;
    change(s);
    BOOST_TEST(s.run() == CUBLAS_STATUS_SUCCESS);
    return s.x.values();
}

} // namespace

BOOST_AUTO_TEST_SUITE(emulated_blas)

BOOST_AUTO_TEST_CASE(clean_triangles_are_solved) {
    using Floats = std::vector<float>;
    BOOST_TEST((solved([](Solve&) {}) == Floats{2, 2}));
    BOOST_TEST((solved([](Solve& s) { s.diagonal = CUBLAS_DIAG_UNIT; }) == Floats{4, 6}));
    BOOST_TEST((solved([](Solve& s) { s.triangle = CUBLAS_FILL_MODE_UPPER; }) == Floats{2, 2.5}));
    BOOST_TEST((solved([](Solve& s) { s.side = CUBLAS_SIDE_RIGHT, s.rows = 1, s.columns = 2; }) == Floats{0.75, 2.5}));
}

BOOST_AUTO_TEST_CASE(faults_are_refused) {
    const auto invalid = CUBLAS_STATUS_INVALID_VALUE;
    BOOST_TEST(ran([](Solve& s) { s.ld = 1; }) == invalid);
    BOOST_TEST(ran([](Solve& s) { s.columns = 2; }) == invalid); // more than there is
    BOOST_TEST(ran([](Solve& s) { s.rows = 0; }) == invalid);
    BOOST_TEST(ran([](Solve& s) { s.room_bytes = 1 << 20; }) == invalid);
    BOOST_TEST(ran([](Solve& s) { s.device_of_call = 1; }) == CUBLAS_STATUS_NOT_INITIALIZED);
    static float here[2]{};
    BOOST_TEST(ran([](Solve& s) { s.solved = here; }) == invalid);
}

BOOST_AUTO_TEST_SUITE_END()
