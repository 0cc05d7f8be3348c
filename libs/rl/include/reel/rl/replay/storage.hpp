// Where a replay buffer keeps its entries.
#pragma once

#include <cstdint>

#include <reel/rl/replay/loadable.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

/// A fixed number of places for entries, filled from the first one on. (`Storage` in torchrl; here that is a tensor's.)
class ReplayStorage {
public:
    /// Error: ValueError unless `max_size` is at least 1.
    explicit ReplayStorage(std::int64_t max_size);
    virtual ~ReplayStorage();

    std::int64_t max_size() const { return max_size_; }
    /// Places that hold an entry: the first ones.
    std::int64_t size() const { return size_; }
    /// Can these rows be stored? Errors name keys and both shapes.
    virtual void check(const TensorDict& rows) const = 0;
    /// Copies rows [from, from + count) to the places from `begin` on, which do not pass the end. `check` has
    /// succeeded.
    virtual void write(std::int64_t begin, const TensorDict& rows, std::int64_t from, std::int64_t count) = 0;
    /// Copies of the entries at `index` (int64, [n], in range), stacked: [n] and the entries' own batch dimensions.
    virtual TensorDict get(const Tensor& index) const = 0;
    /// One entry of all places that are filled: [size, ...]. KeyError.
    virtual Tensor column(const NestedKey& key) const = 0;
    /// Forgets all entries; places stay allocated.
    virtual void clear() { size_ = 0; }
    /// With tensors of its own, or for the moment views of what is stored.
    virtual Value state_dict(bool copies = true) const = 0;
    /// Reads a state; calling the result takes it over. Errors: KeyError, TypeError, ValueError, Error.
    virtual CommitLoad prepare_load(const Value& state) = 0;
    virtual const char* name() const = 0; ///< for messages

protected:
    ReplayStorage(ReplayStorage&&) = default;
    std::int64_t max_size_, size_ = 0;
};

} // namespace reel::rl
