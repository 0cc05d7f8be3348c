// Whole branches of a residual network left out at random.
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/modules/stochastic_depth.hpp>

#include <reel/nn/factory.hpp>

#include "modules/python_text.hpp"

namespace reel::nn {

void StochasticDepthOptions::fields(OptionVisitor& v) {
    v("p", p_);
    v("mode", mode_);
}

StochasticDepthImpl::StochasticDepthImpl(const StochasticDepthOptions& o) : options(o) { StochasticDepthImpl::reset(); }

void StochasticDepthImpl::reset() {
    REEL_CHECK_VALUE(options.p() >= 0 && options.p() <= 1, "StochasticDepth: p is ", text::number(options.p()),
                     "; expected a probability between 0 and 1");
    REEL_CHECK_VALUE(options.mode() == "row" || options.mode() == "batch", "StochasticDepth: mode is '", options.mode(),
                     "'; expected 'row' or 'batch'");
}

Tensor StochasticDepthImpl::forward(const Tensor& input) {
    const double kept = 1 - double(options.p());
    if (!is_training() || kept == 1) return input;
    const bool rows = options.mode() == "row";
    REEL_CHECK(!rows || input.dim() > 0, "StochasticDepth: input has no dimensions; mode 'row' expects a batch of "
                                         "examples [N, ...]");
    std::vector<std::int64_t> sizes(std::size_t(input.dim()), 1);
    if (rows) sizes[0] = input.size(0);
    const Tensor stays = reel::empty(sizes, input.options()).bernoulli_(kept);
    if (kept > 0) stays.div_(kept);
    return input * stays;
}

void register_stochastic_depth() { register_layers<StochasticDepthImpl>(); }

} // namespace reel::nn
