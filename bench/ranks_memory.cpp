// Memory of a rank: parameters, gradients and the optimizer's state whole on each, or spread.
#include <functional>
#include <string>

#include <reel/autograd/memory.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/distributed.hpp>
#include <reel/nn/modules/linear.hpp>
#include <reel/nn/modules/sequential.hpp>
#include <reel/optim/adam.hpp>

#include "bench.hpp"

namespace bench {

namespace {

using namespace reel;
namespace dist = reel::distributed;
using Step = std::function<void()>;

constexpr std::int64_t width = 512;

/// Twelve layers without anything between: what they take is theirs.
nn::Sequential deep_net() {
    nn::Sequential net;
    for (int i = 0; i < 12; ++i) net->push_back(nn::Linear(width, width));
    return net;
}

/// MiB of the rank that has most: behind a step, and at most during one.
void measure(const std::string& name, const std::function<Step()>& build) {
    if (!wanted(name.c_str())) return;
    const std::size_t before = memory_stats().allocated_bytes;
    const Step step = build();
    for (int i = 0; i < 3; ++i) step(); // buckets and state are what they will be
    reset_peak_memory_stats();
    step();
    const MemoryStats now = memory_stats();
    const Tensor most = empty({2}, kDouble);
    most.mutable_data_ptr<double>()[0] = double(now.allocated_bytes - before);
    most.mutable_data_ptr<double>()[1] = double(now.peak_allocated_bytes - before);
    if (dist::is_initialized()) dist::all_reduce(most, dist::kMax);
    if (dist::is_initialized() && dist::rank() != 0) return;
    figure(name.c_str(), most[0].item<double>() / (1 << 20), "MiB");
    figure((name + "_peak").c_str(), most[1].item<double>() / (1 << 20), "MiB");
}

template <class Net, class Optimizer> Step step_of(Net net, std::shared_ptr<Optimizer> optimizer) {
    return [net, optimizer]() mutable {
        optimizer->zero_grad();
        net(ones({1, width})).sum().backward();
        optimizer->step();
    };
}
Step sharded(bool reshard) {
    nn::Sequential net = deep_net();
    for (const auto& layer : net->children()) dist::fully_shard(*layer, {.reshard_after_forward = reshard});
    return step_of(net, std::make_shared<optim::Adam>(net->parameters(), 1e-3));
}

} // namespace

void ranks_memory() {
    if (!dist::is_initialized() || dist::world_size() == 1) {
        measure("ranks_memory_replicated", [] {
            nn::Sequential net = deep_net();
            return step_of(net, std::make_shared<optim::Adam>(net->parameters(), 1e-3));
        });
        return;
    }
    measure("ranks_memory_replicated", [] {
        dist::DistributedDataParallel ddp(deep_net());
        return step_of(ddp, std::make_shared<optim::Adam>(ddp->parameters(), 1e-3));
    });
    measure("ranks_memory_spread_state", [] {
        dist::DistributedDataParallel ddp(deep_net());
        using Spread = dist::ZeroRedundancyOptimizer<optim::Adam>;
        return step_of(ddp,
                       std::make_shared<Spread>(ddp->parameters(), dist::ProcessGroup(), optim::AdamOptions(1e-3)));
    });
    measure("ranks_memory_sharded", [] { return sharded(true); });
    measure("ranks_memory_sharded_kept", [] { return sharded(false); });
}

} // namespace bench
