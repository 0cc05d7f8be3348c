#include <reel/optim/rmsprop.hpp>

#include <reel/optim/detail/steps/rmsprop.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "step_base.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void RMSpropParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("square_avg", square_avg_);
    v("momentum_buffer", momentum_buffer_);
    v("grad_avg", grad_avg_);
}

void RMSpropOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("alpha", alpha_);
    v("eps", eps_);
    v("weight_decay", weight_decay_);
    v("momentum", momentum_);
    v("centered", centered_);
    v.keyword_only();
    v("maximize", maximize_);
    capturable_field(v);
    foreach_field(v);
    differentiable_field(v);
}
void RMSpropOptions::check() const {
    check_not_negative("RMSprop", "lr", lr());
    check_not_negative("RMSprop", "eps", eps());
    check_not_negative("RMSprop", "momentum", momentum());
    check_not_negative("RMSprop", "weight_decay", weight_decay());
    check_not_negative("RMSprop", "alpha", alpha());
}

void RMSprop::update_parameter(const Tensor& p, const Tensor& g, RMSpropParamState& s, const RMSpropOptions& o) {
    if (!s.square_avg().defined()) s.square_avg(detail::zero_state(p));
    if (o.momentum() > 0 && !s.momentum_buffer().defined()) s.momentum_buffer(detail::zero_state(p));
    if (o.centered() && !s.grad_avg().defined()) s.grad_avg(detail::zero_state(p));
    ++s.step();
    const steps::StepRule base = step_base(o);
    const auto fill = [&](auto step) {
        step.alpha = o.alpha();
        step.eps = o.eps();
        step.momentum = o.momentum();
        return step;
    };
    const bool momentum = o.momentum() > 0;
    using steps::rmsprop_step;
    if (o.centered() && momentum)
        take_step(class_name, fill(rmsprop_step<true, true>{base}), p, g,
                  {s.square_avg(), s.grad_avg(), s.momentum_buffer()});
    else if (o.centered())
        take_step(class_name, fill(rmsprop_step<true, false>{base}), p, g, {s.square_avg(), s.grad_avg()});
    else if (momentum)
        take_step(class_name, fill(rmsprop_step<false, true>{base}), p, g, {s.square_avg(), s.momentum_buffer()});
    else take_step(class_name, fill(rmsprop_step<false, false>{base}), p, g, {s.square_avg()});
}

void register_rmsprop() { register_optimizer<RMSprop>(); }

} // namespace reel::optim
