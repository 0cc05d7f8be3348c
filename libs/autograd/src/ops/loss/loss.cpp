// Losses that compare input and target element by element.
#include "ops/loss/loss.hpp"

#include <reel/autograd/ops/loss/loss.hpp>
#include <reel/autograd/ops/pointwise/activation.hpp>
#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/pointwise/logarithmic.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/power.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/pointwise/loss.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>

#include "tensor/host_values.hpp"

#include <cmath>

namespace reel {

using loss::reduce;

namespace loss {
void check_reduction(const char* op, std::string_view reduction) {
    REEL_CHECK_VALUE(reduction == "none" || reduction == "mean" || reduction == "sum", op, ": reduction is '",
                     reduction, "'; expected 'none', 'mean' or 'sum'");
}
std::string broadcast_text(const char* op, const Tensor& input, const Tensor& target) {
    return str(op, ": input has shape ", input.sizes(), " and target ", target.sizes(),
               ": every element of one meets several of the other, which is seldom meant; give both the same shape");
}
Tensor reduce(const Tensor& t, std::string_view reduction) {
    return reduction == "none" ? t : reduction == "mean" ? mean(t) : sum(t);
}
} // namespace loss

namespace {
/// Both operands in their common dtype: mixed dtypes compute in it.
void check_floating(const char* op, const Tensor& input) {
    REEL_CHECK_NOT_IMPLEMENTED(isDifferentiableType(input.scalar_type()), op, ": input: there is no kernel for ",
                               dtype_name(input.scalar_type()), "; expected a floating tensor");
}
} // namespace

/// |input - target|
REEL_OP("nn.functional.l1_loss(Tensor input, Tensor target, bool? size_average=None, bool? reduce=None, str "
        "reduction='mean', Tensor? weight=None) -> Tensor",
        composite)
Tensor l1_loss(const Tensor& input, const Tensor& target, std::string_view reduction, const Tensor& weight) {
    loss::check_reduction("l1_loss", reduction);
    if (!input.sizes().equals(target.sizes())) [[unlikely]]
        REEL_WARN_ONCE(loss::broadcast_text("l1_loss", input, target));
    const Tensor d = abs(input - target);
    return reduce(weight.defined() ? d * weight : d, reduction);
}

/// d^2 / (2 beta) for d = |input - target| below beta, d - beta / 2 from there on.
REEL_OP("nn.functional.smooth_l1_loss(Tensor input, Tensor target, bool? size_average=None, bool? reduce=None, str "
        "reduction='mean', float beta=1.0) -> Tensor",
        rule, samples(call(spread(-2, 2), spread(-1, 1.5, 1)).with("beta", 0.4).with("reduction", "sum")))
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, std::string_view reduction, double beta) {
    loss::check_reduction("smooth_l1_loss", reduction);
    REEL_CHECK(beta >= 0, "smooth_l1_loss: beta is ", beta, "; expected a number that is not negative");
    if (beta == 0) return l1_loss(input, target, reduction);
    if (!input.sizes().equals(target.sizes())) [[unlikely]]
        REEL_WARN_ONCE(loss::broadcast_text("smooth_l1_loss", input, target));
    const Tensor y = pointwise::apply("smooth_l1_loss", pointwise::smooth_l1_op(beta), input, target);
    return reduce(y, reduction);
}

/// d^2 / 2 for d = |input - target| up to delta, delta (d - delta / 2) beyond.
REEL_OP("nn.functional.huber_loss(Tensor input, Tensor target, str reduction='mean', float delta=1.0, Tensor? "
        "weight=None) -> Tensor",
        rule, samples(call(spread(-2, 2), spread(-1, 1.5, 1)).with("delta", 0.4).with("reduction", "none")))
Tensor huber_loss(const Tensor& input, const Tensor& target, std::string_view reduction, double delta,
                  const Tensor& weight) {
    loss::check_reduction("huber_loss", reduction);
    if (!input.sizes().equals(target.sizes())) [[unlikely]]
        REEL_WARN_ONCE(loss::broadcast_text("huber_loss", input, target));
    REEL_CHECK(delta > 0, "huber_loss: delta is ", delta, "; expected a positive number");
    const Tensor y = pointwise::apply("huber_loss", pointwise::huber_op(delta), input, target);
    return reduce(weight.defined() ? y * weight : y, reduction);
}

/// -(t log(x) + (1 - t) log(1 - x)) for probabilities x; logarithms stop at -100.
REEL_OP("nn.functional.binary_cross_entropy(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, "
        "bool? reduce=None, str reduction='mean') -> Tensor",
        rule, cpp("functional_binary_cross_entropy"), samples(call(spread(0.1, 0.9), spread(0.2, 0.8, 1))))
Tensor functional_binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                                       std::string_view reduction) {
    loss::check_reduction("binary_cross_entropy", reduction);
    check_floating("binary_cross_entropy", input);
    REEL_CHECK_VALUE(input.sizes().equals(target.sizes()), "binary_cross_entropy: target has shape ", target.sizes(),
                     "; expected that of input, ", input.sizes());
    const Tensor inside = logical_and(input.detach() >= 0, input.detach() <= 1);
    REEL_CHECK(
        !reel::detail::has_values(inside) || all(inside).item<bool>(),
        "binary_cross_entropy: input must lie in [0, 1]; use binary_cross_entropy_with_logits for other numbers");
    const Tensor y = pointwise::apply("binary_cross_entropy", pointwise::binary_cross_entropy_op{}, input, target);
    return reduce(weight.defined() ? y * weight : y, reduction);
}
/// The same as libtorch's root function: sizes of one do not count, so [n, 1] goes with [n]; the result without
/// reduction has input's shape.
REEL_OP("binary_cross_entropy(Tensor input, Tensor target, Tensor? weight=None, str reduction='mean') -> Tensor",
        composite,
        samples(call(numbers({3, 4}).sigmoid(), numbers({3, 4}, 17).sigmoid()),
                call(numbers({3, 1}).sigmoid(), numbers({3}).sigmoid()).with("reduction", "none"),
                call(numbers({3, 1}).sigmoid(), numbers({3}).sigmoid()).with("reduction", "mean")))
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                            std::string_view reduction) {
    if (input.sizes().equals(target.sizes()) || !squeeze(input).sizes().equals(squeeze(target).sizes()))
        return functional_binary_cross_entropy(input, target, weight, reduction);
    return functional_binary_cross_entropy(input, reshape(target, input.sizes()), weight, reduction);
}

/// binary_cross_entropy of sigmoid(input), without its overflow; `pos_weight` weighs the positive targets.
REEL_OP("nn.functional.binary_cross_entropy_with_logits(Tensor input, Tensor target, Tensor? weight=None, bool? "
        "size_average=None, bool? reduce=None, str reduction='mean', Tensor? pos_weight=None) -> Tensor",
        rule,
        samples(call(spread(-2, 2), spread(0.1, 0.9, 1)),
                call(spread(-2, 2), spread(0.1, 0.9, 1)).with("pos_weight", numbers({7}).sigmoid())))
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target, const Tensor& weight,
                                        std::string_view reduction, const Tensor& pos_weight) {
    loss::check_reduction("binary_cross_entropy_with_logits", reduction);
    check_floating("binary_cross_entropy_with_logits", input);
    REEL_CHECK_VALUE(input.sizes().equals(target.sizes()), "binary_cross_entropy_with_logits: target has shape ",
                     target.sizes(), "; expected that of input, ", input.sizes());
    Tensor y;
    if (pos_weight.defined()) y = (1 - target) * input - ((pos_weight - 1) * target + 1) * logsigmoid(input);
    else
        y = pointwise::apply("binary_cross_entropy_with_logits", pointwise::binary_cross_entropy_with_logits_op{},
                             input, target);
    return reduce(weight.defined() ? y * weight : y, reduction);
}

/// target (log(target) - input), with `log_target` e^target (target - input); `batchmean` divides by the first size.
REEL_OP("nn.functional.kl_div(Tensor input, Tensor target, bool? size_average=None, bool? reduce=None, str "
        "reduction='mean', bool log_target=False) -> Tensor",
        composite,
        samples(call(spread(-2, -0.1), spread(0.2, 0.8, 1)).with("reduction", "batchmean"),
                call(spread(-2, -0.1), spread(-2, -1, 1)).with("log_target", true)))
Tensor kl_div(const Tensor& input, const Tensor& target, std::string_view reduction, bool log_target) {
    const bool batch = reduction == "batchmean";
    if (!batch) loss::check_reduction("kl_div", reduction);
    const Tensor y = log_target ? exp(target) * (target - input) : xlogy(target, target) - target * input;
    if (!batch) return reduce(y, reduction);
    return input.dim() > 0 ? sum(y) / double(input.size(0)) : sum(y);
}

/// log(1 + e^(-target input))
REEL_OP("nn.functional.soft_margin_loss(Tensor input, Tensor target, bool? size_average=None, bool? reduce=None, str "
        "reduction='mean') -> Tensor",
        composite, samples(call(spread(-2, 2), spread(-1, 1, 1))))
Tensor soft_margin_loss(const Tensor& input, const Tensor& target, std::string_view reduction) {
    loss::check_reduction("soft_margin_loss", reduction);
    check_floating("soft_margin_loss", input);
    const Tensor side = target * input;
    return reduce(side.is_complex() ? log1p(exp(-side)) : -logsigmoid(side), reduction);
}

/// e^input - target input, without `log_input` input - target log(input + eps); `full` adds Stirling's term.
REEL_OP("nn.functional.poisson_nll_loss(Tensor input, Tensor target, bool log_input=True, bool full=False, bool? "
        "size_average=None, float eps=1e-08, bool? reduce=None, str reduction='mean') -> Tensor",
        composite, samples(call(spread(-2, 2), spread(1.5, 3, 1)).with("full", true)))
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full, double eps,
                        std::string_view reduction) {
    loss::check_reduction("poisson_nll_loss", reduction);
    Tensor y = log_input ? exp(input) - target * input : input - target * log(input + eps);
    if (full) {
        const Tensor small = target <= 1, t = masked_fill(target, small, 1); // logarithms see nothing they cannot take
        y = y + masked_fill(t * log(t) - t + log(t * 6.283185307179586477) * 0.5, small, 0);
    }
    return reduce(y, reduction);
}

/// (log(var) + (input - target)^2 / var) / 2 with var at least eps, below which it has no gradient; `full` adds
/// log(2 pi) / 2.
REEL_OP("nn.functional.gaussian_nll_loss(Tensor input, Tensor target, Tensor var, bool full=False, float eps=1e-06, "
        "str reduction='mean') -> Tensor",
        composite, samples(call(spread(-2, 2), spread(0.5, 2, 1), spread(0.6, 1.7, 2))))
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, bool full, double eps,
                         std::string_view reduction) {
    Tensor v = var;
    if (!var.sizes().equals(input.sizes())) {
        // One variance for each sample, without a last dimension, or one for a whole dimension, of size one.
        const IntArrayRef s = input.sizes();
        std::size_t ones = 0, others = 0;
        for (std::size_t d = 0; var.dim() == input.dim() && d < s.size(); ++d)
            if (var.sizes()[d] != s[d]) ++(var.sizes()[d] == 1 ? ones : others);
        if (input.dim() > 0 && IntArrayRef(s.data(), s.size() - 1).equals(var.sizes())) v = unsqueeze(var, -1);
        else
            REEL_CHECK_VALUE(ones == 1 && others == 0, "gaussian_nll_loss: var has shape ", var.sizes(),
                             "; expected that of input, ", s, ", with one dimension of size 1 or without the last");
    }
    loss::check_reduction("gaussian_nll_loss", reduction);
    const Tensor negative = v.detach() < 0;
    REEL_CHECK_VALUE(!reel::detail::has_values(negative) || !any(negative).item<bool>(),
                     "gaussian_nll_loss: var has a negative element");
    const Tensor floored = clamp_min(v, eps);
    Tensor y = (log(floored) + square(input - target) / floored) * 0.5;
    if (full) y = y + 0.91893853320467274178;
    return reduce(y, reduction);
}

/// input for targets of 1, max(0, margin - input) for targets of -1.
REEL_OP("nn.functional.hinge_embedding_loss(Tensor input, Tensor target, float margin=1.0, bool? size_average=None, "
        "bool? reduce=None, str reduction='mean') -> Tensor",
        composite, not_differentiable("target"))
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin, std::string_view reduction) {
    loss::check_reduction("hinge_embedding_loss", reduction);
    const Tensor y = where(target != 1, clamp_min(margin - input, 0), 0) + where(target != -1, input, 0);
    return reduce(y, reduction);
}

/// max(0, margin - target (input1 - input2))
REEL_OP("nn.functional.margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, bool? "
        "size_average=None, bool? reduce=None, str reduction='mean') -> Tensor",
        composite)
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                           std::string_view reduction) {
    loss::check_reduction("margin_ranking_loss", reduction);
    REEL_CHECK(input1.dim() == input2.dim() && input1.dim() == target.dim(),
               "margin_ranking_loss: input1, input2 and target have shapes ", input1.sizes(), ", ", input2.sizes(),
               " and ", target.sizes(), "; expected the same number of dimensions");
    return reduce(clamp_min(-target * (input1 - input2) + margin, 0), reduction);
}

/// 1 - cos for targets of 1, max(0, cos - margin) for targets of -1; cos is the cosine of the angle of the rows.
REEL_OP("nn.functional.cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, bool? "
        "size_average=None, bool? reduce=None, str reduction='mean') -> Tensor",
        composite, not_differentiable("target"))
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin,
                             std::string_view reduction) {
    loss::check_reduction("cosine_embedding_loss", reduction);
    const std::int64_t n = target.dim();
    REEL_CHECK(n == 0 || n == 1, "cosine_embedding_loss: target has shape ", target.sizes(),
               "; expected a 0-dim or 1-D tensor");
    REEL_CHECK(input1.dim() == n + 1 && input2.dim() == n + 1, "cosine_embedding_loss: the inputs have shapes ",
               input1.sizes(), " and ", input2.sizes(), "; for a ", n, "-D target they must be ", n + 1, "-D");
    constexpr double epsilon = 1e-12;
    const Tensor product = sum(input1 * input2, n), squared1 = sum(input1 * input1, n) + epsilon,
                 squared2 = sum(input2 * input2, n) + epsilon;
    const Tensor cosine = product / sqrt(squared1 * squared2);
    const Tensor y = where(target == 1, 1 - cosine, 0) + where(target == -1, clamp_min(cosine - margin, 0), 0);
    return reduce(y, reduction);
}

} // namespace reel
