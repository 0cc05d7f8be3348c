// The layers of transformers: attention and feed-forward, each with its residual.
#include <reel/nn/modules/transformer_layer.hpp>

#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

IValue trace_attention(Tracer& t, nn::Module& layer, const Args& args);

namespace {

bool is_relu(const nn::activation_t& a) {
    return a.function() && a.function().target_type() == nn::activation_t(kReLU).function().target_type();
}
/// The activation is a function or a module, which is a child then.
IValue activated(Tracer& t, const nn::Module& layer, const nn::TransformerLayerOptions& o, const IValue& x) {
    if (const nn::ModulePtr* module = layer.own_children().find("activation")) return t.module(**module, {x});
    if (is_relu(o.activation())) return t.call("nn.functional.relu", {x});
    const Tracing inside(t);
    return o.activation().function()(x.toTensor());
}

/// What encoder and decoder layers share.
template <class M> class TransformerLayer {
public:
    TransformerLayer(Tracer& t, M& m) : t_(t), m_(m) {}

    IValue attend(nn::MultiheadAttention& attention, nn::Dropout& dropout, const IValue& x, const IValue& memory,
                  const IValue& mask, const IValue& padding, bool causal) {
        const FunctionScope block(t_);
        t_.local("x", x);
        t_.local("mem", memory);
        const IValue out = t_.module(*attention, {x, memory, memory, padding, false, mask, true, causal}).elements()[0];
        t_.local("x", out);
        return t_.module(*dropout, {out});
    }
    IValue feed(nn::Dropout& dropout, const IValue& x) {
        const FunctionScope block(t_);
        t_.local("x", x);
        const IValue inner = activated(t_, m_, m_.options, t_.module(*m_.linear1, {x}));
        const IValue out = t_.module(*m_.linear2, {t_.module(*m_.dropout, {inner})});
        t_.local("x", out);
        return t_.module(*dropout, {out});
    }
    /// `f` of what is normalised, or what comes out normalised.
    template <class F> IValue residual(nn::LayerNorm& norm, const IValue& x, F f) {
        t_.local("x", x);
        if (m_.options.norm_first()) return t_.call("add", {x, f(t_.module(*norm, {x}))});
        return t_.module(*norm, {t_.call("add", {x, f(x)})});
    }

private:
    Tracer& t_;
    M& m_;
};

/// src, src_mask, src_key_padding_mask, is_causal
IValue encoder_layer(Tracer& t, nn::Module& layer, const Args& a) {
    auto& m = dynamic_cast<nn::TransformerEncoderLayerImpl&>(layer);
    TransformerLayer parts(t, m);
    const ScalarType type = a.at(0).toTensor().scalar_type();
    const IValue padding = additive_mask(t, "src_key_padding_mask", argument(a, 2), type);
    const IValue mask = additive_mask(t, "src_mask", argument(a, 1), type);
    const IValue x = parts.residual(m.norm1, a[0], [&](const IValue& v) {
        return parts.attend(m.self_attn, m.dropout1, v, v, mask, padding, flag(a, 3, false));
    });
    return parts.residual(m.norm2, x, [&](const IValue& v) { return parts.feed(m.dropout2, v); });
}
/// tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal, memory_is_causal
IValue decoder_layer(Tracer& t, nn::Module& layer, const Args& a) {
    auto& m = dynamic_cast<nn::TransformerDecoderLayerImpl&>(layer);
    TransformerLayer parts(t, m);
    IValue x = parts.residual(m.norm1, a.at(0), [&](const IValue& v) {
        return parts.attend(m.self_attn, m.dropout1, v, v, argument(a, 2), argument(a, 4), flag(a, 6, false));
    });
    x = parts.residual(m.norm2, x, [&](const IValue& v) {
        return parts.attend(m.multihead_attn, m.dropout2, v, a.at(1), argument(a, 3), argument(a, 5),
                            flag(a, 7, false));
    });
    return parts.residual(m.norm3, x, [&](const IValue& v) { return parts.feed(m.dropout3, v); });
}

constexpr Layer table[] = {
    {"MultiheadAttention", "activation", trace_attention,
     "query key value key_padding_mask need_weights attn_mask average_attn_weights is_causal"},
    {"TransformerEncoderLayer", "transformer", encoder_layer, "src src_mask src_key_padding_mask is_causal"},
    {"TransformerDecoderLayer", "transformer", decoder_layer,
     "tgt memory tgt_mask memory_mask tgt_key_padding_mask memory_key_padding_mask tgt_is_causal memory_is_causal"},
    {"TransformerEncoder", "transformer", nullptr, "src"},
    {"TransformerDecoder", "transformer", nullptr, "tgt memory"},
    {"Transformer", "transformer", nullptr, "src tgt"},
};
} // namespace

std::span<const Layer> attention_layers() { return table; }

} // namespace reel::jit::trace_impl
