// The nodes of pointwise rules: what they keep, and their derivatives as gradients.
#pragma once

#include <concepts>

#include <reel/autograd/detail/packed_number.hpp>
#include <reel/autograd/detail/rule_launch.hpp>
#include <reel/autograd/pointwise/gradient_loops.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel::pointwise {

using autograd::GradList;
using autograd::RuleContext;

/// The gradient of a real operand of a complex result is real. A template, so that only rules of several operands need
/// the header of `real`.
template <std::same_as<Tensor> T> T fit_gradient(T g, bool complex_operand) {
    return g.defined() && g.is_complex() && !complex_operand ? real(g) : g;
}

namespace detail {

template <class Op>
inline constexpr bool has_derivative = [] {
    using T = const Tensor&;
    if constexpr (Op::operands == 1) return requires(const Op& op, T t) {
            op.df(t, t, t);
        };
    else if constexpr (Op::operands == 2) return requires(const Op& op, T t) {
            op.da(t, t, t, t);
        };
    else return requires(const Op& op, T t) {
            op.da(t, t, t, t, t);
        };
}();

/// The derivative in one loop, where the rule has it for vectors and no derivative of it is wanted; else undefined.
template <class Op> Tensor fused_gradient(const Op& op, const Tensor& g, const Tensor& saved) {
    if (GradMode::is_enabled() || !g.is_cpu() || g.scalar_type() != saved.scalar_type()) return {};
    const ScalarType t = g.scalar_type();
    const Loop loop = loop_table<Op>.backward[int(t)];
    return loop ? run({"backward", &op, sizeof(Op), loop, t, t, nullptr}, g, saved) : Tensor();
}
/// The same for an operand of two. What was not kept is not read: anything stands for it.
template <class Op>
Tensor fused_gradient(const Op& op, const Loop (&loops)[num_scalar_types], const Tensor& g, const Tensor& x,
                      const Tensor& o) {
    const ScalarType t = g.scalar_type();
    const auto fits = [&](const Tensor& kept) { return !kept.defined() || kept.scalar_type() == t; };
    if (GradMode::is_enabled() || !g.is_cpu() || !fits(x) || !fits(o) || !loops[int(t)]) return {};
    return run({"backward", &op, sizeof(Op), loops[int(t)], t, t, nullptr}, g, x.defined() ? x : g,
               o.defined() ? o : g);
}
/// The derivative of a rule of two operands, one of them a plain number: the first if `swapped`. Every node over a
/// number has one, so it is packed.
template <class Op> class NumberRule {
public:
    NumberRule(const Op& op, const Scalar& number, bool swapped, bool complex_operand)
        : number_(number), op_(op), swapped_(swapped), complex_operand_(complex_operand) {}
    GradList operator()(RuleContext& c) const {
        const Tensor saved = c.num_saved() ? c.saved(0) : Tensor(), plain = plain_number(number_);
        GradList grads{
            fit_gradient(swapped_ ? op_.db(c.grad(), plain, saved, Tensor()) : op_.da(c.grad(), saved, plain, Tensor()),
                         complex_operand_)};
        grads.resize(c.node().num_outputs());
        return grads;
    }

private:
    [[no_unique_address]] reel::detail::PackedNumber number_;
    [[no_unique_address]] Op op_;
    bool swapped_, complex_operand_;
};
template <class Op> void record_one(const char* name, const Op& op, const Tensor& x, const Tensor& out) {
    const auto rule = [op](RuleContext& c) -> GradList {
        const Tensor& g = c.grad();
        if constexpr (Op::saves == Saves::Nothing) return {op.df(g, Tensor(), Tensor())};
        else if constexpr (Op::saves == Saves::Both) return {op.df(g, c.saved(0), c.saved(1))};
        else {
            const Tensor saved = c.saved(0);
            if constexpr (Op::fused)
                if (Tensor gx = fused_gradient(op, g, saved); gx.defined()) return {std::move(gx)};
            return {op.df(g, saved, saved)};
        }
    };
    if constexpr (Op::saves == Saves::Nothing) autograd::record(name, {x}, out, {}, rule);
    else if constexpr (Op::saves == Saves::Input) autograd::record(name, {x}, out, {x}, rule);
    else if constexpr (Op::saves == Saves::Output) autograd::record(name, {x}, out, {out}, rule);
    else autograd::record(name, {x}, out, {x, out}, rule);
}
template <class Op>
void record_two(const char* name, const Op& op, const Tensor& x, const Tensor& o, const Tensor& out) {
    [[maybe_unused]] const unsigned reads =
        (x.requires_grad() ? Op::reads_da : 0u) | (o.requires_grad() ? Op::reads_db : 0u);
    [[maybe_unused]] static const Tensor absent;
    const auto rule = [op, cx = x.is_complex(), co = o.is_complex()](RuleContext& c) -> GradList {
        const Tensor& g = c.grad();
        const auto kept = [&](std::size_t i) { return i < c.num_saved() ? c.saved(i) : Tensor(); };
        const Tensor x = kept(0), o = kept(1), out = kept(2);
        if constexpr (has_fused_gradients<Op>) {
            const GradientLoops& loops = gradient_loops<Op>;
            Tensor gx = c.needs(0) ? fused_gradient(op, loops.first, g, x, o) : Tensor(),
                   go = c.needs(1) ? fused_gradient(op, loops.second, g, x, o) : Tensor();
            if (gx.defined() == c.needs(0) && go.defined() == c.needs(1)) return {std::move(gx), std::move(go)};
        }
        return {c.needs(0) ? fit_gradient(op.da(g, x, o, out), cx) : Tensor(),
                c.needs(1) ? fit_gradient(op.db(g, x, o, out), co) : Tensor()};
    };
    if constexpr ((Op::reads_da | Op::reads_db) == none) autograd::record(name, {x, o}, out, {}, rule);
    else {
        const Tensor &kept_x = reads & a ? x : absent, &kept_o = reads & b ? o : absent;
        if (reads & y) autograd::record(name, {x, o}, out, {kept_x, kept_o, out}, rule);
        else autograd::record(name, {x, o}, out, {kept_x, kept_o}, rule);
    }
}
template <class Op>
void record_three(const char* name, const Op& op, const Tensor& x, const Tensor& o, const Tensor& z,
                  const Tensor& out) {
    const unsigned reads = (x.requires_grad() ? Op::reads_da : 0u) | (o.requires_grad() ? Op::reads_db : 0u) |
                           (z.requires_grad() ? Op::reads_dc : 0u);
    static const Tensor absent;
    autograd::record(name, {x, o, z}, out,
                     {reads & a ? x : absent, reads & b ? o : absent, reads & c ? z : absent, reads & y ? out : absent},
                     [op, cx = x.is_complex(), co = o.is_complex(), cz = z.is_complex()](RuleContext& c) -> GradList {
                         const Tensor& g = c.grad();
                         const Tensor x = c.saved(0), o = c.saved(1), z = c.saved(2), out = c.saved(3);
                         return {c.needs(0) ? fit_gradient(op.da(g, x, o, z, out), cx) : Tensor(),
                                 c.needs(1) ? fit_gradient(op.db(g, x, o, z, out), co) : Tensor(),
                                 c.needs(2) ? fit_gradient(op.dc(g, x, o, z, out), cz) : Tensor()};
                     });
}

} // namespace detail

} // namespace reel::pointwise
