// From a pointwise rule to an op on tensors: promotion, broadcasting, the loop, the tape. Programs include `apply.hpp`,
// which brings the ops that derivatives are written in, too; Reel's own sources include those that they need.
#pragma once

#include <reel/autograd/detail/rule_launch.hpp>
#include <reel/autograd/detail/rule_record.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel::pointwise {

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
    const detail::NumberRule<Op> rule(op, number, swapped, x.is_complex());
    const auto record = [&](autograd::Inputs operands) {
        if (reads) autograd::record(name, operands, out, {x}, rule);
        else autograd::record(name, operands, out, {}, rule);
    };
    if (swapped || !Op::number_is_operand) record({x});
    else record({x, absent});
    return out;
}

} // namespace reel::pointwise
