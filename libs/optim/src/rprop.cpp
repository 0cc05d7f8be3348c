#include <reel/optim/rprop.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/optim/detail/step.hpp>
#include <reel/optim/detail/steps/rprop.hpp>
#include <reel/optim/factory.hpp>

#include "adam_update.hpp"

namespace reel::optim {

void RpropParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("prev", prev_);
    v("step_size", step_size_);
}

template class OptimizerCloneableOptions<RpropOptions>;
template class OptimizerCloneableParamState<RpropParamState>;

Rprop::Rprop(std::vector<OptimizerParamGroup> groups, RpropOptions defaults)
    : Optimizer(std::move(groups), std::make_unique<RpropOptions>(defaults)) {}
Rprop::Rprop(std::vector<Tensor> params, RpropOptions defaults)
    : Optimizer(std::move(params), std::make_unique<RpropOptions>(defaults)) {}
std::unique_ptr<OptimizerParamState> Rprop::make_state() const { return std::make_unique<RpropParamState>(); }

void RpropOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("etas", etas_);
    v("step_sizes", step_sizes_);
    v.keyword_only();
    v("maximize", maximize_);
    v.constant("foreach", Value());
    v.constant("capturable", false);
    v.constant("differentiable", false);
}
void RpropOptions::check() const {
    check_not_negative("Rprop", "lr", lr());
    REEL_CHECK_VALUE(std::get<0>(etas()) > 0 && std::get<0>(etas()) < 1 && std::get<1>(etas()) > 1,
                     "Rprop: etas must be (in (0, 1), above 1), got (", std::get<0>(etas()), ", ", std::get<1>(etas()),
                     ")");
}

void Rprop::update(OptimizerParamGroup& group) {
    const auto& o = static_cast<const RpropOptions&>(group.options());
    each_with_grad<RpropParamState>(group, [&](const Tensor& p, const Tensor& g, RpropParamState& s) {
        if (!s.prev().defined()) {
            s.prev(reel::zeros_like(p));
            s.step_size(reel::full_like(p, o.lr()));
        }
        ++s.step();
        steps::rprop_step step;
        step.lr = o.lr();
        step.maximize = o.maximize();
        step.eta_minus = std::get<0>(o.etas());
        step.eta_plus = std::get<1>(o.etas());
        step.step_min = std::get<0>(o.step_sizes());
        step.step_max = std::get<1>(o.step_sizes());
        apply_step(class_name, step, p, g, {s.prev(), s.step_size()});
    });
}

namespace {
[[maybe_unused]] const bool registered = register_optimizer<Rprop, RpropOptions>("Rprop");
}

} // namespace reel::optim
