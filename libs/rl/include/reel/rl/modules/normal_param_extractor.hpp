// The two parameters of a normal distribution out of one tensor.
#pragma once

#include <string>
#include <tuple>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::rl {

struct NormalParamExtractorOptions {
    /// "softplus", "exp", "relu", "expln", "none", or "biased_softplus_B[_M]": softplus(x + c) + M with c such that 0
    /// becomes B; M is 0.01 unless given.
    REEL_ARG(std::string, scale_mapping) = "biased_softplus_1.0";
    /// The least scale.
    REEL_ARG(double, scale_lb) = 1e-4;
};

/// Splits the last dimension into halves: `loc` and, mapped to positive numbers, `scale`. A 0-element half or an odd
/// size is a ValueError, an unknown mapping a ValueError at construction.
class NormalParamExtractorImpl : public nn::Cloneable<NormalParamExtractorImpl> {
public:
    explicit NormalParamExtractorImpl(const NormalParamExtractorOptions& options = {});
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    std::tuple<Tensor, Tensor> forward(const Tensor& input);
    std::string extra_repr() const override;
    NormalParamExtractorOptions options;

private:
    enum class Mapping { Softplus, Exp, Relu, Expln, BiasedSoftplus, None };
    Tensor mapped(const Tensor& x) const;
    Mapping mapping_ = Mapping::None;
    double bias_ = 0, least_ = 0;
};
REEL_MODULE(NormalParamExtractor);

} // namespace reel::rl
