// Attention in tiles: the operands as the kernels want them, and what the tape keeps.
#include <reel/autograd/backward.hpp>
#include <reel/autograd/kernels/tiled_attention.hpp>
#include <reel/autograd/ops/shape/view.hpp>

#include "ops/nn/attention.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/raw.hpp"

namespace reel::attention {

using namespace autograd;
using namespace detail;

namespace {

/// Does everything in front of the last two dimensions agree, but for heads that several of query's may share?
bool have_one_batch(const Tensor& query, const Tensor& key, const Tensor& value, bool enable_gqa) {
    const std::int64_t rank = query.dim();
    if (key.dim() != rank || value.dim() != rank) return false;
    for (std::int64_t d = 0; d < rank - 2; ++d) {
        const std::int64_t own = query.size(d), of_key = key.size(d);
        const bool shared = enable_gqa && d == rank - 3 && of_key > 0 && own % of_key == 0;
        if (value.size(d) != of_key || (own != of_key && !shared)) return false;
    }
    return query.numel() > 0 && key.numel() > 0 && value.numel() > 0;
}
/// Is the mask a constant that broadcasts to the scores?
bool takes_mask(const Tensor& mask, const Tensor& query, const Tensor& key) {
    if (!mask.defined()) return true;
    if (mask.scalar_type() != kBool && !isFloatingType(mask.scalar_type())) return false;
    if (mask.dim() > query.dim() || !(mask.device() == query.device()) || needs_recording(mask)) return false;
    for (std::int64_t d = 1; d <= mask.dim(); ++d) {
        const std::int64_t wanted = d == 1 ? key.size(-2) : d == 2 ? query.size(-2) : query.size(-d);
        if (mask.size(-d) != 1 && mask.size(-d) != wanted) return false;
    }
    return true;
}
/// Dense, in the dtype of the computation, with dimensions [batch, heads, positions, size].
Tensor as_heads(const Tensor& t, ScalarType dtype) {
    const Tensor dense = contiguous_raw(cast_raw(t, dtype));
    const Dims sizes{1, t.dim() > 2 ? t.size(-3) : 1, t.size(-2), t.size(-1)};
    Dims whole(sizes);
    whole[0] = t.numel() / (sizes[1] * sizes[2] * sizes[3]);
    return alias_raw(dense, whole, contiguous_strides(whole), dense.storage_offset());
}
Tensor as_mask(const Tensor& mask, const Tensor& query, const Tensor& key, ScalarType dtype) {
    if (!mask.defined()) return mask;
    Dims sizes(query.sizes());
    sizes[sizes.size() - 1] = key.size(-2);
    const Tensor typed = mask.scalar_type() == kBool ? mask : cast_raw(mask, dtype);
    const Tensor wide = expand_raw(typed, sizes);
    Dims strides(wide.strides());
    if (sizes.size() > 4) { // dimensions in front become one
        const Tensor dense = contiguous_raw(wide);
        const Dims last(ArrayRef<std::int64_t>(sizes.data() + sizes.size() - 3, 3));
        const Dims whole{dense.numel() / (last[0] * last[1] * last[2]), last[0], last[1], last[2]};
        return alias_raw(dense, whole, contiguous_strides(whole), dense.storage_offset());
    }
    Dims four(4, 1), steps(4, 0);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        four[4 - sizes.size() + d] = sizes[d];
        steps[4 - sizes.size() + d] = strides[d];
    }
    return alias_raw(wide, four, steps, wide.storage_offset());
}
Tensor shaped_like(const Tensor& heads, const Tensor& t) {
    return cast_raw(alias_raw(heads, t.sizes(), contiguous_strides(t.sizes()), heads.storage_offset()),
                    t.scalar_type());
}
ScalarType wide_type(ScalarType t) { return t == kHalf || t == kBFloat16 ? kFloat : t; }

struct Saved {
    Tensor query, key, value, mask, out, normalizers, drawn;
    explicit Saved(const RuleContext& c)
        : query(c.saved(0)), key(c.saved(1)), value(c.saved(2)), mask(c.saved(3)), out(c.saved(4)),
          normalizers(c.saved(5)), drawn(c.saved(6)) {}
};
/// What the weights were multiplied by, as `by_products` has them; undefined: by nothing.
Tensor factors_of(const Saved& s, double p) {
    if (!s.drawn.defined()) return {};
    Dims sizes(s.query.sizes());
    sizes[sizes.size() - 1] = s.key.size(-2);
    const Tensor factors = empty_raw(sizes, wide_type(s.query.scalar_type()), s.query.device());
    kernels::dropped_attention_factors(factors, s.drawn, p);
    return factors;
}
/// Through `by_products`, on a tape of their own that ends at the operands; recorded when they are to have gradients
/// themselves.
GradList through_products(RuleContext& c, const Kind& kind) {
    const bool again = GradMode::is_enabled();
    const EnableGradGuard with_tape;
    variable_list operands, wanted;
    for (std::size_t i = 0; i < 3; ++i) {
        const Tensor t = c.saved(i);
        if (again) operands.push_back(c.needs(i) ? reel::alias(t) : t); // the others may be asked for by the next order
        else operands.push_back(t.detach().requires_grad_(c.needs(i)));
        if (c.needs(i)) wanted.push_back(operands.back());
    }
    const Saved s(c);
    const Tensor out = by_products(operands[0], operands[1], operands[2], s.mask, kind, factors_of(s, kind.dropout_p));
    const variable_list grads = grad({out}, wanted, {c.grad()}, again, again);
    GradList r(3, Tensor());
    for (std::size_t i = 0, k = 0; i < 3; ++i)
        if (c.needs(i)) r[i] = grads[k++];
    return r;
}

} // namespace

GradList gradients_in_tiles(RuleContext& c, const Kind& kind) {
    const Saved s(c);
    if (GradMode::is_enabled() || !kernels::tiled_attention_backward.has(s.query.device().type()))
        return through_products(c, kind);
    const ScalarType wide = wide_type(s.query.scalar_type());
    const Tensor q = as_heads(s.query, wide), k = as_heads(s.key, wide), v = as_heads(s.value, wide);
    const Tensor gq = empty_raw(q.sizes(), q), gk = empty_raw(k.sizes(), k), gv = empty_raw(v.sizes(), v);
    const Tensor grad = as_heads(c.grad(), wide), out = as_heads(s.out, wide),
                 mask = as_mask(s.mask, s.query, s.key, wide);
    if (s.drawn.defined())
        kernels::dropped_attention_backward(gq, gk, gv, grad, q, k, v, mask, out, s.normalizers, s.drawn,
                                            kind.is_causal, kind.scale, kind.dropout_p);
    else
        kernels::tiled_attention_backward(gq, gk, gv, grad, q, k, v, mask, out, s.normalizers, kind.is_causal,
                                          kind.scale);
    GradList r(3, Tensor());
    if (c.needs(0)) r[0] = shaped_like(gq, s.query);
    if (c.needs(1)) r[1] = shaped_like(gk, s.key);
    if (c.needs(2)) r[2] = shaped_like(gv, s.value);
    return r;
}

Tensor in_tiles(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask, const Kind& kind) {
    const bool drops = kind.dropout_p != 0;
    const DeviceType device = query.device().type();
    if (drops ? !kernels::dropped_attention.has(device) || !(kind.dropout_p > 0 && kind.dropout_p < 1)
              : !kernels::tiled_attention.has(device))
        return {};
    if (!(kind.scale > 0) || !have_one_batch(query, key, value, kind.enable_gqa) || !takes_mask(mask, query, key))
        return {};
    const ScalarType wide = wide_type(query.scalar_type());
    const Tensor q = as_heads(query, wide), k = as_heads(key, wide), v = as_heads(value, wide),
                 seen = as_mask(mask, query, key, wide);
    Dims sizes(query.sizes());
    sizes[sizes.size() - 1] = value.size(-1);
    const Tensor whole = empty_raw(sizes, wide, query.device()),
                 normalizers = empty_raw({q.size(0), q.size(1), q.size(2)}, wide, query.device()),
                 drawn = drops ? empty_raw({2}, kLong, query.device()) : Tensor();
    if (drops)
        kernels::dropped_attention(as_heads(whole, wide), normalizers, drawn, q, k, v, seen, kind.is_causal, kind.scale,
                                   kind.dropout_p);
    else kernels::tiled_attention(as_heads(whole, wide), normalizers, q, k, v, seen, kind.is_causal, kind.scale);
    Tensor out = cast_raw(whole, query.scalar_type());
    record("scaled_dot_product_attention", {query, key, value}, out,
           {query, key, value, mask, whole, normalizers, drawn},
           [kind](RuleContext& c) { return gradients_in_tiles(c, kind); });
    return out;
}

} // namespace reel::attention
