// A replay buffer whose samples know where they come from.
#pragma once

#include <string>

#include <reel/rl/replay/replay_buffer.hpp>

namespace reel::rl {

class TensorDictReplayBufferOptions : public ReplayBufferOptionsOf<TensorDictReplayBufferOptions> {
    /// What `update_tensordict_priority` reads, and writes if rows have it.
    REEL_ARG_OF(TensorDictReplayBufferOptions, NestedKey, priority_key) = "td_error";
    /// Where samples get their importance weights ("_weight" in older versions of torchrl).
    REEL_ARG_OF(TensorDictReplayBufferOptions, NestedKey, weight_key) = "priority_weight";
    /// How the numbers of one entry become its priority: max, min, mean or median.
    REEL_ARG_OF(TensorDictReplayBufferOptions, std::string, reduction) = "max";
};

/// Samples have "index" (int64) and, drawn by priority, their weights (float32), both [n]. Both are left out when a
/// sample is stored again. Rows that have the priority key are stored with that priority.
class TensorDictReplayBuffer : public ReplayBuffer {
public:
    explicit TensorDictReplayBuffer(TensorDictReplayBufferOptions options);
    /// Updates the priorities of a sample's entries. Errors: KeyError without "index" or the priority key, and those of
    /// `update_priority`.
    void update_tensordict_priority(const TensorDict& sample);
    const TensorDictReplayBufferOptions& options() const { return options_; }

protected:
    TensorDict before_write(const TensorDict& rows) const override;
    std::optional<Tensor> priorities_of(const TensorDict& rows) const override;
    void annotate(ReplaySample& sample) const override;

private:
    Tensor reduced(const Tensor& priority) const;
    TensorDictReplayBufferOptions options_;
};

} // namespace reel::rl
