#include <reel/optim/asgd.hpp>

#include <algorithm>
#include <cmath>

#include <reel/optim/detail/steps/asgd.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "step_base.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void ASGDParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("eta", eta_);
    v("mu", mu_);
    v("ax", ax_);
}

void ASGDOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("lambd", lambd_);
    v("alpha", alpha_);
    v("t0", t0_);
    v("weight_decay", weight_decay_);
    v.keyword_only();
    v("maximize", maximize_);
    foreach_field(v);
    differentiable_field(v);
    capturable_field(v);
}
void ASGDOptions::check() const {
    check_not_negative("ASGD", "lr", lr());
    check_not_negative("ASGD", "weight_decay", weight_decay());
}

void ASGD::update_parameter(const Tensor& p, const Tensor& g, ASGDParamState& s, const ASGDOptions& o) {
    if (!s.ax().defined()) {
        s.eta() = double(o.lr());
        s.mu() = 1.0;
        s.ax(detail::zero_state(p));
    }
    const double t = double(++s.step());
    steps::asgd_step step{step_base(o)};
    step.eta = s.eta();
    step.decay = 1 - o.lambd() * step.eta;
    step.mu = s.mu();
    take_step(class_name, step, p, g, {s.ax()});
    s.eta() = o.lr() / std::pow(1 + o.lambd() * o.lr() * t, o.alpha());
    s.mu() = 1 / std::max(1.0, t - o.t0());
}

void register_asgd() { register_optimizer<ASGD>(); }

} // namespace reel::optim
