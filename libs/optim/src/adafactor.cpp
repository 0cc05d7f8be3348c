#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/optim/adafactor.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <reel/autograd/tensor_operators.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void AdafactorParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("row_var", row_var_);
    v("col_var", col_var_);
    v("variance", variance_);
}

void AdafactorOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("beta2_decay", beta2_decay_);
    v("eps", eps_);
    v("d", d_);
    v("weight_decay", weight_decay_);
    v.keyword_only();
    v("maximize", maximize_);
    foreach_field(v);
}
void AdafactorOptions::check() const {
    check_not_negative("Adafactor", "lr", lr());
    REEL_CHECK_VALUE(beta2_decay() <= 0, "Adafactor: beta2_decay must not be positive, got ", beta2_decay());
    REEL_CHECK_VALUE(d() >= 1, "Adafactor: d must be at least 1, got ", d());
    check_not_negative("Adafactor", "weight_decay", weight_decay());
}

namespace {
double root_mean_square(const Tensor& t) { return std::sqrt((t * t).mean().item<double>()); }
double epsilon_of(ScalarType t) {
    if (t == kDouble) return std::numeric_limits<double>::epsilon();
    if (t == kBFloat16) return 0x1p-7;
    return t == kHalf ? 0x1p-10 : std::numeric_limits<float>::epsilon();
}
} // namespace

void Adafactor::update_parameter(const Tensor& p, const Tensor& g, AdafactorParamState& s, const AdafactorOptions& o) {
    const double t = double(++s.step());
    const double fresh = std::pow(t, o.beta2_decay()), rate = std::min<double>(o.lr(), 1 / std::sqrt(t));
    const double eps = std::get<0>(o.eps()).value_or(epsilon_of(p.scalar_type()));
    const double size = std::max(std::get<1>(o.eps()), root_mean_square(p)) * rate;
    if (o.weight_decay() != 0) p.mul_(1 - o.lr() * o.weight_decay());
    const Tensor gradient = o.maximize() ? -g : g, square = gradient * gradient;
    const auto blend = [&](Tensor& mean, const Tensor& now) {
        if (!mean.defined()) mean = detail::zero_state(now);
        mean.add_(now - mean, fresh);
    };
    Tensor estimate;
    if (g.dim() > 1) {
        blend(s.row_var(), square.mean({-1}, true));
        blend(s.col_var(), square.mean({-2}, true));
        const Tensor mean = s.row_var().mean({-2}, true);
        estimate =
            reel::matmul(s.row_var(), s.col_var()) / reel::maximum(mean, reel::full({}, eps, mean.scalar_type()));
    } else {
        blend(s.variance(), square);
        estimate = s.variance();
    }
    const Tensor update =
        gradient * reel::rsqrt(reel::maximum(estimate, reel::full({}, eps * eps, estimate.scalar_type())));
    p.add_(update, -size / std::max(1.0, root_mean_square(update) / o.d()));
}

void register_adafactor() { register_optimizer<Adafactor>(); }

} // namespace reel::optim
