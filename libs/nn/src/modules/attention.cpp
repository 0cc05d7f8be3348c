// Attention with several heads.
#include <reel/autograd/ops/nn/attention.hpp>
#include <reel/autograd/ops/nn/multi_head_attention.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/nn/modules/attention.hpp>

#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "module/members.hpp"
#include "modules/parameter_memory.hpp"

namespace reel::nn {

ModulePtr NonDynamicallyQuantizableLinearImpl::clone(std::optional<Device> device, bool keep_hooks) const {
    const PrivateGenerator draws;
    auto copy = std::make_shared<NonDynamicallyQuantizableLinearImpl>(options);
    copy->copy_from(*this, device, keep_hooks);
    return copy;
}

MultiheadAttentionImpl::MultiheadAttentionImpl(const MultiheadAttentionOptions& o) : options(o) {
    REEL_CHECK_VALUE(o.embed_dim() > 0 && o.num_heads() > 0, "MultiheadAttention: embed_dim is ", o.embed_dim(),
                     " and num_heads ", o.num_heads(), "; expected positive numbers");
    REEL_CHECK(o.embed_dim() % o.num_heads() == 0, "MultiheadAttention: embed_dim ", o.embed_dim(),
               " is no multiple of num_heads ", o.num_heads());
    MultiheadAttentionImpl::reset();
}
void MultiheadAttentionImpl::reset() {
    const std::int64_t e = options.embed_dim();
    const bool packed = options.kdim() == e && options.vdim() == e;
    _qkv_same_embed_dim = packed;
    const auto declare = [&](const char* name, bool wanted, std::initializer_list<std::int64_t> sizes) {
        return register_parameter(name, detail::parameter_memory(sizes, wanted), wanted);
    };
    // PyTorch's order: what is absent keeps its place in the table.
    if (packed) in_proj_weight = declare("in_proj_weight", true, {3 * e, e});
    q_proj_weight = declare("q_proj_weight", !packed, {e, e});
    k_proj_weight = declare("k_proj_weight", !packed, {e, options.kdim()});
    v_proj_weight = declare("v_proj_weight", !packed, {e, options.vdim()});
    if (!packed) in_proj_weight = declare("in_proj_weight", false, {});
    in_proj_bias = declare("in_proj_bias", options.bias(), {3 * e});
    const LinearOptions out = LinearOptions(e, e).bias(options.bias());
    out_proj = register_module<LinearImpl>("out_proj", std::make_shared<NonDynamicallyQuantizableLinearImpl>(out));
    bias_k = declare("bias_k", options.add_bias_kv(), {1, 1, e});
    bias_v = declare("bias_v", options.add_bias_kv(), {1, 1, e});
    _reset_parameters();
}
void MultiheadAttentionImpl::_reset_parameters() {
    for (const Tensor& w : {in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight})
        if (w.defined()) init::xavier_uniform_(w);
    if (in_proj_bias.defined()) {
        init::constant_(in_proj_bias, 0.);
        init::constant_(out_proj->bias, 0.);
    }
    for (const Tensor& b : {bias_k, bias_v})
        if (b.defined()) init::xavier_normal_(b);
}
std::tuple<Tensor, Tensor> MultiheadAttentionImpl::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                                           const Tensor& key_padding_mask, bool need_weights,
                                                           const Tensor& attn_mask, bool average_attn_weights,
                                                           bool is_causal) {
    Tensor q = query, k = key, v = value;
    const bool turn = options.batch_first() && query.dim() == 3 && key.dim() == 3 && value.dim() == 3;
    if (turn) { // inputs that are one tensor stay one: they share a product
        q = reel::transpose(query, 0, 1);
        k = key.is_same(query) ? q : reel::transpose(key, 0, 1);
        v = value.is_same(key) ? k : reel::transpose(value, 0, 1);
    }
    const detail::ComputedScope computed(*out_proj); // it is not called
    auto [y, weights] = reel::multi_head_attention_forward(
        q, k, v, options.embed_dim(), options.num_heads(), in_proj_weight, in_proj_bias, bias_k, bias_v,
        options.add_zero_attn(), options.dropout(), out_proj->weight, out_proj->bias, is_training(), key_padding_mask,
        need_weights, attn_mask, !in_proj_weight.defined(), q_proj_weight, k_proj_weight, v_proj_weight, {}, {},
        average_attn_weights, is_causal);
    return {turn ? reel::transpose(y, 0, 1) : y, weights};
}

void MultiheadAttentionOptions::fields(OptionVisitor& v) {
    v.required("embed_dim", embed_dim_, Shown::never);
    v.required("num_heads", num_heads_, Shown::never);
    v.hidden("dropout", dropout_);
    v.hidden("bias", bias_);
    v.hidden("add_bias_kv", add_bias_kv_);
    v.hidden("add_zero_attn", add_zero_attn_);
    v.following("kdim", kdim_, embed_dim_, Shown::never);
    v.following("vdim", vdim_, embed_dim_, Shown::never);
    v.hidden("batch_first", batch_first_);
    v.device_and_dtype();
}

namespace functional {

std::tuple<Tensor, Tensor> multi_head_attention_forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                                        const MultiheadAttentionForwardFuncOptions& o) {
    return reel::multi_head_attention_forward(
        query, key, value, o.embed_dim_to_check(), o.num_heads(), o.in_proj_weight(), o.in_proj_bias(), o.bias_k(),
        o.bias_v(), o.add_zero_attn(), o.dropout_p(), o.out_proj_weight(), o.out_proj_bias(), o.training(),
        o.key_padding_mask(), o.need_weights(), o.attn_mask(), o.use_separate_proj_weight(), o.q_proj_weight(),
        o.k_proj_weight(), o.v_proj_weight(), o.static_k(), o.static_v(), o.average_attn_weights(), o.is_causal());
}
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    std::optional<double> scale, bool enable_gqa) {
    return reel::scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa);
}

} // namespace functional

void register_attention() { register_layers<MultiheadAttentionImpl>(); }

} // namespace reel::nn
