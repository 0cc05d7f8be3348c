// Connectionist temporal classification: forward-backward sums in log space.
#include <reel/autograd/kernels/ctc_loss.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/jet.hpp"
#include "cpu/loss/ctc_steps.hpp"

namespace reel::cpu {

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

/// One example: log-probabilities lp(t, c), the labels with blanks between them, and the sums over all alignments, a
/// step at a time.
class Alignment {
public:
    Alignment(const double* lp, std::int64_t stride, std::int64_t steps, const std::int64_t* labels, std::int64_t n,
              std::int64_t blank)
        : lp_(lp), stride_(stride), steps_(steps), states_(2 * n + 1), label_(std::size_t(states_), blank),
          own_(std::size_t(states_)), alpha_(std::size_t(std::max<std::int64_t>(steps, 1) * width()), kMinusInfinity) {
        if (steps == 0) {
            loss_ = n == 0 ? 0 : -kMinusInfinity;
            return;
        }
        for (std::int64_t s = 1; s < states_; s += 2) label_[std::size_t(s)] = labels[s / 2];
        const std::vector<double> skip = skips();
        start(alpha(0), 0);
        for (std::int64_t t = 1; t < steps; ++t) {
            find_own(t);
            ctc_steps.step(alpha(t - 1), skip.data(), own_.data(), states_, alpha(t));
        }
        const double* const last = alpha(steps - 1) + states_ - 1;
        loss_ = -(n > 0 ? log_add(last[0], last[-1]) : last[0]);
    }
    double loss() const { return loss_; }
    /// Calls `f(position in lp, exp(lp) - the share of alignments that pass through c at t)`: the loss's gradient. The
    /// sums from the end are those from the start of everything reversed.
    template <class F> void each_gradient(std::int64_t classes, F f) {
        std::reverse(label_.begin(), label_.end());
        const std::vector<double> skip = skips();
        std::vector<double> beta(std::size_t(width()), kMinusInfinity), next(beta),
            share(static_cast<std::size_t>(states_)), through(static_cast<std::size_t>(classes)), probability(through);
        for (std::int64_t t = steps_ - 1; t >= 0; --t) {
            find_own(t);
            if (t == steps_ - 1) start(beta.data() + ahead, t);
            else {
                next.swap(beta);
                ctc_steps.step(next.data() + ahead, skip.data(), own_.data(), states_, beta.data() + ahead);
            }
            const double* const a = alpha(t) + states_ - 1;
            for (std::int64_t s = 0; s < states_; ++s)
                share[std::size_t(s)] = a[-s] + beta[std::size_t(ahead + s)] + loss_ - own_[std::size_t(s)];
            ctc_steps.exponentials(share.data(), states_, share.data());
            for (std::int64_t c = 0; c < classes; ++c) { // nothing out of nothing is no share
                const double none = kMinusInfinity + loss_ - lp_[t * stride_ + c];
                through[std::size_t(c)] = none != none ? none : 0;
            }
            for (std::int64_t s = 0; s < states_; ++s)
                through[std::size_t(label_[std::size_t(s)])] += share[std::size_t(s)];
            ctc_steps.exponentials(lp_ + t * stride_, classes, probability.data());
            for (std::int64_t c = 0; c < classes; ++c)
                f(t * stride_ + c, probability[std::size_t(c)] - through[std::size_t(c)]);
        }
    }

private:
    static constexpr std::int64_t ahead = 2; ///< impossible states before the first one
    std::int64_t width() const { return states_ + ahead; }
    double* alpha(std::int64_t t) { return alpha_.data() + t * width() + ahead; }
    /// Where an alignment may pass over the blank before it.
    std::vector<double> skips() const {
        std::vector<double> skip(std::size_t(states_), kMinusInfinity);
        for (std::size_t s = 2; s < skip.size(); ++s)
            if (label_[s] != label_[s - 2]) skip[s] = 0;
        return skip;
    }
    void find_own(std::int64_t t) {
        for (std::size_t s = 0; s < own_.size(); ++s) own_[s] = lp_[t * stride_ + label_[s]];
    }
    /// The first step from either end is in one of two states.
    void start(double* first, std::int64_t t) const {
        for (std::int64_t s = 0; s < std::min<std::int64_t>(states_, 2); ++s)
            first[s] = lp_[t * stride_ + label_[std::size_t(s)]];
    }

    const double* lp_;
    std::int64_t stride_, steps_, states_;
    std::vector<std::int64_t> label_;
    std::vector<double> own_, alpha_;
    double loss_ = 0;
};

/// One example: log-probabilities lp(t, c), the labels with blanks between them, and the sums over all alignments.
/// With derivatives in the direction `along`, which is laid out as lp.
class DirectedAlignment {
    using S = Directed;

public:
    DirectedAlignment(const double* lp, const double* along, std::int64_t stride, std::int64_t steps,
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
        v.c[1] = along_[t * stride_ + c];
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

/// Calls `f(n)` for every example, over threads.
template <class F> void each_example(const CtcBatch& b, F f) {
    const std::int64_t longest = b.labels.empty() ? 0 : *std::max_element(b.labels.begin(), b.labels.end());
    const std::int64_t work = std::max<std::int64_t>(1, b.steps) * (b.classes + 2 * longest + 1); // of one example
    parallel_for(0, b.size, std::max<std::int64_t>(1, 8192 / work), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t n = begin; n < end; ++n) f(n, static_cast<std::size_t>(n));
    });
}
Alignment aligned(const CtcBatch& b, const Tensor& log_probs, const Tensor& targets, std::size_t i) {
    const double* const lp = host_data<double>(log_probs, "ctc_loss");
    return Alignment(lp + std::int64_t(i) * b.classes, b.size * b.classes, b.in[i],
                     host_data<std::int64_t>(targets, "ctc_loss") + b.start[i], b.labels[i], b.blank);
}
bool counts(const CtcBatch& b, double loss) { return !b.zero_infinity || !std::isinf(loss); }
double* zeroed(const Tensor& t) {
    double* const p = host_data<double>(t, "ctc_loss");
    std::fill_n(p, t.numel(), 0.0);
    return p;
}

} // namespace

void ctc_loss(const CtcBatch& b, const Tensor& losses, const Tensor& log_probs, const Tensor& targets) {
    double* const to = zeroed(losses);
    each_example(b, [&](std::int64_t n, std::size_t i) {
        const double loss = aligned(b, log_probs, targets, i).loss();
        if (counts(b, loss)) to[n] = loss;
    });
}

void ctc_loss_backward(const CtcBatch& b, const Tensor& grads, const Tensor& factors, const Tensor& log_probs,
                       const Tensor& targets) {
    double* const all = zeroed(grads);
    const double* const by = host_data<double>(factors, "ctc_loss");
    each_example(b, [&](std::int64_t n, std::size_t i) {
        Alignment a = aligned(b, log_probs, targets, i);
        if (!counts(b, a.loss())) return;
        double *to = all + n * b.classes, factor = by[n];
        a.each_gradient(b.classes, [&](std::int64_t at, double v) { to[at] += factor * v; });
    });
}

void ctc_loss_curvature(const CtcBatch& b, const Tensor& grads, const Tensor& along, const Tensor& log_probs,
                        const Tensor& targets) {
    double* const all = zeroed(grads);
    const double *const lp = host_data<double>(log_probs, "ctc_loss"),
                        *direction = host_data<double>(along, "ctc_loss");
    const std::int64_t* const labels = host_data<std::int64_t>(targets, "ctc_loss");
    each_example(b, [&](std::int64_t n, std::size_t i) {
        const DirectedAlignment a(lp + n * b.classes, direction + n * b.classes, b.size * b.classes, b.in[i],
                                  labels + b.start[i], b.labels[i], b.blank);
        if (!counts(b, value_of(a.loss()))) return;
        double* const to = all + n * b.classes;
        a.each_gradient(b.classes, [&](std::int64_t at, const Directed& g) { to[at] += g.c[1]; });
    });
}

} // namespace reel::cpu
