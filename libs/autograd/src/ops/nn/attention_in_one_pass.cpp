// Attention by a device's own kernels.
#include <reel/autograd/kernels/attention.hpp>
#include <reel/autograd/record.hpp>

#include "ops/nn/attention.hpp"
#include "tensor/raw.hpp"

namespace reel::attention {

using namespace autograd;
using namespace detail;

namespace {

/// Is it for the device's kernel: one batch of heads for all three?
bool is_for_kernel(const Tensor& query, const Tensor& key, const Tensor& value, const Kind& kind) {
    if (!kernels::attention.has(query.device().type())) return false;
    if (query.dim() != 4 || key.dim() != 4 || value.dim() != 4 || kind.scale <= 0) return false;
    const std::int64_t heads = query.size(1), of_key = key.size(1);
    if (of_key != value.size(1) || of_key == 0 || (heads != of_key && (!kind.enable_gqa || heads % of_key != 0)))
        return false;
    return query.size(0) == key.size(0) && query.size(0) == value.size(0) && query.numel() > 0 && key.numel() > 0 &&
           value.numel() > 0;
}
/// Gradients by the device's kernel; empty where it does not take the case.
GradList by_kernel(RuleContext& c, const Kind& kind) {
    const Tensor query = c.saved(0), key = c.saved(1), value = c.saved(2), out = c.saved(4), stats = c.saved(5);
    if (GradMode::is_enabled() || !kernels::attention_backward.has(query.device().type())) return {};
    const auto like = [](const Tensor& t) { return empty_raw(t.sizes(), t.scalar_type(), t.device()); };
    const Tensor gq = like(query), gk = like(key), gv = like(value);
    if (!kernels::attention_backward(gq, gk, gv, c.grad(), out, stats, query, key, value, {kind.scale, kind.is_causal}))
        return {};
    return {c.needs(0) ? gq : Tensor(), c.needs(1) ? gk : Tensor(), c.needs(2) ? gv : Tensor()};
}

} // namespace

Tensor in_one_pass(const Tensor& query, const Tensor& key, const Tensor& value, const Kind& kind) {
    if (!is_for_kernel(query, key, value, kind)) return {};
    const auto fresh = [&](IntArrayRef sizes, ScalarType t) { return empty_raw(sizes, t, query.device()); };
    const Tensor out = fresh({query.size(0), query.size(1), query.size(2), value.size(3)}, query.scalar_type());
    Tensor stats;
    if (GradMode::is_enabled() && (query.requires_grad() || key.requires_grad() || value.requires_grad()))
        stats = fresh({query.size(0), query.size(1), query.size(2), 1}, kFloat);
    if (!kernels::attention(out, stats, query.detach(), key.detach(), value.detach(), {kind.scale, kind.is_causal}))
        return {};
    record("scaled_dot_product_attention", {query, key, value}, out,
           {query, key, value, Tensor(), out, stats, Tensor()}, [kind](RuleContext& c) {
               GradList grads = by_kernel(c, kind);
               return grads.empty() ? gradients_in_tiles(c, kind) : grads;
           });
    return out;
}

} // namespace reel::attention
