// Steps under a gradient scaler.
#include "scaled_step.hpp"

#include <utility>

#include <reel/autograd/device_hooks.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/optim/amp.hpp>

namespace reel::optim {

namespace detail {

UnsettledStep::UnsettledStep(Optimizer::StateMap& states, Device device) : device(device) {
    for (const auto& [param, state] : states) {
        known_.insert(param);
        before_.emplace_back(*state);
    }
}
void UnsettledStep::undo(Optimizer::StateMap& states) {
    for (FieldValues& values : before_) values.put_back();
    std::erase_if(states, [&](const auto& entry) { return !known_.contains(entry.first); });
}

std::function<bool()> is_not_zero_later(const Tensor& number) {
    const DeviceHooks& hooks = device_hooks(number.device().type());
    if (!hooks.mark || !hooks.pinned_alloc) return [number] { return number.item<double>() != 0; };
    Tensor here = reel::empty({}, TensorOptions(kFloat)).pin_memory();
    here.copy_(number.detach().reshape({}), /*non_blocking=*/true);
    return [here, arrived = hooks.mark(number.device().index())] {
        arrived();
        return here.item<double>() != 0;
    };
}

} // namespace detail

namespace {
void check_number(const char* what, const Tensor& t) {
    REEL_CHECK_VALUE(t.numel() == 1 && t.scalar_type() == kFloat, "optimizer: ", what, " is ",
                     dtype_name(t.scalar_type()), " of shape ", t.sizes(), "; expected one element of float32");
}
} // namespace

void Optimizer::settle() {
    if (!unsettled_) return;
    REEL_CHECK(!is_captured(unsettled_->device),
               "optimizer: only the device knows whether its last step happened, and a capture cannot wait for it; ask "
               "for state() before the capture");
    const std::unique_ptr<detail::UnsettledStep> step = std::move(unsettled_);
    if (step->skipped()) step->undo(state_);
}

void Optimizer::refuse_scaling(const char* optimizer) const {
    REEL_CHECK(!grad_scale_.defined() && !found_inf_.defined(), optimizer,
               ": a step evaluates the loss more than once; it takes neither grad_scale nor found_inf");
}

void Optimizer::unscale_gradients() {
    if (!grad_scale_.defined()) return;
    check_number("grad_scale", grad_scale_);
    const NoGradGuard no_grad;
    std::vector<Tensor> gradients;
    for (const OptimizerParamGroup& g : groups_)
        for (const Tensor& p : g.params())
            if (p.mutable_grad().defined()) gradients.push_back(p.mutable_grad());
    if (gradients.empty()) return;
    const Tensor found = reel::empty({}, grad_scale_.options().requires_grad(false)); // nobody asks
    amp::foreach_non_finite_check_and_unscale_(gradients, found, grad_scale_.detach().reciprocal());
}

/// Only where every parameter's step is a kernel's of the finding's own kind of device.
bool Optimizer::device_decides() const {
    if (!step_supports_amp_scaling() || !found_inf_.is_cuda()) return false;
    for (const OptimizerParamGroup& g : groups_) {
        if (g.options().is_differentiable()) return false;
        for (const Tensor& p : g.params())
            if (const Tensor& grad = p.mutable_grad(); grad.defined() && (!p.is_cuda() || grad.is_sparse()))
                return false;
    }
    return true;
}

bool Optimizer::begin_scaled_step() {
    unscale_gradients();
    if (!found_inf_.defined()) return true;
    check_number("found_inf", found_inf_);
    return device_decides() || found_inf_.item<double>() == 0;
}

} // namespace reel::optim
