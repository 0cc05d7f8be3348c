// What a run on several ranks does with sharded parameters and spread optimizer state.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "oracle/distributed_run.hpp"

namespace replay {

void shard(const DistributedRun& run, reel::nn::Module& net);
/// The whole of what lies as the shard `parameter` does.
reel::Tensor whole_tensor(const reel::Tensor& t, const reel::Tensor& parameter);
reel::nn::StateDict whole_state(reel::nn::Module& net);
double clip_over_ranks(const std::vector<reel::Tensor>& parameters, double max_norm);

/// ZeRO over the run's optimizer, whatever class that is.
struct Spread {
    std::unique_ptr<reel::optim::Optimizer> optimizer;
    std::function<void()> consolidate; ///< on rank 0
    std::function<std::vector<std::vector<std::int64_t>>()> partition;
};
Spread spread_state(const DistributedRun& run, const std::vector<reel::Tensor>& parameters);

} // namespace replay
