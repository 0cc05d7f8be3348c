// Stacks of transformer layers, and the whole transformer.
#pragma once

#include <reel/nn/modules/any_module.hpp>
#include <reel/nn/modules/module_list.hpp>
#include <reel/nn/modules/transformer_layer.hpp>

namespace reel::nn {

/// The layer is copied `num_layers` times; `norm`, if any, comes last.
struct TransformerEncoderOptions {
    TransformerEncoderOptions(TransformerEncoderLayer encoder_layer, std::int64_t num_layers)
        : encoder_layer_(std::move(encoder_layer)), num_layers_(num_layers) {}
    TransformerEncoderOptions(const TransformerEncoderLayerOptions& layer, std::int64_t num_layers);
    void fields(OptionVisitor& v);
    REEL_ARG(TransformerEncoderLayer, encoder_layer);
    REEL_ARG(std::int64_t, num_layers);
    REEL_ARG(AnyModule, norm);
};
/// Encoder layers one after the other (nn.TransformerEncoder). Layers of another class are called with src, mask and
/// padding mask by position. `is_causal` nullopt: the mask is looked at.
class TransformerEncoderImpl : public Cloneable<TransformerEncoderImpl> {
public:
    TransformerEncoderImpl(TransformerEncoderLayer encoder_layer, std::int64_t num_layers)
        : TransformerEncoderImpl(TransformerEncoderOptions(std::move(encoder_layer), num_layers)) {}
    explicit TransformerEncoderImpl(TransformerEncoderOptions options);
    void reset() override { build(true); }
    void reset_parameters(); ///< of every layer and the norm
    static constexpr const char* forward_arguments = "src, mask, src_key_padding_mask, is_causal";
    static Args forward_defaults() { return {{}, {}, {}}; }
    Tensor forward(const Tensor& src, const Tensor& src_mask = {}, const Tensor& src_key_padding_mask = {},
                   std::optional<bool> is_causal = std::nullopt);
    TransformerEncoderOptions options;
    ModuleList layers = nullptr;
    AnyModule norm;

private:
    void build(bool copy_norm);
};
REEL_MODULE(TransformerEncoder);

struct TransformerDecoderOptions {
    TransformerDecoderOptions(TransformerDecoderLayer decoder_layer, std::int64_t num_layers)
        : decoder_layer_(std::move(decoder_layer)), num_layers_(num_layers) {}
    TransformerDecoderOptions(const TransformerDecoderLayerOptions& layer, std::int64_t num_layers);
    void fields(OptionVisitor& v);
    REEL_ARG(TransformerDecoderLayer, decoder_layer);
    REEL_ARG(std::int64_t, num_layers);
    REEL_ARG(AnyModule, norm);
};
/// Decoder layers one after the other (nn.TransformerDecoder); the rest as for the encoder.
class TransformerDecoderImpl : public Cloneable<TransformerDecoderImpl> {
public:
    TransformerDecoderImpl(TransformerDecoderLayer decoder_layer, std::int64_t num_layers)
        : TransformerDecoderImpl(TransformerDecoderOptions(std::move(decoder_layer), num_layers)) {}
    explicit TransformerDecoderImpl(TransformerDecoderOptions options);
    void reset() override { build(true); }
    void reset_parameters(); ///< of every layer and the norm
    static constexpr const char* forward_arguments = "tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, "
                                                     "memory_key_padding_mask, tgt_is_causal, memory_is_causal";
    static Args forward_defaults() { return {{}, {}, {}, {}, {}, false}; }
    Tensor forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask = {}, const Tensor& memory_mask = {},
                   const Tensor& tgt_key_padding_mask = {}, const Tensor& memory_key_padding_mask = {},
                   std::optional<bool> tgt_is_causal = std::nullopt, bool memory_is_causal = false);
    TransformerDecoderOptions options;
    ModuleList layers = nullptr;
    AnyModule norm;

private:
    void build(bool copy_norm);
};
REEL_MODULE(TransformerDecoder);

struct TransformerOptions {
    TransformerOptions() = default;
    TransformerOptions(std::int64_t d_model, std::int64_t nhead) : d_model_(d_model), nhead_(nhead) {}
    TransformerOptions(std::int64_t d_model, std::int64_t nhead, std::int64_t num_encoder_layers,
                       std::int64_t num_decoder_layers)
        : d_model_(d_model), nhead_(nhead), num_encoder_layers_(num_encoder_layers),
          num_decoder_layers_(num_decoder_layers) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, d_model) = 512;
    REEL_ARG(std::int64_t, nhead) = 8;
    REEL_ARG(std::int64_t, num_encoder_layers) = 6;
    REEL_ARG(std::int64_t, num_decoder_layers) = 6;
    REEL_ARG(std::int64_t, dim_feedforward) = 2048;
    REEL_ARG(double, dropout) = 0.1;
    REEL_ARG(activation_t, activation) = kReLU;
    REEL_ARG(AnyModule, custom_encoder);
    REEL_ARG(AnyModule, custom_decoder);
    REEL_ARG(double, layer_norm_eps) = 1e-5;
    REEL_ARG(bool, batch_first) = false;
    REEL_ARG(bool, norm_first) = false;
    REEL_ARG(bool, bias) = true;
};
/// Encoder and decoder, each with a final LayerNorm (nn.Transformer). src [source, batch, d_model] and tgt [target,
/// batch, d_model] (`batch_first`: batch in front; unbatched: without) give [target, batch, d_model]. Every matrix
/// starts Xavier-uniform. A custom encoder of another class is called with src, mask and padding mask by position, a
/// decoder with tgt, memory and the four masks.
/// Errors: Error when batch or feature numbers of src and tgt do not fit.
class TransformerImpl : public Cloneable<TransformerImpl> {
public:
    TransformerImpl(std::int64_t d_model, std::int64_t nhead) : TransformerImpl(TransformerOptions(d_model, nhead)) {}
    explicit TransformerImpl(TransformerOptions options = {});
    void reset() override { build(true); }
    void reset_parameters();
    static constexpr const char* forward_arguments =
        "src, tgt, src_mask, tgt_mask, memory_mask, src_key_padding_mask, tgt_key_padding_mask, "
        "memory_key_padding_mask, src_is_causal, tgt_is_causal, memory_is_causal";
    static Args forward_defaults() { return {{}, {}, {}, {}, {}, {}, {}, {}, false}; }
    Tensor forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask = {}, const Tensor& tgt_mask = {},
                   const Tensor& memory_mask = {}, const Tensor& src_key_padding_mask = {},
                   const Tensor& tgt_key_padding_mask = {}, const Tensor& memory_key_padding_mask = {},
                   std::optional<bool> src_is_causal = std::nullopt, std::optional<bool> tgt_is_causal = std::nullopt,
                   bool memory_is_causal = false);
    /// [n, n]: -inf above the diagonal, 0 elsewhere.
    static Tensor generate_square_subsequent_mask(std::int64_t n, const TensorOptions& options = {});
    TransformerOptions options;
    AnyModule encoder, decoder;

private:
    void build(bool copy_custom);
};
class Transformer : public ModuleHolder<TransformerImpl> {
public:
    using ModuleHolder<TransformerImpl>::ModuleHolder;
    using Impl [[maybe_unused]] = TransformerImpl;
    static Tensor generate_square_subsequent_mask(std::int64_t n, const TensorOptions& options = {}) {
        return TransformerImpl::generate_square_subsequent_mask(n, options);
    }
};

} // namespace reel::nn
