// Multi-head attention as the reference's layer records it: sizes stay dynamic, heads are views.
#include <cmath>
#include <limits>

#include <reel/autograd/error.hpp>
#include <reel/nn/modules/attention.hpp>

#include "ops/numbers.hpp"
#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What forward is called with.
struct Call {
    IValue query, key, value, key_padding_mask;
    bool need_weights;
    IValue attn_mask;
    bool average_weights, is_causal;

    explicit Call(const Args& a)
        : query(a.at(0)), key(a.at(1)), value(a.at(2)), key_padding_mask(argument(a, 3)),
          need_weights(flag(a, 4, true)), attn_mask(argument(a, 5)), average_weights(flag(a, 6, true)),
          is_causal(flag(a, 7, false)) {}
};

/// One attention, [positions, batch, features] inside.
class Attention {
public:
    Attention(Tracer& t, nn::MultiheadAttentionImpl& m, const Call& c)
        : t_(t), m_(m), c_(c), heads_(m.options.num_heads()), batched_(c.query.toTensor().dim() == 3) {}

    IValue run() {
        masks();
        const bool swapped = m_.options.batch_first() && batched_;
        if (swapped) swap();
        IValue out = attend();
        if (swapped) out = transposed(out, 1, 0);
        return IValue::tuple({out, weights_});
    }

private:
    IValue keep(const char* name, IValue v) {
        t_.local(name, v);
        return v;
    }
    IValue size(const IValue& x, std::int64_t dim) { return t_.size(x.toTensor(), dim); }
    IValue transposed(const IValue& x, std::int64_t a, std::int64_t b) {
        return t_.aten("aten::transpose.int", {x, a, b});
    }
    IValue view(const IValue& x, Args sizes) { return t_.aten("aten::view", {x, list(std::move(sizes))}); }
    IValue rows(const IValue& factor) { return t_.call("mul", {factor, heads_}); }

    void masks() {
        const ScalarType type = c_.query.toTensor().scalar_type();
        c_.key_padding_mask = additive_mask(t_, "key_padding_mask", c_.key_padding_mask, type);
        c_.attn_mask = additive_mask(t_, "attn_mask", c_.attn_mask, type);
    }
    /// Batches second; what was one tensor stays one.
    void swap() {
        const bool one_source = c_.key.is(c_.value), itself = one_source && c_.query.is(c_.key);
        c_.query = keep("query", transposed(c_.query, 1, 0));
        c_.key = itself ? c_.query : keep("key", transposed(c_.key, 1, 0));
        c_.value = itself || one_source ? c_.key : keep("value", transposed(c_.value, 1, 0));
    }
    void add_batch() {
        c_.query = keep("query", t_.aten("aten::unsqueeze", {c_.query, 1}));
        c_.key = keep("key", t_.aten("aten::unsqueeze", {c_.key, 1}));
        c_.value = keep("value", t_.aten("aten::unsqueeze", {c_.value, 1}));
        if (!c_.key_padding_mask.isNone())
            c_.key_padding_mask = keep("key_padding_mask", t_.aten("aten::unsqueeze", {c_.key_padding_mask, 0}));
    }
    IValue attend() {
        if (!batched_) add_batch();
        target_ = keep("tgt_len", size(c_.query, 0));
        batch_ = keep("bsz", size(c_.query, 1));
        width_ = keep("embed_dim", size(c_.query, 2));
        t_.look_at(c_.key);
        t_.look_at(c_.value);
        head_width_ = keep("head_dim", t_.call("div", {width_, heads_}, {{"rounding_mode", "trunc"}}));
        // without weights asked for, the kernel masks by itself
        const bool causal = c_.is_causal && c_.key_padding_mask.isNone() && !c_.need_weights;
        if (causal) c_.attn_mask = {};
        project();
        if (!c_.attn_mask.isNone() && c_.attn_mask.toTensor().dim() == 2)
            c_.attn_mask = keep("attn_mask", t_.aten("aten::unsqueeze", {c_.attn_mask, 0}));
        if (m_.bias_k.defined()) add_biases();
        query_ = keep("q", per_head(query_, target_));
        key_ = keep("k", per_head(key_, size(key_, 0)));
        value_ = keep("v", per_head(value_, size(value_, 0)));
        if (m_.options.add_zero_attn()) add_zeros();
        source_ = keep("src_len", size(key_, 1));
        merge_masks();
        return c_.need_weights ? weighted() : dot_product(causal);
    }

    /// `proj` split again along its features: [parts, ...].
    IValue stacked(const char* name, const IValue& projected, std::int64_t parts, const IValue& width) {
        IValue p = t_.aten("aten::unflatten.int", {projected, -1, list({parts, width})});
        p = t_.aten("aten::unsqueeze", {p, 0});
        p = transposed(p, 0, -2);
        p = t_.aten("aten::squeeze.dim", {p, -2});
        return keep(name, t_.aten("aten::contiguous", {p, 0}));
    }
    IValue select(const IValue& x, std::int64_t i) { return t_.aten("aten::select.int", {x, 0, i}); }
    IValue linear(const IValue& x, const IValue& weight, const IValue& bias) {
        return t_.aten("aten::linear", {x, weight, bias});
    }

    void project() {
        {
            const FunctionScope packed(t_);
            const bool one_source = c_.key.is(c_.value), separate = !m_.in_proj_weight.defined();
            if (separate) project_separately();
            else if (!one_source) project_each();
            else if (c_.query.is(c_.key)) project_at_once();
            else project_pair();
        }
        t_.local("q", query_);
        t_.local("k", key_);
        t_.local("v", value_);
    }
    void project_at_once() {
        const IValue width = size(c_.query, -1);
        const IValue proj = stacked("proj", linear(c_.query, m_.in_proj_weight, optional(m_.in_proj_bias)), 3, width);
        query_ = select(proj, 0);
        key_ = select(proj, 1);
        value_ = select(proj, 2);
    }
    void project_pair() {
        const IValue width = keep("E", size(c_.query, -1));
        const auto parts = [&](const Tensor& t, const char* first, const char* second) -> Args {
            if (!t.defined()) return {{}, {}};
            const IValue twice = t_.call("mul", {width, 2});
            Args out = t_.aten("aten::split_with_sizes", {t, list({width, twice}), 0}).elements();
            t_.local(first, out[0]);
            t_.local(second, out[1]);
            return out;
        };
        const Args w = parts(m_.in_proj_weight, "w_q", "w_kv"), b = parts(m_.in_proj_bias, "b_q", "b_kv");
        query_ = linear(c_.query, w[0], b[0]);
        const IValue proj = stacked("kv_proj", linear(c_.key, w[1], b[1]), 2, width);
        key_ = select(proj, 0);
        value_ = select(proj, 1);
    }
    Args thirds(const Tensor& t, std::array<const char*, 3> names) {
        if (!t.defined()) return {{}, {}, {}};
        Args out = t_.aten("aten::chunk", {t, 3, 0}).elements();
        for (std::size_t i = 0; i < 3; ++i) t_.local(names[i], out[i]);
        return out;
    }
    void project_each() {
        const Args w = thirds(m_.in_proj_weight, {"w_q", "w_k", "w_v"});
        const Args b = thirds(m_.in_proj_bias, {"b_q", "b_k", "b_v"});
        project_by(w[0], w[1], w[2], b);
    }
    void project_separately() {
        project_by(m_.q_proj_weight, m_.k_proj_weight, m_.v_proj_weight,
                   thirds(m_.in_proj_bias, {"b_q", "b_k", "b_v"}));
    }
    void project_by(const IValue& q, const IValue& k, const IValue& v, const Args& bias) {
        query_ = linear(c_.query, q, bias[0]);
        key_ = linear(c_.key, k, bias[1]);
        value_ = linear(c_.value, v, bias[2]);
    }

    void pad_masks() {
        for (auto [mask, name] : {std::pair(&c_.attn_mask, "attn_mask"), {&c_.key_padding_mask, "key_padding_mask"}})
            if (!mask->isNone()) *mask = keep(name, t_.call("nn.functional.pad", {*mask, list({0, 1})}));
    }
    void add_biases() {
        const auto with = [&](const IValue& x, const Tensor& bias) {
            const IValue more = t_.aten("aten::repeat", {bias, list({1, batch_, 1})});
            return t_.aten("aten::cat", {list({x, more}), 0});
        };
        key_ = keep("k", with(key_, m_.bias_k));
        value_ = keep("v", with(value_, m_.bias_v));
        pad_masks();
    }
    void add_zeros() {
        const IValue all = rows(batch_);
        const auto with = [&](const IValue& x) {
            const Tensor& like = x.toTensor();
            const IValue more =
                t_.aten("aten::zeros",
                        {list({all, 1, head_width_}), number_of_dtype(like.scalar_type()), {}, like.device(), false});
            return t_.aten("aten::cat", {list({x, more}), 1});
        };
        key_ = keep("k", with(key_));
        value_ = keep("v", with(value_));
        pad_masks();
    }
    IValue per_head(const IValue& x, const IValue& positions) {
        const IValue all = rows(batch_);
        return transposed(view(x, {positions, all, head_width_}), 0, 1);
    }
    void merge_masks() {
        if (c_.key_padding_mask.isNone()) return;
        const IValue wide = t_.aten(
            "aten::expand", {view(c_.key_padding_mask, {batch_, 1, 1, source_}), list({-1, heads_, -1, -1}), false});
        const IValue all = rows(batch_);
        const IValue padding = keep("key_padding_mask", t_.aten("aten::reshape", {wide, list({all, 1, source_})}));
        c_.attn_mask = c_.attn_mask.isNone() ? padding : keep("attn_mask", t_.call("add", {c_.attn_mask, padding}));
    }

    double dropout() const { return m_.is_training() ? m_.options.dropout() : 0.; }
    IValue projected(const IValue& merged) {
        t_.local("attn_output", merged);
        const IValue out = keep("attn_output", linear(merged, m_.out_proj->weight, optional(m_.out_proj->bias)));
        const IValue shaped = keep("attn_output", view(out, {target_, batch_, size(out, 1)}));
        return shaped;
    }
    IValue weighted() {
        const double scale = std::sqrt(1. / double(head_width_.toTensor().item().toLong()));
        const IValue scaled = keep("q_scaled", t_.call("mul", {query_, scale}));
        const IValue keys = transposed(key_, -2, -1);
        const IValue scores = c_.attn_mask.isNone() ? t_.aten("aten::bmm", {scaled, keys})
                                                    : t_.aten("aten::baddbmm", {c_.attn_mask, scaled, keys, 1, 1});
        IValue weights = keep("attn_output_weights", t_.call("nn.functional.softmax", {scores, -1}));
        if (dropout() > 0)
            weights = keep("attn_output_weights", t_.call("nn.functional.dropout", {weights, dropout(), true}));
        const IValue product = keep("attn_output", t_.aten("aten::bmm", {weights, value_}));
        const IValue mixed = transposed(product, 0, 1);
        const IValue all = t_.call("mul", {target_, batch_});
        IValue out = projected(t_.aten("aten::reshape", {mixed, list({all, width_})}));
        weights_ = keep("attn_output_weights", view(weights, {batch_, heads_, target_, source_}));
        if (c_.average_weights)
            weights_ = keep("attn_output_weights", t_.aten("aten::mean.dim", {weights_, list({1}), false, {}}));
        if (batched_) return out;
        out = t_.aten("aten::squeeze.dim", {out, 1});
        weights_ = t_.aten("aten::squeeze.dim", {weights_, 0});
        return out;
    }
    IValue dot_product(bool causal) {
        IValue mask = c_.attn_mask;
        if (!mask.isNone())
            mask = keep("attn_mask", mask.toTensor().dim() == 3 && mask.toTensor().size(0) == 1
                                         ? t_.aten("aten::unsqueeze", {mask, 0})
                                         : view(mask, {batch_, heads_, -1, source_}));
        const IValue q = keep("q", view(query_, {batch_, heads_, target_, head_width_})),
                     k = keep("k", view(key_, {batch_, heads_, source_, head_width_})),
                     v = keep("v", view(value_, {batch_, heads_, source_, head_width_}));
        const IValue mixed = keep(
            "attn_output", t_.call("nn.functional.scaled_dot_product_attention", {q, k, v, mask, dropout(), causal}));
        const IValue first = t_.aten("aten::permute", {mixed, list({2, 0, 1, 3})});
        const IValue all = t_.call("mul", {batch_, target_});
        const IValue out = projected(t_.aten("aten::reshape", {first, list({all, width_})}));
        return batched_ ? out : t_.aten("aten::squeeze.dim", {out, 1});
    }

    Tracer& t_;
    nn::MultiheadAttentionImpl& m_;
    Call c_;
    std::int64_t heads_;
    bool batched_;
    IValue target_, source_, batch_, width_, head_width_; ///< numbers as tensors
    IValue query_, key_, value_, weights_;
};
} // namespace

IValue additive_mask(Tracer& t, const char* name, const IValue& mask, ScalarType type) {
    t.local(name, mask);
    if (mask.isNone() || mask.toTensor().scalar_type() != kBool) return mask;
    const IValue zeros = t.aten("aten::zeros_like", {mask, number_of_dtype(type), {}, {}, false, {}});
    const IValue out = t.aten("aten::masked_fill_.Scalar", {zeros, mask, -infinity});
    t.local(name, out);
    return out;
}
IValue trace_attention(Tracer& t, nn::Module& layer, const Args& a) {
    return Attention(t, dynamic_cast<nn::MultiheadAttentionImpl&>(layer), Call(a)).run();
}

} // namespace reel::jit::trace_impl
