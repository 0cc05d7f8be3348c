// Adam and AdamW: the same step, which decays the parameter's weight in one of two ways.
#include <reel/optim/adam.hpp>

#include <cmath>

#include <reel/optim/adamw.hpp>
#include <reel/optim/detail/steps/adam.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "step_base.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void AdamParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("exp_avg", exp_avg_);
    v("exp_avg_sq", exp_avg_sq_);
    v("max_exp_avg_sq", max_exp_avg_sq_);
}

template <class Self> void AdamOptionsOf<Self>::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("betas", betas_);
    v("eps", eps_);
    v("weight_decay", weight_decay_);
    v("amsgrad", amsgrad_);
    v.keyword_only();
    v("maximize", maximize_);
    this->foreach_field(v);
    this->capturable_field(v);
    this->differentiable_field(v);
    this->fused_field(v);
    decoupling(v);
}
template <class Self> void AdamOptionsOf<Self>::check() const {
    check_not_negative(Self::optimizer_name, "lr", lr());
    check_not_negative(Self::optimizer_name, "eps", eps());
    check_betas(Self::optimizer_name, betas());
    check_not_negative(Self::optimizer_name, "weight_decay", weight_decay());
}
void AdamOptions::decoupling(FieldVisitor& v) { v("decoupled_weight_decay", decoupled_weight_decay_); }
void AdamWOptions::decoupling(FieldVisitor& v) { v.constant("decoupled_weight_decay", true); }
template class AdamOptionsOf<AdamOptions>;
template class AdamOptionsOf<AdamWOptions>;

namespace {
template <class Options>
void step_by_adam(const char* optimizer, const Tensor& p, const Tensor& g, AdamParamState& s, const Options& o) {
    if (!s.exp_avg().defined()) {
        s.exp_avg(detail::zero_state(p));
        s.exp_avg_sq(detail::zero_state(p));
    }
    if (o.amsgrad() && !s.max_exp_avg_sq().defined()) s.max_exp_avg_sq(detail::zero_state(p));
    const double t = double(++s.step());
    const auto fill = [&](auto step) {
        std::tie(step.beta1, step.beta2) = o.betas();
        step.eps = o.eps();
        step.step_size = o.lr() / (1 - std::pow(step.beta1, t));
        step.scale = 1 / std::sqrt(1 - std::pow(step.beta2, t));
        return step;
    };
    const steps::StepRule base = step_base(o);
    if (o.amsgrad())
        take_step(optimizer, fill(steps::adam_step<true>{base}), p, g,
                  {s.exp_avg(), s.exp_avg_sq(), s.max_exp_avg_sq()});
    else take_step(optimizer, fill(steps::adam_step<false>{base}), p, g, {s.exp_avg(), s.exp_avg_sq()});
}
} // namespace

void Adam::update_parameter(const Tensor& p, const Tensor& g, AdamParamState& s, const AdamOptions& o) {
    step_by_adam(class_name, p, g, s, o);
}
void AdamW::update_parameter(const Tensor& p, const Tensor& g, AdamWParamState& s, const AdamWOptions& o) {
    step_by_adam(class_name, p, g, s, o);
}

void register_adam() {
    register_optimizer<Adam>();
    register_optimizer<AdamW>();
}

} // namespace reel::optim
