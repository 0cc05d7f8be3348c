// Losses over classes: negative log-likelihood, cross entropy; and the squared error.
#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/kernels/nll_loss.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/loss/classification.hpp>
#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/power.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/pointwise/loss.hpp>
#include <reel/autograd/pointwise/run_rule.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "ops/loss/loss.hpp"
#include "ops/reduce/reduce_mode.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

/// Which elements of the input a call is about, and the shapes as users see them.
struct Picks {
    NllGeometry g;
    Tensor target; ///< int64, dense
    Tensor weight; ///< float64, dense, or undefined
    Dims input_sizes, out_sizes;

    /// For a rule: the tensors are saved beside it, as every tensor that a rule reads.
    Picks without_tensors() const {
        Picks p = *this;
        p.target = p.weight = Tensor();
        return p;
    }
    Picks with_saved(const RuleContext& c) const {
        Picks p = *this;
        p.target = c.saved(0);
        p.weight = c.saved(1);
        return p;
    }
};

Tensor spread_back(const Picks& p, const Tensor& g);
Tensor pick(const Picks& p, const Tensor& x) {
    Tensor out = empty_raw(p.out_sizes, x);
    kernels::nll_loss(p.g, out, contiguous_raw(x), p.target, p.weight);
    if (needs_recording(x))
        record("nll_loss", {x}, out, {p.target, p.weight}, [p = p.without_tensors()](RuleContext& c) -> GradList {
            return {spread_back(p.with_saved(c), c.grad())};
        });
    return out;
}
/// The adjoint of `pick`.
Tensor spread_back(const Picks& p, const Tensor& g) {
    Tensor out = empty_raw(p.input_sizes, g);
    kernels::nll_loss_backward(p.g, out, contiguous_raw(g), p.target, p.weight);
    if (needs_recording(g))
        record("nll_loss_backward", {g}, out, {p.target, p.weight},
               [p = p.without_tensors()](RuleContext& c) -> GradList { return {pick(p.with_saved(c), c.grad())}; });
    return out;
}

/// The same in ops that record themselves, for weights that require grad, and for captures, which cannot tell the host
/// the sum of the weights.
Tensor weighted_picks(const Picks& p, const Tensor& input, const Tensor& target, const Tensor& weight, Reduce r) {
    const std::int64_t d = input.dim() == 1 ? 0 : 1;
    const Tensor classes = target.to(kLong), ignored = classes == Scalar(p.g.ignore_index),
                 index = masked_fill(classes, ignored, 0);
    const Tensor each_weight = weight.defined()
                                   ? reshape(index_select(weight, 0, reshape(index, {-1})), index.sizes()).to(kDouble)
                                   : ones(index.sizes(), input.options().dtype(kDouble).requires_grad(false));
    const Tensor w = masked_fill(each_weight, ignored, 0);
    const Tensor each = -w * squeeze(gather(input, d, unsqueeze(index, d)), d).to(kDouble);
    const Tensor out = r == Reduce::None ? each : r == Reduce::Sum ? sum(each) : sum(each) / sum(w);
    return out.to(input.scalar_type());
}

} // namespace

/// out[n] = -weight[target[n]] * input[n, target[n]] for input [C] or [N, C, ...]; the mean divides by the sum of
/// weights.
REEL_OP("nn.functional.nll_loss(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, int "
        "ignore_index=-100, bool? reduce=None, str reduction='mean') -> Tensor",
        rule)
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight, std::int64_t ignore_index,
                std::string_view reduction) {
    const Reduce r = reduction_of("nll_loss", reduction);
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), "nll_loss: input is ",
                               dtype_name(input.scalar_type()), "; expected log-probabilities in a floating dtype");
    REEL_CHECK(target.scalar_type() == kLong || target.scalar_type() == kByte, "nll_loss: target is ",
               dtype_name(target.scalar_type()), "; expected class indices as int64");
    REEL_CHECK(input.dim() >= 1 && target.dim() == input.dim() - 1, "nll_loss: input has shape ", input.sizes(),
               ", target must have shape [N, ...] without the class dimension, got ", target.sizes());
    for (std::int64_t i = 0; i + 1 < input.dim(); ++i)
        REEL_CHECK(target.size(i) == input.size(i == 0 ? 0 : i + 1), "nll_loss: target has shape ", target.sizes(),
                   ", which does not fit input ", input.sizes());
    Picks p;
    p.g = {input.dim() == 1 ? 1 : input.size(0), input.size(input.dim() == 1 ? 0 : 1), 1, ignore_index,
           r != Reduce::None};
    for (std::int64_t d = 2; d < input.dim(); ++d) p.g.length *= input.size(d);
    REEL_CHECK(!weight.defined() || (weight.dim() == 1 && weight.size(0) == p.g.classes), "nll_loss: weight has shape ",
               weight.defined() ? weight.sizes() : IntArrayRef(), "; expected one entry for each of the ", p.g.classes,
               " classes");
    p.target = contiguous_raw(cast_raw(target, kLong));
    if (weight.defined()) p.weight = contiguous_raw(cast_raw(weight, kDouble));
    p.input_sizes = Dims(input.sizes());
    if (!p.g.summed) p.out_sizes = Dims(target.sizes());
    if (is_captured(input.device())) return weighted_picks(p, input, target, weight, r);
    double total = 1;
    kernels::nll_loss_weigh(p.g, p.target, p.weight, total);
    if (r == Reduce::Mean) {
        p.g.scale = 1 / total;
        p.g.mean = true;
    }
    if (weight.defined() && needs_recording(weight)) return weighted_picks(p, input, target, weight, r);
    return pick(p, input);
}

/// nll_loss(log_softmax(input)) for class indices; -sum(target * log_softmax(input)) for class probabilities.
REEL_OP("nn.functional.cross_entropy(Tensor input, Tensor target, Tensor? weight=None, bool? size_average=None, int "
        "ignore_index=-100, bool? reduce=None, str reduction='mean', float label_smoothing=0.0) -> Tensor",
        composite)
Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight, std::int64_t ignore_index,
                     std::string_view reduction, double label_smoothing) {
    const Reduce r = reduction_of("cross_entropy", reduction);
    REEL_CHECK(input.dim() > 0, "cross_entropy: input needs a class dimension, got a 0-dim tensor");
    REEL_CHECK(label_smoothing >= 0 && label_smoothing <= 1, "cross_entropy: label_smoothing is ", label_smoothing,
               "; expected a value in [0, 1]");
    const std::int64_t dim = input.dim() == 1 ? 0 : 1, classes = input.size(dim);
    REEL_CHECK(!weight.defined() || (weight.dim() == 1 && weight.size(0) == classes),
               "cross_entropy: weight has shape ", weight.defined() ? weight.sizes() : IntArrayRef(),
               "; expected one entry for each of the ", classes, " classes");
    Dims wshape(std::size_t(input.dim()), 1);
    wshape[std::size_t(dim)] = classes;
    if (target.sizes().equals(input.sizes())) { // class probabilities
        REEL_CHECK(
            isFloatingType(target.scalar_type()),
            "cross_entropy: target has input's shape, so it holds class probabilities, which must be floating; got ",
            dtype_name(target.scalar_type()));
        REEL_CHECK(ignore_index < 0, "cross_entropy: ignore_index is not supported for class probabilities");
        const Tensor logp = log_softmax(input, dim);
        Tensor p = label_smoothing > 0 ? target * (1 - label_smoothing) + label_smoothing / double(classes) : target;
        if (weight.defined()) p = p * reshape(weight, wshape);
        const Tensor per = -sum(logp * p, IntArrayRef(dim));
        if (r != Reduce::Mean) return reduced(per, r);
        return sum(per) / (double(input.numel()) / double(classes));
    }
    const Tensor logp = log_softmax(input, dim);
    const Tensor nll = nll_loss(logp, target, weight, ignore_index, reduction);
    if (label_smoothing == 0) return nll;
    const Tensor weighted = weight.defined() ? logp * reshape(weight, wshape) : logp;
    const Tensor ignored = target == Scalar(ignore_index);
    const Tensor smooth = masked_fill(-sum(weighted, IntArrayRef(dim)), ignored, 0);
    Tensor s = reduced(smooth, r == Reduce::Mean ? Reduce::Sum : r);
    if (r == Reduce::Mean) s = s / -nll_loss(ones_like(logp).detach(), target, weight, ignore_index, "sum");
    return nll * (1 - label_smoothing) + s * (label_smoothing / double(classes));
}

/// (input - target)^2, reduced.
REEL_OP("nn.functional.mse_loss(Tensor input, Tensor target, bool? size_average=None, bool? reduce=None, str "
        "reduction='mean', Tensor? weight=None) -> Tensor",
        rule)
Tensor mse_loss(const Tensor& input, const Tensor& target, std::string_view reduction, const Tensor& weight) {
    const Reduce r = reduction_of("mse_loss", reduction);
    if (!input.sizes().equals(target.sizes())) [[unlikely]]
        REEL_WARN_ONCE(loss::broadcast_text("mse_loss", input, target));
    // Without derivatives, which need the difference, in one pass.
    const bool one_pass =
        input.is_floating_point() && target.is_floating_point() && !autograd::needs_recording(input, target);
    // A bool has no differences of its own; beside numbers it is zero or one.
    const auto number = [](const Tensor& x, const Tensor& o) {
        return x.scalar_type() == kBool ? x.to(o.scalar_type()) : x;
    };
    const Tensor d = one_pass ? pointwise::apply("mse_loss", pointwise::squared_difference_op{}, input, target)
                              : square(number(input, target) - number(target, input));
    if (!weight.defined()) return reduced(d, r);
    REEL_CHECK(weight.sizes().equals(input.sizes()), "mse_loss: weight has shape ", weight.sizes(),
               "; expected input's ", input.sizes());
    const Tensor w = d * weight;
    return r == Reduce::Mean ? sum(w) / sum(weight) : reduced(w, r);
}

/// cross_entropy of a linear layer's output. linear_weight [C, K..., in] makes logits [N, C, K...] of input [N, in] (or
/// [C, K...] of [in]); linear_bias has shape [C, K...].
REEL_OP("nn.functional.linear_cross_entropy(Tensor input, Tensor linear_weight, Tensor target, *, Tensor? "
        "linear_bias=None, "
        "Tensor? weight=None, int ignore_index=-100, str reduction='mean', float label_smoothing=0.0) -> Tensor",
        composite)
Tensor linear_cross_entropy(const Tensor& input, const Tensor& linear_weight, const Tensor& target,
                            const Tensor& linear_bias, const Tensor& weight, std::int64_t ignore_index,
                            std::string_view reduction, double label_smoothing) {
    const char* op = "linear_cross_entropy";
    REEL_CHECK(input.dim() == 1 || input.dim() == 2, op, ": input has shape ", input.sizes(),
               "; expected [in] or [N, in]");
    REEL_CHECK(linear_weight.dim() >= 2, op, ": linear_weight has shape ", linear_weight.sizes(),
               "; expected [C, ..., in]");
    REEL_CHECK(input.dim() == 2 || linear_weight.dim() == 2, op, ": input [in] goes with linear_weight [C, in], got ",
               linear_weight.sizes());
    REEL_CHECK(input.size(-1) == linear_weight.size(-1), op, ": input ", input.sizes(), " and linear_weight ",
               linear_weight.sizes(), " differ in their last dimension");
    const IntArrayRef classes(linear_weight.sizes().data(), linear_weight.sizes().size() - 1);
    REEL_CHECK(!linear_bias.defined() || linear_bias.sizes() == classes, op, ": linear_bias has shape ",
               linear_bias.defined() ? linear_bias.sizes() : IntArrayRef(), "; expected ", classes);
    const std::int64_t rows = shape::count(classes);
    Dims sizes;
    if (input.dim() == 2) sizes.push_back(input.size(0));
    for (const std::int64_t c : classes) sizes.push_back(c);
    const Tensor flat = linear(input, reshape(linear_weight, {rows, linear_weight.size(-1)}),
                               linear_bias.defined() ? reshape(linear_bias, {rows}) : Tensor());
    return cross_entropy(reshape(flat, sizes), target, weight, ignore_index, reduction, label_smoothing);
}

} // namespace reel
