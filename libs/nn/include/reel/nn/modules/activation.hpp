// Activation modules.
#pragma once

#include <type_traits>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/detail/activation_base.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/number.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

/// The option of activations that have no other: whether the result is written into the input.
struct InplaceOptions {
    InplaceOptions(bool inplace = false) : inplace_(inplace) {}
    void fields(OptionVisitor& v);
    REEL_ARG(bool, inplace);
};

using ReLUOptions = InplaceOptions;
/// max(x, 0).
class ReLUImpl : public detail::Activation<ReLUImpl, InplaceOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(ReLU);

using ReLU6Options = InplaceOptions;
/// min(max(x, 0), 6).
class ReLU6Impl : public detail::Activation<ReLU6Impl, InplaceOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(ReLU6);

using SELUOptions = InplaceOptions;
/// scale (max(x, 0) + min(alpha (exp(x) - 1), 0)) with the constants that keep mean 0 and variance 1.
class SELUImpl : public detail::Activation<SELUImpl, InplaceOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(SELU);

using SiLUOptions = InplaceOptions;
/// x sigmoid(x).
class SiLUImpl : public detail::Activation<SiLUImpl, InplaceOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(SiLU);

using MishOptions = InplaceOptions;
/// x tanh(softplus(x)).
class MishImpl : public detail::Activation<MishImpl, InplaceOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Mish);

using HardsigmoidOptions = InplaceOptions;
/// min(max(x + 3, 0), 6) / 6.
class HardsigmoidImpl : public detail::Activation<HardsigmoidImpl, InplaceOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override { return {}; } // as PyTorch, which leaves inplace out here
};
REEL_MODULE(Hardsigmoid);

using HardswishOptions = InplaceOptions;
/// x hardsigmoid(x).
class HardswishImpl : public detail::Activation<HardswishImpl, InplaceOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override { return {}; } // as PyTorch, which leaves inplace out here
};
REEL_MODULE(Hardswish);

/// 1 / (1 + exp(-x)).
class SigmoidImpl : public detail::PlainActivation<SigmoidImpl> {
public:
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Sigmoid);

/// tanh(x).
class TanhImpl : public detail::PlainActivation<TanhImpl> {
public:
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Tanh);

/// log(sigmoid(x)).
class LogSigmoidImpl : public detail::PlainActivation<LogSigmoidImpl> {
public:
    Tensor forward(const Tensor& input);
};
REEL_MODULE(LogSigmoid);

/// x / (1 + |x|).
class SoftsignImpl : public detail::PlainActivation<SoftsignImpl> {
public:
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Softsign);

/// x - tanh(x).
class TanhshrinkImpl : public detail::PlainActivation<TanhshrinkImpl> {
public:
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Tanhshrink);

struct LeakyReLUOptions {
    LeakyReLUOptions(Number negative_slope = 0.01) : negative_slope_(negative_slope) {}
    void fields(OptionVisitor& v);
    REEL_ARG(Number, negative_slope);
    REEL_ARG(bool, inplace) = false;
};
/// x for positive x, else negative_slope x.
class LeakyReLUImpl : public detail::Activation<LeakyReLUImpl, LeakyReLUOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(LeakyReLU);

struct ELUOptions {
    ELUOptions(Number alpha = 1.0) : alpha_(alpha) {}
    void fields(OptionVisitor& v);
    REEL_ARG(Number, alpha);
    REEL_ARG(bool, inplace) = false;
};
/// x for positive x, else alpha (exp(x) - 1).
class ELUImpl : public detail::Activation<ELUImpl, ELUOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(ELU);

using CELUOptions = ELUOptions;
/// max(x, 0) + min(alpha (exp(x / alpha) - 1), 0).
class CELUImpl : public detail::Activation<CELUImpl, CELUOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(CELU);

struct HardtanhOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(Number, min_val) = -1.0;
    REEL_ARG(Number, max_val) = 1.0;
    REEL_ARG(bool, inplace) = false;
};
/// x within [min_val, max_val], which must not be empty.
class HardtanhImpl : public detail::Activation<HardtanhImpl, HardtanhOptions> {
public:
    explicit HardtanhImpl(const HardtanhOptions& options = {}) : Activation(options) { HardtanhImpl::reset(); }
    void reset() override;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Hardtanh);

struct SoftplusOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(Number, beta) = 1.0;
    REEL_ARG(Number, threshold) = 20.0;
};
/// log(1 + exp(beta x)) / beta; x itself where beta x exceeds threshold.
class SoftplusImpl : public detail::Activation<SoftplusImpl, SoftplusOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Softplus);

struct HardshrinkOptions {
    HardshrinkOptions(Number lambda = 0.5) : lambda_(lambda) {}
    template <class T>
    requires std::is_arithmetic_v<T> HardshrinkOptions(T lambda) : lambda_(lambda) {}
    void fields(OptionVisitor& v);
    REEL_ARG(Number, lambda);
};
/// x where |x| > lambda, else 0.
class HardshrinkImpl : public detail::Activation<HardshrinkImpl, HardshrinkOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Hardshrink);

using SoftshrinkOptions = HardshrinkOptions;
/// x moved towards 0 by lambda, 0 within it.
class SoftshrinkImpl : public detail::Activation<SoftshrinkImpl, SoftshrinkOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Softshrink);

struct ThresholdOptions {
    ThresholdOptions(Number threshold, Number value) : threshold_(threshold), value_(value) {}
    void fields(OptionVisitor& v);
    REEL_ARG(Number, threshold);
    REEL_ARG(Number, value);
    REEL_ARG(bool, inplace) = false;
};
/// x where it exceeds threshold, else value.
class ThresholdImpl : public detail::Activation<ThresholdImpl, ThresholdOptions> {
public:
    explicit ThresholdImpl(const ThresholdOptions& options) : Activation(options) {}
    ThresholdImpl(Number threshold, Number value) : ThresholdImpl(ThresholdOptions(threshold, value)) {}
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Threshold);

struct SoftmaxOptions {
    SoftmaxOptions(std::int64_t dim) : dim_(dim) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, dim);
};
/// Positive weights along `dim` that sum to one.
class SoftmaxImpl : public detail::Activation<SoftmaxImpl, SoftmaxOptions> {
public:
    explicit SoftmaxImpl(std::int64_t dim) : Activation(SoftmaxOptions(dim)) {}
    explicit SoftmaxImpl(const SoftmaxOptions& options) : Activation(options) {}
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Softmax);

using LogSoftmaxOptions = SoftmaxOptions;
/// The logarithm of the softmax along `dim`.
class LogSoftmaxImpl : public detail::Activation<LogSoftmaxImpl, LogSoftmaxOptions> {
public:
    explicit LogSoftmaxImpl(std::int64_t dim) : Activation(LogSoftmaxOptions(dim)) {}
    explicit LogSoftmaxImpl(const LogSoftmaxOptions& options) : Activation(options) {}
    Tensor forward(const Tensor& input);
};
REEL_MODULE(LogSoftmax);

using SoftminOptions = SoftmaxOptions;
/// softmax(-x) along `dim`.
class SoftminImpl : public detail::Activation<SoftminImpl, SoftminOptions> {
public:
    explicit SoftminImpl(std::int64_t dim) : Activation(SoftminOptions(dim)) {}
    explicit SoftminImpl(const SoftminOptions& options) : Activation(options) {}
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Softmin);

struct GLUOptions {
    GLUOptions(std::int64_t dim = -1) : dim_(dim) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, dim);
};
/// The first half along `dim` times the sigmoid of the second.
class GLUImpl : public detail::Activation<GLUImpl, GLUOptions> {
public:
    explicit GLUImpl(std::int64_t dim) : Activation(GLUOptions(dim)) {}
    explicit GLUImpl(const GLUOptions& options = {}) : Activation(options) {}
    Tensor forward(const Tensor& input);
};
REEL_MODULE(GLU);

/// Softmax over the channels of [C, H, W] or [N, C, H, W].
class Softmax2dImpl : public detail::PlainActivation<Softmax2dImpl> {
public:
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Softmax2d);

struct GELUOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(std::string, approximate) = "none";
};
/// x Phi(x), exactly or by tanh.
class GELUImpl : public detail::Activation<GELUImpl, GELUOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(GELU);

struct RReLUOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(double, lower) = 1.0 / 8;
    REEL_ARG(double, upper) = 1.0 / 3;
    REEL_ARG(bool, inplace) = false;
};
/// Leaky ReLU with a slope drawn between lower and upper per element in training, and their mean in evaluation.
class RReLUImpl : public detail::Activation<RReLUImpl, RReLUOptions> {
public:
    using Activation::Activation;
    Tensor forward(const Tensor& input);
};
REEL_MODULE(RReLU);

struct PReLUOptions {
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, num_parameters) = 1;
    REEL_ARG(double, init) = 0.25;
};
/// Leaky ReLU with a learned slope, one for all or one per channel.
class PReLUImpl : public detail::Activation<PReLUImpl, PReLUOptions> {
public:
    explicit PReLUImpl(const PReLUOptions& options = {}) : Activation(options) { PReLUImpl::reset(); }
    void reset() override;
    void reset_parameters();
    Tensor forward(const Tensor& input);
    Tensor weight;
};
REEL_MODULE(PReLU);

} // namespace reel::nn
