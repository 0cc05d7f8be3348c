// Activation modules.
#pragma once

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

struct ReLUOptions {
    ReLUOptions(bool inplace = false) : inplace_(inplace) {}
    REEL_ARG(bool, inplace);
};
/// max(x, 0).
class ReLUImpl : public Cloneable<ReLUImpl> {
public:
    explicit ReLUImpl(const ReLUOptions& options = {}) : options(options) {}
    void reset() override {}
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override { return options.inplace() ? "inplace=True" : ""; }
    ReLUOptions options;
};
REEL_MODULE(ReLU);

struct GELUOptions {
    REEL_ARG(std::string, approximate) = "none";
};
/// x Phi(x), exactly or by tanh.
class GELUImpl : public Cloneable<GELUImpl> {
public:
    explicit GELUImpl(GELUOptions options = {}) : options(std::move(options)) {}
    void reset() override {}
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override { return "approximate='" + options.approximate() + "'"; }
    GELUOptions options;
};
REEL_MODULE(GELU);

struct SiLUOptions {
    SiLUOptions(bool inplace = false) : inplace_(inplace) {}
    REEL_ARG(bool, inplace);
};
/// x sigmoid(x).
class SiLUImpl : public Cloneable<SiLUImpl> {
public:
    explicit SiLUImpl(const SiLUOptions& options = {}) : options(options) {}
    void reset() override {}
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override { return options.inplace() ? "inplace=True" : ""; }
    SiLUOptions options;
};
REEL_MODULE(SiLU);

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
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override { return "dim=" + std::to_string(options.dim()); }
    SoftmaxOptions options;
};
REEL_MODULE(Softmax);

using LogSoftmaxOptions = SoftmaxOptions;
/// The logarithm of the softmax along `dim`.
class LogSoftmaxImpl : public Cloneable<LogSoftmaxImpl> {
public:
    explicit LogSoftmaxImpl(std::int64_t dim) : options(dim) {}
    explicit LogSoftmaxImpl(const LogSoftmaxOptions& options) : options(options) {}
    void reset() override {}
    Tensor forward(const Tensor& input);
    std::string extra_repr() const override { return "dim=" + std::to_string(options.dim()); }
    LogSoftmaxOptions options;
};
REEL_MODULE(LogSoftmax);

class SigmoidImpl : public Cloneable<SigmoidImpl> {
public:
    void reset() override {}
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Sigmoid);

class TanhImpl : public Cloneable<TanhImpl> {
public:
    void reset() override {}
    Tensor forward(const Tensor& input);
};
REEL_MODULE(Tanh);

} // namespace reel::nn
