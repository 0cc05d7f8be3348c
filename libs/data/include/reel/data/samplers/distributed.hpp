// One process's share of a dataset that several processes visit together.
#pragma once

#include <cstddef>
#include <cstdint>

#include <reel/data/samplers/base.hpp>

namespace reel::data::samplers {

/// What the shares have in common: replica `rank` of `num_replicas` visits as many elements as every other one. With
/// `allow_duplicates` the first elements are visited again until the shares are full, else the last ones are left out.
/// Errors: ValueError for no replicas, or for a rank that is none.
class DistributedSampler : public Sampler<> {
public:
    DistributedSampler(std::size_t size, std::size_t num_replicas, std::size_t rank, bool allow_duplicates);
    /// The pass that the next `reset` begins; all replicas set the same.
    void set_epoch(std::size_t epoch) { epoch_ = epoch; }
    std::size_t epoch() const noexcept { return epoch_; }
    /// How many elements of this pass this replica has been handed.
    std::size_t index() const noexcept { return index_; }
    void reset(std::optional<std::size_t> new_size = std::nullopt) override;
    std::optional<std::vector<std::size_t>> next(std::size_t batch_size) override;
    /// Place and epoch.
    Value state_dict() const override;
    void load_state_dict(const Value& state) override;

protected:
    std::size_t size() const noexcept { return size_; }
    std::size_t rank() const noexcept { return rank_; }
    std::size_t num_replicas() const noexcept { return num_replicas_; }
    /// How many elements each replica visits.
    std::size_t local_count() const noexcept;
    /// This replica's share, for the present size and epoch.
    virtual std::vector<std::size_t> share() const = 0;
    /// Recomputes the share; constructors of the samplers below call it.
    void fill() { indices_ = share(); }

private:
    std::size_t size_, num_replicas_, rank_, epoch_ = 0, index_ = 0;
    bool allow_duplicates_;
    std::vector<std::size_t> indices_;
};

/// Every `num_replicas`th element of an order that the epoch draws, from the `rank`th on: all replicas draw the same
/// order, whatever their default generators hold. Sizes that `num_replicas` divides are visited in the order of
/// `torch.utils.data.DistributedSampler` with seed 0.
class DistributedRandomSampler final : public DistributedSampler {
public:
    explicit DistributedRandomSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                                      bool allow_duplicates = true);

protected:
    std::vector<std::size_t> share() const override;
};

/// Elements in their own order, the replicas' shares one behind the other.
class DistributedSequentialSampler final : public DistributedSampler {
public:
    explicit DistributedSequentialSampler(std::size_t size, std::size_t num_replicas = 1, std::size_t rank = 0,
                                          bool allow_duplicates = true);

protected:
    std::vector<std::size_t> share() const override;
};

} // namespace reel::data::samplers
