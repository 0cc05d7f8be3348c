#include <reel/optim/rmsprop.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/optim/detail/step.hpp>
#include <reel/optim/detail/steps/rmsprop.hpp>
#include <reel/optim/factory.hpp>

#include "adam_update.hpp"

namespace reel::optim {

void RMSpropParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("square_avg", square_avg_);
    v("momentum_buffer", momentum_buffer_);
    v("grad_avg", grad_avg_);
}

template class OptimizerCloneableOptions<RMSpropOptions>;
template class OptimizerCloneableParamState<RMSpropParamState>;

RMSprop::RMSprop(std::vector<OptimizerParamGroup> groups, RMSpropOptions defaults)
    : Optimizer(std::move(groups), std::make_unique<RMSpropOptions>(defaults)) {}
RMSprop::RMSprop(std::vector<Tensor> params, RMSpropOptions defaults)
    : Optimizer(std::move(params), std::make_unique<RMSpropOptions>(defaults)) {}
std::unique_ptr<OptimizerParamState> RMSprop::make_state() const { return std::make_unique<RMSpropParamState>(); }

void RMSpropOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("alpha", alpha_);
    v("eps", eps_);
    v("weight_decay", weight_decay_);
    v("momentum", momentum_);
    v("centered", centered_);
    v.keyword_only();
    v("maximize", maximize_);
    v.constant("capturable", false);
    v.constant("foreach", Value());
    v.constant("differentiable", false);
}
void RMSpropOptions::check() const {
    check_not_negative("RMSprop", "lr", lr());
    check_not_negative("RMSprop", "eps", eps());
    check_not_negative("RMSprop", "momentum", momentum());
    check_not_negative("RMSprop", "weight_decay", weight_decay());
    check_not_negative("RMSprop", "alpha", alpha());
}

void RMSprop::update(OptimizerParamGroup& group) {
    const auto& o = static_cast<const RMSpropOptions&>(group.options());
    each_with_grad<RMSpropParamState>(group, [&](const Tensor& p, const Tensor& g, RMSpropParamState& s) {
        if (!s.square_avg().defined()) s.square_avg(reel::zeros_like(p));
        if (o.momentum() > 0 && !s.momentum_buffer().defined()) s.momentum_buffer(reel::zeros_like(p));
        if (o.centered() && !s.grad_avg().defined()) s.grad_avg(reel::zeros_like(p));
        ++s.step();
        const auto fill = [&](auto step) {
            step.lr = o.lr();
            step.weight_decay = o.weight_decay();
            step.maximize = o.maximize();
            step.alpha = o.alpha();
            step.eps = o.eps();
            step.momentum = o.momentum();
            return step;
        };
        const bool momentum = o.momentum() > 0;
        using steps::rmsprop_step;
        if (o.centered() && momentum)
            apply_step(class_name, fill(rmsprop_step<true, true>{}), p, g,
                       {s.square_avg(), s.grad_avg(), s.momentum_buffer()});
        else if (o.centered())
            apply_step(class_name, fill(rmsprop_step<true, false>{}), p, g, {s.square_avg(), s.grad_avg()});
        else if (momentum)
            apply_step(class_name, fill(rmsprop_step<false, true>{}), p, g, {s.square_avg(), s.momentum_buffer()});
        else apply_step(class_name, fill(rmsprop_step<false, false>{}), p, g, {s.square_avg()});
    });
}

namespace {
[[maybe_unused]] const bool registered = register_optimizer<RMSprop, RMSpropOptions>("RMSprop");
}

} // namespace reel::optim
