// One layer of a transformer's encoder and one of its decoder.
#pragma once

#include <functional>

#include <reel/autograd/enum.hpp>
#include <reel/nn/modules/attention.hpp>
#include <reel/nn/modules/dropout.hpp>
#include <reel/nn/modules/normalization.hpp>

namespace reel::nn {

/// What a transformer layer does between its two linear maps: kReLU, kGELU, any function of a tensor, or a module,
/// which becomes the layer's child "activation".
class activation_t {
public:
    using Function = std::function<Tensor(const Tensor&)>;
    activation_t(enumtype::kReLU);
    activation_t(enumtype::kGELU);
    activation_t(ModulePtr module) : module_(std::move(module)) {}
    template <class M>
    requires(requires(const M& m) { m.ptr(); }) activation_t(const M& holder) : module_(holder.ptr()) {}
    template <class F>
    requires(std::is_invocable_r_v<Tensor, F&, const Tensor&> && !requires(const F& f) { f.ptr(); })
        activation_t(F function)
        : function_(std::move(function)) {}
    const Function& function() const { return function_; } ///< empty for a module
    const ModulePtr& module() const { return module_; }

private:
    Function function_;
    ModulePtr module_;
};

/// The options that encoder and decoder layers share.
struct TransformerLayerOptions {
    TransformerLayerOptions(std::int64_t d_model, std::int64_t nhead) : d_model_(d_model), nhead_(nhead) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, d_model);
    REEL_ARG(std::int64_t, nhead);
    REEL_ARG(std::int64_t, dim_feedforward) = 2048;
    REEL_ARG(double, dropout) = 0.1;
    REEL_ARG(activation_t, activation) = kReLU;
    REEL_ARG(double, layer_norm_eps) = 1e-5;
    REEL_ARG(bool, batch_first) = false;
    REEL_ARG(bool, norm_first) = false; ///< normalise what goes into attention and feed-forward, not what comes out
    REEL_ARG(bool, bias) = true;
};
using TransformerEncoderLayerOptions = TransformerLayerOptions;
using TransformerDecoderLayerOptions = TransformerLayerOptions;

/// Attention of a sequence to itself, then a feed-forward net, each with dropout, added to its input and normalised
/// (nn.TransformerEncoderLayer). src [positions, batch, d_model], with `batch_first` [batch, positions, d_model], or
/// unbatched; masks as in MultiheadAttention. Children are looked up by name when called, so `replace_module` takes
/// effect, and are called with hooks. There is no separate path for inference, hence no nested tensors.
class TransformerEncoderLayerImpl : public Cloneable<TransformerEncoderLayerImpl> {
public:
    TransformerEncoderLayerImpl(std::int64_t d_model, std::int64_t nhead)
        : TransformerEncoderLayerImpl(TransformerEncoderLayerOptions(d_model, nhead)) {}
    explicit TransformerEncoderLayerImpl(const TransformerEncoderLayerOptions& options);
    void reset() override { build(true); }
    void reset_parameters(); ///< of every child
    static constexpr const char* forward_arguments = "src, src_mask, src_key_padding_mask, is_causal";
    static Args forward_defaults() { return {{}, {}, false}; }
    Tensor forward(const Tensor& src, const Tensor& src_mask = {}, const Tensor& src_key_padding_mask = {},
                   bool is_causal = false);
    TransformerEncoderLayerOptions options;
    MultiheadAttention self_attn = nullptr;
    Linear linear1 = nullptr;
    Dropout dropout = nullptr;
    Linear linear2 = nullptr;
    LayerNorm norm1 = nullptr, norm2 = nullptr;
    Dropout dropout1 = nullptr, dropout2 = nullptr;

private:
    void build(bool copy_activation);
};
REEL_MODULE(TransformerEncoderLayer);

/// As the encoder's, with attention to `memory` (child multihead_attn) in between (nn.TransformerDecoderLayer).
class TransformerDecoderLayerImpl : public Cloneable<TransformerDecoderLayerImpl> {
public:
    TransformerDecoderLayerImpl(std::int64_t d_model, std::int64_t nhead)
        : TransformerDecoderLayerImpl(TransformerDecoderLayerOptions(d_model, nhead)) {}
    explicit TransformerDecoderLayerImpl(const TransformerDecoderLayerOptions& options);
    void reset() override { build(true); }
    void reset_parameters(); ///< of every child
    static constexpr const char* forward_arguments = "tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, "
                                                     "memory_key_padding_mask, tgt_is_causal, memory_is_causal";
    static Args forward_defaults() { return {{}, {}, {}, {}, false, false}; }
    Tensor forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask = {}, const Tensor& memory_mask = {},
                   const Tensor& tgt_key_padding_mask = {}, const Tensor& memory_key_padding_mask = {},
                   bool tgt_is_causal = false, bool memory_is_causal = false);
    TransformerDecoderLayerOptions options;
    MultiheadAttention self_attn = nullptr, multihead_attn = nullptr;
    Linear linear1 = nullptr;
    Dropout dropout = nullptr;
    Linear linear2 = nullptr;
    LayerNorm norm1 = nullptr, norm2 = nullptr, norm3 = nullptr;
    Dropout dropout1 = nullptr, dropout2 = nullptr, dropout3 = nullptr;

private:
    void build(bool copy_activation);
};
REEL_MODULE(TransformerDecoderLayer);

} // namespace reel::nn
