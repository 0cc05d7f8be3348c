// Modules for tests of data parallelism.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include <reel/autograd/ops.hpp>
#include <reel/nn.hpp>

#include "distributed/branching_nets.hpp"
#include "distributed/training.hpp"

namespace reel::testing {

inline Tensor leaf(double v) { return full({}, v).requires_grad_(); }
inline double number(const Tensor& t) { return t.defined() ? t.item<double>() : -1000; }

/// x * w with one parameter w.
struct ScaleImpl : nn::Module {
    ScaleImpl() { w = register_parameter("w", full({}, 3.0)); }
    Tensor forward(const Tensor& x) { return x * w; }
    Tensor w;
};
REEL_MODULE(Scale);

/// Two results; the second counts twice.
struct TwoHeadsImpl : nn::Module {
    TwoHeadsImpl() {
        left = register_module("left", Scale());
        right = register_module("right", Scale());
    }
    std::tuple<Tensor, Tensor> forward(const Tensor& x) { return {left(x), right(x)}; }
    Scale left{nullptr}, right{nullptr};
};
REEL_MODULE(TwoHeads);

/// A buffer to which each forward adds.
struct WithBufferImpl : nn::Module {
    WithBufferImpl() {
        w = register_parameter("w", ones({}));
        seen = register_buffer("seen", zeros({}, kDouble));
    }
    Tensor forward(const Tensor& x) {
        {
            const NoGradGuard no_grad;
            seen.add_(add);
        }
        return x * w;
    }
    Tensor w, seen;
    double add = 1;
};
REEL_MODULE(WithBuffer);

inline bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i].defined() != b[i].defined() || (a[i].defined() && !equal(a[i], b[i]))) return false;
    return true;
}

/// Of `small_net` over the batches of `n` ranks: each divided, then added up in the order of ranks.
inline std::vector<Tensor> mean_gradients(std::int64_t step, std::int64_t n) {
    std::vector<Tensor> sums;
    for (std::int64_t r = 0; r < n; ++r) {
        nn::Sequential net = small_net();
        loss_of(net, batch_of(step, r)).backward();
        std::size_t i = 0;
        for (const Tensor& p : net->parameters()) {
            const Tensor part = p.grad() / n;
            if (r == 0) sums.push_back(part);
            else sums[i] = sums[i] + part;
            ++i;
        }
    }
    return sums;
}

} // namespace reel::testing
