#include <reel/optim/adagrad.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/optim/detail/step.hpp>
#include <reel/optim/detail/steps/adagrad.hpp>
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
    : Optimizer(std::move(groups), std::make_unique<AdagradOptions>(defaults)) {
    make_states();
}
Adagrad::Adagrad(std::vector<Tensor> params, AdagradOptions defaults)
    : Optimizer(std::move(params), std::make_unique<AdagradOptions>(defaults)) {
    make_states();
}
/// As in PyTorch, state dicts have the sums from the start; parameters that are added later get theirs in their first
/// step.
void Adagrad::make_states() {
    for (const OptimizerParamGroup& group : groups_)
        for (const Tensor& p : group.params()) sum_of(p, static_cast<const AdagradOptions&>(group.options()));
}
AdagradParamState& Adagrad::sum_of(const Tensor& p, const AdagradOptions& o) {
    auto& s = state_of<AdagradParamState>(p);
    if (!s.sum().defined()) s.sum(reel::full_like(p.detach(), o.initial_accumulator_value()));
    return s;
}
std::unique_ptr<OptimizerParamState> Adagrad::make_state() const { return std::make_unique<AdagradParamState>(); }

void AdagradOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("lr_decay", lr_decay_);
    v("weight_decay", weight_decay_);
    v("initial_accumulator_value", initial_accumulator_value_);
    v("eps", eps_);
    v.keyword_only();
    v("maximize", maximize_);
    v.constant("foreach", Value());
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
    each_with_grad<AdagradParamState>(group, [&](const Tensor& p, const Tensor& g, AdagradParamState&) {
        AdagradParamState& s = sum_of(p, o);
        const double t = double(++s.step());
        steps::adagrad_step step;
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
