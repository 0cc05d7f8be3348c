#include <reel/optim/adamax.hpp>

#include <cmath>

#include <reel/optim/detail/steps/adamax.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "step_base.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void AdamaxParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("exp_avg", exp_avg_);
    v("exp_inf", exp_inf_);
}

void AdamaxOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("betas", betas_);
    v("eps", eps_);
    v("weight_decay", weight_decay_);
    v.keyword_only();
    v("maximize", maximize_);
    foreach_field(v);
    differentiable_field(v);
    capturable_field(v);
}
void AdamaxOptions::check() const {
    check_not_negative("Adamax", "lr", lr());
    check_not_negative("Adamax", "eps", eps());
    check_betas("Adamax", betas());
    check_not_negative("Adamax", "weight_decay", weight_decay());
}

void Adamax::update_parameter(const Tensor& p, const Tensor& g, AdamaxParamState& s, const AdamaxOptions& o) {
    if (!s.exp_avg().defined()) {
        s.exp_avg(detail::zero_state(p));
        s.exp_inf(detail::zero_state(p));
    }
    const double t = double(++s.step());
    const auto [beta1, beta2] = o.betas();
    steps::adamax_step step{step_base(o)};
    step.beta1 = beta1;
    step.beta2 = beta2;
    step.eps = o.eps();
    step.step_size = o.lr() / (1 - std::pow(beta1, t));
    take_step(class_name, step, p, g, {s.exp_avg(), s.exp_inf()});
}

void register_adamax() { register_optimizer<Adamax>(); }

} // namespace reel::optim
