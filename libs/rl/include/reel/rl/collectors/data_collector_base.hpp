// What all collectors share: iteration, delivery, counting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include <reel/rl/collectors/collector_options.hpp>
#include <reel/rl/envs/env_base.hpp>

namespace reel::rl {

/// A source of batches of experience, for a range-for loop:
/// `for (const TensorDict& batch : collector) { ... }`. A loop that was left, and a second one, go on where the last
/// batch ended.
class DataCollectorBase {
public:
    struct Sentinel {};
    /// An input iterator; the next batch is collected when it is incremented, so by then the loop's body has changed
    /// the policy.
    class Iterator {
    public:
        using difference_type = std::ptrdiff_t;
        using value_type = TensorDict;
        using pointer = const TensorDict*;
        using reference = const TensorDict&;
        using iterator_category = std::input_iterator_tag;
        explicit Iterator(DataCollectorBase& collector) : collector_(&collector), batch_(collector.next()) {}
        const TensorDict& operator*() const { return *batch_; }
        const TensorDict* operator->() const { return &*batch_; }
        Iterator& operator++() {
            batch_ = collector_->next();
            return *this;
        }
        void operator++(int) { ++*this; }
        bool operator==(Sentinel) const { return !batch_; }

    private:
        DataCollectorBase* collector_;
        std::optional<TensorDict> batch_;
    };
    virtual ~DataCollectorBase();
    DataCollectorBase(const DataCollectorBase&) = delete;
    DataCollectorBase& operator=(const DataCollectorBase&) = delete;

    Iterator begin() { return Iterator(*this); }
    Sentinel end() const { return {}; }
    /// The next batch as the loop would see it; nothing once `total_frames` are delivered. What an environment or the
    /// policy throws arrives here; the frames of that batch are lost, and the next call goes on after them.
    std::optional<TensorDict> next();

    const CollectorOptions& options() const { return options_; }
    /// Steps of a batch as delivered: `frames_per_batch`, rounded up to whole steps of all environments.
    std::int64_t frames_per_batch() const { return steps_ * environments_; }
    std::int64_t frames() const { return frames_; } ///< delivered so far
    std::int64_t iterations() const { return iterations_; }

    /// Begins all environments anew before the next batch, with fresh trajectory ids.
    virtual void reset() = 0;
    /// Seeds the environments and everything that the policy draws from the default generator while it collects.
    /// Returns a seed for the next collector.
    virtual std::int64_t set_seed(std::int64_t seed) = 0;
    /// All that the batches to come depend on except the policy's parameters: frames delivered, the environments'
    /// states, the dictionary that the next step begins with, generators.
    TensorDict state_dict() const;
    /// The batches after it are those that would have come after `state_dict()`. Errors: KeyError for what is missing,
    /// Error for states of other environments; nothing is changed then.
    void load_state_dict(const TensorDict& state);
    /// Policies are shared with their collector, so there is nothing to do: for programs that call it.
    void update_policy_weights_() {}
    /// Closes the environments.
    virtual void shutdown() = 0;

protected:
    /// `whose` begins messages. ValueError for options that make no sense.
    DataCollectorBase(std::string whose, CollectorOptions options);
    /// Once it is known how many environments there are; warns where frames must be rounded up.
    void set_environments(std::int64_t count);
    /// A batch of `steps` steps: [*B, steps], ("collector", "traj_ids") in it.
    virtual TensorDict collect(std::int64_t steps, bool random) = 0;
    virtual TensorDict collection_state() const = 0;
    virtual void load_collection_state(const TensorDict& state) = 0;
    const std::string& whose() const { return whose_; }

private:
    std::string whose_;
    CollectorOptions options_;
    std::int64_t environments_ = 1, steps_ = 0, frames_ = 0, iterations_ = 0;
};

} // namespace reel::rl
