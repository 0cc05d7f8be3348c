// The words and functions of the device language, for an ordinary compiler (NVIDIA's CUDA C++ programming guide).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <reel/cuda/emulation/grid.hpp>

#define REEL_CUDA_EMULATED 1

#undef __global__
#undef __device__
#undef __host__
#undef __shared__
#undef __constant__
#undef __forceinline__
#undef __launch_bounds__
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __constant__ static
// one for the system's thread, and that runs one block at a time
#define __shared__ static thread_local

#define threadIdx (::reel::cuda::emulation::here().thread)
#define blockIdx (::reel::cuda::emulation::here().block)
#define blockDim (::reel::cuda::emulation::here().block_size)
#define gridDim (::reel::cuda::emulation::here().grid_size)
inline constexpr int warpSize = 32;

namespace reel::cuda::emulation {

template <class T> std::uint64_t to_bits(const T& value) {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "lanes exchange at most eight bytes");
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T> T from_bits(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}
template <class T>
T shuffle(unsigned mask, const T& value, int source, int width, bool inside, const std::source_location& at) {
    const int me = int(lane()), first = me / width * width;
    const int from = inside ? first + source : me;
    return from_bits<T>(collective(Collective::shuffle, mask, to_bits(value), from, at));
}
/// One indivisible step: gives what was there.
template <class T, class F> __attribute__((no_sanitize_thread, noinline)) T exchange(T* p, F f) {
#if defined(__SANITIZE_THREAD__) // under the watch
    note_atomic(p, sizeof(T));
#endif
    const T before = *p;
    *p = f(before);
    return before;
}

} // namespace reel::cuda::emulation

using reel_cuda_place = std::source_location;

inline void __syncthreads(reel_cuda_place at = reel_cuda_place::current()) { reel::cuda::emulation::barrier(at); }
inline void __syncwarp(unsigned mask = 0xffffffffU, reel_cuda_place at = reel_cuda_place::current()) {
    reel::cuda::emulation::collective(reel::cuda::emulation::Collective::sync, mask, 0, 0, at);
}
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, reel_cuda_place at = reel_cuda_place::current()) {
    return reel::cuda::emulation::shuffle(mask, value, source & (width - 1), width, true, at);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, reel_cuda_place at = reel_cuda_place::current()) {
    const int source = int(reel::cuda::emulation::lane()) % width - int(by);
    return reel::cuda::emulation::shuffle(mask, value, source, width, source >= 0, at);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32,
                   reel_cuda_place at = reel_cuda_place::current()) {
    const int source = int(reel::cuda::emulation::lane()) % width + int(by);
    return reel::cuda::emulation::shuffle(mask, value, source, width, source < width, at);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32, reel_cuda_place at = reel_cuda_place::current()) {
    const int source = (int(reel::cuda::emulation::lane()) % width) ^ with;
    return reel::cuda::emulation::shuffle(mask, value, source, width, source < width, at);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, reel_cuda_place at = reel_cuda_place::current()) {
    using namespace reel::cuda::emulation;
    return unsigned(collective(Collective::ballot, mask, std::uint64_t(predicate != 0), 0, at));
}
inline int __any_sync(unsigned mask, int predicate, reel_cuda_place at = reel_cuda_place::current()) {
    using namespace reel::cuda::emulation;
    return int(collective(Collective::any, mask, std::uint64_t(predicate != 0), 0, at));
}
inline int __all_sync(unsigned mask, int predicate, reel_cuda_place at = reel_cuda_place::current()) {
    using namespace reel::cuda::emulation;
    return int(collective(Collective::all, mask, std::uint64_t(predicate != 0), 0, at));
}
template <class T> unsigned __match_any_sync(unsigned mask, T value, reel_cuda_place at = reel_cuda_place::current()) {
    using namespace reel::cuda::emulation;
    return unsigned(collective(Collective::match, mask, to_bits(value), 0, at));
}

// Blocks run one after the other: what one has written, the next one sees.
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

template <class T> T atomicAdd(T* p, std::type_identity_t<T> v) {
    return reel::cuda::emulation::exchange(p, [&](T x) { return T(x + v); });
}
template <class T> T atomicSub(T* p, std::type_identity_t<T> v) {
    return reel::cuda::emulation::exchange(p, [&](T x) { return T(x - v); });
}
template <class T> T atomicMax(T* p, std::type_identity_t<T> v) {
    return reel::cuda::emulation::exchange(p, [&](T x) { return x < v ? v : x; });
}
template <class T> T atomicMin(T* p, std::type_identity_t<T> v) {
    return reel::cuda::emulation::exchange(p, [&](T x) { return v < x ? v : x; });
}
template <class T> T atomicAnd(T* p, std::type_identity_t<T> v) {
    return reel::cuda::emulation::exchange(p, [&](T x) { return T(x & v); });
}
template <class T> T atomicOr(T* p, std::type_identity_t<T> v) {
    return reel::cuda::emulation::exchange(p, [&](T x) { return T(x | v); });
}
template <class T> T atomicExch(T* p, std::type_identity_t<T> v) {
    return reel::cuda::emulation::exchange(p, [&](T) { return v; });
}
template <class T> T atomicCAS(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> v) {
    return reel::cuda::emulation::exchange(p, [&](T x) { return x == expected ? v : x; });
}

template <class T> T __ldg(const T* p) { return *p; }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(unsigned(x)); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(unsigned(x)) + 1; }
