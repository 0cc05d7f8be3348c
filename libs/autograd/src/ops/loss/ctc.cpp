// Connectionist temporal classification.
#include <reel/autograd/kernels/ctc_loss.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/loss/ctc.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <vector>

#include "ops/reduce/reduce_mode.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

std::vector<std::int64_t> as_lengths(const char* name, const Tensor& t, std::int64_t batch) {
    REEL_CHECK(isIntegralType(t.scalar_type()), "ctc_loss: ", name, " must be integers, got ",
               dtype_name(t.scalar_type()));
    REEL_CHECK(t.numel() == batch, "ctc_loss: ", name, " has ", t.numel(), " entries; expected one for each of the ",
               batch, " examples");
    const HostValues<std::int64_t> lengths(t, "ctc_loss");
    return {lengths.begin(), lengths.end()};
}

Tensor wide(const Tensor& t) { return contiguous_raw(cast_raw(t, kDouble)); }
Tensor classes_of(const Tensor& targets) { return contiguous_raw(cast_raw(targets, kLong)); }
Tensor laid_out_as_log_probs(const CtcBatch& b, Device device) {
    return empty_raw({b.steps, b.size, b.classes}, kDouble, device);
}

/// The gradient's derivative in the direction `along` [T, N, C], which is symmetric in directions and results.
Tensor ctc_curvature(const CtcBatch& b, const Tensor& along, const Tensor& log_probs, const Tensor& targets) {
    const Tensor grads = laid_out_as_log_probs(b, log_probs.device());
    kernels::ctc_loss_curvature(b, grads, wide(along), wide(log_probs), classes_of(targets));
    const Tensor out = cast_raw(grads, log_probs.scalar_type());
    record("ctc_loss_backward_backward", {along, log_probs}, out, {log_probs, targets},
           [b](RuleContext& c) -> GradList {
               REEL_CHECK_NOT_IMPLEMENTED(!c.needs(1), "ctc_loss: third derivatives are not implemented");
               return {ctc_curvature(b, c.grad(), c.saved(0), c.saved(1)), Tensor()};
           });
    return out;
}
/// Gradients of the examples' losses, each times its `g` [N]. As in the reference they take the probabilities of every
/// step to sum to one, and are exact together with the gradient of the log_softmax that made them do so.
Tensor ctc_gradient(const CtcBatch& b, const Tensor& g, const Tensor& log_probs, const Tensor& targets) {
    const Tensor grads = laid_out_as_log_probs(b, log_probs.device());
    kernels::ctc_loss_backward(b, grads, wide(g), wide(log_probs), classes_of(targets));
    const Tensor out = cast_raw(grads, log_probs.scalar_type());
    record("ctc_loss_backward", {g, log_probs}, out, {g, log_probs, targets}, [b](RuleContext& c) -> GradList {
        const Tensor g = c.saved(0), lp = c.saved(1), targets = c.saved(2), &v = c.grad();
        GradList r(2);
        if (c.needs(0)) r[0] = sum(v * ctc_gradient(b, ones_like(g), lp, targets), IntArrayRef{0, 2});
        if (c.needs(1)) r[1] = ctc_curvature(b, v * reshape(g, {1, b.size, 1}), lp, targets);
        return r;
    });
    return out;
}

/// The sum over alignments for each example, [N].
Tensor ctc_each(const Tensor& log_probs, const Tensor& targets, std::vector<std::int64_t> in,
                std::vector<std::int64_t> labels, std::int64_t blank, bool zero_infinity) {
    REEL_CHECK_NOT_IMPLEMENTED(log_probs.scalar_type() == kFloat || log_probs.scalar_type() == kDouble,
                               "ctc_loss: log_probs is ", dtype_name(log_probs.scalar_type()),
                               "; expected float32 or float64");
    REEL_CHECK(isIntegralType(targets.scalar_type()), "ctc_loss: targets must be integers, got ",
               dtype_name(targets.scalar_type()));
    CtcBatch b{log_probs.size(0), log_probs.size(1), log_probs.size(2), blank, std::move(in), std::move(labels), {},
               zero_infinity};
    REEL_CHECK(blank >= 0 && blank < b.classes, "ctc_loss: blank is ", blank, "; expected a class below ", b.classes);
    std::int64_t next = 0;
    const Tensor all = classes_of(targets);
    const HostValues<std::int64_t> every(all, "ctc_loss");
    for (std::size_t n = 0; n < std::size_t(b.size); ++n) {
        REEL_CHECK(b.in[n] >= 0 && b.in[n] <= b.steps, "ctc_loss: input length ", b.in[n], " of example ", n,
                   " is not between 0 and ", b.steps);
        REEL_CHECK(b.labels[n] >= 0, "ctc_loss: target length ", b.labels[n], " of example ", n, " is negative");
        REEL_CHECK(b.labels[n] <= targets.numel(), "ctc_loss: target length ", b.labels[n], " of example ", n,
                   " is longer than targets of shape ", targets.sizes());
        b.start.push_back(targets.dim() == 1 ? next : std::int64_t(n) * targets.size(1));
        next += b.labels[n];
        REEL_CHECK(targets.dim() == 1 ? next <= targets.numel()
                                      : targets.size(0) == b.size && b.labels[n] <= targets.size(1),
                   "ctc_loss: targets of shape ", targets.sizes(), " are too short for example ", n,
                   " with target length ", b.labels[n]);
        const std::int64_t* const label = every.begin() + b.start[n];
        for (std::int64_t i = 0; i < b.labels[n]; ++i)
            REEL_CHECK_INDEX(label[i] >= 0 && label[i] < b.classes, "ctc_loss: targets hold ", label[i], " at ", i,
                             " of example ", n, "; expected a class from 0 to ", b.classes - 1);
    }
    const Tensor losses = empty_raw({b.size}, kDouble, log_probs.device());
    kernels::ctc_loss(b, losses, wide(log_probs), all);
    const Tensor out = cast_raw(losses, log_probs.scalar_type());
    record("ctc_loss", {log_probs}, out, {log_probs, targets},
           [b](RuleContext& c) -> GradList { return {ctc_gradient(b, c.grad(), c.saved(0), c.saved(1))}; });
    return out;
}

Tensor ctc_reduced(const Tensor& log_probs, const Tensor& targets, const std::vector<std::int64_t>& in,
                   const std::vector<std::int64_t>& labels, std::int64_t blank, std::string_view reduction,
                   bool zero_infinity) {
    const Reduce r = reduction_of("ctc_loss", reduction);
    const bool single = log_probs.dim() == 2;
    const Tensor each = ctc_each(single ? unsqueeze(log_probs, 1) : log_probs, single ? unsqueeze(targets, 0) : targets,
                                 in, labels, blank, zero_infinity);
    if (r == Reduce::Sum) return sum(each);
    if (r == Reduce::None) return single ? reshape(each, {}) : each;
    const Tensor lengths = generated<double>(std::int64_t(labels.size()), [&](std::int64_t n) {
        return double(std::max<std::int64_t>(labels[std::size_t(n)], 1));
    });
    return mean(each / lengths.to(each.device(), each.scalar_type()));
}
std::int64_t batch_of(const Tensor& log_probs) {
    REEL_CHECK(log_probs.dim() == 2 || log_probs.dim() == 3, "ctc_loss: log_probs has shape ", log_probs.sizes(),
               "; expected [T, N, C] or [T, C]");
    return log_probs.dim() == 2 ? 1 : log_probs.size(1);
}

} // namespace

/// -log of the probability of `targets` ([N, S] padded, or all in a row) under log_probs [T, N, C], summed over
/// alignments. The gradient takes the probabilities of each step to sum to one: use log_softmax.
REEL_OP("nn.functional.ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int "
        "blank=0, str reduction='mean', "
        "bool zero_infinity=False) -> Tensor",
        rule, any_device("input_lengths, target_lengths"))
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, std::int64_t blank, std::string_view reduction, bool zero_infinity) {
    const std::int64_t batch = batch_of(log_probs);
    return ctc_reduced(log_probs, targets, as_lengths("input_lengths", input_lengths, batch),
                       as_lengths("target_lengths", target_lengths, batch), blank, reduction, zero_infinity);
}
REEL_OP("nn.functional.ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int "
        "blank=0, str reduction='mean', "
        "bool zero_infinity=False) -> Tensor",
        rule)
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths, IntArrayRef target_lengths,
                std::int64_t blank, std::string_view reduction, bool zero_infinity) {
    const std::int64_t batch = batch_of(log_probs);
    REEL_CHECK(std::int64_t(input_lengths.size()) == batch && std::int64_t(target_lengths.size()) == batch,
               "ctc_loss: ", input_lengths.size(), " input lengths and ", target_lengths.size(),
               " target lengths are given for ", batch, " examples");
    return ctc_reduced(log_probs, targets, input_lengths.vec(), target_lengths.vec(), blank, reduction, zero_infinity);
}

} // namespace reel
