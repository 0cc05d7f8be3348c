// Multi-head attention as the reference's layer records it: sizes stay dynamic, heads are views.
#include <cmath>

#include <reel/nn/modules/attention.hpp>
#include <reel/nn/modules/transformer_layer.hpp>

#include "trace/tracer.hpp"

namespace reel::jit::trace_impl {

namespace {

IValue list(Args elements) { return IValue::list(std::move(elements)); }
IValue optional(const Tensor& t) { return t.defined() ? IValue(t) : IValue(); }

/// One attention of a sequence to itself, [positions, batch, features] inside.
class Attention {
public:
    Attention(Tracer& t, nn::MultiheadAttentionImpl& m) : t_(t), m_(m), heads_(m.options.num_heads()) {}

    IValue run(const IValue& x, bool need_weights) {
        const bool batch_first = m_.options.batch_first();
        const IValue query = batch_first ? transposed(x, 1, 0) : x;
        t_.local("query", query);
        target_ = size(query, 0);
        batch_ = size(query, 1);
        width_ = size(query, 2);
        t_.local("tgt_len", target_);
        t_.local("bsz", batch_);
        t_.local("embed_dim", width_);
        head_width_ = t_.call("div", {width_, heads_}, {{"rounding_mode", "trunc"}});
        t_.local("head_dim", head_width_);
        project(query);
        const IValue merged = need_weights ? weighted() : dot_product();
        t_.local("attn_output", merged);
        IValue out = t_.aten("aten::linear", {merged, m_.out_proj->weight, optional(m_.out_proj->bias)});
        t_.local("attn_output", out);
        out = t_.aten("aten::view", {out, list({target_, batch_, size(out, 1)})});
        t_.local("attn_output", out);
        if (batch_first) out = transposed(out, 1, 0);
        return IValue::tuple({out, weights_});
    }

private:
    IValue size(const IValue& x, std::int64_t dim) { return t_.size(x.toTensor(), dim); }
    IValue transposed(const IValue& x, std::int64_t a, std::int64_t b) {
        return t_.aten("aten::transpose.int", {x, a, b});
    }
    /// Query, key and value in one product, then per head.
    void project(const IValue& query) {
        const IValue width = size(query, -1);
        IValue p = t_.aten("aten::linear", {query, m_.in_proj_weight, optional(m_.in_proj_bias)});
        p = t_.aten("aten::unflatten.int", {p, -1, list({3, width})});
        p = t_.aten("aten::unsqueeze", {p, 0});
        p = transposed(p, 0, -2);
        p = t_.aten("aten::squeeze.dim", {p, -2});
        p = t_.aten("aten::contiguous", {p, 0});
        t_.local("proj", p);
        const IValue q = t_.aten("aten::select.int", {p, 0, 0}), k = t_.aten("aten::select.int", {p, 0, 1}),
                     v = t_.aten("aten::select.int", {p, 0, 2});
        t_.local("q", q);
        t_.local("k", k);
        t_.local("v", v);
        query_ = per_head("q", q, target_);
        key_ = per_head("k", k, size(k, 0));
        value_ = per_head("v", v, size(v, 0));
    }
    IValue per_head(const char* name, const IValue& x, const IValue& positions) {
        const IValue rows = t_.call("mul", {batch_, heads_});
        const IValue out = transposed(t_.aten("aten::view", {x, list({positions, rows, head_width_})}), 0, 1);
        t_.local(name, out);
        return out;
    }
    IValue weighted() {
        const double scale = std::sqrt(1. / double(head_width_.toTensor().item().toLong()));
        const IValue scaled = t_.call("mul", {query_, scale});
        t_.local("q_scaled", scaled);
        const IValue scores = t_.aten("aten::bmm", {scaled, transposed(key_, -2, -1)});
        IValue weights = t_.call("nn.functional.softmax", {scores, -1});
        t_.local("attn_output_weights", weights);
        if (m_.options.dropout() > 0 && m_.is_training())
            weights = t_.call("nn.functional.dropout", {weights, m_.options.dropout(), true});
        t_.local("attn_output_weights", weights);
        const IValue product = t_.aten("aten::bmm", {weights, value_});
        t_.local("attn_output", product);
        const IValue mixed = transposed(product, 0, 1);
        const IValue rows = t_.call("mul", {target_, batch_});
        const IValue all = t_.aten("aten::view", {weights, list({batch_, heads_, target_, size(key_, 1)})});
        weights_ = t_.aten("aten::mean.dim", {all, list({1})});
        return t_.aten("aten::reshape", {mixed, list({rows, width_})});
    }
    IValue dot_product() {
        const IValue source = size(key_, 1);
        t_.local("src_len", source);
        const IValue q = t_.aten("aten::view", {query_, list({batch_, heads_, target_, head_width_})}),
                     k = t_.aten("aten::view", {key_, list({batch_, heads_, source, head_width_})}),
                     v = t_.aten("aten::view", {value_, list({batch_, heads_, source, head_width_})});
        t_.local("q", q);
        t_.local("k", k);
        t_.local("v", v);
        const double dropout = m_.is_training() ? m_.options.dropout() : 0.;
        const IValue mixed = t_.call("nn.functional.scaled_dot_product_attention", {q, k, v, {}, dropout});
        t_.local("attn_output", mixed);
        const IValue first = t_.aten("aten::permute", {mixed, list({2, 0, 1, 3})});
        const IValue rows = t_.call("mul", {batch_, target_});
        return t_.aten("aten::reshape", {first, list({rows, width_})});
    }

    Tracer& t_;
    nn::MultiheadAttentionImpl& m_;
    std::int64_t heads_;
    IValue target_, batch_, width_, head_width_; ///< numbers as tensors
    IValue query_, key_, value_, weights_;
};
} // namespace

IValue trace_attention(Tracer& t, nn::Module& layer, const Args& a) {
    auto& m = dynamic_cast<nn::MultiheadAttentionImpl&>(layer);
    // query, key, value, key_padding_mask, need_weights
    const bool itself = a.size() >= 3 && a[0].is(a[1]) && a[0].is(a[2]);
    bool plain = itself && m.in_proj_weight.defined() && !m.bias_k.defined() && !m.options.add_zero_attn() &&
                 a[0].toTensor().dim() == 3;
    for (std::size_t i = 3; i < a.size(); ++i) plain = plain && (i == 4 || a[i].isNone());
    REEL_CHECK_NOT_IMPLEMENTED(plain, "jit::trace: attention of a sequence to another, with masks, or without a batch");
    return Attention(t, m).run(a[0], a.size() < 5 || a[4].toBool());
}

IValue trace_encoder_layer(Tracer& t, nn::Module& layer, const Args& a) {
    auto& m = dynamic_cast<nn::TransformerEncoderLayerImpl&>(layer);
    REEL_CHECK_NOT_IMPLEMENTED(a.size() == 1, "jit::trace: a TransformerEncoderLayer with masks");
    const auto attend = [&](const IValue& x) {
        const IValue out = t.module(*m.self_attn, {x, x, x, {}, false}).elements()[0];
        return t.module(*m.dropout1, {out});
    };
    const auto feed = [&](const IValue& x) {
        const IValue inner = t.call("nn.functional.relu", {t.module(*m.linear1, {x})});
        return t.module(*m.dropout2, {t.module(*m.linear2, {t.module(*m.dropout, {inner})})});
    };
    const IValue x = t.module(*m.norm1, {t.call("add", {a[0], attend(a[0])})});
    return t.module(*m.norm2, {t.call("add", {x, feed(x)})});
}

} // namespace reel::jit::trace_impl
