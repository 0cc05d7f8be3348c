// Reversible instance normalisation.
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/nn/norms/rinorm.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "modules/parameter_memory.hpp"
#include "norms/instance.hpp"

namespace reel::nn::norms {

void RINormOptions::fields(OptionVisitor& v) {
    v.required("input_dim", input_dim_, Shown::never);
    v.hidden("eps", eps_);
    v.hidden("affine", affine_);
}

RINormImpl::RINormImpl(const RINormOptions& o) : options(o) {
    REEL_CHECK_VALUE(options.input_dim() >= 0, "RINorm: input_dim is ", options.input_dim(), "; expected 0 or more");
    RINormImpl::reset();
}
void RINormImpl::reset() {
    if (!options.affine()) return; // the reference has no such names then, not even empty ones
    affine_weight = register_parameter("affine_weight", detail::parameter_memory({options.input_dim()}));
    affine_bias = register_parameter("affine_bias", detail::parameter_memory({options.input_dim()}));
    reset_parameters();
}
void RINormImpl::reset_parameters() {
    if (affine_weight.defined()) init::ones_(affine_weight);
    if (affine_bias.defined()) init::zeros_(affine_bias);
}

namespace {

void check_series(const char* method, const char* name, const Tensor& x, std::int64_t axis, const Tensor& weight) {
    REEL_CHECK(!weight.defined() || x.size(axis) == weight.size(0), method, ": axis ", axis, " of ", name, " ",
               x.sizes(), " has ", x.size(axis), " series, but affine_weight is for ", weight.size(0));
}
/// `extra` axes stand behind that of the series.
void check_fits(const char* method, const char* name, const Tensor& x, const Tensor& mean, const Tensor& stdev,
                std::int64_t extra) {
    REEL_CHECK_WITH(AttributeError, mean.defined() && stdev.defined(), method,
                    ": there are no statistics ('mean' and 'stdev' do not exist yet); call the module on an input "
                    "first");
    REEL_CHECK(x.dim() == mean.dim() + extra, method, ": ", name, " ", x.sizes(), " has ", x.dim(), " axes; expected ",
               mean.dim() + extra, extra ? ", one more than the input of the forward had" : "",
               extra ? ": [batch, ..., series, n_params]" : ", as the input of the forward had");
    if (mean.dim() < 3) return; // statistics of everything (RI-7) fit any sizes
    const std::int64_t series = -1 - extra;
    REEL_CHECK(x.size(0) == mean.size(0), method, ": ", name, " ", x.sizes(), " has a batch of ", x.size(0),
               ", but the statistics are of a batch of ", mean.size(0));
    REEL_CHECK(x.size(series) == mean.size(-1), method, ": ", name, " ", x.sizes(), " has ", x.size(series),
               " series on axis ", series, ", but the statistics are of ", mean.size(-1));
}

} // namespace

Tensor RINormImpl::forward(const Tensor& x) {
    REEL_CHECK_VALUE(x.dim() >= 3 || (options.match_two_d() && x.dim() > 0), "RINorm: x ", x.sizes(), " has ", x.dim(),
                     x.dim() == 1 ? " axis" : " axes",
                     "; expected [batch, ..., series], three or more: without an axis between there is nothing "
                     "to take statistics over (option match_two_d: over everything, as the reference)");
    check_series("RINorm", "x", x, -1, affine_weight);
    const auto [middle, variance] = instance_moments(x);
    {
        const NoGradGuard constant;
        stdev = reel::sqrt(variance + options.eps());
    }
    mean = middle;
    return transform(x);
}

Tensor RINormImpl::transform(const Tensor& x) const {
    check_fits("RINorm.transform", "x", x, mean, stdev, 0);
    check_series("RINorm.transform", "x", x, -1, affine_weight);
    return to_normal_scale(x, mean, stdev, affine_weight, affine_bias);
}

Tensor RINormImpl::inverse(const Tensor& y) const {
    check_fits("RINorm.inverse", "y", y, mean, stdev, 1);
    check_series("RINorm.inverse", "y", y, -2, affine_weight);
    Tensor r = y;
    if (affine_weight.defined())
        r = (r - affine_bias.unsqueeze(-1)) / (affine_weight.unsqueeze(-1) + options.eps() * options.eps());
    return r * stdev.unsqueeze(-1) + mean.unsqueeze(-1);
}

void RINormImpl::own_statistics(std::optional<Device> device) {
    const NoGradGuard constant;
    for (Tensor* t : {&mean, &stdev})
        if (t->defined()) *t = device ? t->to(*device, t->scalar_type(), false, true) : t->clone();
}
ModulePtr RINormImpl::clone(std::optional<Device> device, bool keep_hooks) const {
    ModulePtr copy = Cloneable::clone(device, keep_hooks);
    static_cast<RINormImpl&>(*copy).own_statistics(device);
    return copy;
}
bool RINormImpl::become_copy_of(const Module& other, std::optional<Device> device, bool keep_hooks) {
    if (!Cloneable::become_copy_of(other, device, keep_hooks)) return false;
    own_statistics(device);
    return true;
}

} // namespace reel::nn::norms

namespace reel::nn {

void register_rinorm() { register_module_class("norms.RINorm", &make_layer<norms::RINormImpl>); }

} // namespace reel::nn
