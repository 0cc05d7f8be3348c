// Elementwise ops from one functor on plain numbers, for the many that need no vector form: any number of operands,
// any result dtype. Operands are cast to one compute dtype and broadcast; nothing is recorded.
#pragma once

#include <complex>
#include <utility>

#include "ops/pointwise/run.hpp"

namespace reel::elementwise {

using autograd::GradList;
using autograd::record;
using autograd::RuleContext;
using pointwise::fit_gradient;

/// Sets of dtypes.
inline constexpr unsigned Floats = pointwise::floating, Complexes = pointwise::complex, Ints = pointwise::integral,
                          Bools = pointwise::boolean, Numbers = Floats | Complexes | Ints, Reals = Floats | Ints;

/// Arithmetic of an element: 16-bit floats widen to float.
template <class T> struct WideOf { using type = T; };
template <> struct WideOf<Half> { using type = float; };
template <> struct WideOf<BFloat16> { using type = float; };
template <class T> using Wide = typename WideOf<T>::type;
template <class T> inline constexpr bool is_complex_v = math::is_complex<T>::value;

namespace detail {
template <std::size_t, class T> using Repeat = T;
template <class F, class T, class I> struct ResultOf;
template <class F, class T, std::size_t... I> struct ResultOf<F, T, std::index_sequence<I...>> {
    using Raw = std::decay_t<std::invoke_result_t<const F&, Repeat<I, Wide<T>>...>>;
    using type = std::conditional_t<std::is_same_v<Raw, Wide<T>>, T, Raw>; // a float result narrows back
};
template <class F, class T, std::size_t... I>
void run(char* const* d, const std::int64_t* s, std::int64_t n, const void* context, std::index_sequence<I...> all) {
    using R = typename ResultOf<F, T, decltype(all)>::type;
    const F& f = *static_cast<const F*>(context);
    for (std::int64_t i = 0; i < n; ++i)
        *reinterpret_cast<R*>(d[0] + i * s[0]) = R(f(Wide<T>(*reinterpret_cast<const T*>(d[I + 1] + i * s[I + 1]))...));
}
template <class F, class T, std::size_t N>
void loop(char* const* d, const std::int64_t* s, std::int64_t n, const void* context) {
    run<F, T>(d, s, n, context, std::make_index_sequence<N>{});
}
} // namespace detail

/// `y[i] = f(x[i], ...)`, computed in `compute` for each dtype of the set `Types`; NotImplementedError for others. The
/// result's dtype is what `f` returns (`bool`, the real type of a complex one), or `compute`.
template <unsigned Types, class F, class... X>
Tensor map(const char* name, ScalarType compute, const F& f, const X&... x) {
    constexpr std::size_t n = sizeof...(X);
    pointwise::Loop loop = nullptr;
    ScalarType result = compute;
    const auto pick = [&]<class T>() {
        loop = &detail::loop<F, T, n>;
        result = dtype_of<typename detail::ResultOf<F, T, std::make_index_sequence<n>>::type>;
    };
    switch (compute) {
#define REEL_CASE(T, Name, Set)                                                                                        \
    case ScalarType::Name:                                                                                             \
        if constexpr ((Types & Set) != 0) pick.template operator()<T>();                                               \
        break;
        REEL_CASE(float, Float, Floats)
        REEL_CASE(double, Double, Floats)
        REEL_CASE(reel::Half, Half, Floats)
        REEL_CASE(reel::BFloat16, BFloat16, Floats)
        REEL_CASE(std::complex<float>, ComplexFloat, Complexes)
        REEL_CASE(std::complex<double>, ComplexDouble, Complexes)
        REEL_CASE(std::uint8_t, Byte, Ints)
        REEL_CASE(std::int8_t, Char, Ints)
        REEL_CASE(std::int16_t, Short, Ints)
        REEL_CASE(std::int32_t, Int, Ints)
        REEL_CASE(std::int64_t, Long, Ints)
        REEL_CASE(bool, Bool, Bools)
#undef REEL_CASE
    default:
        break;
    }
    if (!loop) pointwise::detail::throw_unsupported(name, compute);
    return pointwise::detail::run({name, &f, loop, compute, result, nullptr}, x...);
}

/// Promoted dtype of the operands; integers and bools become the default floating dtype in `to_float`.
template <class... X> ScalarType promoted(const X&... x) {
    return reel::detail::result_type_of(ArrayRef<const Tensor*>({&x...}));
}
inline ScalarType floated(ScalarType t) { return isIntegralType(t, true) ? get_default_dtype() : t; }
template <class... X> ScalarType to_float(const X&... x) { return floated(promoted(x...)); }

inline Tensor number(const Scalar& s) { return reel::detail::wrapped_number(s); }

} // namespace reel::elementwise
