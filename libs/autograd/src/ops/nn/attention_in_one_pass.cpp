// Attention by a device's own kernel.
#include <reel/autograd/kernels/attention.hpp>
#include <reel/autograd/record.hpp>

#include "ops/nn/attention.hpp"
#include "tensor/raw.hpp"

namespace reel::attention {

using namespace autograd;

namespace {

/// Is it for the device's kernel: one batch of heads for all three?
bool is_for_kernel(const Tensor& query, const Tensor& key, const Tensor& value, double scale, bool enable_gqa) {
    if (!kernels::attention.has(query.device().type())) return false;
    if (query.dim() != 4 || key.dim() != 4 || value.dim() != 4 || scale <= 0) return false;
    const std::int64_t heads = query.size(1), of_key = key.size(1);
    if (of_key != value.size(1) || of_key == 0 || (heads != of_key && (!enable_gqa || heads % of_key != 0)))
        return false;
    return query.size(0) == key.size(0) && query.size(0) == value.size(0) && query.numel() > 0 && key.numel() > 0 &&
           value.numel() > 0;
}

} // namespace

Tensor in_one_pass(const Tensor& query, const Tensor& key, const Tensor& value, double scale, bool enable_gqa) {
    if (!is_for_kernel(query, key, value, scale, enable_gqa)) return {};
    Tensor out = detail::empty_raw({query.size(0), query.size(1), query.size(2), value.size(3)}, query.scalar_type(),
                                   query.device());
    if (!kernels::attention(out, query.detach(), key.detach(), value.detach(), scale)) return {};
    record("scaled_dot_product_attention", {query, key, value}, out, {query, key, value},
           [scale, enable_gqa](RuleContext& c) { return through_products(c, {}, false, scale, enable_gqa); });
    return out;
}

} // namespace reel::attention
