#include <reel/optim/adagrad.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/optimizer_step.hpp>
#include <reel/optim/factory.hpp>

#include "adam_update.hpp"

namespace reel::optim {

void AdagradParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("sum", sum_);
}

template class OptimizerCloneableOptions<AdagradOptions>;
template class OptimizerCloneableParamState<AdagradParamState>;

Adagrad::Adagrad(std::vector<OptimizerParamGroup> groups, AdagradOptions defaults)
    : Optimizer(std::move(groups), std::make_unique<AdagradOptions>(defaults)) {}
Adagrad::Adagrad(std::vector<Tensor> params, AdagradOptions defaults)
    : Optimizer(std::move(params), std::make_unique<AdagradOptions>(defaults)) {}
std::unique_ptr<OptimizerParamState> Adagrad::make_state() const { return std::make_unique<AdagradParamState>(); }

void AdagradOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("lr_decay", lr_decay_);
    v("weight_decay", weight_decay_);
    v("initial_accumulator_value", initial_accumulator_value_);
    v("eps", eps_);
    v.keyword_only();
    v("maximize", maximize_);
    v.constant("foreign", Value());
    v.constant("differentiable", false);
    v.constant("fused", Value());
}
void AdagradOptions::check() const {
    check_not_negative("Adagrad", "lr", lr());
    check_not_negative("Adagrad", "lr_decay", lr_decay());
    check_not_negative("Adagrad", "weight_decay", weight_decay());
    check_not_negative("Adagrad", "initial_accumulator_value", initial_accumulator_value());
    check_not_negative("Adagrad", "eps", eps());
}

void Adagrad::update(OptimizerParamGroup& group) {
    const auto& o = static_cast<const AdagradOptions&>(group.options());
    each_with_grad<AdagradParamState>(group, [&](const Tensor& p, const Tensor& g, AdagradParamState& s) {
        if (!s.sum().defined()) s.sum(reel::full_like(p, o.initial_accumulator_value()));
        const double t = double(++s.step());
        pointwise::adagrad_step step;
        step.lr = o.lr() / (1 + (t - 1) * o.lr_decay());
        step.weight_decay = o.weight_decay();
        step.maximize = o.maximize();
        step.eps = o.eps();
        apply_step(class_name, step, p, g, {s.sum()});
    });
}

namespace {
[[maybe_unused]] const bool registered = register_optimizer<Adagrad, AdagradOptions>("Adagrad");
}

} // namespace reel::optim
