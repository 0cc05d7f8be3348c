// Elements by dtype: what a kernel is compiled for, what it reads and writes, and what it computes in.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include <reel/autograd/kernel.hpp>
#include <reel/cuda/device.hpp>

#include "complex.cuh"
#include "strided.cuh"

namespace reel::cuda {

/// Stands for all integer dtypes and bool: one kernel for the six, which computes in 64 bits and looks at the dtype
/// where it reads and writes. The branch is the same for all threads; memory sets the pace.
struct AnyInteger {};

/// What a kernel computes in: 16-bit floats in float32, integers in 64 bits, where they wrap.
template <class T> struct ComputeOf { using type = compute_t<T>; };
template <> struct ComputeOf<AnyInteger> { using type = std::uint64_t; };
template <class T> using number_t = typename ComputeOf<T>::type;
/// The same, but float64 for float32: for running results.
template <class T> struct WiderOf { using type = number_t<T>; };
template <> struct WiderOf<float> { using type = double; };
template <> struct WiderOf<Complex<float>> { using type = Complex<double>; };
template <class T> using wider_t = typename WiderOf<T>::type;

/// Sixteen bytes: what a thread reads at once.
template <class T> struct alignas(16) Pack {
    static constexpr int size = 16 / int(sizeof(T));
    T at[size];
};

/// The elements of a dense tensor.
template <class T> struct Elements {
    static constexpr int per_pack = Pack<T>::size;
    T* data;

    explicit Elements(const Tensor& t) : data(t.defined() ? static_cast<T*>(t.data_ptr()) : nullptr) {}
    __device__ number_t<T> operator[](std::int64_t i) const { return number_t<T>(data[i]); }
    template <class V> __device__ void put(std::int64_t i, V v) const { data[i] = T(number_t<T>(v)); }
    /// Calls `f(element, its place)` for `per_pack` places from `i` on, but not beyond `end`.
    template <class F> __device__ void pack(std::int64_t i, std::int64_t end, F f) const {
        if (i + per_pack <= end && reinterpret_cast<std::uintptr_t>(data + i) % 16 == 0) {
            const Pack<T> p = *reinterpret_cast<const Pack<T>*>(data + i);
            for (int k = 0; k < per_pack; ++k) f(number_t<T>(p.at[k]), i + k);
        } else
            for (int k = 0; k < per_pack && i + k < end; ++k) f((*this)[i + k], i + k);
    }
};
template <> struct Elements<AnyInteger> {
    static constexpr int per_pack = 4;
    void* data;
    ScalarType type;

    explicit Elements(const Tensor& t) : data(t.data_ptr()), type(t.scalar_type()) {}
    __device__ std::uint64_t operator[](std::int64_t i) const {
        switch (type) {
        case kLong:
            return std::uint64_t(static_cast<const std::int64_t*>(data)[i]);
        case kInt:
            return std::uint64_t(std::int64_t(static_cast<const std::int32_t*>(data)[i]));
        case kShort:
            return std::uint64_t(std::int64_t(static_cast<const std::int16_t*>(data)[i]));
        case kChar:
            return std::uint64_t(std::int64_t(static_cast<const std::int8_t*>(data)[i]));
        case kByte:
            return static_cast<const std::uint8_t*>(data)[i];
        default:
            return static_cast<const bool*>(data)[i];
        }
    }
    __device__ void put(std::int64_t i, std::uint64_t v) const {
        switch (type) {
        case kLong:
            static_cast<std::int64_t*>(data)[i] = std::int64_t(v);
            break;
        case kInt:
            static_cast<std::int32_t*>(data)[i] = std::int32_t(v);
            break;
        case kShort:
            static_cast<std::int16_t*>(data)[i] = std::int16_t(v);
            break;
        case kChar:
            static_cast<std::int8_t*>(data)[i] = std::int8_t(v);
            break;
        case kByte:
            static_cast<std::uint8_t*>(data)[i] = std::uint8_t(v);
            break;
        default:
            static_cast<bool*>(data)[i] = v != 0;
        }
    }
    template <class F> __device__ void pack(std::int64_t i, std::int64_t end, F f) const {
        for (int k = 0; k < per_pack && i + k < end; ++k) f((*this)[i + k], i + k);
    }
    /// What is left of `v` when it has been written and read.
    __device__ std::int64_t held(std::uint64_t v) const {
        return type == kLong    ? std::int64_t(v)
               : type == kInt   ? std::int64_t(std::int32_t(v))
               : type == kShort ? std::int64_t(std::int16_t(v))
               : type == kChar  ? std::int64_t(std::int8_t(v))
                                : std::int64_t(std::uint8_t(v));
    }
};

enum ElementSet : unsigned {
    floats = 1,
    halves = 2,
    integers = 4,
    booleans = 8,
    complexes = 16,
    whole = integers | booleans
};

/// Calls `f.operator()<T>()` for what stands for the dtype of `t`, if that is in `set`; else the error that every op
/// has for a dtype without a kernel.
template <unsigned set, class F> void for_dtype(const char* op, const Tensor& t, F&& f) {
    const ScalarType type = t.scalar_type();
    if constexpr ((set & whole) != 0)
        if (type == kBool ? (set & booleans) != 0 : (set & integers) != 0 && isIntegralType(type, false))
            return f.template operator()<AnyInteger>();
    switch (type) {
    case kDouble:
        if constexpr ((set & floats) != 0) return f.template operator()<double>();
        break;
    case kFloat:
        if constexpr ((set & floats) != 0) return f.template operator()<float>();
        break;
    case kBFloat16:
        if constexpr ((set & halves) != 0) return f.template operator()<BFloat16>();
        break;
    case kHalf:
        if constexpr ((set & halves) != 0) return f.template operator()<Half>();
        break;
    case kComplexFloat:
        if constexpr ((set & complexes) != 0) return f.template operator()<Complex<float>>();
        break;
    case kComplexDouble:
        if constexpr ((set & complexes) != 0) return f.template operator()<Complex<double>>();
        break;
    default:
        break;
    }
    detail::throw_no_kernel(op, t, {true});
}

/// For maps that only move elements: `f.operator()<T>()` for a type of the size of those of `t`.
struct alignas(16) Bytes16 {
    std::uint64_t half[2];
};
template <class F> void for_size(const Tensor& t, F&& f) {
    switch (elementSize(t.scalar_type())) {
    case 1:
        return f.template operator()<std::uint8_t>();
    case 2:
        return f.template operator()<std::uint16_t>();
    case 4:
        return f.template operator()<std::uint32_t>();
    case 8:
        return f.template operator()<std::uint64_t>();
    default:
        return f.template operator()<Bytes16>();
    }
}

/// Where a kernel is queued: makes the tensor's device current for a scope.
class OnDevice {
public:
    explicit OnDevice(const Tensor& t) : guard_(t.device().index()), stream_(raw_stream(t.device().index())) {}
    /// A grid that strides over `work`, of full blocks.
    LaunchConfig over(std::int64_t work) const { return {blocks_for(work), threads_per_block, 0, stream_}; }
    LaunchConfig blocks(std::int64_t count, unsigned threads = threads_per_block) const {
        constexpr std::int64_t most = 1 << 20;
        return {unsigned(count < most ? count : most), threads, 0, stream_};
    }
    cudaStream_t stream() const { return stream_; }

private:
    DeviceGuard guard_;
    cudaStream_t stream_;
};

/// `for (const std::int64_t i : strided over the grid)`, by hand: the first place of a thread and its step.
__device__ inline std::int64_t first_place() { return std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ inline std::int64_t place_step() { return std::int64_t(gridDim.x) * blockDim.x; }

} // namespace reel::cuda
