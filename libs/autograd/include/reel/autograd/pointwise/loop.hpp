// Inner loops of pointwise rules, and the tables in which ops find them.
#pragma once

#include <cstdint>
#include <utility>

#include <reel/autograd/dtype.hpp>
#include <reel/autograd/pointwise/rule.hpp>

namespace reel::pointwise {

/// Runs a rule over `n` elements; `data[0]` is the result, the operands follow; strides are in bytes.
using Loop = void (*)(char* const* data, const std::int64_t* strides, std::int64_t n, const void* rule);

/// Loops of one rule by compute dtype that were made for vectors; null where there are none. Reel's own are set for the
/// machine's instruction set when the library is loaded.
struct LoopTable {
    Loop forward[num_scalar_types] = {};
    Loop backward[num_scalar_types] = {}; ///< fused derivative: (gx; g, saved)
};
template <class Op> inline LoopTable loop_table;

/// What a rule computes an element of T in.
template <class T> using Wide = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

namespace detail {
template <std::size_t, class T> using Repeat = T;
template <class Op, class T, class I> struct ResultOf;
template <class Op, class T, std::size_t... I> struct ResultOf<Op, T, std::index_sequence<I...>> {
    using Raw = std::decay_t<decltype(std::declval<const Op&>().f(std::declval<Repeat<I, Wide<T>>>()...))>;
    using type = std::conditional_t<std::is_same_v<Raw, Wide<T>>, T, Raw>; // a float result narrows back
};
template <class Op> using Operands = std::make_index_sequence<std::size_t(Op::operands)>;
} // namespace detail

/// The element type that a rule makes of elements of T.
template <class Op, class T> using result_of = typename detail::ResultOf<Op, T, detail::Operands<Op>>::type;

namespace detail {
template <class Op, class T, std::size_t... I>
void run_one_by_one(char* const* d, const std::int64_t* s, std::int64_t n, const Op& op, std::index_sequence<I...>) {
    using R = result_of<Op, T>;
    for (std::int64_t i = 0; i < n; ++i)
        *reinterpret_cast<R*>(d[0] + i * s[0]) =
            R(op.f(Wide<T>(*reinterpret_cast<const T*>(d[I + 1] + i * s[I + 1]))...));
}
} // namespace detail
/// One element after the other, for any layout.
template <class Op, class T> void one_by_one(char* const* d, const std::int64_t* s, std::int64_t n, const void* rule) {
    detail::run_one_by_one<Op, T>(d, s, n, *static_cast<const Op*>(rule), detail::Operands<Op>{});
}

/// Has the rule a vector form, whose results have the operands' dtype?
template <class Op>
inline constexpr bool keeps_dtype = [] {
    if constexpr (has_vector_form<Op>) return std::is_same_v<result_of<Op, float>, float>;
    else return false;
}();

/// A loop and the dtype of what it makes.
struct TypedLoop {
    Loop loop;
    ScalarType result;
};
/// The loop that Op has for a compute dtype; null when that is none of its types. Rules with a vector form have no
/// other for floating dtypes; integers, bools and complex numbers go one by one.
template <class Op> TypedLoop loop_of(ScalarType t) {
    const Loop vectors = loop_table<Op>.forward[int(t)];
    if constexpr (keeps_dtype<Op>)
        if (vectors) [[likely]]
            return {vectors, t};
    switch (t) {
#define REEL_CASE(T, Name, Set)                                                                                        \
    case ScalarType::Name:                                                                                             \
        if constexpr ((Op::types & Set) != 0) {                                                                        \
            if constexpr (has_vector_form<Op> && Set == floating) return {vectors, dtype_of<result_of<Op, T>>};        \
            else return {vectors ? vectors : &one_by_one<Op, T>, dtype_of<result_of<Op, T>>};                          \
        }                                                                                                              \
        break;
        REEL_CASE(float, Float, floating)
        REEL_CASE(double, Double, floating)
        REEL_CASE(reel::Half, Half, floating)
        REEL_CASE(reel::BFloat16, BFloat16, floating)
        REEL_CASE(std::complex<float>, ComplexFloat, complex)
        REEL_CASE(std::complex<double>, ComplexDouble, complex)
        REEL_CASE(std::uint8_t, Byte, integral)
        REEL_CASE(std::int8_t, Char, integral)
        REEL_CASE(std::int16_t, Short, integral)
        REEL_CASE(std::int32_t, Int, integral)
        REEL_CASE(std::int64_t, Long, integral)
        REEL_CASE(bool, Bool, boolean)
#undef REEL_CASE
    default:
        break;
    }
    return {nullptr, t};
}

} // namespace reel::pointwise
