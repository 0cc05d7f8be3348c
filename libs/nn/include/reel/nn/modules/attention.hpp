// Attention with several heads.
#pragma once

#include <tuple>

#include <reel/nn/modules/linear.hpp>

namespace reel::nn {

/// The output projection of attention: a Linear under the name that PyTorch prints.
class NonDynamicallyQuantizableLinearImpl : public LinearImpl {
public:
    using LinearImpl::LinearImpl;
    std::string repr_name() const override { return "NonDynamicallyQuantizableLinear"; }
    ModulePtr clone(std::optional<Device> device = std::nullopt, bool keep_hooks = true) const override;
};

struct MultiheadAttentionOptions {
    MultiheadAttentionOptions(std::int64_t embed_dim, std::int64_t num_heads)
        : embed_dim_(embed_dim), num_heads_(num_heads), kdim_(embed_dim), vdim_(embed_dim) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, embed_dim);
    REEL_ARG(std::int64_t, num_heads);
    REEL_ARG(double, dropout) = 0.; ///< of the attention weights, in training
    REEL_ARG(bool, bias) = true;
    REEL_ARG(bool, add_bias_kv) = false;   ///< one learned key and value more
    REEL_ARG(bool, add_zero_attn) = false; ///< one key and value of zeros more
    REEL_ARG(std::int64_t, kdim);
    REEL_ARG(std::int64_t, vdim);
    REEL_ARG(bool, batch_first) = false;
};

/// softmax(q k^T / sqrt(d) + masks) v per head, on projections of query, key and value (nn.MultiheadAttention).
/// Inputs [positions, batch, features] (`batch_first`: [batch, positions, features]; unbatched: [positions, features]).
/// `key_padding_mask` [batch, source] and `attn_mask` [target, source] or [batch * heads, target, source] hide keys
/// where they are true or -inf; other numbers are added to the scores. Returns the output and the weights [batch,
/// target, source], per head as well without `average_attn_weights`; without `need_weights` they are undefined and
/// scaled_dot_product_attention computes. `is_causal` only says that attn_mask is the causal one.
/// `out_proj` lends its tensors: it is not called, so its hooks do not run, as in PyTorch.
/// Errors: ValueError for sizes that are not positive; Error for shapes that do not fit, naming the argument.
class MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
public:
    MultiheadAttentionImpl(std::int64_t embed_dim, std::int64_t num_heads)
        : MultiheadAttentionImpl(MultiheadAttentionOptions(embed_dim, num_heads)) {}
    explicit MultiheadAttentionImpl(const MultiheadAttentionOptions& options);
    void reset() override;
    /// Xavier-uniform projections, zero biases, Xavier-normal bias_k and bias_v; out_proj's weight stays as drawn.
    void _reset_parameters();
    static constexpr const char* forward_arguments =
        "query, key, value, key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal";
    static Args forward_defaults() { return {{}, true, {}, true, false}; }
    std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                       const Tensor& key_padding_mask = {}, bool need_weights = true,
                                       const Tensor& attn_mask = {}, bool average_attn_weights = true,
                                       bool is_causal = false);
    MultiheadAttentionOptions options;
    Tensor in_proj_weight, in_proj_bias;                ///< of query, key and value, stacked
    Tensor q_proj_weight, k_proj_weight, v_proj_weight; ///< instead of in_proj_weight where kdim or vdim differ
    Tensor bias_k, bias_v;
    Linear out_proj = nullptr;
    bool _qkv_same_embed_dim = true; ///< kdim and vdim are embed_dim: there is one in_proj_weight
};
REEL_MODULE(MultiheadAttention);

namespace functional {

struct MultiheadAttentionForwardFuncOptions {
    MultiheadAttentionForwardFuncOptions(std::int64_t embed_dim_to_check, std::int64_t num_heads, Tensor in_proj_weight,
                                         Tensor in_proj_bias, Tensor bias_k, Tensor bias_v, bool add_zero_attn,
                                         double dropout_p, Tensor out_proj_weight, Tensor out_proj_bias)
        : embed_dim_to_check_(embed_dim_to_check), num_heads_(num_heads), in_proj_weight_(std::move(in_proj_weight)),
          in_proj_bias_(std::move(in_proj_bias)), bias_k_(std::move(bias_k)), bias_v_(std::move(bias_v)),
          add_zero_attn_(add_zero_attn), dropout_p_(dropout_p), out_proj_weight_(std::move(out_proj_weight)),
          out_proj_bias_(std::move(out_proj_bias)) {}
    REEL_ARG(std::int64_t, embed_dim_to_check);
    REEL_ARG(std::int64_t, num_heads);
    REEL_ARG(Tensor, in_proj_weight);
    REEL_ARG(Tensor, in_proj_bias);
    REEL_ARG(Tensor, bias_k);
    REEL_ARG(Tensor, bias_v);
    REEL_ARG(bool, add_zero_attn);
    REEL_ARG(double, dropout_p);
    REEL_ARG(Tensor, out_proj_weight);
    REEL_ARG(Tensor, out_proj_bias);
    REEL_ARG(bool, training) = true;
    REEL_ARG(Tensor, key_padding_mask) = {};
    REEL_ARG(bool, need_weights) = true;
    REEL_ARG(Tensor, attn_mask) = {};
    REEL_ARG(bool, use_separate_proj_weight) = false;
    REEL_ARG(Tensor, q_proj_weight) = {};
    REEL_ARG(Tensor, k_proj_weight) = {};
    REEL_ARG(Tensor, v_proj_weight) = {};
    REEL_ARG(Tensor, static_k) = {};
    REEL_ARG(Tensor, static_v) = {};
    REEL_ARG(bool, average_attn_weights) = true;
    REEL_ARG(bool, is_causal) = false;
};
/// The attention of MultiheadAttention on tensors [positions, batch, features] or [positions, features].
std::tuple<Tensor, Tensor> multi_head_attention_forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                                        const MultiheadAttentionForwardFuncOptions& options);
/// softmax(q k^T scale + mask) v over the last two dimensions; see the op of that name.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask = {}, double dropout_p = 0., bool is_causal = false,
                                    std::optional<double> scale = std::nullopt, bool enable_gqa = false);

} // namespace functional

} // namespace reel::nn
