// From a pointwise rule to an op on tensors: promotion, broadcasting, the loop, the tape. Programs include `apply.hpp`,
// which brings the ops that derivatives are written in, too; Reel's own sources include those that they need.
#pragma once

#include <concepts>

#include <reel/autograd/pointwise/device.hpp>
#include <reel/autograd/pointwise/loop.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/autograd/type_promotion.hpp>

namespace reel::pointwise {

using autograd::GradList;
using autograd::RuleContext;

namespace detail {
/// What running a rule takes, without its type: the op's name for errors, the loop for the compute dtype, the devices'.
struct Launch {
    const char* name;
    const void* rule;
    std::size_t rule_bytes;
    Loop loop;
    ScalarType compute, result;
    const DeviceLoop* device;
};
/// Casts operands to the compute dtype, broadcasts them and runs the loop into a fresh tensor, laid out like the first
/// operand of the result's shape if that is dense.
Tensor run(const Launch& launch, const Tensor& x);
Tensor run(const Launch& launch, const Tensor& x, const Tensor& o);
Tensor run(const Launch& launch, const Tensor& x, const Tensor& o, const Tensor& z);
/// The same for dense operands of one shape and dtype on the CPU, which the result has, too: the shortest way.
Tensor run_alike(Loop loop, const void* rule, std::size_t rule_bytes, const Tensor& x);
Tensor run_alike(Loop loop, const void* rule, std::size_t rule_bytes, const Tensor& x, const Tensor& o);
/// One of two operands is a plain number, the first if `swapped`: no tensor is made for it on the CPU.
Tensor run(const Launch& launch, const Tensor& x, const Scalar& number, bool swapped);
/// A 0-dim tensor that promotes like a plain number.
Tensor plain_number(const Scalar& number);
/// The dtype that operands of several dtypes compute in.
ScalarType promoted(ArrayRef<const Tensor*> operands);
[[noreturn]] void throw_unsupported(const char* name, ScalarType t);

template <class Op> Launch launch(const char* name, const Op& op, ScalarType compute) {
    if (Op::result == Result::ToFloat && isIntegralType(compute, true)) compute = get_default_dtype();
    const TypedLoop found = loop_of<Op>(compute);
    if (!found.loop) [[unlikely]]
        throw_unsupported(name, compute);
    return {name, &op, sizeof(Op), found.loop, compute, found.result, device_loop<Op>};
}
/// The loop over vectors for operands that `run_alike` takes; null for others.
template <class Op, class... X> Loop loop_for_alike(const Tensor& x, const X&... more) {
    [[maybe_unused]] const auto fits = [&](const Tensor& o) {
        return o.scalar_type() == x.scalar_type() && o.is_contiguous() && x.sizes().equals(o.sizes()) && o.is_cpu();
    };
    const bool all = x.is_contiguous() && x.is_cpu() && (fits(more) && ...);
    return all ? loop_table<Op>.forward[int(x.scalar_type())] : nullptr;
}
template <class... X> ScalarType common_dtype(const Tensor& x, const X&... more) {
    const ScalarType t = x.scalar_type();
    if (((more.scalar_type() == t) && ...)) [[likely]]
        return t;
    if constexpr (sizeof...(X) == 1) return result_type(x, more...);
    else return promoted(ArrayRef<const Tensor*>({&x, &more...}));
}
} // namespace detail

/// The gradient of a real operand of a complex result is real. A template, so that only rules of several operands need
/// the header of `real`.
template <std::same_as<Tensor> T> T fit_gradient(T g, bool complex_operand) {
    return g.defined() && g.is_complex() && !complex_operand ? real(g) : g;
}

/// `f` on tensors, not recorded: operands are promoted and broadcast. Errors begin with `name`, which must outlive
/// every node (a literal): NotImplementedError for dtypes that are none of the rule's and for devices without a kernel
/// of it, Error for shapes that do not broadcast; besides, what the rule's own `check` throws.
template <class Op, class... X> Tensor evaluate(const char* name, const Op& op, const X&... x) {
    static_assert(sizeof...(X) == std::size_t(Op::operands), "as many operands as the rule has");
    static_assert(std::is_trivially_copyable_v<Op>, "a rule is its numbers, which recorded launches copy");
    if constexpr (requires { op.check(name, x...); }) op.check(name, x...);
    if constexpr (keeps_dtype<Op> && sizeof...(X) <= 2)
        if (const Loop loop = detail::loop_for_alike<Op>(x...)) [[likely]]
            return detail::run_alike(loop, &op, sizeof(Op), x...);
    return detail::run(detail::launch(name, op, detail::common_dtype(x...)), x...);
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
    const unsigned reads = (x.requires_grad() ? Op::reads_da : 0u) | (o.requires_grad() ? Op::reads_db : 0u);
    static const Tensor absent;
    const auto rule = [op, cx = x.is_complex(), co = o.is_complex()](RuleContext& c) -> GradList {
        const Tensor& g = c.grad();
        const Tensor x = c.saved(0), o = c.saved(1), out = c.num_saved() > 2 ? c.saved(2) : Tensor();
        return {c.needs(0) ? fit_gradient(op.da(g, x, o, out), cx) : Tensor(),
                c.needs(1) ? fit_gradient(op.db(g, x, o, out), co) : Tensor()};
    };
    const Tensor &kept_x = reads & a ? x : absent, &kept_o = reads & b ? o : absent;
    if (reads & y) autograd::record(name, {x, o}, out, {kept_x, kept_o, out}, rule);
    else autograd::record(name, {x, o}, out, {kept_x, kept_o}, rule);
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

/// The rule as an op: `evaluate`, recorded with the rule's derivatives. A rule without any makes a constant.
template <class Op, class... X> Tensor apply(const char* name, const Op& op, const X&... x) {
    Tensor out = evaluate(name, op, x...);
    if constexpr (detail::has_derivative<Op>) {
        if (!autograd::needs_recording_of(name, out, x...)) return out;
        if constexpr (Op::operands == 1) detail::record_one(name, op, x..., out);
        else if constexpr (Op::operands == 2) detail::record_two(name, op, x..., out);
        else detail::record_three(name, op, x..., out);
    } else if (reel::detail::thread_modes.observers) [[unlikely]]
        autograd::recording::not_recorded(name, {x...});
    return out;
}

/// A rule of two operands, one of them a plain number: the first if `swapped`.
template <class Op>
Tensor apply_number(const char* name, const Op& op, const Tensor& x, const Scalar& number, bool swapped = false) {
    if (!x.is_cpu() && !x.is_meta()) { // a device takes numbers as tensors
        const Tensor plain = detail::plain_number(number);
        return swapped ? apply(name, op, plain, x) : apply(name, op, x, plain);
    }
    const Tensor out = detail::run(detail::launch(name, op, result_type(x, number)), x, number, swapped);
    if (!autograd::needs_recording_of(name, out, x)) return out;
    static const Tensor absent;
    const unsigned reads = swapped ? Op::reads_db & b : Op::reads_da & a;
    const auto rule = [op, number, swapped, cx = x.is_complex()](RuleContext& c) -> GradList {
        const Tensor saved = c.saved(0), plain = detail::plain_number(number);
        GradList grads{fit_gradient(
            swapped ? op.db(c.grad(), plain, saved, Tensor()) : op.da(c.grad(), saved, plain, Tensor()), cx)};
        grads.resize(c.node().num_outputs());
        return grads;
    };
    if (swapped || !Op::number_is_operand) autograd::record(name, {x}, out, {reads ? x : absent}, rule);
    else autograd::record(name, {x, absent}, out, {reads ? x : absent}, rule);
    return out;
}

} // namespace reel::pointwise
