// Scaled dot-product attention.
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/nn/attention.hpp>
#include <reel/autograd/ops/nn/dropout.hpp>
#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>
#include <reel/autograd/ops/shape/arrange.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <cmath>
#include <limits>

#include "ops/nn/attention.hpp"

namespace reel {

Tensor attention::by_products(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask,
                              const Kind& kind, const Tensor& factors) {
    const char* op = "scaled_dot_product_attention";
    // 16-bit inputs are computed in float32 and rounded once.
    const ScalarType t = query.scalar_type(), wide = t == kHalf || t == kBFloat16 ? kFloat : t;
    const double root = std::sqrt(std::abs(kind.scale)), signed_root = std::copysign(root, kind.scale);
    const Tensor q = query.to(wide);
    Tensor k = key.to(wide), v = value.to(wide);
    if (kind.enable_gqa && q.dim() >= 3 && k.dim() >= 3 && v.dim() >= 3) {
        const auto repeated = [&](const char* name, const Tensor& x) {
            const std::int64_t heads = q.size(-3), have = x.size(-3);
            REEL_CHECK(have > 0 && heads % have == 0, op, ": ", heads, " heads of query are no multiple of the ", have,
                       " heads of ", name);
            return heads == have ? x : repeat_interleave(x, heads / have, -3);
        };
        k = repeated("key", k);
        v = repeated("value", v);
    }
    Tensor scores = matmul(q * signed_root, transpose(k, -2, -1) * root);
    Tensor mask = attn_mask;
    if (kind.is_causal) mask = tril(ones({q.size(-2), k.size(-2)}, q.options().requires_grad(false).dtype(kBool)));
    if (mask.defined() && mask.scalar_type() == kBool)
        scores = masked_fill(scores, logical_not(mask), -std::numeric_limits<double>::infinity());
    else if (mask.defined()) scores = scores + mask.to(wide);
    // Rows of nothing but -inf: softmax would make NaN of them, and NaN times zero stays NaN in derivatives.
    Tensor blind;
    if (mask.defined()) {
        blind = reel::amax(scores.detach(), IntArrayRef{-1}, true) == Scalar(-std::numeric_limits<double>::infinity());
        scores = masked_fill(scores, blind, 0);
    }
    Tensor weights = softmax(scores, -1);
    if (factors.defined()) weights = weights * factors;
    else if (kind.dropout_p > 0) weights = dropout(weights, kind.dropout_p, true);
    Tensor seen = matmul(weights, v);
    if (blind.defined()) seen = masked_fill(seen, blind, 0);
    return seen.to(t);
}

/// softmax(q k^T scale + mask) v over the last two dimensions; the other ones broadcast. A bool mask keeps where true,
/// a floating one is added; rows that see nothing give zeros. `enable_gqa` repeats the heads (dimension -3) of k and v.
REEL_OP("nn.functional.scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, "
        "float dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
        rule, alias("scaled_dot_product_attention"))
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, bool enable_gqa) {
    const char* op = "scaled_dot_product_attention";
    REEL_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2, op, ": query ", query.sizes(), ", key ",
               key.sizes(), " and value ", value.sizes(), " need at least two dimensions");
    REEL_CHECK(query.scalar_type() == key.scalar_type() && query.scalar_type() == value.scalar_type(), op,
               ": query, key and value must have one dtype, got ", dtype_name(query.scalar_type()), ", ",
               dtype_name(key.scalar_type()), " and ", dtype_name(value.scalar_type()));
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(query.scalar_type()), op, ": query is ", dtype_name(query.scalar_type()),
                               "; expected a floating dtype");
    REEL_CHECK(query.size(-1) == key.size(-1), op, ": query ", query.sizes(), " and key ", key.sizes(),
               " differ in their last dimension");
    REEL_CHECK(key.size(-2) == value.size(-2), op, ": key ", key.sizes(), " and value ", value.sizes(),
               " differ in their number of positions");
    REEL_CHECK_VALUE(dropout_p >= 0 && dropout_p <= 1, op, ": dropout_p is ", dropout_p,
                     "; expected a probability between 0 and 1");
    REEL_CHECK(!(is_causal && attn_mask.defined()), op, ": attn_mask must not be given together with is_causal");
    const attention::Kind kind{scale.value_or(1 / std::sqrt(double(query.size(-1)))), is_causal, enable_gqa, dropout_p};
    Tensor out;
    if (!attn_mask.defined() && dropout_p == 0) out = attention::in_one_pass(query, key, value, kind);
    if (!out.defined()) out = attention::in_tiles(query, key, value, attn_mask, kind);
    return out.defined() ? out : attention::by_products(query, key, value, attn_mask, kind);
}

} // namespace reel
