// Each rank's share of a dataset, in PyTorch's order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <reel/data/samplers/distributed.hpp>

namespace reel::distributed {

/// The indices of `torch.utils.data.DistributedSampler`: an order that seed and epoch give (`randperm` of a generator
/// seeded with their sum; without `shuffle` the elements' own), of which rank r of n takes every n-th from the r-th on.
/// Without `drop_last` the order is repeated from its start until all shares are equally long, with it cut.
/// What it remembers is how much of the pass *all* replicas have seen, so that a pass goes on with other replicas where
/// it stood: after `load_state_dict` the next `reset`, which a loader does when it begins, takes what is left of it.
/// Errors: ValueError for a negative size, no replicas, or a rank that is none of them.
class DistributedSampler final : public data::samplers::DistributedSampler {
public:
    /// `num_replicas` and `rank` are the default group's unless given.
    explicit DistributedSampler(std::int64_t size, std::optional<std::int64_t> num_replicas = std::nullopt,
                                std::optional<std::int64_t> rank = std::nullopt, bool shuffle = true,
                                std::uint64_t seed = 0, bool drop_last = false);
    /// How many elements each replica visits in a whole pass.
    std::int64_t size() const noexcept { return std::int64_t(local_count()); }
    /// This replica's indices of the present epoch, the whole pass.
    std::vector<std::int64_t> indices() const;
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    /// Epoch, this replica's place, and how many elements all replicas together have been handed.
    Value state_dict() const override;
    void load_state_dict(const Value& state) override;

protected:
    std::vector<std::size_t> share() const override;

private:
    std::vector<std::size_t> share_from(std::size_t begin) const;
    bool shuffle_, drop_last_;
    std::uint64_t seed_;
    std::size_t begin_ = 0;               ///< what of the pass had been seen before it went on here
    std::optional<std::size_t> going_on_; ///< the epoch whose first reset keeps `begin_`
};

} // namespace reel::distributed
