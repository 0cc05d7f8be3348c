#include <reel/optim/adadelta.hpp>

#include <reel/optim/detail/steps/adadelta.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "step_base.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void AdadeltaParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("square_avg", square_avg_);
    v("acc_delta", acc_delta_);
}

void AdadeltaOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("rho", rho_);
    v("eps", eps_);
    v("weight_decay", weight_decay_);
    v.keyword_only();
    v("maximize", maximize_);
    foreach_field(v);
    capturable_field(v);
    differentiable_field(v);
}
void AdadeltaOptions::check() const {
    check_not_negative("Adadelta", "lr", lr());
    REEL_CHECK_VALUE(rho() >= 0 && rho() <= 1, "Adadelta: rho must be between 0 and 1, got ", rho());
    check_not_negative("Adadelta", "eps", eps());
    check_not_negative("Adadelta", "weight_decay", weight_decay());
}

void Adadelta::update_parameter(const Tensor& p, const Tensor& g, AdadeltaParamState& s, const AdadeltaOptions& o) {
    if (!s.square_avg().defined()) {
        s.square_avg(detail::zero_state(p));
        s.acc_delta(detail::zero_state(p));
    }
    ++s.step();
    steps::adadelta_step step{step_base(o)};
    step.rho = o.rho();
    step.eps = o.eps();
    take_step(class_name, step, p, g, {s.square_avg(), s.acc_delta()});
}

void register_adadelta() { register_optimizer<Adadelta>(); }

} // namespace reel::optim
