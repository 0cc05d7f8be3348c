// Whole branches of a residual network left out at random.
#pragma once

#include <string>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/number.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

/// `mode` is "row" (each example of the batch by itself) or "batch" (all together).
struct StochasticDepthOptions {
    StochasticDepthOptions(Number p, std::string mode = "row") : p_(p), mode_(std::move(mode)) {}
    void fields(OptionVisitor& v);
    REEL_ARG(Number, p);
    REEL_ARG(std::string, mode);
};

/// In training zeroes the input with probability p and scales what stays by 1 / (1 - p): y = x b / (1 - p), where b is
/// drawn once for each example [N, ...] or once for all of them. In evaluation, and for p = 0, the input itself. Stands
/// at the end of a residual branch, x + depth(f(x)). Errors: ValueError for a p outside of [0, 1] and for other modes.
/// torchvision's layer of that name; G. Huang et al., Deep Networks with Stochastic Depth, 2016.
class StochasticDepthImpl : public Cloneable<StochasticDepthImpl> {
public:
    StochasticDepthImpl(double p, std::string mode) : StochasticDepthImpl(StochasticDepthOptions(p, std::move(mode))) {}
    explicit StochasticDepthImpl(const StochasticDepthOptions& options);
    void reset() override;
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    StochasticDepthOptions options;
};
REEL_MODULE(StochasticDepth);

} // namespace reel::nn
