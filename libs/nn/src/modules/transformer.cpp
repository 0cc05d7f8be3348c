// Stacks of transformer layers, and the whole transformer.
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>
#include <reel/nn/modules/transformer.hpp>

#include <limits>

#include <reel/autograd/detail/attention_mask.hpp>
#include <reel/nn/init.hpp>

#include "modules/transformer_values.hpp"

namespace reel::nn {

namespace {

ModuleList copies(const Module& layer, std::int64_t n) {
    ModuleList list;
    for (std::int64_t i = 0; i < n; ++i) list->push_back(layer.clone());
    return list;
}
AnyModule taken(const AnyModule& module, bool copy) { return copy ? module.clone() : module; }

/// Without a hint the mask itself is looked at, as PyTorch does.
bool is_causal_mask(const Tensor& mask, std::optional<bool> hint, const Tensor& sequence, bool batch_first) {
    if (hint || !mask.defined()) return hint.value_or(false);
    const std::int64_t n = sequence.size(sequence.dim() == 3 && batch_first ? 1 : 0), square[] = {n, n};
    if (mask.sizes() != IntArrayRef(square)) return false;
    const Tensor causal = TransformerImpl::generate_square_subsequent_mask(
        n, TensorOptions(mask.device()).dtype(mask.scalar_type() == kBool ? kFloat : mask.scalar_type()));
    const Tensor m = mask.detach();
    return reel::all(reel::eq(m, m.scalar_type() == kBool ? causal.to(kBool) : causal)).item<bool>();
}
/// Other classes of layers take what libtorch passes them: everything by position.
template <class Ours> Value step(Module& m, const Args& positional, const Args& rest, const Kwargs& named) {
    if (m.as<Ours>()) return m.call_values(positional, named);
    Args all = positional;
    all.insert(all.end(), rest.begin(), rest.end());
    return m.call_values(all);
}
/// What encoder and decoder are made of: copies of a layer, and a norm behind them.
template <class Stack> void build_stack(Stack& self, const Module& layer, bool copy_norm) {
    self.layers = self.register_module("layers", copies(layer, self.options.num_layers()));
    if (self.options.norm().is_empty()) return;
    self.norm = taken(self.options.norm(), copy_norm);
    self.add_module("norm", self.norm.ptr());
}
template <class Layer, class Stack> void reset_stack(Stack& self) {
    for (const ModulePtr& m : *self.layers)
        if (auto* layer = m->template as<Layer>()) layer->reset_parameters();
    if (const ModulePtr* norm = self.own_children().find("norm"))
        if (auto* layer = (*norm)->template as<LayerNorm>()) layer->reset_parameters();
}
Tensor normalised(const OrderedDict<std::string, ModulePtr>& children, const Tensor& x) {
    const ModulePtr* norm = children.find("norm");
    return norm && *norm ? (*norm)->call_values({x}).toTensor() : x;
}

} // namespace

TransformerEncoderImpl::TransformerEncoderImpl(TransformerEncoderOptions o) : options(std::move(o)) { build(false); }
void TransformerEncoderImpl::build(bool copy_norm) { build_stack(*this, *options.encoder_layer(), copy_norm); }
void TransformerEncoderImpl::reset_parameters() { reset_stack<TransformerEncoderLayer>(*this); }
Tensor TransformerEncoderImpl::forward(const Tensor& src, const Tensor& src_mask, const Tensor& src_key_padding_mask,
                                       std::optional<bool> is_causal) {
    const char* name = "TransformerEncoder";
    const Value padding = detail::pack(
        reel::detail::additive_mask(src_key_padding_mask, name, "src_key_padding_mask", src.scalar_type()));
    const Tensor added = reel::detail::additive_mask(src_mask, name, "mask", src.scalar_type());
    const Value mask = detail::pack(added);
    const bool causal = is_causal_mask(added, is_causal, src, options.encoder_layer()->options.batch_first());
    Tensor x = src;
    for (const auto& item : own_children()["layers"]->own_children())
        x = step<TransformerEncoderLayer>(
                *item.value(), {x}, {mask, padding},
                {{"src_mask", mask}, {"is_causal", causal}, {"src_key_padding_mask", padding}})
                .toTensor();
    return normalised(own_children(), x);
}

TransformerDecoderImpl::TransformerDecoderImpl(TransformerDecoderOptions o) : options(std::move(o)) { build(false); }
void TransformerDecoderImpl::build(bool copy_norm) { build_stack(*this, *options.decoder_layer(), copy_norm); }
void TransformerDecoderImpl::reset_parameters() { reset_stack<TransformerDecoderLayer>(*this); }
Tensor TransformerDecoderImpl::forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask,
                                       const Tensor& memory_mask, const Tensor& tgt_key_padding_mask,
                                       const Tensor& memory_key_padding_mask, std::optional<bool> tgt_is_causal,
                                       bool memory_is_causal) {
    const Value mask = detail::pack(tgt_mask), across = detail::pack(memory_mask),
                padding = detail::pack(tgt_key_padding_mask), padding_across = detail::pack(memory_key_padding_mask);
    const bool causal = is_causal_mask(tgt_mask, tgt_is_causal, tgt, options.decoder_layer()->options.batch_first());
    Tensor x = tgt;
    for (const auto& item : own_children()["layers"]->own_children())
        x = step<TransformerDecoderLayer>(*item.value(), {x, memory}, {mask, across, padding, padding_across},
                                          {{"tgt_mask", mask},
                                           {"memory_mask", across},
                                           {"tgt_key_padding_mask", padding},
                                           {"memory_key_padding_mask", padding_across},
                                           {"tgt_is_causal", causal},
                                           {"memory_is_causal", memory_is_causal}})
                .toTensor();
    return normalised(own_children(), x);
}

TransformerImpl::TransformerImpl(TransformerOptions o) : options(std::move(o)) { build(false); }
void TransformerImpl::build(bool copy_custom) {
    const auto& o = options;
    const TransformerLayerOptions layer = TransformerLayerOptions(o.d_model(), o.nhead())
                                              .dim_feedforward(o.dim_feedforward())
                                              .dropout(o.dropout())
                                              .activation(o.activation())
                                              .layer_norm_eps(o.layer_norm_eps())
                                              .batch_first(o.batch_first())
                                              .norm_first(o.norm_first())
                                              .bias(o.bias());
    const LayerNormOptions norm = LayerNormOptions({o.d_model()}).eps(o.layer_norm_eps()).bias(o.bias());
    encoder = o.custom_encoder().is_empty()
                  ? AnyModule(TransformerEncoder(
                        TransformerEncoderOptions(layer, o.num_encoder_layers()).norm(AnyModule(LayerNorm(norm)))))
                  : taken(o.custom_encoder(), copy_custom);
    add_module("encoder", encoder.ptr());
    decoder = o.custom_decoder().is_empty()
                  ? AnyModule(TransformerDecoder(
                        TransformerDecoderOptions(layer, o.num_decoder_layers()).norm(AnyModule(LayerNorm(norm)))))
                  : taken(o.custom_decoder(), copy_custom);
    add_module("decoder", decoder.ptr());
    reset_parameters();
}
void TransformerImpl::reset_parameters() {
    for (const Tensor& p : parameters())
        if (p.dim() > 1) init::xavier_uniform_(p);
}
Tensor TransformerImpl::forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask, const Tensor& tgt_mask,
                                const Tensor& memory_mask, const Tensor& src_key_padding_mask,
                                const Tensor& tgt_key_padding_mask, const Tensor& memory_key_padding_mask,
                                std::optional<bool> src_is_causal, std::optional<bool> tgt_is_causal,
                                bool memory_is_causal) {
    const std::int64_t batch = options.batch_first() ? 0 : 1;
    REEL_CHECK(src.dim() >= 2 && tgt.dim() >= 2, "Transformer: src and tgt need two or three dimensions, got ",
               src.sizes(), " and ", tgt.sizes());
    REEL_CHECK(src.dim() != 3 || (tgt.dim() == 3 && src.size(batch) == tgt.size(batch)), "Transformer: src ",
               src.sizes(), " and tgt ", tgt.sizes(), " differ in their batch, dimension ", batch);
    REEL_CHECK(src.size(-1) == options.d_model() && tgt.size(-1) == options.d_model(), "Transformer: src ", src.sizes(),
               " and tgt ", tgt.sizes(), " must have d_model = ", options.d_model(), " features in the last dimension");
    const Value mask = detail::pack(src_mask), padding = detail::pack(src_key_padding_mask);
    const Value memory =
        step<TransformerEncoder>(*own_children()["encoder"], {src}, {mask, padding},
                                 {{"mask", mask}, {"src_key_padding_mask", padding}, {"is_causal", src_is_causal}});
    const Value own = detail::pack(tgt_mask), across = detail::pack(memory_mask),
                own_padding = detail::pack(tgt_key_padding_mask),
                padding_across = detail::pack(memory_key_padding_mask);
    return step<TransformerDecoder>(*own_children()["decoder"], {tgt, memory},
                                    {own, across, own_padding, padding_across},
                                    {{"tgt_mask", own},
                                     {"memory_mask", across},
                                     {"tgt_key_padding_mask", own_padding},
                                     {"memory_key_padding_mask", padding_across},
                                     {"tgt_is_causal", tgt_is_causal},
                                     {"memory_is_causal", memory_is_causal}})
        .toTensor();
}
Tensor TransformerImpl::generate_square_subsequent_mask(std::int64_t n, const TensorOptions& o) {
    return reel::triu(reel::full({n, n}, -std::numeric_limits<double>::infinity(), o), 1);
}

template <> struct OptionCodec<AnyModule> {
    static void read(AnyModule& option, const Value& v) { option = AnyModule(v.get<ModulePtr>()); }
    static std::string text(const AnyModule&) { return "..."; }
};
/// A layer that is given as a module.
template <class Layer> struct LayerCodec {
    static void read(Layer& option, const Value& v) {
        using Impl = typename Layer::ContainedType;
        const auto given = v.get<ModulePtr>();
        auto layer = std::dynamic_pointer_cast<Impl>(given);
        REEL_CHECK_TYPE(layer, "expected a ", type_name(typeid(Impl)), ", got a ", given->repr_name());
        option = Layer(std::move(layer));
    }
    static std::string text(const Layer&) { return "..."; }
};
template <> struct OptionCodec<TransformerEncoderLayer> : LayerCodec<TransformerEncoderLayer> {};
template <> struct OptionCodec<TransformerDecoderLayer> : LayerCodec<TransformerDecoderLayer> {};

TransformerEncoderOptions::TransformerEncoderOptions(const TransformerEncoderLayerOptions& layer,
                                                     std::int64_t num_layers)
    : encoder_layer_(TransformerEncoderLayer(layer)), num_layers_(num_layers) {}
TransformerDecoderOptions::TransformerDecoderOptions(const TransformerDecoderLayerOptions& layer,
                                                     std::int64_t num_layers)
    : decoder_layer_(TransformerDecoderLayer(layer)), num_layers_(num_layers) {}
void TransformerEncoderOptions::fields(OptionVisitor& v) {
    v.required("encoder_layer", encoder_layer_, Shown::never);
    v.required("num_layers", num_layers_, Shown::never);
    v.hidden("norm", norm_);
    v.argument("enable_nested_tensor");
    v.argument("mask_check");
}
void TransformerDecoderOptions::fields(OptionVisitor& v) {
    v.required("decoder_layer", decoder_layer_, Shown::never);
    v.required("num_layers", num_layers_, Shown::never);
    v.hidden("norm", norm_);
}
void TransformerOptions::fields(OptionVisitor& v) {
    v.hidden("d_model", d_model_);
    v.hidden("nhead", nhead_);
    v.hidden("num_encoder_layers", num_encoder_layers_);
    v.hidden("num_decoder_layers", num_decoder_layers_);
    v.hidden("dim_feedforward", dim_feedforward_);
    v.hidden("dropout", dropout_);
    v.hidden("activation", activation_);
    v.hidden("custom_encoder", custom_encoder_);
    v.hidden("custom_decoder", custom_decoder_);
    v.hidden("layer_norm_eps", layer_norm_eps_);
    v.hidden("batch_first", batch_first_);
    v.hidden("norm_first", norm_first_);
    v.hidden("bias", bias_);
    v.device_and_dtype();
}

void register_transformer() { register_layers<TransformerEncoderImpl, TransformerDecoderImpl, TransformerImpl>(); }

} // namespace reel::nn
