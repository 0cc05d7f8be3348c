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
