// A small net, its data, and how one process trains it.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/random.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

namespace reel::testing {

/// Linear(6, 10), Tanh, Linear(10, 8), Tanh, Linear(8, 3) in float64, the same for the same seed.
inline nn::Sequential small_net(std::uint64_t seed = 7) {
    nn::Sequential net{nn::Linear(6, 10), nn::Tanh(), nn::Linear(10, 8), nn::Tanh(), nn::Linear(8, 3)};
    net->to(kDouble);
    Generator generator = reel::detail::createCPUGenerator(seed);
    const NoGradGuard no_grad;
    for (const Tensor& p : net->parameters()) p.normal_(0, 0.4, generator);
    return net;
}
/// Inputs and targets of one rank in one step.
struct Batch {
    Tensor input, target;
};
inline Batch batch_of(std::int64_t step, std::int64_t rank, std::int64_t rows = 4) {
    Generator generator = reel::detail::createCPUGenerator(std::uint64_t(1000 + 10 * step + rank));
    return {reel::randn({rows, 6}, generator, kDouble), reel::randn({rows, 3}, generator, kDouble)};
}
inline Tensor loss_of(nn::Sequential& net, const Batch& b) { return nn::functional::mse_loss(net(b.input), b.target); }

/// One process that takes the mean of the ranks' losses, each divided before they are added.
inline void reference_step(nn::Sequential& net, optim::Optimizer& optimizer, std::int64_t step, std::int64_t ranks,
                           double max_norm = 0) {
    std::vector<std::vector<Tensor>> gradients;
    for (std::int64_t r = 0; r < ranks; ++r) {
        optimizer.zero_grad();
        loss_of(net, batch_of(step, r)).backward();
        gradients.emplace_back();
        for (const Tensor& p : net->parameters())
            gradients.back().push_back(p.grad().defined() ? p.grad() / ranks : Tensor());
    }
    std::size_t i = 0;
    for (const Tensor& p : net->parameters()) {
        Tensor sum = gradients[0][i];
        for (std::size_t r = 1; sum.defined() && r < gradients.size(); ++r) sum = sum + gradients[r][i];
        p.mutable_grad() = sum;
        ++i;
    }
    if (max_norm > 0) nn::utils::clip_grad_norm_(net->parameters(), max_norm);
    optimizer.step();
}
inline double largest_difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    double worst = a.size() == b.size() ? 0 : 1e300;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        if (!a[i].sizes().equals(b[i].sizes())) return 1e300;
        if (a[i].numel() > 0) worst = std::max(worst, (a[i] - b[i]).abs().max().item<double>());
    }
    return worst;
}
inline std::vector<Tensor> copies(const std::vector<Tensor>& tensors) {
    std::vector<Tensor> r;
    for (const Tensor& t : tensors) r.push_back(t.detach().clone());
    return r;
}

} // namespace reel::testing
