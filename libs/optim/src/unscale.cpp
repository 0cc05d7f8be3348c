// Gradients without their scale, and the scale of the next round.
#include <reel/optim/amp.hpp>

#include <memory>
#include <utility>
#include <vector>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/optim/detail/unscale_kernel.hpp>

namespace reel::optim {

namespace {

template <class T> bool unscale(T* data, std::int64_t n, float factor) {
    using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;
    bool bad = false;
    for (std::int64_t i = 0; i < n; ++i) {
        const Number x = Number(data[i]);
        bad |= !(x - x == 0);
        data[i] = T(x * Number(factor));
    }
    return bad;
}
bool unscale(const StepOperands& o, float factor) {
    switch (o.dtype) {
    case kFloat:
        return unscale(reinterpret_cast<float*>(o.data[0]), o.count, factor);
    case kDouble:
        return unscale(reinterpret_cast<double*>(o.data[0]), o.count, factor);
    case kHalf:
        return unscale(reinterpret_cast<Half*>(o.data[0]), o.count, factor);
    default:
        return unscale(reinterpret_cast<BFloat16*>(o.data[0]), o.count, factor);
    }
}
void unscale_all(const Tensor& found_inf, const Tensor& inv_scale, ArrayRef<StepOperands> gradients) {
    const float factor = *reel::host_data<float>(inv_scale, "unscale");
    bool bad = false;
    for (const StepOperands& o : gradients) bad |= unscale(o, factor);
    if (bad) *reel::host_data<float>(found_inf, "unscale") = 1;
}
[[maybe_unused]] const bool attached = (unscale_kernel.set(kCPU, &unscale_all), true);

} // namespace

} // namespace reel::optim

namespace reel::amp {

namespace {

void check_number(const char* op, const char* what, const Tensor& t, ScalarType type) {
    REEL_CHECK_VALUE(t.defined() && t.numel() == 1 && t.scalar_type() == type, op, ": ", what, " is ",
                     t.defined() ? str(dtype_name(t.scalar_type()), " of shape ", t.sizes()) : str("undefined"),
                     "; expected one element of ", dtype_name(type));
}
/// Of the gradients on one device.
void unscale_there(const std::vector<Tensor>& gradients, const Tensor& found_inf, const Tensor& inv_scale) {
    std::vector<std::unique_ptr<reel::detail::DenseUpdate>> open;
    std::vector<const Tensor*> addresses;
    std::vector<optim::StepOperands> operands;
    addresses.reserve(gradients.size());
    for (const Tensor& g : gradients) {
        addresses.push_back(&g);
        open.push_back(
            std::make_unique<reel::detail::DenseUpdate>("unscale", ArrayRef<const Tensor*>(&addresses.back(), 1), -1));
        if (open.back()->count() > 0)
            operands.push_back({open.back()->dtype(), open.back()->count(), 1, open.back()->data()});
    }
    if (operands.empty()) return;
    optim::unscale_kernel(found_inf, inv_scale, operands);
    for (const auto& update : open) update->commit();
    found_inf.impl()->bump_version();
}

} // namespace

void foreach_non_finite_check_and_unscale_(TensorList gradients, const Tensor& found_inf, const Tensor& inv_scale) {
    constexpr const char* op = "foreach_non_finite_check_and_unscale_";
    check_number(op, "found_inf", found_inf, kFloat);
    check_number(op, "inv_scale", inv_scale, kFloat);
    const NoGradGuard no_grad;
    std::vector<std::pair<Device, std::vector<Tensor>>> by_device;
    for (const Tensor& given : gradients) {
        if (!given.defined()) continue;
        const Tensor g = given.is_sparse() ? given._values() : given;
        REEL_CHECK_TYPE(g.is_floating_point() || g.is_complex(), op, ": a gradient is ", dtype_name(g.scalar_type()),
                        "; expected a floating or complex dtype");
        auto at = by_device.begin();
        while (at != by_device.end() && !(at->first == g.device())) ++at;
        if (at == by_device.end()) at = by_device.insert(at, {g.device(), {}});
        at->second.push_back(g);
    }
    for (const auto& [device, there] : by_device) {
        if (device == found_inf.device()) {
            unscale_there(there, found_inf, inv_scale.to(device));
            continue;
        }
        const Tensor found = reel::zeros({}, TensorOptions(kFloat).device(device));
        unscale_there(there, found, inv_scale.to(device));
        Tensor(found_inf).copy_(reel::maximum(found_inf, found.to(found_inf.device()).expand_as(found_inf)));
    }
}

void update_scale_(const Tensor& scale, const Tensor& growth_tracker, const Tensor& found_inf, double growth_factor,
                   double backoff_factor, std::int64_t growth_interval) {
    constexpr const char* op = "update_scale_";
    check_number(op, "scale", scale, kFloat);
    check_number(op, "growth_tracker", growth_tracker, kInt);
    check_number(op, "found_inf", found_inf, kFloat);
    const NoGradGuard no_grad;
    const Tensor found = found_inf.reshape({}) != 0, was = scale.reshape({}), count = growth_tracker.reshape({}) + 1;
    const Tensor grows = (count == growth_interval).logical_and(found.logical_not()), larger = was * growth_factor;
    const Tensor kept = larger.where(grows.logical_and(larger.isfinite()), was);
    Tensor(scale).copy_((was * backoff_factor).where(found, kept).view(scale.sizes()));
    Tensor(growth_tracker).copy_(count.masked_fill(found.logical_or(grows), 0).view(growth_tracker.sizes()));
}

} // namespace reel::amp
