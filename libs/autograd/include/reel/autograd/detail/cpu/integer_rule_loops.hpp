// Instantiates the loops of pointwise rules over integers and bools for one instruction set.
#pragma once

#include <cstdint>

#include <reel/autograd/pointwise/loop.hpp>

namespace reel::cpu::REEL_ISA {

namespace detail {
/// Dense operands, of which the last may be one repeated element: a loop that the compiler makes vectors of.
template <class Op, class T, class R>
[[gnu::flatten]] bool dense_integers(char* const* d, const std::int64_t* s, std::int64_t n, const Op& op) {
    constexpr std::int64_t size = sizeof(T);
    if (s[0] != std::int64_t(sizeof(R)) || s[1] != size) return false;
    R* const out = reinterpret_cast<R*>(d[0]);
    const T* const a = reinterpret_cast<const T*>(d[1]);
    if constexpr (Op::operands == 1) {
#pragma GCC ivdep
        for (std::int64_t i = 0; i < n; ++i) out[i] = R(op.f(a[i]));
        return true;
    } else {
        const T* const b = reinterpret_cast<const T*>(d[2]);
        if (s[2] == size) {
#pragma GCC ivdep
            for (std::int64_t i = 0; i < n; ++i) out[i] = R(op.f(a[i], b[i]));
            return true;
        }
        if (s[2] != 0) return false;
        const T one = *b;
#pragma GCC ivdep
        for (std::int64_t i = 0; i < n; ++i) out[i] = R(op.f(a[i], one));
        return true;
    }
}
/// Any layout.
template <class Op, class T, class R>
[[gnu::flatten]] void strided_integers(char* const* d, const std::int64_t* s, std::int64_t n, const Op& op) {
    for (std::int64_t i = 0; i < n; ++i) {
        const T a = *reinterpret_cast<const T*>(d[1] + i * s[1]);
        R& out = *reinterpret_cast<R*>(d[0] + i * s[0]);
        if constexpr (Op::operands == 1) out = R(op.f(a));
        else out = R(op.f(a, *reinterpret_cast<const T*>(d[2] + i * s[2])));
    }
}
template <class Op, class T>
void integer_loop(char* const* d, const std::int64_t* s, std::int64_t n, const void* rule) {
    using R = pointwise::result_of<Op, T>;
    const Op& op = *static_cast<const Op*>(rule);
    if (!dense_integers<Op, T, R>(d, s, n, op)) strided_integers<Op, T, R>(d, s, n, op);
}
template <class Op, class T> void set_integer_loop(unsigned kind) {
    static_assert(Op::operands <= 2);
    if (Op::types & kind) pointwise::loop_table<Op>.forward[int(dtype_of<T>)] = &integer_loop<Op, T>;
}
template <class Op> void set_integer_loops() {
    set_integer_loop<Op, std::uint8_t>(pointwise::integral);
    set_integer_loop<Op, std::int8_t>(pointwise::integral);
    set_integer_loop<Op, std::int16_t>(pointwise::integral);
    set_integer_loop<Op, std::int32_t>(pointwise::integral);
    set_integer_loop<Op, std::int64_t>(pointwise::integral);
    set_integer_loop<Op, bool>(pointwise::boolean);
}
} // namespace detail

/// Sets the loops of every integer dtype, and of bool where they take it, for each rule.
template <class... Op> void register_integer_rules(pointwise::op_list<Op...>) {
    (detail::set_integer_loops<Op>(), ...);
}

} // namespace reel::cpu::REEL_ISA
