// Connectionist temporal classification: forward-backward sums in log space.
#include <reel/autograd/kernels/ctc_loss.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <reel/autograd/host_data.hpp>

#include "cpu/jet.hpp"

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

/// Calls `f(n, its Alignment)` for every example whose loss counts; `along` may be null for double.
template <class S, class F>
void each_example(const CtcBatch& b, const Tensor& log_probs, const double* along, const Tensor& targets, F f) {
    const double* const lp = host_data<double>(log_probs, "ctc_loss");
    const std::int64_t* const all = host_data<std::int64_t>(targets, "ctc_loss");
    if (!along) along = lp;
    for (std::int64_t n = 0; n < b.size; ++n) {
        const auto i = static_cast<std::size_t>(n);
        const Alignment<S> a(lp + n * b.classes, along + n * b.classes, b.size * b.classes, b.in[i], all + b.start[i],
                             b.labels[i], b.blank);
        if (!b.zero_infinity || !std::isinf(value_of(a.loss()))) f(n, a);
    }
}
double* zeroed(const Tensor& t) {
    double* const p = host_data<double>(t, "ctc_loss");
    std::fill_n(p, t.numel(), 0.0);
    return p;
}

} // namespace

void ctc_loss(const CtcBatch& b, const Tensor& losses, const Tensor& log_probs, const Tensor& targets) {
    double* const to = zeroed(losses);
    each_example<double>(b, log_probs, nullptr, targets,
                         [&](std::int64_t n, const Alignment<double>& a) { to[n] = a.loss(); });
}

void ctc_loss_backward(const CtcBatch& b, const Tensor& grads, const Tensor& factors, const Tensor& log_probs,
                       const Tensor& targets) {
    double* const all = zeroed(grads);
    const double* const by = host_data<double>(factors, "ctc_loss");
    each_example<double>(b, log_probs, nullptr, targets, [&](std::int64_t n, const Alignment<double>& a) {
        double *to = all + n * b.classes, factor = by[n];
        a.each_gradient(b.classes, [&](std::int64_t i, double v) { to[i] += factor * v; });
    });
}

void ctc_loss_curvature(const CtcBatch& b, const Tensor& grads, const Tensor& along, const Tensor& log_probs,
                        const Tensor& targets) {
    double* const all = zeroed(grads);
    each_example<Directed>(b, log_probs, host_data<double>(along, "ctc_loss"), targets,
                           [&](std::int64_t n, const Alignment<Directed>& a) {
                               double* to = all + n * b.classes;
                               a.each_gradient(b.classes, [&](std::int64_t i, const Directed& g) { to[i] += g.c[1]; });
                           });
}

} // namespace reel::cpu
