// Functional forms of the losses on margins, labels, counts and alignments.
#include <reel/autograd/ops/loss/ctc.hpp>
#include <reel/autograd/ops/loss/loss.hpp>
#include <reel/autograd/ops/loss/margin.hpp>
#include <reel/nn/functional/loss.hpp>

#include "modules/loss_arguments.hpp"

namespace reel::nn::functional {

Tensor hinge_embedding_loss(const Tensor& x, const Tensor& y, const HingeEmbeddingLossFuncOptions& o) {
    return reel::hinge_embedding_loss(x, y, o.margin(), text::name_of(o.reduction()));
}
Tensor cosine_embedding_loss(const Tensor& x1, const Tensor& x2, const Tensor& y,
                             const CosineEmbeddingLossFuncOptions& o) {
    return reel::cosine_embedding_loss(x1, x2, y, o.margin(), text::name_of(o.reduction()));
}
Tensor margin_ranking_loss(const Tensor& x1, const Tensor& x2, const Tensor& y, const MarginRankingLossFuncOptions& o) {
    return reel::margin_ranking_loss(x1, x2, y, o.margin(), text::name_of(o.reduction()));
}
Tensor multi_margin_loss(const Tensor& x, const Tensor& y, const MultiMarginLossFuncOptions& o) {
    return reel::multi_margin_loss(x, y, o.p(), o.margin(), o.weight(), text::name_of(o.reduction()));
}
Tensor multilabel_margin_loss(const Tensor& x, const Tensor& y, const MultilabelMarginLossFuncOptions& o) {
    return reel::multilabel_margin_loss(x, y, text::name_of(o.reduction()));
}
Tensor soft_margin_loss(const Tensor& x, const Tensor& y, const SoftMarginLossFuncOptions& o) {
    return reel::soft_margin_loss(x, y, text::name_of(o.reduction()));
}
Tensor multilabel_soft_margin_loss(const Tensor& x, const Tensor& y, const MultilabelSoftMarginLossFuncOptions& o) {
    return reel::multilabel_soft_margin_loss(x, y, o.weight(), text::name_of(o.reduction()));
}
Tensor poisson_nll_loss(const Tensor& x, const Tensor& y, const PoissonNLLLossFuncOptions& o) {
    return reel::poisson_nll_loss(x, y, o.log_input(), o.full(), o.eps(), text::name_of(o.reduction()));
}
Tensor gaussian_nll_loss(const Tensor& x, const Tensor& y, const Tensor& var, const GaussianNLLLossFuncOptions& o) {
    return reel::gaussian_nll_loss(x, y, var, o.full(), o.eps(), text::name_of(o.reduction()));
}
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CTCLossFuncOptions& o) {
    return reel::ctc_loss(log_probs, targets, input_lengths, target_lengths, o.blank(), text::name_of(o.reduction()),
                          o.zero_infinity());
}

} // namespace reel::nn::functional
