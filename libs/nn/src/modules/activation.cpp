// Activation modules over the ops of the same names.
#include <reel/nn/modules/activation.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/nn/init.hpp>

#include "modules/bound_arguments.hpp"
#include "modules/python_text.hpp"

namespace reel::nn {

namespace {
std::string inplace_text(bool inplace, const char* separator = "") {
    return inplace ? std::string(separator) + "inplace=True" : std::string();
}
} // namespace

Tensor ReLUImpl::forward(const Tensor& input) { return options.inplace() ? reel::relu_(input) : reel::relu(input); }
std::string ReLUImpl::extra_repr() const { return inplace_text(options.inplace()); }
Tensor ReLU6Impl::forward(const Tensor& input) { return options.inplace() ? reel::relu6_(input) : reel::relu6(input); }
std::string ReLU6Impl::extra_repr() const { return inplace_text(options.inplace()); }
Tensor SELUImpl::forward(const Tensor& input) { return options.inplace() ? reel::selu_(input) : reel::selu(input); }
std::string SELUImpl::extra_repr() const { return inplace_text(options.inplace()); }
Tensor SiLUImpl::forward(const Tensor& input) { return options.inplace() ? reel::silu_(input) : reel::silu(input); }
std::string SiLUImpl::extra_repr() const { return inplace_text(options.inplace()); }
Tensor MishImpl::forward(const Tensor& input) { return options.inplace() ? reel::mish_(input) : reel::mish(input); }
std::string MishImpl::extra_repr() const { return inplace_text(options.inplace()); }
Tensor HardsigmoidImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::hardsigmoid_(input) : reel::hardsigmoid(input);
}
std::string HardsigmoidImpl::extra_repr() const { return std::string(); }
Tensor HardswishImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::hardswish_(input) : reel::hardswish(input);
}
std::string HardswishImpl::extra_repr() const { return std::string(); }
Tensor SigmoidImpl::forward(const Tensor& input) { return reel::sigmoid(input); }
Tensor TanhImpl::forward(const Tensor& input) { return reel::tanh(input); }
Tensor LogSigmoidImpl::forward(const Tensor& input) { return reel::logsigmoid(input); }
Tensor SoftsignImpl::forward(const Tensor& input) { return reel::softsign(input); }
Tensor TanhshrinkImpl::forward(const Tensor& input) { return reel::tanhshrink(input); }
Tensor LeakyReLUImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::leaky_relu_(input, double(options.negative_slope()))
                             : reel::leaky_relu(input, double(options.negative_slope()));
}
std::string LeakyReLUImpl::extra_repr() const {
    return str("negative_slope=", text::number(options.negative_slope()), inplace_text(options.inplace(), ", "));
}
Tensor ELUImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::elu_(input, double(options.alpha())) : reel::elu(input, double(options.alpha()));
}
std::string ELUImpl::extra_repr() const {
    return str("alpha=", text::number(options.alpha()), inplace_text(options.inplace(), ", "));
}
Tensor CELUImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::celu_(input, double(options.alpha())) : reel::celu(input, double(options.alpha()));
}
std::string CELUImpl::extra_repr() const {
    return str("alpha=", text::number(options.alpha()), inplace_text(options.inplace(), ", "));
}
Tensor HardtanhImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::hardtanh_(input, double(options.min_val()), double(options.max_val()))
                             : reel::hardtanh(input, double(options.min_val()), double(options.max_val()));
}
std::string HardtanhImpl::extra_repr() const {
    return str("min_val=", text::number(options.min_val()), ", ", "max_val=", text::number(options.max_val()),
               inplace_text(options.inplace(), ", "));
}
Tensor SoftplusImpl::forward(const Tensor& input) {
    return reel::softplus(input, double(options.beta()), double(options.threshold()));
}
std::string SoftplusImpl::extra_repr() const {
    return str("beta=", text::number(options.beta()), ", ", "threshold=", text::number(options.threshold()));
}
Tensor HardshrinkImpl::forward(const Tensor& input) { return reel::hardshrink(input, double(options.lambda())); }
std::string HardshrinkImpl::extra_repr() const { return text::number(options.lambda()); }
Tensor SoftshrinkImpl::forward(const Tensor& input) { return reel::softshrink(input, double(options.lambda())); }
std::string SoftshrinkImpl::extra_repr() const { return text::number(options.lambda()); }
Tensor ThresholdImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::threshold_(input, double(options.threshold()), double(options.value()))
                             : reel::threshold(input, double(options.threshold()), double(options.value()));
}
std::string ThresholdImpl::extra_repr() const {
    return str("threshold=", text::number(options.threshold()), ", ", "value=", text::number(options.value()),
               inplace_text(options.inplace(), ", "));
}
void HardtanhImpl::reset() {
    REEL_CHECK_VALUE(double(options.min_val()) < double(options.max_val()), "Hardtanh: min_val ",
                     double(options.min_val()), " must be below max_val ", double(options.max_val()));
}
Tensor SoftmaxImpl::forward(const Tensor& input) { return reel::softmax(input, options.dim()); }
std::string SoftmaxImpl::extra_repr() const { return "dim=" + std::to_string(options.dim()); }
Tensor LogSoftmaxImpl::forward(const Tensor& input) { return reel::log_softmax(input, options.dim()); }
std::string LogSoftmaxImpl::extra_repr() const { return "dim=" + std::to_string(options.dim()); }
Tensor SoftminImpl::forward(const Tensor& input) { return reel::softmin(input, options.dim()); }
std::string SoftminImpl::extra_repr() const { return "dim=" + std::to_string(options.dim()); }
Tensor GLUImpl::forward(const Tensor& input) { return reel::glu(input, options.dim()); }
std::string GLUImpl::extra_repr() const { return "dim=" + std::to_string(options.dim()); }
Tensor Softmax2dImpl::forward(const Tensor& input) {
    REEL_CHECK_VALUE(input.dim() == 3 || input.dim() == 4, "Softmax2d: expected 3D or 4D input, got shape ",
                     input.sizes());
    return reel::softmax(input, -3);
}
Tensor GELUImpl::forward(const Tensor& input) { return reel::gelu(input, options.approximate()); }
std::string GELUImpl::extra_repr() const { return "approximate='" + options.approximate() + "'"; }
Tensor RReLUImpl::forward(const Tensor& input) {
    return options.inplace() ? reel::rrelu_(input, options.lower(), options.upper(), is_training())
                             : reel::rrelu(input, options.lower(), options.upper(), is_training());
}
std::string RReLUImpl::extra_repr() const {
    return str("lower=", text::number(options.lower()), ", upper=", text::number(options.upper()),
               inplace_text(options.inplace(), ", "));
}
void PReLUImpl::reset() {
    weight = register_parameter("weight", reel::empty({options.num_parameters()}));
    reset_parameters();
}
void PReLUImpl::reset_parameters() { init::constant_(weight, options.init()); }
Tensor PReLUImpl::forward(const Tensor& input) { return reel::prelu(input, weight); }
std::string PReLUImpl::extra_repr() const { return "num_parameters=" + std::to_string(options.num_parameters()); }

namespace {
/// Python's softmax without a dimension: deprecated, it takes 0 for 0, 1 or 3 dimensions and else 1.
template <class M> class ImplicitDim final : public M {
public:
    explicit ImplicitDim(const char* name) : M(0), name_(name) {}
    std::string repr_name() const override { return name_; }
    std::string extra_repr() const override { return "dim=None"; }
    ModulePtr clone(std::optional<Device> device, bool keep_hooks) const override {
        auto copy = std::make_shared<ImplicitDim>(name_);
        copy->copy_from(*this, device, keep_hooks);
        return copy;
    }
    Value forward_values(const Args& args, const Kwargs& kwargs) override {
        const nn::detail::BoundArguments<M, 1, 1> a(*this, args, kwargs);
        const Tensor input = a.template get<Tensor>(0);
        REEL_WARN("Implicit dimension choice for ", name_,
                  " has been deprecated. Change the call to include dim=X as an argument.");
        return Value(M(input.dim() == 0 || input.dim() == 1 || input.dim() == 3 ? 0 : 1).forward(input));
    }

private:
    const char* name_;
};
template <class M> ModulePtr make_softmax(const char* name, const Args& args, const Kwargs& kwargs) {
    const ConstructorArgs a(name, {"dim"}, args, kwargs);
    if (!a.has("dim")) return std::make_shared<ImplicitDim<M>>(name);
    return std::make_shared<M>(a.get<std::int64_t>("dim"));
}
[[maybe_unused]] const bool registered[] = {
    register_module_class("ReLU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("ReLU", {"inplace"}, args, kwargs);
                              return std::make_shared<ReLUImpl>(ReLUOptions(a.get<bool>("inplace", false)));
                          }),
    register_module_class("ReLU6",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("ReLU6", {"inplace"}, args, kwargs);
                              return std::make_shared<ReLU6Impl>(ReLU6Options(a.get<bool>("inplace", false)));
                          }),
    register_module_class("SELU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("SELU", {"inplace"}, args, kwargs);
                              return std::make_shared<SELUImpl>(SELUOptions(a.get<bool>("inplace", false)));
                          }),
    register_module_class("SiLU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("SiLU", {"inplace"}, args, kwargs);
                              return std::make_shared<SiLUImpl>(SiLUOptions(a.get<bool>("inplace", false)));
                          }),
    register_module_class("Mish",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Mish", {"inplace"}, args, kwargs);
                              return std::make_shared<MishImpl>(MishOptions(a.get<bool>("inplace", false)));
                          }),
    register_module_class("Hardsigmoid",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Hardsigmoid", {"inplace"}, args, kwargs);
                              return std::make_shared<HardsigmoidImpl>(
                                  HardsigmoidOptions(a.get<bool>("inplace", false)));
                          }),
    register_module_class("Hardswish",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Hardswish", {"inplace"}, args, kwargs);
                              return std::make_shared<HardswishImpl>(HardswishOptions(a.get<bool>("inplace", false)));
                          }),
    register_module_class("Sigmoid",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Sigmoid", {}, args, kwargs);
                              return std::make_shared<SigmoidImpl>();
                          }),
    register_module_class("Tanh",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Tanh", {}, args, kwargs);
                              return std::make_shared<TanhImpl>();
                          }),
    register_module_class("LogSigmoid",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("LogSigmoid", {}, args, kwargs);
                              return std::make_shared<LogSigmoidImpl>();
                          }),
    register_module_class("Softsign",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Softsign", {}, args, kwargs);
                              return std::make_shared<SoftsignImpl>();
                          }),
    register_module_class("Tanhshrink",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Tanhshrink", {}, args, kwargs);
                              return std::make_shared<TanhshrinkImpl>();
                          }),
    register_module_class("LeakyReLU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("LeakyReLU", {"negative_slope", "inplace"}, args, kwargs);
                              LeakyReLUOptions o;
                              o.negative_slope(text::number(a, "negative_slope", 0.01));
                              o.inplace(a.get<bool>("inplace", false));
                              return std::make_shared<LeakyReLUImpl>(o);
                          }),
    register_module_class("ELU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("ELU", {"alpha", "inplace"}, args, kwargs);
                              ELUOptions o;
                              o.alpha(text::number(a, "alpha", 1.0));
                              o.inplace(a.get<bool>("inplace", false));
                              return std::make_shared<ELUImpl>(o);
                          }),
    register_module_class("CELU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("CELU", {"alpha", "inplace"}, args, kwargs);
                              CELUOptions o;
                              o.alpha(text::number(a, "alpha", 1.0));
                              o.inplace(a.get<bool>("inplace", false));
                              return std::make_shared<CELUImpl>(o);
                          }),
    register_module_class("Hardtanh",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Hardtanh", {"min_val", "max_val", "inplace"}, args, kwargs);
                              HardtanhOptions o;
                              o.min_val(text::number(a, "min_val", -1.0));
                              o.max_val(text::number(a, "max_val", 1.0));
                              o.inplace(a.get<bool>("inplace", false));
                              return std::make_shared<HardtanhImpl>(o);
                          }),
    register_module_class("Softplus",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Softplus", {"beta", "threshold"}, args, kwargs);
                              SoftplusOptions o;
                              o.beta(text::number(a, "beta", 1.0));
                              o.threshold(text::number(a, "threshold", 20.0));
                              return std::make_shared<SoftplusImpl>(o);
                          }),
    register_module_class("Hardshrink",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Hardshrink", {"lambd"}, args, kwargs);
                              HardshrinkOptions o;
                              o.lambda(text::number(a, "lambd", 0.5));
                              return std::make_shared<HardshrinkImpl>(o);
                          }),
    register_module_class("Softshrink",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Softshrink", {"lambd"}, args, kwargs);
                              SoftshrinkOptions o;
                              o.lambda(text::number(a, "lambd", 0.5));
                              return std::make_shared<SoftshrinkImpl>(o);
                          }),
    register_module_class("Threshold",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Threshold", {"threshold", "value", "inplace"}, args, kwargs);
                              ThresholdOptions o(text::number(a, "threshold", (a.at("threshold"), 0.0)),
                                                 text::number(a, "value", (a.at("value"), 0.0)));
                              o.inplace(a.get<bool>("inplace", false));
                              return std::make_shared<ThresholdImpl>(o);
                          }),
    register_module_class("Softmax",
                          [](const Args& a, const Kwargs& k) { return make_softmax<SoftmaxImpl>("Softmax", a, k); }),
    register_module_class(
        "LogSoftmax", [](const Args& a, const Kwargs& k) { return make_softmax<LogSoftmaxImpl>("LogSoftmax", a, k); }),
    register_module_class("Softmin",
                          [](const Args& a, const Kwargs& k) { return make_softmax<SoftminImpl>("Softmin", a, k); }),
    register_module_class("GLU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("GLU", {"dim"}, args, kwargs);
                              return std::make_shared<GLUImpl>(GLUOptions(a.get<std::int64_t>("dim", -1)));
                          }),
    register_module_class("Softmax2d",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Softmax2d", {}, args, kwargs);
                              return std::make_shared<Softmax2dImpl>();
                          }),
    register_module_class("GELU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("GELU", {"approximate"}, args, kwargs);
                              return std::make_shared<GELUImpl>(
                                  GELUOptions().approximate(a.get<std::string>("approximate", "none")));
                          }),
    register_module_class("RReLU",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("RReLU", {"lower", "upper", "inplace"}, args, kwargs);
                              return std::make_shared<RReLUImpl>(RReLUOptions()
                                                                     .lower(a.get<double>("lower", 1.0 / 8))
                                                                     .upper(a.get<double>("upper", 1.0 / 3))
                                                                     .inplace(a.get<bool>("inplace", false)));
                          }),
    register_module_class(
        "PReLU",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("PReLU", {"num_parameters", "init", "device", "dtype"}, args, kwargs);
            return text::built<PReLUImpl>(a, PReLUOptions()
                                                 .num_parameters(a.get<std::int64_t>("num_parameters", 1))
                                                 .init(a.get<double>("init", 0.25)));
        }),
};
} // namespace

} // namespace reel::nn
