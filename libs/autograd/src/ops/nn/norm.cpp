// The derivative that all normalisations share.
#include "ops/nn/norm.hpp"

#include <array>
#include <functional>

#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "tensor/raw.hpp"

namespace reel::norm_layers {

using namespace autograd;
using namespace reel::detail;

ScalarType compute_dtype(ScalarType t) { return t == kHalf || t == kBFloat16 ? kFloat : t; }
Tensor dense(const Tensor& t, ScalarType compute) { return t.defined() ? contiguous_raw(cast_raw(t, compute)) : t; }

namespace {

/// gw = sum g xhat, gb = sum g, gx = rstd (g w - mean(g w) - xhat mean(g w xhat)), in ops that record themselves.
std::array<Tensor, 3> in_ops(const Plan& p, const Tensor& grad, const Tensor& input, const Tensor& weight,
                             const Tensor& mean, const Tensor& rstd, Wanted wanted) {
    const ScalarType t = compute_dtype(input.scalar_type());
    const Tensor x = reel::reshape(input.to(t), p.stat_sizes), g = reel::reshape(grad.to(t), p.affine_sizes);
    Dims one(p.stat_sizes);
    for (const std::int64_t d : p.stat_dims) one[std::size_t(d)] = 1;
    const IntArrayRef dims(p.stat_dims);
    const Tensor centred = x - (p.constant_stats ? reel::reshape(mean, one) : reel::mean(x, dims, true));
    const Tensor r =
        p.constant_stats ? reel::reshape(rstd, one) : reel::rsqrt(reel::mean(centred * centred, dims, true) + p.eps);
    const Tensor xhat = centred * r;
    std::array<Tensor, 3> out;
    if (wanted.weight)
        out[1] = reel::reshape(reel::sum(g * reel::reshape(xhat, p.affine_sizes), IntArrayRef(p.affine_dims)),
                               weight.sizes());
    if (wanted.bias) out[2] = reel::sum(g, IntArrayRef(p.affine_dims));
    if (!wanted.input) return out;
    const Tensor gw =
        reel::reshape(weight.defined() ? g * reel::reshape(weight.to(t), p.weight_shape) : g, p.stat_sizes);
    const Tensor gx =
        p.constant_stats ? gw * r : r * (gw - reel::mean(gw, dims, true) - xhat * reel::mean(gw * xhat, dims, true));
    out[0] = reel::reshape(gx, input.sizes()).to(input.scalar_type());
    return out;
}

} // namespace

void record(const char* op, const Plan& plan, const Tensor& input, const Tensor& weight, const Tensor& bias,
            const Tensor& out, const Tensor& mean, const Tensor& rstd, Fused fused) {
    if (!needs_recording_of(op, out, input, weight, bias)) return;
    const Dims bias_sizes = bias.defined() ? Dims(bias.sizes()) : Dims();
    autograd::record(op, {input, weight, bias}, out, {input, weight, mean, rstd},
                     [plan, bias_sizes, fused = std::move(fused)](RuleContext& c) -> GradList {
                         const Tensor x = c.saved(0), w = c.saved(1);
                         const Wanted wanted{c.needs(0), c.needs(1), c.needs(2)};
                         auto [gx, gw, gb] = GradMode::is_enabled() || x.numel() == 0
                                                 ? in_ops(plan, c.grad(), x, w, c.saved(2), c.saved(3), wanted)
                                                 : fused(c.grad(), x, w, c.saved(2), c.saved(3), wanted);
                         if (gb.defined()) gb = reel::reshape(gb, bias_sizes);
                         return {gx, gw, gb};
                     });
}

} // namespace reel::norm_layers
