// Parts of trajectories.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <reel/nn/options.hpp>
#include <reel/rl/replay/sampler.hpp>

namespace reel::rl {

/// Either the number of slices of a batch or their length; the batch size must be a multiple.
struct SliceSamplerOptions {
    REEL_ARG(std::optional<std::int64_t>, num_slices);
    REEL_ARG(std::optional<std::int64_t>, slice_len);
    /// Where a trajectory ends: true at its last entry.
    REEL_ARG(NestedKey, end_key) = NestedKey{"next", "done"};
    /// Or entries of which trajectory belong together; taken instead of `end_key` when given.
    REEL_ARG(std::optional<NestedKey>, traj_key);
    /// Trajectories shorter than a slice are left out; else they come whole, and the batch is smaller.
    REEL_ARG(bool, strict_length) = true;
};

/// Slices of consecutive entries that never pass the end of a trajectory: a trajectory is drawn, then a slice of it,
/// each evenly. The samples' entries lie slice after slice: [slices * length]. The order in which entries were written
/// counts, over the ring's end too; the oldest trajectory may have lost its beginning. The last entry of each slice is
/// marked in the sample's ("next", "truncated") and ("next", "done") if it has these.
/// Errors: ValueError for both or none of the numbers, or a batch size that is no multiple; Error when no trajectory is
/// long enough.
class SliceSampler : public ReplaySampler {
public:
    explicit SliceSampler(SliceSamplerOptions options);
    Draw sample(const ReplayStorage& storage, const RoundRobinWriter& writer, std::int64_t batch_size,
                const std::optional<Generator>& generator) override;
    void clear() override { known_ = -1; }
    CommitLoad prepare_load(const Value& state, std::int64_t size) override;

private:
    struct Trajectory {
        std::int64_t begin, length; ///< counted from the oldest entry
    };
    void find_trajectories(const ReplayStorage& storage, const RoundRobinWriter& writer);
    SliceSamplerOptions options_;
    std::vector<Trajectory> trajectories_;
    std::int64_t known_ = -1; ///< write count of the storage in which they were found
};

} // namespace reel::rl
