// Running a pointwise rule: its loop for a dtype, without the rule's type.
#pragma once

#include <cstddef>

#include <reel/autograd/pointwise/device.hpp>
#include <reel/autograd/pointwise/loop.hpp>
#include <reel/autograd/type_promotion.hpp>

namespace reel::pointwise::detail {

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

} // namespace reel::pointwise::detail
