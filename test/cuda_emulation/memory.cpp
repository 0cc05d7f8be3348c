// The runtime's functions about memory: what they refuse.
#include <boost/test/unit_test.hpp>

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda_emulation/apart.hpp"
#include "cuda_emulation/on_device.hpp"

using on_device::Array;

BOOST_AUTO_TEST_SUITE(cuda_emulation_memory)

BOOST_AUTO_TEST_CASE(more_than_the_device_has) {
    void* p = &p;
    BOOST_TEST(cudaMalloc(&p, std::size_t(1) << 39) == cudaErrorMemoryAllocation);
    BOOST_TEST(p == nullptr);
    BOOST_TEST(cudaGetLastError() == cudaErrorMemoryAllocation);
}

BOOST_AUTO_TEST_CASE(a_copy_that_does_not_lie_in_an_allocation_whole) {
    const Array<int> a(4);
    int host[8] = {};
    BOOST_TEST(cudaMemcpy(a.data(), host, 17, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    BOOST_TEST(cudaMemcpy(a.data(), host, 16, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue); // the wrong way round
    BOOST_TEST(cudaMemcpy(a.data(), host, 16, cudaMemcpyDefault) == cudaSuccess);
    BOOST_TEST(cudaMemsetAsync(host, 0, 4, nullptr) == cudaErrorInvalidValue);
    cudaGetLastError();
}

BOOST_AUTO_TEST_CASE(what_is_freed_twice_or_was_never_allocated) {
    const apart::End twice = apart::run("", [] {
        void* p = nullptr;
        cudaMalloc(&p, 8);
        cudaFree(p);
        cudaFree(p);
    });
    BOOST_TEST(twice.is_fault());
    BOOST_TEST(twice.says("freed twice"), twice.text);
    const Array<int> a(4);
    int host = 0;
    BOOST_TEST(cudaFree(&host) == cudaErrorInvalidValue);
    BOOST_TEST(cudaFree(a.data() + 1) == cudaErrorInvalidValue);
    BOOST_TEST(cudaFreeHost(&host) == cudaErrorInvalidValue);
    cudaGetLastError();
}

BOOST_AUTO_TEST_CASE(the_pool_counts_what_is_in_use) {
    cudaMemPool_t pool = nullptr;
    BOOST_TEST(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);
    const auto figure = [&](cudaMemPoolAttr which) {
        std::uint64_t n = 0;
        BOOST_TEST(cudaMemPoolGetAttribute(pool, which, &n) == cudaSuccess);
        return n;
    };
    const std::uint64_t before = figure(cudaMemPoolAttrUsedMemCurrent);
    {
        const Array<double> a(100);
        BOOST_TEST(figure(cudaMemPoolAttrUsedMemCurrent) == before + 800);
    }
    BOOST_TEST(figure(cudaMemPoolAttrUsedMemCurrent) == before);
    BOOST_TEST(figure(cudaMemPoolAttrUsedMemHigh) >= before + 800);
    std::uint64_t zero = 0;
    BOOST_TEST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero) == cudaSuccess);
    BOOST_TEST(figure(cudaMemPoolAttrUsedMemHigh) == before);
}

BOOST_AUTO_TEST_SUITE_END()
