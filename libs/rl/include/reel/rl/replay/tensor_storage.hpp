// Entries in tensors that have a place for each of them.
#pragma once

#include <utility>
#include <vector>

#include <reel/rl/replay/storage.hpp>

namespace reel::rl {

/// What `LazyTensorStorage` and `LazyMemmapStorage` share: one tensor [max_size, ...] for each leaf, made at the first
/// write, which decides names, sizes and dtypes. Later rows must have the same (KeyError, Error, TypeError naming key
/// and both shapes or dtypes); nothing is stored then.
class TensorStorage : public ReplayStorage {
public:
    void check(const TensorDict& rows) const override;
    void write(std::int64_t begin, const TensorDict& rows, std::int64_t from, std::int64_t count) override;
    TensorDict get(const Tensor& index) const override;
    Tensor column(const NestedKey& key) const override;
    Value state_dict(bool copies = true) const override;
    CommitLoad prepare_load(const Value& state) override;
    /// All places, filled or not: [max_size] and the entries' own batch dimensions. Empty before the first write.
    const TensorDict& data() const { return data_; }

protected:
    using ReplayStorage::ReplayStorage;
    TensorStorage(TensorStorage&&) = default;
    /// The tensor for one leaf.
    virtual Tensor allocate(const NestedKey& key, const std::vector<std::int64_t>& sizes, const Tensor& like) = 0;
    /// Takes back what `allocate` has made for a first write that failed.
    virtual void release() {}

private:
    void allocate_like(const TensorDict& rows);
    TensorDict data_;
    std::vector<std::pair<NestedKey, Tensor>> leaves_;
};

} // namespace reel::rl
