// Connectionist temporal classification: forward-backward sums in log space.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <cmath>
#include <limits>

#include "op/dispatch.hpp"
#include "ops/reduce_mode.hpp"
#include "tensor/make.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
    const double m = std::max(a, b);
    return m == kMinusInfinity ? m : m + std::log(std::exp(a - m) + std::exp(b - m));
}

/// One example: log-probabilities lp(t, c), the labels with blanks between them, and the sums over all alignments.
class Alignment {
public:
    Alignment(const double* lp, std::int64_t stride, std::int64_t steps, const std::int64_t* labels, std::int64_t n,
              std::int64_t blank)
        : lp_(lp), stride_(stride), steps_(steps), n_(n), blank_(blank), labels_(labels),
          alpha_(std::size_t(std::max<std::int64_t>(steps, 1) * states()), kMinusInfinity) {
        if (steps == 0) {
            loss_ = n == 0 ? 0 : -kMinusInfinity;
            return;
        }
        alpha(0, 0) = at(0, 0);
        if (n > 0) alpha(0, 1) = at(0, 1);
        for (std::int64_t t = 1; t < steps; ++t)
            for (std::int64_t s = 0; s < states(); ++s) {
                double sum = alpha(t - 1, s);
                if (s > 0) sum = log_add(sum, alpha(t - 1, s - 1));
                if (s > 1 && label(s) != label(s - 2)) sum = log_add(sum, alpha(t - 1, s - 2));
                alpha(t, s) = sum == kMinusInfinity ? sum : sum + at(t, s);
            }
        const double last = alpha(steps - 1, states() - 1);
        loss_ = -(n > 0 ? log_add(last, alpha(steps - 1, states() - 2)) : last);
    }
    double loss() const { return loss_; }
    /// grad(t, c) += scale (exp(lp) - the share of alignments that pass through c at t), for `classes` classes.
    void add_gradient(double* grad, std::int64_t classes, double scale) const {
        std::vector<double> beta(static_cast<std::size_t>(states()), kMinusInfinity), next(beta),
            through(static_cast<std::size_t>(classes));
        for (std::int64_t t = steps_ - 1; t >= 0; --t) {
            if (t == steps_ - 1) {
                beta[std::size_t(states() - 1)] = at(t, states() - 1);
                if (n_ > 0) beta[std::size_t(states() - 2)] = at(t, states() - 2);
            } else {
                next.swap(beta);
                for (std::int64_t s = 0; s < states(); ++s) {
                    double sum = next[std::size_t(s)];
                    if (s + 1 < states()) sum = log_add(sum, next[std::size_t(s + 1)]);
                    if (s + 2 < states() && label(s) != label(s + 2)) sum = log_add(sum, next[std::size_t(s + 2)]);
                    beta[std::size_t(s)] = sum == kMinusInfinity ? sum : sum + at(t, s);
                }
            }
            std::fill(through.begin(), through.end(), kMinusInfinity);
            for (std::int64_t s = 0; s < states(); ++s) {
                double& sum = through[std::size_t(label(s))];
                sum = log_add(sum, alpha(t, s) + beta[std::size_t(s)]);
            }
            for (std::int64_t c = 0; c < classes; ++c) {
                const double lp = lp_[t * stride_ + c];
                grad[t * stride_ + c] += scale * (std::exp(lp) - std::exp(through[std::size_t(c)] + loss_ - lp));
            }
        }
    }

private:
    std::int64_t states() const { return 2 * n_ + 1; }
    std::int64_t label(std::int64_t s) const { return s % 2 == 0 ? blank_ : labels_[s / 2]; }
    double at(std::int64_t t, std::int64_t s) const { return lp_[t * stride_ + label(s)]; }
    double& alpha(std::int64_t t, std::int64_t s) { return alpha_[std::size_t(t * states() + s)]; }
    double alpha(std::int64_t t, std::int64_t s) const { return alpha_[std::size_t(t * states() + s)]; }

    const double* lp_;
    std::int64_t stride_, steps_, n_, blank_;
    const std::int64_t* labels_;
    std::vector<double> alpha_;
    double loss_ = 0;
};

std::vector<std::int64_t> as_lengths(const char* name, const Tensor& t, std::int64_t batch) {
    REEL_CHECK(isIntegralType(t.scalar_type()), "ctc_loss: ", name, " must be integers, got ",
               dtype_name(t.scalar_type()));
    const Tensor l = contiguous_raw(cast_raw(t, kLong));
    REEL_CHECK(l.numel() == batch, "ctc_loss: ", name, " has ", l.numel(), " entries; expected one for each of the ",
               batch, " examples");
    return {l.data_ptr<std::int64_t>(), l.data_ptr<std::int64_t>() + batch};
}

/// The sum over alignments for each example, [N].
Tensor ctc_each(const Tensor& log_probs, const Tensor& targets, std::vector<std::int64_t> in,
                std::vector<std::int64_t> labels, std::int64_t blank, bool zero_infinity) {
    REEL_CHECK_NOT_IMPLEMENTED(log_probs.scalar_type() == kFloat || log_probs.scalar_type() == kDouble,
                               "ctc_loss: log_probs is ", dtype_name(log_probs.scalar_type()),
                               "; expected float32 or float64");
    REEL_CHECK(isIntegralType(targets.scalar_type()), "ctc_loss: targets must be integers, got ",
               dtype_name(targets.scalar_type()));
    const std::int64_t steps = log_probs.size(0), batch = log_probs.size(1), classes = log_probs.size(2);
    REEL_CHECK(blank >= 0 && blank < classes, "ctc_loss: blank is ", blank, "; expected a class below ", classes);
    const Tensor all = contiguous_raw(cast_raw(targets, kLong));
    std::vector<std::int64_t> start(static_cast<std::size_t>(batch));
    std::int64_t next = 0;
    for (std::size_t n = 0; n < start.size(); ++n) {
        REEL_CHECK(in[n] >= 0 && in[n] <= steps, "ctc_loss: input length ", in[n], " of example ", n,
                   " is not between 0 and ", steps);
        REEL_CHECK(labels[n] >= 0, "ctc_loss: target length ", labels[n], " of example ", n, " is negative");
        start[n] = all.dim() == 1 ? next : std::int64_t(n) * all.size(1);
        REEL_CHECK(labels[n] <= all.numel(), "ctc_loss: target length ", labels[n], " of example ", n,
                   " is longer than ", "targets of shape ", all.sizes());
        next += labels[n];
        REEL_CHECK(all.dim() == 1 ? next <= all.numel() : all.size(0) == batch && labels[n] <= all.size(1),
                   "ctc_loss: targets of shape ", all.sizes(), " are too short for example ", n, " with target length ",
                   labels[n]);
        const std::int64_t* const label = all.data_ptr<std::int64_t>() + start[n];
        for (std::int64_t i = 0; i < labels[n]; ++i)
            REEL_CHECK_INDEX(label[i] >= 0 && label[i] < classes, "ctc_loss: targets hold ", label[i], " at ", i,
                             " of example ", n, "; expected a class from 0 to ", classes - 1);
    }
    const Tensor lp = contiguous_raw(cast_raw(log_probs, kDouble));
    const auto example = [=](const Tensor& lp, const Tensor& all, std::size_t n) {
        return Alignment(lp.data_ptr<double>() + std::int64_t(n) * classes, batch * classes, in[n],
                         all.data_ptr<std::int64_t>() + start[n], labels[n], blank);
    };
    Tensor losses = empty_raw({batch}, kDouble);
    for (std::size_t n = 0; n < start.size(); ++n) {
        const double l = example(lp, all, n).loss();
        losses.data_ptr<double>()[n] = zero_infinity && std::isinf(l) ? 0 : l;
    }
    Tensor out = cast_raw(losses, log_probs.scalar_type());
    const ScalarType t = log_probs.scalar_type();
    if (needs_recording(log_probs))
        record("ctc_loss", {log_probs}, out, {log_probs, all},
               [=, n_examples = start.size()](RuleContext& c) -> GradList {
                   const Tensor lp = contiguous_raw(cast_raw(c.saved(0), kDouble)), all = c.saved(1);
                   const Tensor g = contiguous_raw(cast_raw(c.grad(), kDouble));
                   Tensor grad = empty_raw(lp.sizes(), kDouble);
                   fill_raw(grad, 0);
                   for (std::size_t n = 0; n < n_examples; ++n) {
                       const Alignment a = example(lp, all, n);
                       if (zero_infinity && std::isinf(a.loss())) continue;
                       a.add_gradient(grad.data_ptr<double>() + std::int64_t(n) * classes, classes,
                                      g.data_ptr<double>()[n]);
                   }
                   Tensor gx = cast_raw(grad, t);
                   record("ctc_loss_backward", {c.grad()}, gx, {}, [](RuleContext&) -> GradList {
                       REEL_THROW(NotImplementedError, "ctc_loss: second derivatives are not implemented");
                   });
                   return {gx};
               });
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
    Tensor lengths = empty_raw({std::int64_t(labels.size())}, each.scalar_type());
    Tensor wide = empty_raw(lengths.sizes(), kDouble);
    for (std::size_t n = 0; n < labels.size(); ++n)
        wide.data_ptr<double>()[n] = double(std::max<std::int64_t>(labels[n], 1));
    copy_raw(lengths, wide);
    return mean(each / lengths);
}
std::int64_t batch_of(const Tensor& log_probs) {
    REEL_CHECK(log_probs.dim() == 2 || log_probs.dim() == 3, "ctc_loss: log_probs has shape ", log_probs.sizes(),
               "; expected [T, N, C] or [T, C]");
    return log_probs.dim() == 2 ? 1 : log_probs.size(1);
}

} // namespace

/// -log of the probability of `targets` ([N, S] padded, or all in a row) under log_probs [T, N, C], summed over
/// alignments.
REEL_OP("nn.functional.ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int "
        "blank=0, str reduction='mean', "
        "bool zero_infinity=False) -> Tensor")
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, std::int64_t blank, std::string_view reduction, bool zero_infinity) {
    const std::int64_t batch = batch_of(log_probs);
    return ctc_reduced(log_probs, targets, as_lengths("input_lengths", input_lengths, batch),
                       as_lengths("target_lengths", target_lengths, batch), blank, reduction, zero_infinity);
}
REEL_OP("nn.functional.ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[] target_lengths, int "
        "blank=0, str reduction='mean', "
        "bool zero_infinity=False) -> Tensor")
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths, IntArrayRef target_lengths,
                std::int64_t blank, std::string_view reduction, bool zero_infinity) {
    const std::int64_t batch = batch_of(log_probs);
    REEL_CHECK(std::int64_t(input_lengths.size()) == batch && std::int64_t(target_lengths.size()) == batch,
               "ctc_loss: ", input_lengths.size(), " input lengths and ", target_lengths.size(),
               " target lengths are given for ", batch, " examples");
    return ctc_reduced(log_probs, targets, input_lengths.vec(), target_lengths.vec(), blank, reduction, zero_infinity);
}

} // namespace reel
