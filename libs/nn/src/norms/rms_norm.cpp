// Root mean square norm with a floor.
#include <reel/nn/norms/rms_norm.hpp>

#include <limits>

#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "modules/parameter_memory.hpp"
#include "norms/floored_rms.hpp"

namespace reel::nn::norms {

void RMSNormOptions::fields(OptionVisitor& v) {
    v.required("dim", dim_, Shown::never);
    v.hidden("eps", eps_);
}

RMSNormImpl::RMSNormImpl(const RMSNormOptions& o) : options(o) {
    REEL_CHECK_VALUE(options.dim() > 0, "RMSNorm: dim is ", options.dim(), "; expected at least 1");
    RMSNormImpl::reset();
}
void RMSNormImpl::reset() {
    g = register_parameter("g", detail::parameter_memory({options.dim()}));
    reset_parameters();
}
void RMSNormImpl::reset_parameters() { init::ones_(g); }

namespace {
/// What a `strict` module divides by at least: eps, or the least normal number of a dtype in which that is 0.
double representable(double eps, ScalarType dtype) {
    if (dtype == kHalf && eps > 0 && eps <= 0x1p-25) return 0x1p-14;
    if ((dtype == kFloat || dtype == kBFloat16 || dtype == kComplexFloat) && eps > 0 && float(eps) == 0)
        return std::numeric_limits<float>::min();
    return eps;
}
} // namespace

Tensor RMSNormImpl::forward(const Tensor& x) {
    const std::int64_t last = x.dim() > 0 ? x.size(-1) : 1, dim = g.size(0);
    REEL_CHECK_VALUE(last == dim || (!options.strict() && (last == 1 || dim == 1)), "RMSNorm: the last axis of x ",
                     x.sizes(), " has ", last, " elements; expected dim ", dim);
    const double eps = options.strict() ? representable(options.eps(), x.scalar_type()) : options.eps();
    return floored_rms_norm(x, g, options.dim(), eps);
}

} // namespace reel::nn::norms

namespace reel::nn {

void register_rms_norm() { register_module_class("norms.RMSNorm", &make_layer<norms::RMSNormImpl>); }

} // namespace reel::nn
