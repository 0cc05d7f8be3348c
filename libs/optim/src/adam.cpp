#include <reel/optim/adam.hpp>

#include <cmath>

#include <reel/autograd/ops.hpp>
#include <reel/optim/adamw.hpp>
#include <reel/optim/detail/step.hpp>
#include <reel/optim/detail/steps/adam.hpp>
#include <reel/optim/factory.hpp>

#include "adam_update.hpp"

namespace reel::optim {

void AdamParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("exp_avg", exp_avg_);
    v("exp_avg_sq", exp_avg_sq_);
    v("max_exp_avg_sq", max_exp_avg_sq_);
}

template class OptimizerCloneableOptions<AdamWOptions>;

AdamW::AdamW(std::vector<OptimizerParamGroup> groups, AdamWOptions defaults)
    : Optimizer(std::move(groups), std::make_unique<AdamWOptions>(defaults)) {}
AdamW::AdamW(std::vector<Tensor> params, AdamWOptions defaults)
    : Optimizer(std::move(params), std::make_unique<AdamWOptions>(defaults)) {}
std::unique_ptr<OptimizerParamState> AdamW::make_state() const { return std::make_unique<AdamWParamState>(); }

template class OptimizerCloneableOptions<AdamOptions>;
template class OptimizerCloneableParamState<AdamParamState>;

Adam::Adam(std::vector<OptimizerParamGroup> groups, AdamOptions defaults)
    : Optimizer(std::move(groups), std::make_unique<AdamOptions>(defaults)) {}
Adam::Adam(std::vector<Tensor> params, AdamOptions defaults)
    : Optimizer(std::move(params), std::make_unique<AdamOptions>(defaults)) {}
std::unique_ptr<OptimizerParamState> Adam::make_state() const { return std::make_unique<AdamParamState>(); }

void check_not_negative(const char* name, const char* argument, double value) {
    REEL_CHECK_VALUE(value >= 0, name, ": ", argument, " must not be negative, got ", value);
}
void check_betas(const char* name, const std::tuple<double, double>& betas) {
    for (const double b : {std::get<0>(betas), std::get<1>(betas)})
        REEL_CHECK_VALUE(b >= 0 && b < 1, name, ": each of the betas must be in [0, 1), got ", b);
}

void adam_update(const char* name, const Tensor& p, const Tensor& g, AdamParamState& s, const AdamNumbers& o) {
    if (!s.exp_avg().defined()) {
        s.exp_avg(reel::zeros_like(p));
        s.exp_avg_sq(reel::zeros_like(p));
    }
    if (o.amsgrad && !s.max_exp_avg_sq().defined()) s.max_exp_avg_sq(reel::zeros_like(p));
    const double t = double(++s.step());
    const auto fill = [&](auto step) {
        step.lr = o.lr;
        step.maximize = o.maximize;
        if (o.decoupled) step.shrink = 1 - o.lr * o.weight_decay;
        else step.weight_decay = o.weight_decay;
        step.beta1 = o.beta1;
        step.beta2 = o.beta2;
        step.eps = o.eps;
        step.step_size = o.lr / (1 - std::pow(o.beta1, t));
        step.scale = 1 / std::sqrt(1 - std::pow(o.beta2, t));
        return step;
    };
    if (o.amsgrad)
        apply_step(name, fill(steps::adam_step<true>{}), p, g, {s.exp_avg(), s.exp_avg_sq(), s.max_exp_avg_sq()});
    else apply_step(name, fill(steps::adam_step<false>{}), p, g, {s.exp_avg(), s.exp_avg_sq()});
}

void AdamOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("betas", betas_);
    v("eps", eps_);
    v("weight_decay", weight_decay_);
    v("amsgrad", amsgrad_);
    v.keyword_only();
    v("maximize", maximize_);
    v.constant("foreach", Value());
    v.constant("capturable", false);
    v.constant("differentiable", false);
    v.constant("fused", Value());
    v("decoupled_weight_decay", decoupled_weight_decay_);
}
void AdamOptions::check() const {
    check_not_negative("Adam", "lr", lr());
    check_not_negative("Adam", "eps", eps());
    check_betas("Adam", betas());
    check_not_negative("Adam", "weight_decay", weight_decay());
}
void Adam::update(OptimizerParamGroup& group) {
    const auto& o = static_cast<const AdamOptions&>(group.options());
    const AdamNumbers n{o.lr(),      std::get<0>(o.betas()), std::get<1>(o.betas()),    o.eps(), o.weight_decay(),
                        o.amsgrad(), o.maximize(),           o.decoupled_weight_decay()};
    each_with_grad<AdamParamState>(
        group, [&](const Tensor& p, const Tensor& g, AdamParamState& s) { adam_update(class_name, p, g, s, n); });
}

void AdamWOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("betas", betas_);
    v("eps", eps_);
    v("weight_decay", weight_decay_);
    v("amsgrad", amsgrad_);
    v.keyword_only();
    v("maximize", maximize_);
    v.constant("foreach", Value());
    v.constant("capturable", false);
    v.constant("differentiable", false);
    v.constant("fused", Value());
    v.constant("decoupled_weight_decay", true);
}
void AdamWOptions::check() const {
    check_not_negative("AdamW", "lr", lr());
    check_not_negative("AdamW", "eps", eps());
    check_betas("AdamW", betas());
    check_not_negative("AdamW", "weight_decay", weight_decay());
}
void AdamW::update(OptimizerParamGroup& group) {
    const auto& o = static_cast<const AdamWOptions&>(group.options());
    const AdamNumbers n{
        o.lr(), std::get<0>(o.betas()), std::get<1>(o.betas()), o.eps(), o.weight_decay(), o.amsgrad(), o.maximize(),
        true};
    each_with_grad<AdamParamState>(
        group, [&](const Tensor& p, const Tensor& g, AdamParamState& s) { adam_update(class_name, p, g, s, n); });
}

namespace {
[[maybe_unused]] const bool registered[] = {register_optimizer<Adam, AdamOptions>("Adam"),
                                            register_optimizer<AdamW, AdamWOptions>("AdamW")};
}

} // namespace reel::optim
