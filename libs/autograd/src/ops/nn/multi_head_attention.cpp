// Attention with several heads: projections, attention per head, projection of the joined heads.
#include <reel/autograd/detail/attention_mask.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/matmul_add.hpp>
#include <reel/autograd/ops/nn/attention.hpp>
#include <reel/autograd/ops/nn/dropout.hpp>
#include <reel/autograd/ops/nn/multi_head_attention.hpp>
#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/arrange.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/pad.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <cmath>
#include <limits>

namespace reel {

namespace detail {
Tensor additive_mask(const Tensor& mask, const char* where, const char* name, ScalarType dtype) {
    if (!mask.defined() || mask.is_floating_point()) return mask;
    REEL_CHECK(mask.scalar_type() == kBool, where, ": ", name, " is ", dtype_name(mask.scalar_type()),
               "; expected bool (true: hidden) or floating numbers to add");
    return masked_fill(mask.new_zeros(mask.sizes(), dtype), mask, -std::numeric_limits<double>::infinity());
}
} // namespace detail

namespace {

constexpr const char* op = "multi_head_attention_forward";

/// Are the inputs batched? Refuses ranks that do not fit each other.
bool check_ranks(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& key_padding_mask,
                 const Tensor& attn_mask, std::int64_t num_heads) {
    const bool batched = query.dim() == 3;
    REEL_CHECK(batched || query.dim() == 2, op, ": query has shape ", query.sizes(),
               "; expected [target, batch, features] or, unbatched, [target, features]");
    const char* kind = batched ? "; query is batched (3-D), so expected " : "; query is unbatched (2-D), so expected ";
    REEL_CHECK(key.dim() == query.dim() && value.dim() == query.dim(), op, ": key and value have shapes ", key.sizes(),
               " and ", value.sizes(), kind, query.dim(), "-D tensors");
    REEL_CHECK(!key_padding_mask.defined() || key_padding_mask.dim() == query.dim() - 1, op,
               ": key_padding_mask has shape ", key_padding_mask.sizes(), kind, query.dim() - 1, "-D");
    REEL_CHECK(!attn_mask.defined() || attn_mask.dim() == 2 || attn_mask.dim() == 3, op, ": attn_mask has shape ",
               attn_mask.sizes(), "; expected two or three dimensions");
    if (!batched && attn_mask.defined() && attn_mask.dim() == 3) {
        const std::int64_t want[] = {num_heads, query.size(0), key.size(0)};
        REEL_CHECK(attn_mask.sizes() == IntArrayRef(want), op, ": attn_mask has shape ", attn_mask.sizes(),
                   "; query is unbatched, so expected [heads, target, source] ", IntArrayRef(want));
    }
    return batched;
}

void check_heads(const Tensor& query, const Tensor& key, std::int64_t embed_dim, std::int64_t num_heads) {
    const std::int64_t embedding = query.size(2);
    REEL_CHECK(key.size(1) == query.size(1), op, ": query ", query.sizes(), " and key ", key.sizes(),
               " differ in their batch");
    REEL_CHECK(embedding == embed_dim, op, ": query has ", embedding, " features; expected embed_dim ", embed_dim);
    REEL_CHECK(num_heads > 0 && embedding % num_heads == 0, op, ": embed_dim ", embedding,
               " is no multiple of num_heads ", num_heads);
}

struct Projected {
    Tensor q, k, v;
};
/// `n` projections of one input in one product: [n, positions, batch, embedding].
Tensor stacked(const Tensor& x, const Tensor& weight, const Tensor& bias, std::int64_t n) {
    const Tensor y = unflatten(linear(x, weight, bias), -1, {n, x.size(-1)});
    return permute(y, {2, 0, 1, 3}).contiguous();
}
/// The rows of `t` that belong to projections `first` to `first + n` of three.
Tensor rows(const Tensor& t, std::int64_t first, std::int64_t n) {
    if (!t.defined()) return t;
    const std::int64_t each = t.size(0) / 3;
    return narrow(t, 0, first * each, n * each);
}
/// With one packed weight, inputs that are the same tensor share a product.
Projected project(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& weight,
                  const Tensor& bias) {
    if (key.is_same(value) && query.is_same(key)) {
        const Tensor all = stacked(query, weight, bias, 3);
        return {select(all, 0, 0), select(all, 0, 1), select(all, 0, 2)};
    }
    const Tensor q = linear(query, rows(weight, 0, 1), rows(bias, 0, 1));
    if (key.is_same(value)) {
        const Tensor both = stacked(key, rows(weight, 1, 2), rows(bias, 1, 2), 2);
        return {q, select(both, 0, 0), select(both, 0, 1)};
    }
    return {q, linear(key, rows(weight, 1, 1), rows(bias, 1, 1)), linear(value, rows(weight, 2, 1), rows(bias, 2, 1))};
}
void check_projection(const char* name, const Tensor& weight, std::int64_t rows, std::int64_t columns) {
    const std::int64_t want[] = {rows, columns};
    REEL_CHECK(weight.sizes() == IntArrayRef(want), op, ": ", name, " has shape ", weight.sizes(), "; expected ",
               IntArrayRef(want));
}

/// [positions, batch, embedding] -> [batch * heads, positions, embedding / heads]
Tensor by_head(const Tensor& x, std::int64_t heads) {
    const std::int64_t each = x.size(2) / heads;
    return transpose(reshape(x, {x.size(0), x.size(1) * heads, each}), 0, 1);
}
/// A key or value projected elsewhere: [batch * heads, source, embedding / heads].
Tensor given(const char* name, const Tensor& x, std::int64_t rows, std::int64_t each) {
    REEL_CHECK(x.dim() == 3 && x.size(0) == rows && x.size(2) == each, op, ": ", name, " has shape ", x.sizes(),
               "; expected [batch * heads, source, features per head] with ", rows, " and ", each);
    return x;
}
Tensor with_column(const Tensor& mask) { return mask.defined() ? pad(mask, {0, 1}) : mask; }

/// Each by a weight of its own; `in_proj_bias` is still one for all.
Projected project_apart(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& q_proj_weight,
                        const Tensor& k_proj_weight, const Tensor& v_proj_weight, const Tensor& in_proj_bias) {
    const std::int64_t embedding = query.size(2);
    REEL_CHECK(key.size(0) == value.size(0) && key.size(1) == value.size(1), op, ": key ", key.sizes(), " and value ",
               value.sizes(), " differ in positions or batch");
    REEL_CHECK(q_proj_weight.defined() && k_proj_weight.defined() && v_proj_weight.defined(), op, ": ",
               !q_proj_weight.defined()   ? "q_proj_weight"
               : !k_proj_weight.defined() ? "k_proj_weight"
                                          : "v_proj_weight",
               " is missing; use_separate_proj_weight asks for all three");
    check_projection("q_proj_weight", q_proj_weight, embedding, embedding);
    check_projection("k_proj_weight", k_proj_weight, embedding, key.size(2));
    check_projection("v_proj_weight", v_proj_weight, embedding, value.size(2));
    return {linear(query, q_proj_weight, rows(in_proj_bias, 0, 1)),
            linear(key, k_proj_weight, rows(in_proj_bias, 1, 1)),
            linear(value, v_proj_weight, rows(in_proj_bias, 2, 1))};
}
Projected project_together(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& in_proj_weight,
                           const Tensor& in_proj_bias) {
    REEL_CHECK(key.sizes() == value.sizes(), op, ": key ", key.sizes(), " and value ", value.sizes(),
               " differ; only use_separate_proj_weight allows that, in the last dimension");
    REEL_CHECK(in_proj_weight.defined(), op,
               ": in_proj_weight is missing; give it, or three weights with use_separate_proj_weight");
    return project(query, key, value, in_proj_weight, in_proj_bias);
}

/// `mask` [target, source] or [batch * heads, target, source], checked, with the first dimension in any case.
Tensor mask_of_heads(const Tensor& mask, std::int64_t heads, std::int64_t target, std::int64_t source) {
    if (!mask.defined()) return mask;
    const std::int64_t want[] = {heads, target, source};
    const IntArrayRef expected = IntArrayRef(want).slice(std::size_t(3 - mask.dim()));
    REEL_CHECK(mask.sizes() == expected, op, ": attn_mask has shape ", mask.sizes(), "; expected ", expected,
               mask.dim() == 2 ? " [target, source]" : " [batch * heads, target, source]");
    return mask.dim() == 2 ? unsqueeze(mask, 0) : mask;
}
/// `mask` with the padding [batch, source] of every head; the caller knows of `positions` of them.
Tensor with_padding(const Tensor& mask, const Tensor& padding, const Tensor& given_padding, std::int64_t positions,
                    std::int64_t batch, std::int64_t num_heads, std::int64_t source) {
    if (!padding.defined()) return mask;
    REEL_CHECK(padding.size(0) == batch && padding.size(1) == source, op, ": key_padding_mask has shape ",
               given_padding.sizes(), "; expected [batch, source] [", batch, ", ", positions, "]");
    const Tensor each = reshape(expand(reshape(padding, {batch, 1, 1, source}), {-1, num_heads, -1, -1}),
                                {batch * num_heads, 1, source});
    return mask.defined() ? mask + each : each;
}

/// What all heads attend with: [batch * heads, positions, features per head], and the mask, undefined for none.
struct Heads {
    Tensor q, k, v, mask;
    std::int64_t batch, count;
};
/// The heads' output [target * batch, embedding], and their weights where they are wanted.
std::tuple<Tensor, Tensor> attend(const Heads& h, double dropped, bool is_causal, bool need_weights) {
    const std::int64_t target = h.q.size(1), source = h.k.size(1), each = h.q.size(2), rows = target * h.batch;
    if (!need_weights) {
        const auto apart = [&](const Tensor& x) { return reshape(x, {h.batch, h.count, x.size(1), each}); };
        Tensor mask = h.mask;
        if (mask.defined())
            mask = mask.size(0) == 1 ? unsqueeze(mask, 0) : reshape(mask, {h.batch, h.count, mask.size(1), source});
        const Tensor out = scaled_dot_product_attention(apart(h.q), apart(h.k), apart(h.v), mask, dropped, is_causal);
        return {reshape(permute(out, {2, 0, 1, 3}), {rows, h.count * each}), Tensor()};
    }
    const Tensor scaled = h.q * std::sqrt(1 / double(each)), keys = transpose(h.k, -2, -1);
    Tensor weights = softmax(h.mask.defined() ? baddbmm(h.mask, scaled, keys) : bmm(scaled, keys), -1);
    if (dropped > 0) weights = dropout(weights, dropped, true);
    const Tensor out = reshape(transpose(bmm(weights, h.v), 0, 1), {rows, h.count * each});
    return {out, reshape(weights, {h.batch, h.count, target, source})};
}

} // namespace

/// Attention of `num_heads` heads over sequences [positions, batch, embedding], or [positions, embedding] unbatched.
/// attn_mask [target, source] or [batch * heads, target, source] and key_padding_mask [batch, source] hide where they
/// are true or -inf; floating ones are added to the scores. Returns the output and the weights, averaged over the heads
/// unless told otherwise, or undefined without `need_weights`: then scaled_dot_product_attention computes. Gradients
/// are those of the ops it is made of. `is_causal` only says that attn_mask is the causal one.
/// Errors: Error for shapes, ranks and dtypes that do not fit, naming the argument.
REEL_OP("nn.functional.multi_head_attention_forward(Tensor query, Tensor key, Tensor value, int embed_dim_to_check, "
        "int num_heads, Tensor? in_proj_weight, Tensor? in_proj_bias, Tensor? bias_k, Tensor? bias_v, "
        "bool add_zero_attn, float dropout_p, Tensor out_proj_weight, Tensor? out_proj_bias, bool training=True, "
        "Tensor? key_padding_mask=None, bool need_weights=True, Tensor? attn_mask=None, "
        "bool use_separate_proj_weight=False, Tensor? q_proj_weight=None, Tensor? k_proj_weight=None, "
        "Tensor? v_proj_weight=None, Tensor? static_k=None, Tensor? static_v=None, bool average_attn_weights=True, "
        "bool is_causal=False) -> (Tensor, Tensor)",
        composite, alias("multi_head_attention_forward"))
std::tuple<Tensor, Tensor>
multi_head_attention_forward(const Tensor& query, const Tensor& key, const Tensor& value,
                             std::int64_t embed_dim_to_check, std::int64_t num_heads, const Tensor& in_proj_weight,
                             const Tensor& in_proj_bias, const Tensor& bias_k, const Tensor& bias_v, bool add_zero_attn,
                             double dropout_p, const Tensor& out_proj_weight, const Tensor& out_proj_bias,
                             bool training, const Tensor& key_padding_mask, bool need_weights, const Tensor& attn_mask,
                             bool use_separate_proj_weight, const Tensor& q_proj_weight, const Tensor& k_proj_weight,
                             const Tensor& v_proj_weight, const Tensor& static_k, const Tensor& static_v,
                             bool average_attn_weights, bool is_causal) {
    if (!check_ranks(query, key, value, key_padding_mask, attn_mask, num_heads)) {
        const Tensor q = unsqueeze(query, 1);
        const Tensor k = key.is_same(query) ? q : unsqueeze(key, 1);
        const Tensor v = value.is_same(key) ? k : unsqueeze(value, 1);
        const auto [out, weights] = multi_head_attention_forward(
            q, k, v, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn,
            dropout_p, out_proj_weight, out_proj_bias, training,
            key_padding_mask.defined() ? unsqueeze(key_padding_mask, 0) : key_padding_mask, need_weights, attn_mask,
            use_separate_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight, static_k, static_v,
            average_attn_weights, is_causal);
        return {squeeze(out, 1), weights.defined() ? squeeze(weights, 0) : weights};
    }
    const std::int64_t target = query.size(0), batch = query.size(1),
                       each = query.size(2) / std::max<std::int64_t>(num_heads, 1);
    check_heads(query, key, embed_dim_to_check, num_heads);
    REEL_CHECK(!is_causal || attn_mask.defined(), op,
               ": is_causal only describes attn_mask, which is missing; Transformer::generate_square_subsequent_mask "
               "makes one");

    Projected p = use_separate_proj_weight
                      ? project_apart(query, key, value, q_proj_weight, k_proj_weight, v_proj_weight, in_proj_bias)
                      : project_together(query, key, value, in_proj_weight, in_proj_bias);
    Tensor padding = detail::additive_mask(key_padding_mask, op, "key_padding_mask", query.scalar_type()), mask;
    if (is_causal && !padding.defined() && !need_weights) {
        REEL_CHECK(attn_mask.is_floating_point() || attn_mask.scalar_type() == kBool, op, ": attn_mask is ",
                   dtype_name(attn_mask.scalar_type()), "; expected bool or floating numbers");
    } else {
        mask = detail::additive_mask(attn_mask, op, "attn_mask", query.scalar_type());
        is_causal = false; // it is in the mask, which may hold the padding too
    }
    mask = mask_of_heads(mask, batch * num_heads, target, key.size(0));
    REEL_CHECK(bias_k.defined() == bias_v.defined(), op, ": bias_k and bias_v go together; only ",
               bias_k.defined() ? "bias_k" : "bias_v", " is given");
    if (bias_k.defined()) {
        REEL_CHECK(!static_k.defined(), op, ": bias_k cannot be added to a static_k");
        REEL_CHECK(!static_v.defined(), op, ": bias_v cannot be added to a static_v");
        p.k = cat({p.k, repeat(bias_k, {1, batch, 1})});
        p.v = cat({p.v, repeat(bias_v, {1, batch, 1})});
        mask = with_column(mask);
        padding = with_column(padding);
    }
    const Tensor q = by_head(p.q, num_heads);
    Tensor k = static_k.defined() ? given("static_k", static_k, batch * num_heads, each) : by_head(p.k, num_heads);
    Tensor v = static_v.defined() ? given("static_v", static_v, batch * num_heads, each) : by_head(p.v, num_heads);
    if (add_zero_attn) {
        const Tensor none = k.new_zeros({batch * num_heads, 1, each});
        k = cat({k, none}, 1);
        v = cat({v, none}, 1);
        mask = with_column(mask);
        padding = with_column(padding);
    }
    mask = with_padding(mask, padding, key_padding_mask, key.size(0), batch, num_heads, k.size(1));
    const auto [heads, weights] =
        attend({q, k, v, mask, batch, num_heads}, training ? dropout_p : 0, is_causal, need_weights);
    const Tensor out = linear(heads, out_proj_weight, out_proj_bias);
    return {reshape(out, {target, batch, out.size(1)}),
            weights.defined() && average_attn_weights ? mean(weights, 1) : weights};
}

} // namespace reel
