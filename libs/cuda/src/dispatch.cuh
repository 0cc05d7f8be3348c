// From a tensor's dtype to the type that a kernel is instantiated for. (`for_size` is in elements.cuh.)
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

} // namespace reel::cuda
