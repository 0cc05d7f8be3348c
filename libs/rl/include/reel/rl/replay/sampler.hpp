// Which entries a sample consists of.
#pragma once

#include <optional>

#include <reel/autograd/generator.hpp>
#include <reel/rl/replay/storage.hpp>
#include <reel/rl/replay/writer.hpp>

namespace reel::rl {

/// Entries that were drawn.
struct Draw {
    Tensor index;     ///< int64, [n]
    Tensor weight;    ///< importance weights, float32, [n]; undefined where all entries are equally likely
    Tensor slice_end; ///< bool, [n]: the last one of a slice; undefined where there are no slices
};

/// Draws places of a storage. (`Sampler` in torchrl.)
class ReplaySampler {
public:
    virtual ~ReplaySampler();
    /// The buffer holds at least `batch_size` entries. Without a generator the default one is drawn from.
    virtual Draw sample(const ReplayStorage& storage, const RoundRobinWriter& writer, std::int64_t batch_size,
                        const std::optional<Generator>& generator) = 0;
    /// `count` new entries were written from `begin` on, without passing the end.
    virtual void written(std::int64_t begin, std::int64_t count) { static_cast<void>(begin), static_cast<void>(count); }
    /// Of the entries at `index` (int64, [n], in range) `priority` ([n]) was learned. Those that have no use for it
    /// ignore it.
    virtual void update_priority(const Tensor& index, const Tensor& priority) {
        static_cast<void>(index), static_cast<void>(priority);
    }
    virtual bool uses_priorities() const { return false; }
    /// Could `update_priority` take these? Error: ValueError.
    virtual void check_priority(const Tensor& index, const Tensor& priority) const {
        static_cast<void>(index), static_cast<void>(priority);
    }
    /// Can it serve a storage of this size? Error: ValueError.
    virtual void check_storage(std::int64_t max_size) const { static_cast<void>(max_size); }
    virtual void clear() {}
    virtual Value state_dict() const { return {}; }
    /// Reads a state of a buffer with `size` entries; calling the result takes it over.
    virtual CommitLoad prepare_load(const Value& state, std::int64_t size) {
        static_cast<void>(state), static_cast<void>(size);
        return [] {};
    }
};

} // namespace reel::rl
