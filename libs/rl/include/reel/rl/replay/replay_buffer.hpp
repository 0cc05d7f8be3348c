// Entries stored now and drawn later.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <reel/rl/replay/replay_buffer_options.hpp>

namespace reel::rl {

/// A sample, and how its entries were drawn.
struct ReplaySample {
    TensorDict data; ///< [n] and the entries' own batch dimensions
    Tensor index;    ///< int64, [n]
    Tensor weight;   ///< float32, [n]; undefined unless the sampler is a prioritised one
};

/// Storage, sampler and a ring of places: the newest `max_size` entries, samples of which are drawn. Any number of
/// threads may call it. What cannot be stored or loaded leaves it unchanged.
class ReplayBuffer {
public:
    /// Errors: ValueError without a storage, for a batch size below 1, for a sampler of another size.
    explicit ReplayBuffer(ReplayBufferOptions options);
    virtual ~ReplayBuffer();
    ReplayBuffer(const ReplayBuffer&) = delete;
    ReplayBuffer& operator=(const ReplayBuffer&) = delete;

    std::int64_t size() const;
    std::int64_t max_size() const;
    bool empty() const { return size() == 0; }
    /// Forgets all entries, priorities and frames that transforms hold back. (`empty()` in torchrl.)
    void clear();

    /// Stores one entry; its place, or nothing when a transform holds it back.
    std::optional<std::int64_t> add(const TensorDict& entry);
    /// Stores the rows of `rows` [n, ...]; their places (int64, [n]). Of more rows than places the last stay.
    /// Errors: KeyError, Error, TypeError for names, sizes or dtypes other than those of the first write; Error for an
    /// empty batch size.
    Tensor extend(const TensorDict& rows);

    /// Draws entries. Errors: Error when the buffer holds fewer than `batch_size`; ValueError without a batch size.
    TensorDict sample(std::optional<std::int64_t> batch_size = std::nullopt);
    ReplaySample sample_with_info(std::optional<std::int64_t> batch_size = std::nullopt);
    /// Copies of the entries at these places (int, [n]). Error: IndexError for places that hold none.
    TensorDict get(const Tensor& index) const;

    /// What was learned of these entries: `priority` is [n] or one number for all. Samplers that have no use for it
    /// ignore it. Errors: IndexError for places without an entry, ValueError for other numbers of elements and for
    /// negative or non-finite priorities; none is changed then.
    void update_priority(const Tensor& index, const Tensor& priority);
    void update_priority(std::int64_t index, double priority);

    /// From now on samples come from a generator of the buffer's own.
    void set_seed(std::uint64_t seed);
    void append_transform(std::shared_ptr<ReplayTransform> transform);
    const ReplayStorage& storage() const { return *storage_; }
    const ReplaySampler& sampler() const { return *sampler_; }
    const RoundRobinWriter& writer() const { return writer_; }

    /// Entries, ring position, priorities, order of the pass, the buffer's own generator, state of the transforms:
    /// what is needed to go on bit for bit.
    Value state_dict() const;
    /// Errors: KeyError, TypeError, ValueError, Error; nothing has changed then.
    void load_state_dict(const Value& state);
    /// The same in a file (`serialize::save_checkpoint`), which is replaced atomically.
    void dumps(const std::string& path) const;
    /// Errors, with the file's name: as `serialize::load_checkpoint` and `load_state_dict`.
    void loads(const std::string& path);

protected:
    /// What kinds of buffers do differently, each called under the lock.
    virtual TensorDict before_write(const TensorDict& rows) const { return rows; }
    virtual std::optional<Tensor> priorities_of(const TensorDict&) const { return std::nullopt; }
    virtual void annotate(ReplaySample&) const {}

private:
    struct Slot {
        std::int64_t begin, from, count;
    };
    Tensor store(const TensorDict& rows);
    void update_checked(const Tensor& index, const Tensor& priority);
    Value state(bool copies) const;
    Tensor checked_index(const Tensor& index, const char* op) const;

    mutable std::mutex mutex_;
    std::shared_ptr<ReplayStorage> storage_;
    std::shared_ptr<ReplaySampler> sampler_;
    RoundRobinWriter writer_;
    std::optional<std::int64_t> batch_size_;
    std::optional<Generator> generator_;
    std::vector<std::shared_ptr<ReplayTransform>> transforms_;
};

} // namespace reel::rl
