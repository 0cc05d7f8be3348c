#include <reel/optim/nadam.hpp>

#include <cmath>

#include <reel/optim/detail/steps/nadam.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "step_base.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void NAdamParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("mu_product", mu_product_);
    v("exp_avg", exp_avg_);
    v("exp_avg_sq", exp_avg_sq_);
}

void NAdamOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("betas", betas_);
    v("eps", eps_);
    v("weight_decay", weight_decay_);
    v("momentum_decay", momentum_decay_);
    v("decoupled_weight_decay", decoupled_weight_decay_);
    v.keyword_only();
    v("maximize", maximize_);
    foreach_field(v);
    capturable_field(v);
    differentiable_field(v);
}
void NAdamOptions::check() const {
    check_not_negative("NAdam", "lr", lr());
    check_not_negative("NAdam", "eps", eps());
    check_betas("NAdam", betas());
    check_not_negative("NAdam", "weight_decay", weight_decay());
    check_not_negative("NAdam", "momentum_decay", momentum_decay());
}

void NAdam::update_parameter(const Tensor& p, const Tensor& g, NAdamParamState& s, const NAdamOptions& o) {
    if (!s.exp_avg().defined()) {
        s.mu_product() = 1.0;
        s.exp_avg(detail::zero_state(p));
        s.exp_avg_sq(detail::zero_state(p));
    }
    const double t = double(++s.step());
    const auto [beta1, beta2] = o.betas();
    const double mu = beta1 * (1 - 0.5 * std::pow(0.96, t * o.momentum_decay()));
    const double mu_next = beta1 * (1 - 0.5 * std::pow(0.96, (t + 1) * o.momentum_decay()));
    // PyTorch keeps this number in the default dtype, so in float32 as a rule.
    s.mu_product() =
        get_default_dtype() == kDouble ? double(s.mu_product()) * mu : double(float(s.mu_product()) * float(mu));
    const double product = s.mu_product();
    steps::nadam_step step{step_base(o)};
    step.beta1 = beta1;
    step.beta2 = beta2;
    step.eps = o.eps();
    step.grad_size = o.lr() * (1 - mu) / (1 - product);
    step.avg_size = o.lr() * mu_next / (1 - product * mu_next);
    step.scale = 1 / std::sqrt(1 - std::pow(beta2, t));
    take_step(class_name, step, p, g, {s.exp_avg(), s.exp_avg_sq()});
}

void register_nadam() { register_optimizer<NAdam>(); }

} // namespace reel::optim
