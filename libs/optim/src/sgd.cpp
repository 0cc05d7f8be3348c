#include <reel/optim/sgd.hpp>

#include <reel/optim/detail/steps/sgd.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "step_base.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void SGDParamState::fields(FieldVisitor& v) { v("momentum_buffer", momentum_buffer_); }

void SGDOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("momentum", momentum_);
    v("dampening", dampening_);
    v("weight_decay", weight_decay_);
    v("nesterov", nesterov_);
    v.keyword_only();
    v("maximize", maximize_);
    foreach_field(v);
    differentiable_field(v);
    fused_field(v);
}
void SGDOptions::check() const {
    check_not_negative("SGD", "lr", lr());
    check_not_negative("SGD", "momentum", momentum());
    check_not_negative("SGD", "weight_decay", weight_decay());
    REEL_CHECK_VALUE(!nesterov() || (momentum() > 0 && dampening() == 0),
                     "SGD: nesterov needs a momentum above zero and zero dampening, got momentum ", momentum(),
                     " and dampening ", dampening());
}

void SGD::update_parameter(const Tensor& p, const Tensor& g, SGDParamState& s, const SGDOptions& o) {
    const steps::StepRule base = step_base(o);
    if (o.momentum() == 0) return take_step(class_name, steps::sgd_step{base}, p, g, {});
    steps::sgd_momentum_step step{base, o.momentum(), o.dampening(), o.nesterov(), !s.momentum_buffer().defined()};
    if (step.first) s.momentum_buffer(detail::zero_state(p));
    take_step(class_name, step, p, g, {s.momentum_buffer()});
}

void SGD::update_rows(const Tensor& p, const Tensor& g, SGDParamState& s, const SGDOptions& o) {
    REEL_CHECK(o.weight_decay() == 0, "SGD: weight_decay is ", o.weight_decay(),
               " and a gradient is sparse; expected 0, as it would decay rows that were not used");
    if (o.momentum() != 0) return update_parameter(p, g.to_dense(), s, o); // moves every row that ever moved
    p.add_(g, o.maximize() ? double(o.lr()) : -o.lr());
}

void register_sgd() { register_optimizer<SGD>(); }

} // namespace reel::optim
