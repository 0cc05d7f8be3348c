// Instantiates the vector loops of pointwise rules for one instruction set.
#pragma once

#include <reel/autograd/detail/cpu/complementary_erf.hpp>
#include <reel/autograd/detail/cpu/hypot.hpp>
#include <reel/autograd/detail/cpu/loops.hpp>
#include <reel/autograd/detail/cpu/normal_cdf.hpp>
#include <reel/autograd/detail/cpu/vec_math.hpp>
#include <reel/autograd/pointwise/gradient_loops.hpp>
#include <reel/autograd/pointwise/loop.hpp>

namespace reel::cpu::REEL_ISA {

template <class Op> struct Forward {
    Op op;
    template <class X> auto operator()(X x) const { return op.f(x); }
    template <class X> auto operator()(X x, X o) const { return op.f(x, o); }
    template <class X> X operator()(X x, X y, X z) const { return op.f(x, y, z); }
};
template <class Op> struct Backward {
    Op op;
    template <class X> X operator()(X g, X saved) const { return op.df(g, saved, saved); }
};
template <class Op> struct FirstGradient {
    Op op;
    template <class X> X operator()(X g, X x, X o) const { return op.da(g, x, o, x); }
};
template <class Op> struct SecondGradient {
    Op op;
    template <class X> X operator()(X g, X x, X o) const { return op.db(g, x, o, x); }
};

template <class Op, class T> void set_gradient_loops() {
    static_assert(((Op::reads_da | Op::reads_db) & ~(pointwise::a | pointwise::b)) == 0,
                  "a fused rule of two operands has derivatives that read the operands, not the result");
    pointwise::gradient_loops<Op>.first[int(dtype_of<T>)] = &lanes_loop<FirstGradient<Op>, T, T, 3>;
    pointwise::gradient_loops<Op>.second[int(dtype_of<T>)] = &lanes_loop<SecondGradient<Op>, T, T, 3>;
}

template <class Op, class T> void set_loops() {
    if constexpr (pointwise::has_fused_gradients<Op>) set_gradient_loops<Op, T>();
    pointwise::LoopTable& table = pointwise::loop_table<Op>;
    using R = pointwise::result_of<Op, T>;
    table.forward[int(dtype_of<T>)] = &lanes_loop<Forward<Op>, T, R, Op::operands>;
    if constexpr (Op::operands == 1 && std::is_same_v<R, T>)
        if constexpr (Op::fused) table.backward[int(dtype_of<T>)] = &lanes_loop<Backward<Op>, T, T, 2>;
}
/// Sets the loops of every floating dtype for each rule.
template <class... Op> void register_rules(pointwise::op_list<Op...>) {
    static_assert((pointwise::has_vector_form<Op> && ...));
    (set_loops<Op, float>(), ...);
    (set_loops<Op, double>(), ...);
    (set_loops<Op, BFloat16>(), ...);
    (set_loops<Op, Half>(), ...);
}

} // namespace reel::cpu::REEL_ISA
