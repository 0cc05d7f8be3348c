// Experience of several environments, collected by several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <reel/rl/collectors/data_collector_base.hpp>

namespace reel::rl {

/// A `Collector` for each of n environments, of which every worker runs its own ones: batches are [n, *B, T], and each
/// environment contributes frames_per_batch / n of them (rounded up).
///
/// Batches are the same for any number of workers: environment i has a generator of its own for all that it and the
/// policy draw there, seeded with number i + 1 of the SplitMix64 sequence of the collector's seed; the policy is called
/// for one environment at a time and never sees two; trajectory k of environment i is number k n + i. The policy is
/// called by several threads at once, so it must not change anything but its dictionary; it is not called between two
/// batches.
///
/// What is thrown in an environment arrives from `next` with its number: errors of Reel keep their type and get a
/// context line, others become Error. Threads end with the collector. Errors of the constructor: those of Collector,
/// and ValueError without environments, for ones whose specs differ, and for a negative number of workers.
class MultiCollector : public DataCollectorBase {
public:
    using Factory = std::function<EnvPtr()>;
    /// `num_workers`: threads that collect, the calling one among them; 0: as many as the machine has. At most one for
    /// each environment.
    MultiCollector(const std::vector<Factory>& create_env_fn, const Policy& policy, CollectorOptions options,
                   std::int64_t num_workers = 0);
    ~MultiCollector() override;

    std::int64_t num_envs() const;
    std::int64_t num_workers() const;
    /// Environment `i`. IndexError.
    EnvBase& env(std::int64_t i) const;
    void reset() override;
    std::int64_t set_seed(std::int64_t seed) override;
    void shutdown() override;

protected:
    TensorDict collect(std::int64_t steps, bool random) override;
    TensorDict collection_state() const override;
    void load_collection_state(const TensorDict& state) override;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// The older name.
using MultiSyncDataCollector = MultiCollector;

} // namespace reel::rl
