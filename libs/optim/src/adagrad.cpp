#include <reel/optim/adagrad.hpp>

#include <reel/optim/detail/steps/adagrad.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "sparse_rows.hpp"
#include "step_base.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void AdagradParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("sum", sum_);
}

Adagrad::Adagrad(std::vector<OptimizerParamGroup> groups, AdagradOptions defaults)
    : OptimizerOf(std::move(groups), std::move(defaults)) {
    make_states();
}
Adagrad::Adagrad(std::vector<Tensor> params, AdagradOptions defaults)
    : OptimizerOf(std::move(params), std::move(defaults)) {
    make_states();
}
/// As in PyTorch, state dicts have the sums from the start; parameters that are added later get theirs in their first
/// step.
void Adagrad::make_states() {
    for (const OptimizerParamGroup& group : groups_)
        for (const Tensor& p : group.params()) give_sum(p, state_of<AdagradParamState>(p), options_of(group));
}
void Adagrad::give_sum(const Tensor& p, AdagradParamState& s, const AdagradOptions& o) {
    if (!s.sum().defined()) s.sum(detail::full_state(p.detach(), o.initial_accumulator_value()));
}

void AdagradOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("lr_decay", lr_decay_);
    v("weight_decay", weight_decay_);
    v("initial_accumulator_value", initial_accumulator_value_);
    v("eps", eps_);
    v.keyword_only();
    v("maximize", maximize_);
    foreach_field(v);
    differentiable_field(v);
    fused_field(v);
}
void AdagradOptions::check() const {
    check_not_negative("Adagrad", "lr", lr());
    check_not_negative("Adagrad", "lr_decay", lr_decay());
    check_not_negative("Adagrad", "weight_decay", weight_decay());
    check_not_negative("Adagrad", "initial_accumulator_value", initial_accumulator_value());
    check_not_negative("Adagrad", "eps", eps());
}

void Adagrad::update_parameter(const Tensor& p, const Tensor& g, AdagradParamState& s, const AdagradOptions& o) {
    give_sum(p, s, o);
    const double t = double(++s.step());
    steps::adagrad_step step{step_base(o)};
    step.lr = o.lr() / (1 + (t - 1) * o.lr_decay());
    step.eps = o.eps();
    take_step(class_name, step, p, g, {s.sum()});
}

void Adagrad::update_rows(const Tensor& p, const Tensor& g, AdagradParamState& s, const AdagradOptions& o) {
    REEL_CHECK(o.weight_decay() == 0, "Adagrad: weight_decay is ", o.weight_decay(),
               " and a gradient is sparse; expected 0, as it would decay rows that were not used");
    give_sum(p, s, o);
    const double t = double(++s.step()), rate = o.lr() / (1 + (t - 1) * o.lr_decay());
    const SparseRows rows(g);
    s.sum().add_(rows.with(rows.values * rows.values));
    const Tensor step = rows.values / (rows.of(s.sum()).sqrt() + o.eps());
    p.add_(rows.with(step), o.maximize() ? rate : -rate);
}

void register_adagrad() { register_optimizer<Adagrad>(); }

} // namespace reel::optim
