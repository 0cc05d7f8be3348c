// From a tensor's dtype, or the size of its elements, to the type that a kernel is instantiated for.
#pragma once

#include <complex>
#include <cstdint>

#include <reel/autograd/kernel.hpp>

namespace reel::cuda {

/// A list of element types.
template <class... T> struct Types {};
using FloatTypes = Types<float, double>;
using FloatingTypes = Types<float, double, Half, BFloat16>;
using IntegralTypes = Types<std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using RealTypes =
    Types<float, double, Half, BFloat16, std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t, bool>;
using ComplexTypes = Types<std::complex<float>, std::complex<double>>;
using FloatOrComplexTypes = Types<float, double, std::complex<float>, std::complex<double>>;
using AllTypes = Types<float, double, Half, BFloat16, std::uint8_t, std::int8_t, std::int16_t, std::int32_t,
                       std::int64_t, bool, std::complex<float>, std::complex<double>>;

/// Calls `f.template operator()<T>()` for the type among T... that the tensor's elements have. Throws
/// NotImplementedError, as a kernel that is not there, when it is none of them.
template <class... T, class F> void dispatch(Types<T...>, const char* op, const Tensor& t, const F& f) {
    const ScalarType type = t.scalar_type();
    if (!((type == dtype_of<T> ? (f.template operator()<T>(), true) : false) || ...))
        reel::detail::throw_no_kernel(op, t, {true});
}

/// Sixteen bytes that are only moved.
struct alignas(16) Bytes16 {
    std::uint64_t low, high;
};
/// Calls `f` with a type of the size of the tensor's elements: for kernels that only move them.
template <class F> void dispatch_size(const char* op, const Tensor& t, const F& f) {
    switch (t.itemsize()) {
    case 1:
        return f.template operator()<std::uint8_t>();
    case 2:
        return f.template operator()<std::uint16_t>();
    case 4:
        return f.template operator()<std::uint32_t>();
    case 8:
        return f.template operator()<std::uint64_t>();
    case 16:
        return f.template operator()<Bytes16>();
    default:
        reel::detail::throw_no_kernel(op, t, {true});
    }
}

} // namespace reel::cuda
