// Replay buffers that draw by priority.
#pragma once

#include <reel/rl/replay/prioritized_sampler.hpp>
#include <reel/rl/replay/tensordict_replay_buffer.hpp>

namespace reel::rl {

/// A `ReplayBuffer` with a `PrioritizedSampler` as large as its storage (Schaul et al. 2016).
class PrioritizedReplayBuffer : public ReplayBuffer {
public:
    /// Errors: ValueError as `PrioritizedSampler`, and for options that name a sampler.
    PrioritizedReplayBuffer(double alpha, double beta, ReplayBufferOptions options, double eps = 1e-8);
    PrioritizedSampler& prioritized_sampler() const;
};

/// A `TensorDictReplayBuffer` with one.
class TensorDictPrioritizedReplayBuffer : public TensorDictReplayBuffer {
public:
    TensorDictPrioritizedReplayBuffer(double alpha, double beta, TensorDictReplayBufferOptions options,
                                      double eps = 1e-8);
    PrioritizedSampler& prioritized_sampler() const;
};

} // namespace reel::rl
