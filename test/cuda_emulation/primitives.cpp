// Faults of a program that calls CUB, planted: the stand-in must refuse each, and take the clean twin.
#include <boost/test/unit_test.hpp>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <functional>
#include <vector>

#include "cuda_emulation/on_device.hpp"

using on_device::Array;

namespace {

/// Four keys with their values; a test changes one thing.
struct Sort {
    Array<std::uint64_t> keys{{3, 0x101, 3, 2}}, sorted{4};
    Array<std::int64_t> values{{0, 1, 2, 3}}, moved{4};
    Array<char> room{4096};
    void* work = room.data();
    std::uint64_t* to = sorted.data();
    std::int64_t* values_to = moved.data();
    std::size_t bytes = 4096;
    std::int64_t count = 4;
    int begin = 0, end = 64;
    cudaStream_t stream = nullptr;

    cudaError_t run() {
        return cub::DeviceRadixSort::SortPairs(work, bytes, keys.data(), to, values.data(), values_to, count, begin,
                                               end, stream);
    }
};
cudaError_t sorted(const std::function<void(Sort&)>& change) {
    Sort s;
    change(s);
    const cudaError_t status = s.run();
    cudaGetLastError();
    return status;
}

} // namespace

BOOST_AUTO_TEST_SUITE(emulated_primitives)

BOOST_AUTO_TEST_CASE(a_clean_sort_is_stable_and_looks_at_its_bits_alone) {
    Sort all;
    BOOST_REQUIRE(all.run() == cudaSuccess);
    BOOST_TEST((all.sorted.values() == std::vector<std::uint64_t>{2, 3, 3, 0x101}));
    BOOST_TEST((all.moved.values() == std::vector<std::int64_t>{3, 0, 2, 1}));
    Sort low;
    low.end = 8;
    BOOST_REQUIRE(low.run() == cudaSuccess);
    BOOST_TEST((low.sorted.values() == std::vector<std::uint64_t>{0x101, 2, 3, 3}));
    BOOST_TEST((low.moved.values() == std::vector<std::int64_t>{1, 3, 0, 2}));
}

BOOST_AUTO_TEST_CASE(without_room_it_says_how_much_and_does_nothing) {
    Sort s;
    s.work = nullptr;
    s.bytes = 0;
    const std::vector<std::uint64_t> before = s.sorted.values();
    BOOST_TEST(s.run() == cudaSuccess);
    BOOST_TEST(s.bytes > 0u);
    BOOST_TEST((s.sorted.values() == before));
}

BOOST_AUTO_TEST_CASE(faults_of_a_sort_are_refused) {
    static std::uint64_t here[4];
    BOOST_TEST(sorted([](Sort&) {}) == cudaSuccess);
    BOOST_TEST(sorted([](Sort& s) { s.bytes = 8; }) == cudaErrorInvalidValue);
    BOOST_TEST(sorted([](Sort& s) { s.count = 5; }) == cudaErrorInvalidValue); // more than there is
    BOOST_TEST(sorted([](Sort& s) { s.to = s.keys.data(); }) == cudaErrorInvalidValue);
    BOOST_TEST(sorted([](Sort& s) { s.values_to = reinterpret_cast<std::int64_t*>(s.room.data()); }) ==
               cudaErrorInvalidValue);
    BOOST_TEST(sorted([](Sort& s) { s.to = here; }) == cudaErrorInvalidValue); // the host's memory
    BOOST_TEST(sorted([](Sort& s) { s.begin = s.end; }) == cudaErrorInvalidValue);
    BOOST_TEST(sorted([](Sort& s) { s.stream = reinterpret_cast<cudaStream_t>(here); }) ==
               cudaErrorInvalidResourceHandle);
}

BOOST_AUTO_TEST_CASE(running_sums_go_in_place) {
    Array<std::int64_t> values{{1, 2, 3}};
    Array<char> room(4096);
    std::size_t bytes = 4096;
    BOOST_REQUIRE(cub::DeviceScan::InclusiveSum(room.data(), bytes, values.data(), values.data(), 3, nullptr) ==
                  cudaSuccess);
    BOOST_TEST((values.values() == std::vector<std::int64_t>{1, 3, 6}));
    BOOST_TEST(cub::DeviceScan::InclusiveSum(room.data(), bytes, values.data(), values.data() + 1, 2, nullptr) ==
               cudaErrorInvalidValue);
    cudaGetLastError();
}

BOOST_AUTO_TEST_SUITE_END()
