// Instantiates the inner loops of a family for one instruction set.
#pragma once

#include "cpu/vec_math.hpp"
// The rules are read after the vector functions, so that both lookups see everything.
#include "cpu/loops.hpp"
#include "cpu/pointwise.hpp"

namespace reel::cpu::REEL_ISA {

template <class Op> struct Forward {
    Op op;
    template <class X> X operator()(X x) const { return op.f(x); }
    template <class X> X operator()(X x, X o) const { return op.f(x, o); }
};
template <class Op> struct Backward {
    Op op;
    template <class X> X operator()(X g, X saved) const { return op.df(g, saved, saved); }
};

template <class Op, class T> void set_unary() {
    loop_table<Op>.forward[int(dtype_of<T>)] = &unary_loop<Forward<Op>, T>;
    if constexpr (Op::fused) loop_table<Op>.backward[int(dtype_of<T>)] = &binary_loop<Backward<Op>, T>;
}
template <class... Op> void register_unary(pointwise::op_list<Op...>) {
    (set_unary<Op, float>(), ...);
    (set_unary<Op, double>(), ...);
    (set_unary<Op, BFloat16>(), ...);
    (set_unary<Op, Half>(), ...);
}
template <class Op, class T> void set_binary() {
    loop_table<Op>.forward[int(dtype_of<T>)] = &binary_loop<Forward<Op>, T>;
}
template <class... Op> void register_binary(pointwise::op_list<Op...>) {
    (set_binary<Op, float>(), ...);
    (set_binary<Op, double>(), ...);
    (set_binary<Op, BFloat16>(), ...);
    (set_binary<Op, Half>(), ...);
}

} // namespace reel::cpu::REEL_ISA
