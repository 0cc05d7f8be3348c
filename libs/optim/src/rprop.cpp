#include <reel/optim/rprop.hpp>

#include <reel/optim/detail/steps/rprop.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "step_base.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void RpropParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("prev", prev_);
    v("step_size", step_size_);
}

void RpropOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("etas", etas_);
    v("step_sizes", step_sizes_);
    v.keyword_only();
    v("maximize", maximize_);
    foreach_field(v);
    capturable_field(v);
    differentiable_field(v);
}
void RpropOptions::check() const {
    check_not_negative("Rprop", "lr", lr());
    REEL_CHECK_VALUE(std::get<0>(etas()) > 0 && std::get<0>(etas()) < 1 && std::get<1>(etas()) > 1,
                     "Rprop: etas must be (in (0, 1), above 1), got (", std::get<0>(etas()), ", ", std::get<1>(etas()),
                     ")");
}

void Rprop::update_parameter(const Tensor& p, const Tensor& g, RpropParamState& s, const RpropOptions& o) {
    if (!s.prev().defined()) {
        s.prev(detail::zero_state(p));
        s.step_size(detail::full_state(p, o.lr()));
    }
    ++s.step();
    steps::rprop_step step{step_base(o)};
    step.eta_minus = std::get<0>(o.etas());
    step.eta_plus = std::get<1>(o.etas());
    step.step_min = std::get<0>(o.step_sizes());
    step.step_max = std::get<1>(o.step_sizes());
    take_step(class_name, step, p, g, {s.prev(), s.step_size()});
}

void register_rprop() { register_optimizer<Rprop>(); }

} // namespace reel::optim
