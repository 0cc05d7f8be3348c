// Connectionist temporal classification: forward-backward sums in log space.
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/autograd/ops/loss/ctc.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "op/dispatch.hpp"
#include "ops/reduce/reduce_mode.hpp"
#include "ops/special/jet.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
    const double m = std::max(a, b);
    return m == kMinusInfinity ? m : m + std::log(std::exp(a - m) + std::exp(b - m));
}
using Directed = Jet<1>; ///< a number and its derivative in some direction
Directed log_add(const Directed& a, const Directed& b) {
    Directed r(log_add(a.c[0], b.c[0]));
    if (r.c[0] != kMinusInfinity) r.c[1] = std::exp(a.c[0] - r.c[0]) * a.c[1] + std::exp(b.c[0] - r.c[0]) * b.c[1];
    return r;
}

/// One example: log-probabilities lp(t, c), the labels with blanks between them, and the sums over all alignments.
/// S is double, or Directed for derivatives in the direction `along`, which is laid out as lp.
template <class S> class Alignment {
public:
    Alignment(const double* lp, const double* along, std::int64_t stride, std::int64_t steps,
              const std::int64_t* labels, std::int64_t n, std::int64_t blank)
        : lp_(lp), along_(along), stride_(stride), steps_(steps), n_(n), blank_(blank), labels_(labels),
          alpha_(std::size_t(std::max<std::int64_t>(steps, 1) * states()), S(kMinusInfinity)) {
        if (steps == 0) {
            loss_ = S(n == 0 ? 0 : -kMinusInfinity);
            return;
        }
        alpha(0, 0) = at(0, 0);
        if (n > 0) alpha(0, 1) = at(0, 1);
        for (std::int64_t t = 1; t < steps; ++t)
            for (std::int64_t s = 0; s < states(); ++s) {
                S sum = alpha(t - 1, s);
                if (s > 0) sum = log_add(sum, alpha(t - 1, s - 1));
                if (s > 1 && label(s) != label(s - 2)) sum = log_add(sum, alpha(t - 1, s - 2));
                alpha(t, s) = value_of(sum) == kMinusInfinity ? sum : sum + at(t, s);
            }
        const S last = alpha(steps - 1, states() - 1);
        loss_ = -(n > 0 ? log_add(last, alpha(steps - 1, states() - 2)) : last);
    }
    const S& loss() const { return loss_; }
    /// Calls `f(position in lp, exp(lp) - the share of alignments that pass through c at t)`: the loss's gradient.
    template <class F> void each_gradient(std::int64_t classes, F f) const {
        std::vector<S> beta(static_cast<std::size_t>(states()), S(kMinusInfinity)), next(beta),
            through(static_cast<std::size_t>(classes));
        for (std::int64_t t = steps_ - 1; t >= 0; --t) {
            if (t == steps_ - 1) {
                beta[std::size_t(states() - 1)] = at(t, states() - 1);
                if (n_ > 0) beta[std::size_t(states() - 2)] = at(t, states() - 2);
            } else {
                next.swap(beta);
                for (std::int64_t s = 0; s < states(); ++s) {
                    S sum = next[std::size_t(s)];
                    if (s + 1 < states()) sum = log_add(sum, next[std::size_t(s + 1)]);
                    if (s + 2 < states() && label(s) != label(s + 2)) sum = log_add(sum, next[std::size_t(s + 2)]);
                    beta[std::size_t(s)] = value_of(sum) == kMinusInfinity ? sum : sum + at(t, s);
                }
            }
            std::fill(through.begin(), through.end(), S(kMinusInfinity));
            for (std::int64_t s = 0; s < states(); ++s) {
                S& sum = through[std::size_t(label(s))];
                sum = log_add(sum, alpha(t, s) + beta[std::size_t(s)]);
            }
            for (std::int64_t c = 0; c < classes; ++c) {
                using std::exp;
                const S lp = value(t, c);
                f(t * stride_ + c, exp(lp) - exp(through[std::size_t(c)] + loss_ - lp));
            }
        }
    }

private:
    std::int64_t states() const { return 2 * n_ + 1; }
    std::int64_t label(std::int64_t s) const { return s % 2 == 0 ? blank_ : labels_[s / 2]; }
    S value(std::int64_t t, std::int64_t c) const {
        S v(lp_[t * stride_ + c]);
        if constexpr (std::is_same_v<S, Directed>) v.c[1] = along_[t * stride_ + c];
        return v;
    }
    S at(std::int64_t t, std::int64_t s) const { return value(t, label(s)); }
    S& alpha(std::int64_t t, std::int64_t s) { return alpha_[std::size_t(t * states() + s)]; }
    const S& alpha(std::int64_t t, std::int64_t s) const { return alpha_[std::size_t(t * states() + s)]; }

    const double *lp_, *along_;
    std::int64_t stride_, steps_, n_, blank_;
    const std::int64_t* labels_;
    std::vector<S> alpha_;
    S loss_ = 0;
};

std::vector<std::int64_t> as_lengths(const char* name, const Tensor& t, std::int64_t batch) {
    REEL_CHECK(isIntegralType(t.scalar_type()), "ctc_loss: ", name, " must be integers, got ",
               dtype_name(t.scalar_type()));
    const Tensor l = contiguous_raw(cast_raw(t, kLong));
    REEL_CHECK(l.numel() == batch, "ctc_loss: ", name, " has ", l.numel(), " entries; expected one for each of the ",
               batch, " examples");
    return {host_data<std::int64_t>(l, "ctc_loss"), host_data<std::int64_t>(l, "ctc_loss") + batch};
}

/// What all examples have in common: lengths, where each one's labels start, and what counts as nothing.
struct Batch {
    std::int64_t steps, size, classes, blank;
    std::vector<std::int64_t> in, labels, start;
    bool zero_infinity;

    /// Calls `f(n, its Alignment)` for every example whose loss counts; `along` may be undefined for double.
    template <class S, class F>
    void each(const Tensor& log_probs, const Tensor& along, const Tensor& targets, F f) const {
        const Tensor lp = contiguous_raw(cast_raw(log_probs, kDouble)), all = contiguous_raw(cast_raw(targets, kLong)),
                     v = along.defined() ? contiguous_raw(cast_raw(along, kDouble)) : lp;
        for (std::int64_t n = 0; n < size; ++n) {
            const auto i = static_cast<std::size_t>(n);
            const Alignment<S> a(host_data<double>(lp, "ctc_loss") + n * classes,
                                 host_data<double>(v, "ctc_loss") + n * classes, size * classes, in[i],
                                 host_data<std::int64_t>(all, "ctc_loss") + start[i], labels[i], blank);
            if (!zero_infinity || !std::isinf(value_of(a.loss()))) f(n, a);
        }
    }
    Tensor zeros() const {
        Tensor t = empty_raw({steps, size, classes}, kDouble);
        fill_raw(t, 0);
        return t;
    }
};

/// The gradient's derivative in the direction `along` [T, N, C], which is symmetric in directions and results.
Tensor ctc_curvature(const Batch& b, const Tensor& along, const Tensor& log_probs, const Tensor& targets) {
    const Tensor grads = b.zeros();
    b.each<Directed>(log_probs, along, targets, [&](std::int64_t n, const Alignment<Directed>& a) {
        double* to = host_data<double>(grads, "ctc_loss") + n * b.classes;
        a.each_gradient(b.classes, [&](std::int64_t i, const Directed& g) { to[i] += g.c[1]; });
    });
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
Tensor ctc_gradient(const Batch& b, const Tensor& g, const Tensor& log_probs, const Tensor& targets) {
    const Tensor grads = b.zeros(), factors = contiguous_raw(cast_raw(g, kDouble));
    b.each<double>(log_probs, {}, targets, [&](std::int64_t n, const Alignment<double>& a) {
        double *to = host_data<double>(grads, "ctc_loss") + n * b.classes,
               factor = host_data<double>(factors, "ctc_loss")[n];
        a.each_gradient(b.classes, [&](std::int64_t i, double v) { to[i] += factor * v; });
    });
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
    Batch b{log_probs.size(0), log_probs.size(1), log_probs.size(2), blank, std::move(in), std::move(labels), {},
            zero_infinity};
    REEL_CHECK(blank >= 0 && blank < b.classes, "ctc_loss: blank is ", blank, "; expected a class below ", b.classes);
    std::int64_t next = 0;
    const Tensor all = contiguous_raw(cast_raw(targets, kLong));
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
        const std::int64_t* const label = host_data<std::int64_t>(all, "ctc_loss") + b.start[n];
        for (std::int64_t i = 0; i < b.labels[n]; ++i)
            REEL_CHECK_INDEX(label[i] >= 0 && label[i] < b.classes, "ctc_loss: targets hold ", label[i], " at ", i,
                             " of example ", n, "; expected a class from 0 to ", b.classes - 1);
    }
    Tensor losses = empty_raw({b.size}, kDouble);
    fill_raw(losses, 0);
    b.each<double>(log_probs, {}, targets, [&](std::int64_t n, const Alignment<double>& a) {
        host_data<double>(losses, "ctc_loss")[n] = a.loss();
    });
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
    Tensor lengths = empty_raw({std::int64_t(labels.size())}, each.scalar_type());
    Tensor wide = empty_raw(lengths.sizes(), kDouble);
    for (std::size_t n = 0; n < labels.size(); ++n)
        host_data<double>(wide, "ctc_loss")[n] = double(std::max<std::int64_t>(labels[n], 1));
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
/// alignments. The gradient takes the probabilities of each step to sum to one: use log_softmax.
REEL_OP("nn.functional.ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int "
        "blank=0, str reduction='mean', "
        "bool zero_infinity=False) -> Tensor",
        rule)
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
