// From a dtype to a C++ element type: `dispatch_floating(t, "op", [&]<class T>() { ... })`.
#pragma once

#include <complex>
#include <cstdint>
#include <utility>

#include <reel/autograd/dtype.hpp>
#include <reel/autograd/error.hpp>

namespace reel {

namespace detail {
enum DtypeSet : unsigned { Floats = 1, Halves = 2, Ints = 4, Bools = 8, Complexes = 16 };
[[noreturn]] inline void throw_unsupported_dtype(const char* op, ScalarType t) {
    REEL_THROW(NotImplementedError, op, ": not implemented for ", toString(t));
}
/// Calls `f.operator()<T>()` for the element type of `t`, NotImplementedError when it is not in `set`.
template <unsigned set, class F> decltype(auto) dispatch(ScalarType t, const char* op, F&& f) {
    switch (t) {
    case kDouble:
        if constexpr (set & Floats) return f.template operator()<double>();
        break;
    case kFloat:
        if constexpr (set & Floats) return f.template operator()<float>();
        break;
    case kBFloat16:
        if constexpr (set & Halves) return f.template operator()<BFloat16>();
        break;
    case kHalf:
        if constexpr (set & Halves) return f.template operator()<Half>();
        break;
    case kLong:
        if constexpr (set & Ints) return f.template operator()<std::int64_t>();
        break;
    case kInt:
        if constexpr (set & Ints) return f.template operator()<std::int32_t>();
        break;
    case kShort:
        if constexpr (set & Ints) return f.template operator()<std::int16_t>();
        break;
    case kChar:
        if constexpr (set & Ints) return f.template operator()<std::int8_t>();
        break;
    case kByte:
        if constexpr (set & Ints) return f.template operator()<std::uint8_t>();
        break;
    case kBool:
        if constexpr (set & Bools) return f.template operator()<bool>();
        break;
    case kComplexFloat:
        if constexpr (set & Complexes) return f.template operator()<std::complex<float>>();
        break;
    case kComplexDouble:
        if constexpr (set & Complexes) return f.template operator()<std::complex<double>>();
        break;
    default:
        break;
    }
    throw_unsupported_dtype(op, t);
}
} // namespace detail

/// Throw what the dispatch of that name throws for dtypes that it does not know: for what a kernel will dispatch on.
inline void check_floating_complex(ScalarType t, const char* op) {
    if (!isFloatingType(t) && !isComplexType(t)) detail::throw_unsupported_dtype(op, t);
}
inline void check_floating(ScalarType t, const char* op) {
    if (!isFloatingType(t)) detail::throw_unsupported_dtype(op, t);
}
inline void check_real(ScalarType t, const char* op) {
    if (isComplexType(t)) detail::throw_unsupported_dtype(op, t);
}

/// Every dtype.
template <class F> decltype(auto) dispatch_all(ScalarType t, const char* op, F&& f) {
    return detail::dispatch<31>(t, op, std::forward<F>(f));
}
/// float64, float32, bfloat16, float16.
template <class F> decltype(auto) dispatch_floating(ScalarType t, const char* op, F&& f) {
    return detail::dispatch<detail::Floats | detail::Halves>(t, op, std::forward<F>(f));
}
/// The floating dtypes and the complex ones.
template <class F> decltype(auto) dispatch_floating_complex(ScalarType t, const char* op, F&& f) {
    return detail::dispatch<detail::Floats | detail::Halves | detail::Complexes>(t, op, std::forward<F>(f));
}
/// Every dtype that has an order: all but the complex ones.
template <class F> decltype(auto) dispatch_real(ScalarType t, const char* op, F&& f) {
    return detail::dispatch<31 & ~detail::Complexes>(t, op, std::forward<F>(f));
}
/// The integers without bool.
template <class F> decltype(auto) dispatch_integral(ScalarType t, const char* op, F&& f) {
    return detail::dispatch<detail::Ints>(t, op, std::forward<F>(f));
}

} // namespace reel
