// Losses that compare the scores of classes with each other.

#include "ops/loss/loss.hpp"
#include "ops/pointwise/run.hpp"

#include <cmath>

#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/index/scatter_reduce.hpp>
#include <reel/autograd/ops/loss/margin.hpp>
#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/reduce/scan.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

#include "tensor/host_values.hpp"

namespace reel {

using autograd::GradList;
using autograd::record;
using autograd::RuleContext;

namespace {
/// Throws unless every class index is in [low, classes).
void check_classes(const char* op, const Tensor& target, std::int64_t low, std::int64_t classes) {
    if (!reel::detail::has_values(target)) return;
    for (const std::int64_t v : reel::detail::HostValues<std::int64_t>(target, op))
        REEL_CHECK(v >= low && v < classes, op, ": target ", v, " is out of range for ", classes, " classes");
}
} // namespace

/// Mean over the classes j != t of max(0, margin - x[t] + x[j])^p, times weight[t].
REEL_OP("nn.functional.multi_margin_loss(Tensor input, Tensor target, int p=1, float margin=1.0, Tensor? weight=None, "
        "bool? size_average=None, bool? reduce=None, str reduction='mean') -> Tensor",
        composite)
Tensor multi_margin_loss(const Tensor& input, const Tensor& target, std::int64_t p, double margin, const Tensor& weight,
                         std::string_view reduction) {
    loss::check_reduction("multi_margin_loss", reduction);
    REEL_CHECK(p == 1 || p == 2, "multi_margin_loss: p is ", p, "; expected 1 or 2");
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), "multi_margin_loss: input: there is no kernel for ",
                               dtype_name(input.scalar_type()));
    REEL_CHECK(input.dim() <= 2 && (input.dim() < 2 || input.size(1) > 0) && input.numel() + (input.dim() == 2) > 0,
               "multi_margin_loss: input has shape ", input.sizes(), "; expected [C] or [N, C] with C > 0");
    const Tensor x = input.dim() == 2 ? input : reshape(input, {1, input.numel()});
    const std::int64_t n = x.size(0), classes = x.size(1);
    REEL_CHECK(target.dim() <= 1 && target.numel() == n, "multi_margin_loss: target has shape ", target.sizes(),
               "; expected one class for each of the ", n, " samples");
    REEL_CHECK(target.scalar_type() == kLong, "multi_margin_loss: target is ", dtype_name(target.scalar_type()),
               "; expected int64 class indices");
    REEL_CHECK(!weight.defined() || (weight.dim() <= 1 && weight.numel() == classes),
               "multi_margin_loss: weight must have one element for each of the ", classes, " classes");
    check_classes("multi_margin_loss", target, 0, classes);
    const Tensor index = reshape(target, {n, 1});
    Tensor z = clamp_min(margin - gather(x, 1, index) + x, 0);
    if (p == 2) z = z * z;
    if (weight.defined()) z = z * reshape(index_select(reshape(weight, {classes}), 0, reshape(target, {n})), {n, 1});
    // The class itself does not count.
    const Tensor own = eq(arange(classes, TensorOptions(kLong).device(index.device())), index);
    Tensor y = sum(masked_fill(z, own, 0), 1) / double(classes);
    if (reduction == "none" && input.dim() < 2) y = reshape(y, target.sizes());
    return loss::reduce(y, reduction);
}

/// Sum over the target classes t (up to the first -1) and the others j of max(0, 1 - (x[t] - x[j])), over the number of
/// classes.
REEL_OP("nn.functional.multilabel_margin_loss(Tensor input, Tensor target, bool? size_average=None, bool? reduce=None, "
        "str reduction='mean') -> Tensor",
        composite)
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target, std::string_view reduction) {
    loss::check_reduction("multilabel_margin_loss", reduction);
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()),
                               "multilabel_margin_loss: input: there is no kernel for ",
                               dtype_name(input.scalar_type()));
    REEL_CHECK(input.dim() <= 2 && (input.dim() < 2 || input.size(1) > 0), "multilabel_margin_loss: input has shape ",
               input.sizes(), "; expected [C] or [N, C] with C > 0");
    REEL_CHECK(input.sizes().equals(target.sizes()) ||
                   (input.dim() < 2 && target.dim() < 2 && target.numel() == input.numel()),
               "multilabel_margin_loss: target has shape ", target.sizes(), "; expected that of input, ",
               input.sizes());
    REEL_CHECK(target.scalar_type() == kLong, "multilabel_margin_loss: target is ", dtype_name(target.scalar_type()),
               "; expected int64 class indices");
    const Tensor x = input.dim() == 2 ? input : reshape(input, {1, input.numel()});
    const std::int64_t n = x.size(0), classes = x.size(1);
    check_classes("multilabel_margin_loss", target, -1, classes);
    // Which entries of target count, and which classes are targets.
    const Tensor t = reshape(target, {n, classes}), counts = cumsum(t < 0, 1) == 0,
                 index = masked_fill(t, logical_not(counts), 0);
    const Tensor is_target =
        scatter_reduce(t.new_zeros({n, classes}, kByte), 1, index, counts.to(kByte), "amax").to(kBool);
    const Tensor scores = unsqueeze(gather(x, 1, index), 2), others = unsqueeze(x, 1);
    const Tensor pairs = logical_and(unsqueeze(counts, 2), logical_not(unsqueeze(is_target, 1)));
    const Tensor z = clamp_min(1 - scores + others, 0).where(pairs, 0);
    Tensor y = sum(sum(z, 2), 1) / double(classes);
    if (reduction == "none" && input.dim() < 2) y = reshape(y, {});
    return loss::reduce(y, reduction);
}

/// Mean over the classes of -(t log sigmoid(x) + (1 - t) log sigmoid(-x)).
REEL_OP("nn.functional.multilabel_soft_margin_loss(Tensor input, Tensor target, Tensor? weight=None, bool? "
        "size_average=None, bool? reduce=None, str reduction='mean') -> Tensor",
        composite)
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                                   std::string_view reduction) {
    loss::check_reduction("multilabel_soft_margin_loss", reduction);
    Tensor y = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input));
    if (weight.defined()) y = y * weight;
    REEL_CHECK(input.dim() > 0, "multilabel_soft_margin_loss: input is 0-dim; expected a class dimension");
    y = sum(y, input.dim() - 1) / double(input.size(-1));
    return loss::reduce(y, reduction);
}

} // namespace reel
