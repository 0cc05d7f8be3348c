#include <reel/optim/radam.hpp>

#include <cmath>

#include <reel/optim/detail/steps/radam.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "step_base.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void RAdamParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("exp_avg", exp_avg_);
    v("exp_avg_sq", exp_avg_sq_);
}

void RAdamOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("betas", betas_);
    v("eps", eps_);
    v("weight_decay", weight_decay_);
    v("decoupled_weight_decay", decoupled_weight_decay_);
    v.keyword_only();
    v("maximize", maximize_);
    foreach_field(v);
    capturable_field(v);
    differentiable_field(v);
}
void RAdamOptions::check() const {
    check_not_negative("RAdam", "lr", lr());
    check_not_negative("RAdam", "eps", eps());
    check_betas("RAdam", betas());
    check_not_negative("RAdam", "weight_decay", weight_decay());
}

void RAdam::update_parameter(const Tensor& p, const Tensor& g, RAdamParamState& s, const RAdamOptions& o) {
    if (!s.exp_avg().defined()) {
        s.exp_avg(detail::zero_state(p));
        s.exp_avg_sq(detail::zero_state(p));
    }
    const double t = double(++s.step());
    const auto [beta1, beta2] = o.betas();
    const double correction1 = 1 - std::pow(beta1, t), correction2 = 1 - std::pow(beta2, t);
    const double rho_inf = 2 / (1 - beta2) - 1, rho = rho_inf - 2 * t * std::pow(beta2, t) / correction2;
    steps::radam_step step{step_base(o)};
    step.beta1 = beta1;
    step.beta2 = beta2;
    step.eps = o.eps();
    step.rectified = rho > 5;
    step.step_size = o.lr() / correction1;
    if (step.rectified)
        step.step_size *=
            std::sqrt((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho)) * std::sqrt(correction2);
    take_step(class_name, step, p, g, {s.exp_avg(), s.exp_avg_sq()});
}

void register_radam() { register_optimizer<RAdam>(); }

} // namespace reel::optim
