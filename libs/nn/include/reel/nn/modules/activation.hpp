// Activation modules.
#pragma once

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

/// A number that remembers whether it was written as an integer, so that modules print it as Python does.
class Number {
public:
    template <class T>
    requires std::is_arithmetic_v<T> Number(T v) : value_(double(v)), integral_(std::is_integral_v<T>) {}
    operator double() const { return value_; }
    bool is_integral() const { return integral_; }

private:
    double value_;
    bool integral_;
};

struct ReLUOptions {
    ReLUOptions(bool inplace = false) : inplace_(inplace) {}
    REEL_ARG(bool, inplace);
};
/// max(x, 0).
class ReLUImpl : public Cloneable<ReLUImpl> {
public:
    explicit ReLUImpl(const ReLUOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    ReLUOptions options;
};
REEL_MODULE(ReLU);

struct ReLU6Options {
    ReLU6Options(bool inplace = false) : inplace_(inplace) {}
    REEL_ARG(bool, inplace);
};
/// min(max(x, 0), 6).
class ReLU6Impl : public Cloneable<ReLU6Impl> {
public:
    explicit ReLU6Impl(const ReLU6Options& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    ReLU6Options options;
};
REEL_MODULE(ReLU6);

struct SELUOptions {
    SELUOptions(bool inplace = false) : inplace_(inplace) {}
    REEL_ARG(bool, inplace);
};
/// scale (max(x, 0) + min(alpha (exp(x) - 1), 0)) with the constants that keep mean 0 and variance 1.
class SELUImpl : public Cloneable<SELUImpl> {
public:
    explicit SELUImpl(const SELUOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    SELUOptions options;
};
REEL_MODULE(SELU);

struct SiLUOptions {
    SiLUOptions(bool inplace = false) : inplace_(inplace) {}
    REEL_ARG(bool, inplace);
};
/// x sigmoid(x).
class SiLUImpl : public Cloneable<SiLUImpl> {
public:
    explicit SiLUImpl(const SiLUOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    SiLUOptions options;
};
REEL_MODULE(SiLU);

struct MishOptions {
    MishOptions(bool inplace = false) : inplace_(inplace) {}
    REEL_ARG(bool, inplace);
};
/// x tanh(softplus(x)).
class MishImpl : public Cloneable<MishImpl> {
public:
    explicit MishImpl(const MishOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    MishOptions options;
};
REEL_MODULE(Mish);

struct HardsigmoidOptions {
    HardsigmoidOptions(bool inplace = false) : inplace_(inplace) {}
    REEL_ARG(bool, inplace);
};
/// min(max(x + 3, 0), 6) / 6.
class HardsigmoidImpl : public Cloneable<HardsigmoidImpl> {
public:
    explicit HardsigmoidImpl(const HardsigmoidOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    HardsigmoidOptions options;
};
REEL_MODULE(Hardsigmoid);

struct HardswishOptions {
    HardswishOptions(bool inplace = false) : inplace_(inplace) {}
    REEL_ARG(bool, inplace);
};
/// x hardsigmoid(x).
class HardswishImpl : public Cloneable<HardswishImpl> {
public:
    explicit HardswishImpl(const HardswishOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    HardswishOptions options;
};
REEL_MODULE(Hardswish);

/// 1 / (1 + exp(-x)).
class SigmoidImpl : public Cloneable<SigmoidImpl> {
public:
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Sigmoid);

/// tanh(x).
class TanhImpl : public Cloneable<TanhImpl> {
public:
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Tanh);

/// log(sigmoid(x)).
class LogSigmoidImpl : public Cloneable<LogSigmoidImpl> {
public:
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
};
REEL_MODULE(LogSigmoid);

/// x / (1 + |x|).
class SoftsignImpl : public Cloneable<SoftsignImpl> {
public:
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Softsign);

/// x - tanh(x).
class TanhshrinkImpl : public Cloneable<TanhshrinkImpl> {
public:
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Tanhshrink);

struct LeakyReLUOptions {
    LeakyReLUOptions(Number negative_slope = 0.01) : negative_slope_(negative_slope) {}
    REEL_ARG(Number, negative_slope);
    REEL_ARG(bool, inplace) = false;
};
/// x for positive x, else negative_slope x.
class LeakyReLUImpl : public Cloneable<LeakyReLUImpl> {
public:
    explicit LeakyReLUImpl(const LeakyReLUOptions& options = {}) : options(options) { LeakyReLUImpl::reset(); }
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    LeakyReLUOptions options;
};
REEL_MODULE(LeakyReLU);

struct ELUOptions {
    ELUOptions(Number alpha = 1.0) : alpha_(alpha) {}
    REEL_ARG(Number, alpha);
    REEL_ARG(bool, inplace) = false;
};
/// x for positive x, else alpha (exp(x) - 1).
class ELUImpl : public Cloneable<ELUImpl> {
public:
    explicit ELUImpl(const ELUOptions& options = {}) : options(options) { ELUImpl::reset(); }
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    ELUOptions options;
};
REEL_MODULE(ELU);

struct CELUOptions {
    CELUOptions(Number alpha = 1.0) : alpha_(alpha) {}
    REEL_ARG(Number, alpha);
    REEL_ARG(bool, inplace) = false;
};
/// max(x, 0) + min(alpha (exp(x / alpha) - 1), 0).
class CELUImpl : public Cloneable<CELUImpl> {
public:
    explicit CELUImpl(const CELUOptions& options = {}) : options(options) { CELUImpl::reset(); }
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    CELUOptions options;
};
REEL_MODULE(CELU);

struct HardtanhOptions {
    REEL_ARG(Number, min_val) = -1.0;
    REEL_ARG(Number, max_val) = 1.0;
    REEL_ARG(bool, inplace) = false;
};
/// x within [min_val, max_val], which must not be empty.
class HardtanhImpl : public Cloneable<HardtanhImpl> {
public:
    explicit HardtanhImpl(const HardtanhOptions& options = {}) : options(options) { HardtanhImpl::reset(); }
    void reset() override;
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    HardtanhOptions options;
};
REEL_MODULE(Hardtanh);

struct SoftplusOptions {
    REEL_ARG(Number, beta) = 1.0;
    REEL_ARG(Number, threshold) = 20.0;
};
/// log(1 + exp(beta x)) / beta; x itself where beta x exceeds threshold.
class SoftplusImpl : public Cloneable<SoftplusImpl> {
public:
    explicit SoftplusImpl(const SoftplusOptions& options = {}) : options(options) { SoftplusImpl::reset(); }
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    SoftplusOptions options;
};
REEL_MODULE(Softplus);

struct HardshrinkOptions {
    HardshrinkOptions(Number lambda = 0.5) : lambda_(lambda) {}
    REEL_ARG(Number, lambda);
};
/// x where |x| > lambda, else 0.
class HardshrinkImpl : public Cloneable<HardshrinkImpl> {
public:
    explicit HardshrinkImpl(const HardshrinkOptions& options = {}) : options(options) { HardshrinkImpl::reset(); }
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    HardshrinkOptions options;
};
REEL_MODULE(Hardshrink);

struct SoftshrinkOptions {
    SoftshrinkOptions(Number lambda = 0.5) : lambda_(lambda) {}
    REEL_ARG(Number, lambda);
};
/// x moved towards 0 by lambda, 0 within it.
class SoftshrinkImpl : public Cloneable<SoftshrinkImpl> {
public:
    explicit SoftshrinkImpl(const SoftshrinkOptions& options = {}) : options(options) { SoftshrinkImpl::reset(); }
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    SoftshrinkOptions options;
};
REEL_MODULE(Softshrink);

struct ThresholdOptions {
    ThresholdOptions(Number threshold, Number value) : threshold_(threshold), value_(value) {}
    REEL_ARG(Number, threshold);
    REEL_ARG(Number, value);
    REEL_ARG(bool, inplace) = false;
};
/// x where it exceeds threshold, else value.
class ThresholdImpl : public Cloneable<ThresholdImpl> {
public:
    explicit ThresholdImpl(const ThresholdOptions& options) : options(options) { ThresholdImpl::reset(); }
    ThresholdImpl(Number threshold, Number value) : ThresholdImpl(ThresholdOptions(threshold, value)) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    ThresholdOptions options;
};
REEL_MODULE(Threshold);

struct SoftmaxOptions {
    SoftmaxOptions(std::int64_t dim) : dim_(dim) {}
    REEL_ARG(std::int64_t, dim);
};
/// Positive weights along `dim` that sum to one.
class SoftmaxImpl : public Cloneable<SoftmaxImpl> {
public:
    explicit SoftmaxImpl(std::int64_t dim) : options(dim) {}
    explicit SoftmaxImpl(const SoftmaxOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    SoftmaxOptions options;
};
REEL_MODULE(Softmax);

struct LogSoftmaxOptions {
    LogSoftmaxOptions(std::int64_t dim) : dim_(dim) {}
    REEL_ARG(std::int64_t, dim);
};
/// The logarithm of the softmax along `dim`.
class LogSoftmaxImpl : public Cloneable<LogSoftmaxImpl> {
public:
    explicit LogSoftmaxImpl(std::int64_t dim) : options(dim) {}
    explicit LogSoftmaxImpl(const LogSoftmaxOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    LogSoftmaxOptions options;
};
REEL_MODULE(LogSoftmax);

struct SoftminOptions {
    SoftminOptions(std::int64_t dim) : dim_(dim) {}
    REEL_ARG(std::int64_t, dim);
};
/// softmax(-x) along `dim`.
class SoftminImpl : public Cloneable<SoftminImpl> {
public:
    explicit SoftminImpl(std::int64_t dim) : options(dim) {}
    explicit SoftminImpl(const SoftminOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    SoftminOptions options;
};
REEL_MODULE(Softmin);

struct GLUOptions {
    GLUOptions(std::int64_t dim = -1) : dim_(dim) {}
    REEL_ARG(std::int64_t, dim);
};
/// The first half along `dim` times the sigmoid of the second.
class GLUImpl : public Cloneable<GLUImpl> {
public:
    explicit GLUImpl(std::int64_t dim) : options(dim) {}
    explicit GLUImpl(const GLUOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    GLUOptions options;
};
REEL_MODULE(GLU);

/// Softmax over the channels of [C, H, W] or [N, C, H, W].
class Softmax2dImpl : public Cloneable<Softmax2dImpl> {
public:
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Softmax2d);

struct GELUOptions {
    REEL_ARG(std::string, approximate) = "none";
};
/// x Phi(x), exactly or by tanh.
class GELUImpl : public Cloneable<GELUImpl> {
public:
    explicit GELUImpl(GELUOptions options = {}) : options(std::move(options)) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    GELUOptions options;
};
REEL_MODULE(GELU);

struct RReLUOptions {
    REEL_ARG(double, lower) = 1.0 / 8;
    REEL_ARG(double, upper) = 1.0 / 3;
    REEL_ARG(bool, inplace) = false;
};
/// Leaky ReLU with a slope drawn between lower and upper per element in training, and their mean in evaluation.
class RReLUImpl : public Cloneable<RReLUImpl> {
public:
    explicit RReLUImpl(const RReLUOptions& options = {}) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    RReLUOptions options;
};
REEL_MODULE(RReLU);

struct PReLUOptions {
    REEL_ARG(std::int64_t, num_parameters) = 1;
    REEL_ARG(double, init) = 0.25;
};
/// Leaky ReLU with a learned slope, one for all or one per channel.
class PReLUImpl : public Cloneable<PReLUImpl> {
public:
    explicit PReLUImpl(const PReLUOptions& options = {}) : options(options) { PReLUImpl::reset(); }
    void reset() override;
    void reset_parameters();
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override;
    PReLUOptions options;
    Tensor weight;
};
REEL_MODULE(PReLU);

} // namespace reel::nn
