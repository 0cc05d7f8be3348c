// Loops over dense indices.
#include "cpu/index/index_kernels.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

bool in_range(const std::int64_t* p, std::int64_t n, std::uint64_t shift, std::uint64_t extent, std::int64_t& signs) {
    std::uint64_t outside = 0; // without a branch for each: the loop waits for nothing but memory
    std::int64_t bits = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        outside |= std::uint64_t(p[k]) + shift >= extent ? 1 : 0;
        bits |= p[k];
    }
    signs |= bits;
    return outside == 0;
}
template <class T> void gather(T* to, const T* from, const std::int64_t* at, std::int64_t n) {
    std::int64_t k = 0;
#if !defined(__AVX512F__)
    // AVX2's own gather is slower than as many loads; four at a time, the compiler does not choose it.
    for (; k + 4 <= n; k += 4) {
        const T a = from[at[k]], b = from[at[k + 1]], c = from[at[k + 2]], d = from[at[k + 3]];
        to[k] = a;
        to[k + 1] = b;
        to[k + 2] = c;
        to[k + 3] = d;
    }
#endif
#pragma GCC ivdep
    for (; k < n; ++k) to[k] = from[at[k]];
}

} // namespace

void register_index_kernels() { index_kernels = {&in_range, &gather<std::uint32_t>, &gather<std::uint64_t>}; }

} // namespace reel::cpu::REEL_ISA
