// Attention and encoder layers as the reference's modules call them without gradients, and the sequences of unlike
// length that its encoder makes of a padded batch: here a sparse tensor whose first two dimensions (batch, position)
// have indices, so that no op but those of this file takes one for a dense batch.
#include <cmath>

#include <reel/autograd/error.hpp>
#include <reel/autograd/index.hpp>
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/nn/attention.hpp>
#include <reel/autograd/ops/nn/layer_norm.hpp>
#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/pointwise/activation.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/sparse.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "ops/own.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;

bool is_ragged(const Tensor& t) { return t.is_sparse() && t.sparse_dim() == 2 && t.dim() == 3; }

/// Which rows of a batch there are: `batch[i]` and `position[i]` of row i.
struct Places {
    explicit Places(const Tensor& ragged)
        : batch(ragged._indices().select(0, 0)), position(ragged._indices().select(0, 1)) {}
    /// Rows as a dense batch; `fill` where there is none.
    Tensor padded(const Tensor& rows, IntArrayRef size, double fill) const {
        Tensor out = full(size, fill, rows.options());
        out.index_put_({batch, position}, rows);
        return out;
    }
    Tensor batch, position;
};
/// mask: True where there is something, ahead of all that is not there.
Tensor first_positions(const Tensor& mask) {
    const Tensor lengths = mask.sum(1).unsqueeze(1);
    return arange(mask.size(1), TensorOptions(kLong)).unsqueeze(0).lt(lengths);
}
void check_mask(const Tensor& t, const Tensor& mask, const char* op) {
    REEL_CHECK(t.dim() == 3, op, ": t has shape ", t.sizes(), "; expected 3 dimensions");
    REEL_CHECK(mask.scalar_type() == kBool, op, ": mask is ", dtype_name(mask.scalar_type()), "; expected bool");
    REEL_CHECK(mask.dim() == 2 && mask.size(0) == t.size(0) && mask.size(1) == t.size(1), op, ": mask has shape ",
               mask.sizes(), "; expected the first two dimensions of t, ", t.sizes());
}
bool is_left_aligned(const Tensor& mask) { return mask.eq(first_positions(mask)).all().item<bool>(); }
/// t, mask
IValue left_aligned(Span a) {
    check_mask(a[0].toTensor(), a[1].toTensor(), "_nested_tensor_from_mask_left_aligned");
    return is_left_aligned(a[1].toTensor());
}
/// t, mask, mask_check
IValue ragged_from_mask(Span a) {
    const Tensor &t = a[0].toTensor(), &mask = a[1].toTensor();
    check_mask(t, mask, "_nested_tensor_from_mask");
    REEL_CHECK(!a[2].toBool() || is_left_aligned(mask),
               "_nested_tensor_from_mask: mask has a True behind a False; expected all of a row's at its left");
    const Tensor places = nonzero(first_positions(mask)).t();
    return sparse_coo_tensor(places, t.index({places.select(0, 0), places.select(0, 1)}), t.sizes(), {}, true);
}
/// self, padding, output_size
IValue to_padded(Span a) {
    const Tensor& self = a[0].toTensor();
    REEL_CHECK(is_ragged(self), "to_padded_tensor: self is dense; expected sequences of unlike length");
    const Places places(self);
    std::vector<Int> size = self.sizes().vec();
    if (!a[2].isNone()) size = a[2].toIntVector();
    else size[1] = places.position.numel() ? places.position.max().item<Int>() + 1 : 0;
    REEL_CHECK_VALUE(size.size() == 3, "to_padded_tensor: output_size has ", size.size(), " entries; expected 3");
    return places.padded(self._values(), size, a[1].toDouble());
}

/// What every head is to ignore: True or -inf where it must not look, in the shape of the scores.
Tensor mask_of_heads(const IValue& mask, const IValue& type, Int batch) {
    if (mask.isNone()) return {};
    const Tensor& m = mask.toTensor();
    if (!m.defined()) return {};
    const Int kind = type.isNone() ? (m.dim() == 2 ? 0 : 2) : type.toInt();
    REEL_CHECK_VALUE(kind >= 0 && kind <= 2, "_native_multi_head_attention: mask_type is ", kind,
                     "; expected 0 (of positions), 1 (of keys) or 2 (of heads)");
    if (kind != 1) return m;
    REEL_CHECK(m.dim() == 2 && m.size(0) == batch, "_native_multi_head_attention: a mask of keys has shape ", m.sizes(),
               "; expected a row for each of the ", batch, " sequences");
    return m.unsqueeze(1).unsqueeze(1);
}
struct Projection {
    Tensor weight, bias;
};
/// Attention over heads of dense `q`, `k` and `v`; `hidden` is what `mask_of_heads` gives.
struct Attention {
    Attention(const Tensor& q, const Tensor& k, const Tensor& v, Int heads, const Tensor& hidden, bool need_weights) {
        const auto split = [&](const Tensor& t) {
            return t.reshape({t.size(0), t.size(1), heads, -1}).transpose(1, 2);
        };
        const Tensor query = split(q), key = split(k), value = split(v);
        const bool is_bool = hidden.defined() && hidden.scalar_type() == kBool;
        Tensor out;
        if (need_weights) {
            Tensor scores = matmul(query, key.transpose(-2, -1)) / std::sqrt(double(query.size(-1)));
            if (is_bool) scores = scores.masked_fill(hidden, -INFINITY);
            else if (hidden.defined()) scores = scores + hidden;
            const Tensor blind = scores.eq(-INFINITY).all(-1, true);
            weights = softmax(scores, -1).masked_fill(blind, 0);
            out = matmul(weights, value);
        } else out = scaled_dot_product_attention(query, key, value, is_bool ? hidden.logical_not() : hidden);
        rows = out.transpose(1, 2).reshape({q.size(0), q.size(1), -1});
    }
    Tensor rows, weights;
};
/// Queries, keys and values of one input that is all three.
std::vector<Tensor> in_projection(const Tensor& x, const Projection& in) {
    return linear(x, in.weight, in.bias).chunk(3, -1);
}

/// query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight, proj_bias, mask, need_weights,
/// average_attn_weights, mask_type
IValue multi_head_attention(Span a) {
    const Tensor &query = a[0].toTensor(), &key = a[1].toTensor(), &value = a[2].toTensor();
    REEL_CHECK(query.dim() == 3 && key.dim() == 3 && value.dim() == 3, "_native_multi_head_attention: query ",
               query.sizes(), ", key ", key.sizes(), " and value ", value.sizes(), "; expected 3 dimensions each");
    REEL_CHECK_NOT_IMPLEMENTED(!query.is_sparse(),
                               "_native_multi_head_attention: of sequences of unlike length inside of an encoder only");
    const Projection in{a[5].toTensor(), a[6].toTensor()};
    const Int heads = a[4].toInt();
    REEL_CHECK_VALUE(heads > 0 && query.size(2) % heads == 0, "_native_multi_head_attention: num_head is ", heads,
                     "; expected a divisor of ", query.size(2));
    std::vector<Tensor> parts;
    const auto same = [](const Tensor& x, const Tensor& y) {
        return x.unsafeGetTensorImpl() == y.unsafeGetTensorImpl();
    };
    if (same(query, key) && same(key, value)) parts = in_projection(query, in);
    else {
        const auto weights = in.weight.chunk(3, 0), biases = in.bias.chunk(3, 0);
        parts = {linear(query, weights[0], biases[0]), linear(key, weights[1], biases[1]),
                 linear(value, weights[2], biases[2])};
    }
    const bool need_weights = a[10].toBool();
    const Attention found(parts[0], parts[1], parts[2], heads, mask_of_heads(a[9], a[12], query.size(0)), need_weights);
    const Tensor out = linear(found.rows, a[7].toTensor(), a[8].toTensor());
    if (!need_weights) return IValue::tuple({out, IValue()});
    return IValue::tuple({out, a[11].toBool() ? found.weights.mean(1) : found.weights});
}

/// Self-attention of `x`, which are the rows of `src`: all of a dense one, those there are of a ragged one.
Tensor attend(const Tensor& src, const Tensor& x, Int heads, const Projection& in, const Tensor& hidden) {
    if (!is_ragged(src)) {
        const auto parts = in_projection(x, in);
        return Attention(parts[0], parts[1], parts[2], heads, hidden, false).rows;
    }
    const Places places(src);
    const Tensor seen = places.padded(ones({x.size(0), 1}, TensorOptions(kBool)), {src.size(0), src.size(1), 1}, 0);
    std::vector<Tensor> parts;
    for (const Tensor& part : in_projection(x, in))
        parts.push_back(places.padded(part, {src.size(0), src.size(1), part.size(-1)}, 0));
    const Tensor absent = seen.squeeze(2).logical_not().unsqueeze(1).unsqueeze(1);
    return Attention(parts[0], parts[1], parts[2], heads, absent, false).rows.index({places.batch, places.position});
}
/// src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias, use_gelu, norm_first, eps, norm_weight_1,
/// norm_bias_1, norm_weight_2, norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2, mask, mask_type
IValue encoder_layer(Span a) {
    const Tensor& src = a[0].toTensor();
    REEL_CHECK(src.dim() == 3, "_transformer_encoder_layer_fwd: src has shape ", src.sizes(),
               "; expected 3 dimensions");
    const bool use_gelu = a[7].toBool(), norm_first = a[8].toBool(), ragged = is_ragged(src);
    const auto t = [&](std::size_t i) -> const Tensor& { return a[i].toTensor(); };
    const auto norm = [&](const Tensor& x, std::size_t first) {
        return layer_norm(x, {a[1].toInt()}, t(first), t(first + 1), a[9].toDouble());
    };
    const Tensor rows = ragged ? src._values() : src;
    REEL_CHECK(!ragged || a[18].isNone(), "_transformer_encoder_layer_fwd: mask is given, and src has its own lengths");
    const Tensor seen = attend(src, norm_first ? norm(rows, 10) : rows, a[2].toInt(), {t(3), t(4)},
                               mask_of_heads(a[18], a[19], src.size(0)));
    Tensor x = linear(seen, t(5), t(6)) + rows;
    if (!norm_first) x = norm(x, 10);
    const Tensor inner = linear(norm_first ? norm(x, 12) : x, t(14), t(15));
    x = linear(use_gelu ? gelu(inner) : relu(inner), t(16), t(17)) + x;
    if (!norm_first) x = norm(x, 12);
    return ragged ? sparse_coo_tensor(src._indices(), x, src.sizes(), {}, true) : x;
}
/// query, key, value, dropout_p, is_causal, attn_mask, scale: the second result serves the reference's own derivative.
IValue flash_attention(Span a) {
    const Tensor &query = a[0].toTensor(), mask = a[5].isNone() ? Tensor() : a[5].toTensor();
    const std::optional<double> scale = a[6].isNone() ? std::nullopt : std::optional(a[6].toDouble());
    const Tensor out = scaled_dot_product_attention(query, a[1].toTensor(), a[2].toTensor(), mask, a[3].toDouble(),
                                                    a[4].toBool(), scale);
    return IValue::tuple({out, zeros({0}, TensorOptions(kFloat))});
}

constexpr Line lines[] = {
    {"aten::_native_multi_head_attention", multi_head_attention},
    {"aten::_transformer_encoder_layer_fwd", encoder_layer},
    {"aten::_nested_tensor_from_mask", ragged_from_mask},
    {"aten::_nested_tensor_from_mask_left_aligned", left_aligned},
    {"aten::to_padded_tensor", to_padded},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", flash_attention},
    {"prim::is_nested", [](Span a) -> IValue { return is_ragged(a[0].toTensor()); }},
};

} // namespace

std::span<const Line> attention() { return lines; }

} // namespace reel::jit::own
