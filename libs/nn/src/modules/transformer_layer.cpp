// Layers of a transformer's encoder and decoder.
#include <reel/autograd/ops/pointwise/activation.hpp>
#include <reel/nn/modules/transformer_layer.hpp>

#include <reel/autograd/detail/attention_mask.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "modules/transformer_values.hpp"

namespace reel::nn {

activation_t::activation_t(enumtype::kReLU) : function_([](const Tensor& x) { return reel::relu(x); }) {}
activation_t::activation_t(enumtype::kGELU) : function_([](const Tensor& x) { return reel::gelu(x); }) {}

namespace {

/// The blocks that both kinds of layers are made of. Children are called by name, with hooks.
struct Blocks {
    const Module& layer;
    const TransformerLayerOptions& options;

    Module& child(const char* name) const { return *layer.own_children()[name]; }
    Tensor through(const char* name, const Tensor& x) const { return child(name).call_values({x}).toTensor(); }
    /// What `block` adds to `x`, normalised before or after.
    template <class F> Tensor residual(const Tensor& x, const char* norm, F block) const {
        return options.norm_first() ? x + block(through(norm, x)) : through(norm, x + block(x));
    }
    Tensor attend(const char* attention, const char* dropout, const Tensor& x, const Tensor& memory, const Tensor& mask,
                  const Tensor& padding, bool is_causal) const {
        const Value result =
            child(attention).call_values({x, memory, memory}, {{"attn_mask", detail::pack(mask)},
                                                               {"key_padding_mask", detail::pack(padding)},
                                                               {"need_weights", false},
                                                               {"is_causal", is_causal}});
        return through(dropout, result.elements().at(0).toTensor());
    }
    Tensor feed_forward(const Tensor& x, const char* dropout) const {
        const Tensor inner = through("linear1", x);
        const ModulePtr* module = layer.own_children().find("activation");
        const Tensor active =
            module ? (*module)->call_values({inner}).toTensor() : options.activation().function()(inner);
        return through(dropout, through("linear2", through("dropout", active)));
    }
};
MultiheadAttentionOptions attention(const TransformerLayerOptions& o) {
    return MultiheadAttentionOptions(o.d_model(), o.nhead())
        .dropout(o.dropout())
        .bias(o.bias())
        .batch_first(o.batch_first());
}
LayerNormOptions norm(const TransformerLayerOptions& o) {
    return LayerNormOptions({o.d_model()}).eps(o.layer_norm_eps()).bias(o.bias());
}
void reset_children(const Module& layer) {
    for (const ModulePtr& m : layer.children()) {
        if (auto* a = m->as<MultiheadAttention>()) a->_reset_parameters();
        else if (auto* l = m->as<Linear>()) l->reset_parameters();
        else if (auto* n = m->as<LayerNorm>()) n->reset_parameters();
    }
}
/// The children that both kinds of layers have behind their attention, up to the second norm.
template <class Layer> void build_feed_forward(Layer& self) {
    const TransformerLayerOptions& o = self.options;
    const auto linear = [&](std::int64_t from, std::int64_t to) {
        return Linear(LinearOptions(from, to).bias(o.bias()));
    };
    self.linear1 = self.register_module("linear1", linear(o.d_model(), o.dim_feedforward()));
    self.dropout = self.register_module("dropout", Dropout(o.dropout()));
    self.linear2 = self.register_module("linear2", linear(o.dim_feedforward(), o.d_model()));
    self.norm1 = self.register_module("norm1", LayerNorm(norm(o)));
    self.norm2 = self.register_module("norm2", LayerNorm(norm(o)));
}
/// The dropouts of the first two blocks.
template <class Layer> void build_dropouts(Layer& self) {
    self.dropout1 = self.register_module("dropout1", Dropout(self.options.dropout()));
    self.dropout2 = self.register_module("dropout2", Dropout(self.options.dropout()));
}
void build_activation(Module& self, const TransformerLayerOptions& o, bool copy) {
    if (const ModulePtr& module = o.activation().module())
        self.add_module("activation", copy ? module->clone() : module);
}

} // namespace

TransformerEncoderLayerImpl::TransformerEncoderLayerImpl(const TransformerEncoderLayerOptions& o) : options(o) {
    build(false);
}
void TransformerEncoderLayerImpl::build(bool copy_activation) {
    const auto& o = options;
    self_attn = register_module("self_attn", MultiheadAttention(attention(o)));
    build_feed_forward(*this);
    build_dropouts(*this);
    build_activation(*this, o, copy_activation);
}
void TransformerEncoderLayerImpl::reset_parameters() { reset_children(*this); }
Tensor TransformerEncoderLayerImpl::forward(const Tensor& src, const Tensor& src_mask,
                                            const Tensor& src_key_padding_mask, bool is_causal) {
    const char* name = "TransformerEncoderLayer";
    const Tensor padding =
        reel::detail::additive_mask(src_key_padding_mask, name, "src_key_padding_mask", src.scalar_type());
    const Tensor mask = reel::detail::additive_mask(src_mask, name, "src_mask", src.scalar_type());
    const Blocks b{*this, options};
    const Tensor x = b.residual(src, "norm1", [&](const Tensor& y) {
        return b.attend("self_attn", "dropout1", y, y, mask, padding, is_causal);
    });
    return b.residual(x, "norm2", [&](const Tensor& y) { return b.feed_forward(y, "dropout2"); });
}

TransformerDecoderLayerImpl::TransformerDecoderLayerImpl(const TransformerDecoderLayerOptions& o) : options(o) {
    build(false);
}
void TransformerDecoderLayerImpl::build(bool copy_activation) {
    const auto& o = options;
    self_attn = register_module("self_attn", MultiheadAttention(attention(o)));
    multihead_attn = register_module("multihead_attn", MultiheadAttention(attention(o)));
    build_feed_forward(*this);
    norm3 = register_module("norm3", LayerNorm(norm(o)));
    build_dropouts(*this);
    dropout3 = register_module("dropout3", Dropout(o.dropout()));
    build_activation(*this, o, copy_activation);
}
void TransformerDecoderLayerImpl::reset_parameters() { reset_children(*this); }
Tensor TransformerDecoderLayerImpl::forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask,
                                            const Tensor& memory_mask, const Tensor& tgt_key_padding_mask,
                                            const Tensor& memory_key_padding_mask, bool tgt_is_causal,
                                            bool memory_is_causal) {
    const Blocks b{*this, options};
    Tensor x = b.residual(tgt, "norm1", [&](const Tensor& y) {
        return b.attend("self_attn", "dropout1", y, y, tgt_mask, tgt_key_padding_mask, tgt_is_causal);
    });
    x = b.residual(x, "norm2", [&](const Tensor& y) {
        return b.attend("multihead_attn", "dropout2", y, memory, memory_mask, memory_key_padding_mask,
                        memory_is_causal);
    });
    return b.residual(x, "norm3", [&](const Tensor& y) { return b.feed_forward(y, "dropout3"); });
}

void TransformerLayerOptions::fields(OptionVisitor& v) {
    v.required("d_model", d_model_, Shown::never);
    v.required("nhead", nhead_, Shown::never);
    v.hidden("dim_feedforward", dim_feedforward_);
    v.hidden("dropout", dropout_);
    v.hidden("activation", activation_);
    v.hidden("layer_norm_eps", layer_norm_eps_);
    v.hidden("batch_first", batch_first_);
    v.hidden("norm_first", norm_first_);
    v.hidden("bias", bias_);
    v.device_and_dtype();
}

void register_transformer_layer() { register_layers<TransformerEncoderLayerImpl, TransformerDecoderLayerImpl>(); }

} // namespace reel::nn
