// Losses as modules.
#include <reel/autograd/ops/loss/classification.hpp>
#include <reel/autograd/ops/loss/loss.hpp>
#include <reel/autograd/ops/loss/margin.hpp>
#include <reel/nn/modules/loss.hpp>

#include <reel/nn/functional/loss.hpp>

#include "modules/loss_arguments.hpp"

namespace reel::nn {

void MSELossOptions::fields(OptionVisitor& v) { text::reduction(v, reduction_); }
void NLLLossOptions::fields(OptionVisitor& v) {
    v.hidden("weight", weight_);
    text::size_average(v);
    v.hidden("ignore_index", ignore_index_);
    text::reduce(v);
    text::reduction(v, reduction_);
}
void CrossEntropyLossOptions::fields(OptionVisitor& v) {
    v.hidden("weight", weight_);
    text::size_average(v);
    v.hidden("ignore_index", ignore_index_);
    text::reduce(v);
    text::reduction(v, reduction_);
    v.hidden("label_smoothing", label_smoothing_);
}
void L1LossOptions::fields(OptionVisitor& v) { text::reduction(v, reduction_); }
void SmoothL1LossOptions::fields(OptionVisitor& v) {
    text::reduction(v, reduction_);
    v.hidden("beta", beta_);
}
void HuberLossOptions::fields(OptionVisitor& v) {
    text::reduction(v, reduction_, false);
    v.hidden("delta", delta_);
}
void BCELossOptions::fields(OptionVisitor& v) {
    v.hidden("weight", weight_);
    text::reduction(v, reduction_);
}
void BCEWithLogitsLossOptions::fields(OptionVisitor& v) {
    v.hidden("weight", weight_);
    text::reduction(v, reduction_);
    v.hidden("pos_weight", pos_weight_);
}
void KLDivLossOptions::fields(OptionVisitor& v) {
    text::reduction(v, reduction_);
    v.hidden("log_target", log_target_);
}
void HingeEmbeddingLossOptions::fields(OptionVisitor& v) {
    v.hidden("margin", margin_);
    text::reduction(v, reduction_);
}
void CosineEmbeddingLossOptions::fields(OptionVisitor& v) {
    v.hidden("margin", margin_);
    text::reduction(v, reduction_);
}
void MarginRankingLossOptions::fields(OptionVisitor& v) {
    v.hidden("margin", margin_);
    text::reduction(v, reduction_);
}
void MultiMarginLossOptions::fields(OptionVisitor& v) {
    v.hidden("p", p_);
    v.hidden("margin", margin_);
    v.hidden("weight", weight_);
    text::reduction(v, reduction_);
}
void MultiLabelMarginLossOptions::fields(OptionVisitor& v) { text::reduction(v, reduction_); }
void SoftMarginLossOptions::fields(OptionVisitor& v) { text::reduction(v, reduction_); }
void MultiLabelSoftMarginLossOptions::fields(OptionVisitor& v) {
    v.hidden("weight", weight_);
    text::reduction(v, reduction_);
}
void PoissonNLLLossOptions::fields(OptionVisitor& v) {
    v.hidden("log_input", log_input_);
    v.hidden("full", full_);
    text::size_average(v);
    v.hidden("eps", eps_);
    text::reduce(v);
    text::reduction(v, reduction_);
}
void GaussianNLLLossOptions::fields(OptionVisitor& v) {
    v.hidden("full", full_);
    v.hidden("eps", eps_);
    text::reduction(v, reduction_, false);
}
void CTCLossOptions::fields(OptionVisitor& v) {
    v.hidden("blank", blank_);
    text::reduction(v, reduction_, false);
    v.hidden("zero_infinity", zero_infinity_);
}

Tensor MSELossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::mse_loss(input, target, text::name_of(options.reduction()));
}

void NLLLossImpl::reset() { weight = register_buffer("weight", options.weight()); }
Tensor NLLLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::nll_loss(input, target, weight, options.ignore_index(), text::name_of(options.reduction()));
}

void CrossEntropyLossImpl::reset() { weight = register_buffer("weight", options.weight()); }
Tensor CrossEntropyLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::cross_entropy(input, target, weight, options.ignore_index(), text::name_of(options.reduction()),
                               options.label_smoothing());
}

Tensor L1LossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::l1_loss(input, target, text::name_of(options.reduction()));
}
Tensor SmoothL1LossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::smooth_l1_loss(input, target, text::name_of(options.reduction()), options.beta().value_or(1.0));
}
Tensor HuberLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::huber_loss(input, target, text::name_of(options.reduction()), options.delta());
}
void BCELossImpl::reset() { weight = register_buffer("weight", options.weight()); }
Tensor BCELossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::functional_binary_cross_entropy(input, target, weight, text::name_of(options.reduction()));
}
void BCEWithLogitsLossImpl::reset() {
    weight = register_buffer("weight", options.weight());
    pos_weight = register_buffer("pos_weight", options.pos_weight());
}
Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::binary_cross_entropy_with_logits(input, target, weight, text::name_of(options.reduction()),
                                                  pos_weight);
}
Tensor KLDivLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::kl_div(input, target, text::name_of(options.reduction()), options.log_target());
}
Tensor HingeEmbeddingLossImpl::forward(const Tensor& input, const Tensor& target) {
    return functional::hinge_embedding_loss(input, target, options);
}
Tensor CosineEmbeddingLossImpl::forward(const Tensor& input1, const Tensor& input2, const Tensor& target) {
    return functional::cosine_embedding_loss(input1, input2, target, options);
}
Tensor MarginRankingLossImpl::forward(const Tensor& input1, const Tensor& input2, const Tensor& target) {
    return functional::margin_ranking_loss(input1, input2, target, options);
}
void MultiMarginLossImpl::reset() { weight = register_buffer("weight", options.weight()); }
Tensor MultiMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::multi_margin_loss(input, target, options.p(), options.margin(), weight,
                                   text::name_of(options.reduction()));
}
Tensor MultiLabelMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
    return functional::multilabel_margin_loss(input, target, options);
}
Tensor SoftMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
    return functional::soft_margin_loss(input, target, options);
}
void MultiLabelSoftMarginLossImpl::reset() { weight = register_buffer("weight", options.weight()); }
Tensor MultiLabelSoftMarginLossImpl::forward(const Tensor& input, const Tensor& target) {
    return reel::multilabel_soft_margin_loss(input, target, weight, text::name_of(options.reduction()));
}
Tensor PoissonNLLLossImpl::forward(const Tensor& input, const Tensor& target) {
    return functional::poisson_nll_loss(input, target, options);
}
Tensor GaussianNLLLossImpl::forward(const Tensor& input, const Tensor& target, const Tensor& var) {
    return functional::gaussian_nll_loss(input, target, var, options);
}
Tensor CTCLossImpl::forward(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                            const Tensor& target_lengths) {
    return functional::ctc_loss(log_probs, targets, input_lengths, target_lengths, options);
}

void register_loss() {
    register_layers<MSELossImpl, NLLLossImpl, CrossEntropyLossImpl, L1LossImpl, SmoothL1LossImpl, HuberLossImpl,
                    BCELossImpl, BCEWithLogitsLossImpl, KLDivLossImpl, HingeEmbeddingLossImpl, CosineEmbeddingLossImpl,
                    MarginRankingLossImpl, MultiMarginLossImpl, MultiLabelMarginLossImpl, SoftMarginLossImpl,
                    MultiLabelSoftMarginLossImpl, PoissonNLLLossImpl, GaussianNLLLossImpl, CTCLossImpl>();
}

} // namespace reel::nn
