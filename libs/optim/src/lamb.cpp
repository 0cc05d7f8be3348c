#include <reel/optim/lamb.hpp>

#include <algorithm>
#include <cmath>

#include <reel/autograd/tensor_operators.hpp>
#include <reel/optim/factory.hpp>

#include "checks.hpp"
#include "zero_state.hpp"

namespace reel::optim {

void LambParamState::fields(FieldVisitor& v) {
    v("step", step_);
    v("exp_avg", exp_avg_);
    v("exp_avg_sq", exp_avg_sq_);
}

void LambOptions::fields(FieldVisitor& v) {
    v("lr", lr_);
    v("bias_correction", bias_correction_);
    v("betas", betas_);
    v("eps", eps_);
    v("weight_decay", weight_decay_);
    v("grad_averaging", grad_averaging_);
    v.keyword_only();
    v("trust_clip", trust_clip_);
    v("always_adapt", always_adapt_);
    v("maximize", maximize_);
}
void LambOptions::check() const {
    check_not_negative("Lamb", "lr", lr());
    check_not_negative("Lamb", "eps", eps());
    check_betas("Lamb", betas());
    check_not_negative("Lamb", "weight_decay", weight_decay());
}

namespace {
/// How much longer than the update the parameter is: a tensor, so that no device has to be waited for.
Tensor trust_ratio(const Tensor& p, const Tensor& update, bool clip) {
    const Tensor size = p.norm(), step = update.norm(), both = (size > 0).logical_and(step > 0);
    const Tensor ratio = (size / step).masked_fill(both.logical_not(), 1);
    return clip ? ratio.clamp_max(1) : ratio;
}
} // namespace

void Lamb::update_parameter(const Tensor& p, const Tensor& g, LambParamState& s, const LambOptions& o) {
    if (!s.exp_avg().defined()) {
        s.exp_avg(detail::zero_state(p));
        s.exp_avg_sq(detail::zero_state(p));
    }
    const double t = double(++s.step());
    const auto [beta1, beta2] = o.betas();
    const Tensor gradient = o.maximize() ? -g : g;
    s.exp_avg().mul_(beta1).add_(gradient, o.grad_averaging() ? 1 - beta1 : 1);
    s.exp_avg_sq().mul_(beta2).addcmul_(gradient, gradient.conj(), 1 - beta2);

    const double bias1 = o.bias_correction() ? 1 - std::pow(beta1, t) : 1;
    const double bias2 = o.bias_correction() ? 1 - std::pow(beta2, t) : 1;
    Tensor update = s.exp_avg() / ((s.exp_avg_sq() / bias2).sqrt_().add_(o.eps()) * bias1);
    if (o.weight_decay() != 0) update.add_(p, o.weight_decay());
    if (o.weight_decay() != 0 || o.always_adapt()) update.mul_(trust_ratio(p, update, o.trust_clip()));
    p.add_(update, -o.lr());
}

void register_lamb() { register_optimizer<Lamb>(); }

} // namespace reel::optim
