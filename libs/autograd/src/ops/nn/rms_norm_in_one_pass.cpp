// RMS norm by a device's own kernels.
#include <reel/autograd/backward.hpp>
#include <reel/autograd/kernels/rms_norm.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/record.hpp>

#include "ops/nn/norm.hpp"
#include "ops/nn/rms_norm.hpp"
#include "tensor/raw.hpp"

namespace reel::rms {

using namespace autograd;
using namespace detail;

namespace {

constexpr const char* op = "rms_norm";

/// Gradients through `by_ops`, on a tape of their own that ends at the operands; recorded when they are to have
/// gradients themselves.
GradList through_ops(RuleContext& c, std::int64_t dims, double eps) {
    const bool again = GradMode::is_enabled();
    const EnableGradGuard with_tape;
    variable_list operands, wanted;
    for (std::size_t i = 0; i < 2; ++i) {
        const Tensor t = c.saved(i);
        if (again) operands.push_back(c.needs(i) ? reel::alias(t) : t);
        else operands.push_back(t.detach().requires_grad_(c.needs(i)));
        if (c.needs(i)) wanted.push_back(operands.back());
    }
    const variable_list grads = grad({by_ops(operands[0], dims, operands[1], eps)}, wanted, {c.grad()}, again, again);
    GradList r(2, Tensor());
    for (std::size_t i = 0, k = 0; i < 2; ++i)
        if (c.needs(i)) r[i] = grads[k++];
    return r;
}
/// Gradients by the device's kernel; empty where it does not take the case.
GradList by_kernel(RuleContext& c, ScalarType t, std::int64_t inner) {
    const Tensor input = c.saved(0), weight = c.saved(1);
    if (GradMode::is_enabled() || !kernels::rms_norm_backward.has(input.device().type())) return {};
    const Tensor x = norm_layers::dense(input, t), w = norm_layers::dense(weight, t),
                 gy = norm_layers::dense(c.grad(), t), gx = empty_raw(input.sizes(), t, input.device()),
                 gw = empty_raw(weight.sizes(), t, input.device());
    if (!kernels::rms_norm_backward(op, gx, gw, gy, x, c.saved(2), w, inner)) return {};
    return {c.needs(0) ? cast_raw(gx, input.scalar_type()) : Tensor(),
            c.needs(1) ? cast_raw(gw, weight.scalar_type()) : Tensor()};
}

} // namespace

Tensor in_one_pass(const Tensor& input, std::int64_t dims, const Tensor& weight, double eps) {
    if (!kernels::rms_norm.has(input.device().type()) || !weight.defined() || input.numel() == 0 ||
        !isFloatingType(input.scalar_type()) || !isFloatingType(weight.scalar_type()) ||
        weight.device() != input.device())
        return {};
    const ScalarType t = norm_layers::compute_dtype(input.scalar_type());
    const std::int64_t inner = weight.numel();
    const Tensor x = norm_layers::dense(input, t), w = norm_layers::dense(weight, t),
                 y = empty_raw(input.sizes(), t, input.device()),
                 rstd = empty_raw({input.numel() / inner}, t, input.device());
    if (!kernels::rms_norm(op, y, rstd, x, w, inner, eps)) return {};
    const Tensor out = cast_raw(y, input.scalar_type());
    record(op, {input, weight}, out, {input, weight, rstd}, [=](RuleContext& c) {
        GradList grads = by_kernel(c, t, inner);
        return grads.empty() ? through_ops(c, dims, eps) : grads;
    });
    return out;
}

} // namespace reel::rms
