// Activation modules over the ops of the same names.
#include <reel/autograd/ops/nn/softmax.hpp>
#include <reel/autograd/ops/pointwise/activation.hpp>
#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/pointwise/trigonometric.hpp>
#include <reel/nn/modules/activation.hpp>

#include <reel/nn/factory.hpp>
#include <reel/nn/init.hpp>

#include "modules/bound_arguments.hpp"
#include "modules/called_as.hpp"
#include "modules/parameter_memory.hpp"

namespace reel::nn {

void InplaceOptions::fields(OptionVisitor& v) { v("inplace", inplace_, Shown::unless_default); }
void LeakyReLUOptions::fields(OptionVisitor& v) {
    v("negative_slope", negative_slope_);
    v("inplace", inplace_, Shown::unless_default);
}
void ELUOptions::fields(OptionVisitor& v) {
    v("alpha", alpha_);
    v("inplace", inplace_, Shown::unless_default);
}
void HardtanhOptions::fields(OptionVisitor& v) {
    v("min_val", min_val_);
    v("max_val", max_val_);
    v("inplace", inplace_, Shown::unless_default);
}
void SoftplusOptions::fields(OptionVisitor& v) {
    v("beta", beta_);
    v("threshold", threshold_);
}
void HardshrinkOptions::fields(OptionVisitor& v) { v("lambd", lambda_, Shown::value); }
void ThresholdOptions::fields(OptionVisitor& v) {
    v.required("threshold", threshold_);
    v.required("value", value_);
    v("inplace", inplace_, Shown::unless_default);
}
void SoftmaxOptions::fields(OptionVisitor& v) { v("dim", dim_); }
void GLUOptions::fields(OptionVisitor& v) { v("dim", dim_); }
void GELUOptions::fields(OptionVisitor& v) { v("approximate", approximate_); }
void RReLUOptions::fields(OptionVisitor& v) {
    v("lower", lower_);
    v("upper", upper_);
    v("inplace", inplace_, Shown::unless_default);
}
void PReLUOptions::fields(OptionVisitor& v) {
    v("num_parameters", num_parameters_);
    v.hidden("init", init_);
    v.device_and_dtype();
}

Tensor ReLUImpl::forward(const Tensor& input) { return options.inplace() ? reel::relu_(input) : reel::relu(input); }
Tensor ReLU6Impl::forward(const Tensor& input) { return options.inplace() ? reel::relu6_(input) : reel::relu6(input); }
Tensor SELUImpl::forward(const Tensor& input) { return options.inplace() ? reel::selu_(input) : reel::selu(input); }
Tensor SiLUImpl::forward(const Tensor& input) { return options.inplace() ? reel::silu_(input) : reel::silu(input); }
Tensor MishImpl::forward(const Tensor& input) { return options.inplace() ? reel::mish_(input) : reel::mish(input); }
Tensor HardsigmoidImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::hardsigmoid_(input) : reel::hardsigmoid(input);
}
Tensor HardswishImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::hardswish_(input) : reel::hardswish(input);
}
Tensor SigmoidImpl::forward(const Tensor& input) { return reel::sigmoid(input); }
Tensor TanhImpl::forward(const Tensor& input) { return reel::tanh(input); }
Tensor LogSigmoidImpl::forward(const Tensor& input) { return reel::logsigmoid(input); }
Tensor SoftsignImpl::forward(const Tensor& input) { return reel::softsign(input); }
Tensor TanhshrinkImpl::forward(const Tensor& input) { return reel::tanhshrink(input); }
Tensor LeakyReLUImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::leaky_relu_(input, double(options.negative_slope()))
                             : reel::leaky_relu(input, double(options.negative_slope()));
}
Tensor ELUImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::elu_(input, double(options.alpha())) : reel::elu(input, double(options.alpha()));
}
Tensor CELUImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::celu_(input, double(options.alpha())) : reel::celu(input, double(options.alpha()));
}
Tensor HardtanhImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::hardtanh_(input, double(options.min_val()), double(options.max_val()))
                             : reel::hardtanh(input, double(options.min_val()), double(options.max_val()));
}
Tensor SoftplusImpl::forward(const Tensor& input) {
    return reel::softplus(input, double(options.beta()), double(options.threshold()));
}
Tensor HardshrinkImpl::forward(const Tensor& input) { return reel::hardshrink(input, double(options.lambda())); }
Tensor SoftshrinkImpl::forward(const Tensor& input) { return reel::softshrink(input, double(options.lambda())); }
Tensor ThresholdImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::threshold_(input, double(options.threshold()), double(options.value()))
                             : reel::threshold(input, double(options.threshold()), double(options.value()));
}
void HardtanhImpl::reset() {
    REEL_CHECK_VALUE(double(options.min_val()) < double(options.max_val()), "Hardtanh: min_val ",
                     double(options.min_val()), " must be below max_val ", double(options.max_val()));
}
Tensor SoftmaxImpl::forward(const Tensor& input) { return reel::softmax(input, options.dim()); }
Tensor LogSoftmaxImpl::forward(const Tensor& input) { return reel::log_softmax(input, options.dim()); }
Tensor SoftminImpl::forward(const Tensor& input) { return reel::softmin(input, options.dim()); }
Tensor GLUImpl::forward(const Tensor& input) { return reel::glu(input, options.dim()); }
Tensor Softmax2dImpl::forward(const Tensor& input) {
    REEL_CHECK_VALUE(input.dim() == 3 || input.dim() == 4, "Softmax2d: expected 3D or 4D input, got shape ",
                     input.sizes());
    return reel::softmax(input, -3);
}
Tensor GELUImpl::forward(const Tensor& input) { return reel::gelu(input, options.approximate()); }
Tensor RReLUImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::rrelu_(input, options.lower(), options.upper(), is_training())
                             : reel::rrelu(input, options.lower(), options.upper(), is_training());
}
void PReLUImpl::reset() {
    weight = register_parameter("weight", detail::parameter_memory({options.num_parameters()}));
    reset_parameters();
}
void PReLUImpl::reset_parameters() { init::constant_(weight, options.init()); }
Tensor PReLUImpl::forward(const Tensor& input) { return reel::prelu(input, weight); }

namespace {
/// Python's softmax without a dimension: deprecated, it takes 0 for 0, 1 or 3 dimensions and else 1.
struct ImplicitDim {
    static constexpr const char* extra_repr = "dim=None";
    template <class M> Value operator()(M& m, const Args& args, const Kwargs& kwargs) const {
        const nn::detail::BoundArguments<M, 1, 1> a(m, args, kwargs);
        const Tensor input = a.template get<Tensor>(0);
        REEL_WARN("Implicit dimension choice for ", m.repr_name(),
                  " has been deprecated. Change the call to include dim=X as an argument.");
        return Value(M(input.dim() == 0 || input.dim() == 1 || input.dim() == 3 ? 0 : 1).forward(input));
    }
};
} // namespace

void register_activation() {
    register_layers<ReLUImpl, ReLU6Impl, SELUImpl, SiLUImpl, MishImpl, HardsigmoidImpl, HardswishImpl, SigmoidImpl,
                    TanhImpl, LogSigmoidImpl, SoftsignImpl, TanhshrinkImpl, LeakyReLUImpl, ELUImpl, CELUImpl,
                    HardtanhImpl, SoftplusImpl, HardshrinkImpl, SoftshrinkImpl, ThresholdImpl, GLUImpl, Softmax2dImpl,
                    GELUImpl, RReLUImpl, PReLUImpl>();
    register_layers_by<SoftmaxImpl, LogSoftmaxImpl, SoftminImpl>(
        []<class M>(const std::string& name, const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const BoundOptions<SoftmaxOptions> bound(name, args, kwargs);
            if (bound.arguments.has("dim")) return std::make_shared<M>(bound.options);
            return std::make_shared<nn::detail::CalledAs<M, ImplicitDim>>(SoftmaxOptions(0));
        });
}

} // namespace reel::nn
