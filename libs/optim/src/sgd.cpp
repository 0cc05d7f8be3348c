#include <reel/optim/sgd.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/optim/detail/step.hpp>
#include <reel/optim/detail/steps/sgd.hpp>
#include <reel/optim/factory.hpp>

namespace reel::optim {

template class OptimizerCloneableOptions<SGDOptions>;
template class OptimizerCloneableParamState<SGDParamState>;

void SGDParamState::fields(FieldVisitor& v) { v("momentum_buffer", momentum_buffer_); }

SGD::SGD(std::vector<OptimizerParamGroup> groups, SGDOptions defaults)
    : Optimizer(std::move(groups), std::make_unique<SGDOptions>(defaults)) {}
SGD::SGD(std::vector<Tensor> params, SGDOptions defaults)
    : Optimizer(std::move(params), std::make_unique<SGDOptions>(defaults)) {}
std::unique_ptr<OptimizerParamState> SGD::make_state() const { return std::make_unique<SGDParamState>(); }

void SGDOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("momentum", momentum_);
    v("dampening", dampening_);
    v("weight_decay", weight_decay_);
    v("nesterov", nesterov_);
    v.keyword_only();
    v("maximize", maximize_);
    v.constant("foreach", Value());
    v.constant("differentiable", false);
    v.constant("fused", Value());
}
void SGDOptions::check() const {
    REEL_CHECK_VALUE(lr() >= 0, "SGD: lr must not be negative, got ", lr());
    REEL_CHECK_VALUE(momentum() >= 0, "SGD: momentum must not be negative, got ", momentum());
    REEL_CHECK_VALUE(weight_decay() >= 0, "SGD: weight_decay must not be negative, got ", weight_decay());
    REEL_CHECK_VALUE(!nesterov() || (momentum() > 0 && dampening() == 0),
                     "SGD: nesterov needs a momentum above zero and zero dampening, got momentum ", momentum(),
                     " and dampening ", dampening());
}

void SGD::update(OptimizerParamGroup& group) {
    const auto& o = static_cast<const SGDOptions&>(group.options());
    each_with_grad<SGDParamState>(group, [&](const Tensor& p, const Tensor& g, SGDParamState& s) {
        const steps::StepRule base{.lr = o.lr(), .weight_decay = o.weight_decay(), .maximize = o.maximize()};
        if (o.momentum() == 0) return apply_step(class_name, steps::sgd_step{base}, p, g, {});
        steps::sgd_momentum_step step{base, o.momentum(), o.dampening(), o.nesterov(), !s.momentum_buffer().defined()};
        if (step.first) s.momentum_buffer(reel::zeros_like(p));
        apply_step(class_name, step, p, g, {s.momentum_buffer()});
    });
}

namespace {
[[maybe_unused]] const bool registered = register_optimizer<SGD, SGDOptions>("SGD");
}

} // namespace reel::optim
