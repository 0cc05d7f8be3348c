// Experience of one environment, or one batch of environments.
#pragma once

#include <memory>
#include <utility>

#include <reel/rl/collectors/data_collector_base.hpp>

namespace reel::rl {

namespace detail {
class EnvRunner; // src/collectors/env_runner.hpp
}

/// Runs a policy in an environment and delivers what happened in batches [*B, T] (EN-9), B being the environment's
/// batch size. An environment is reset as soon as it is done, and otherwise goes on from batch to batch. Under
/// ("collector", "traj_ids"), int64 [*B, T], stands which trajectory a step belongs to: a fresh number at each reset.
/// Nothing is recorded for gradients while it collects. An empty policy draws actions from the action spec.
///
/// What the policy draws from the default generator comes, while it collects, from a generator of the collector's own,
/// which is seeded from the default one at construction and by `set_seed`.
///
/// Errors: ValueError for an empty environment and for options without sense (frames_per_batch < 1, total_frames < -1,
/// negative numbers of frames, max_frames_per_traj for an environment that counts under "step_count" already). KeyError
/// and Error when the dictionaries of one batch differ in names, shapes or dtypes.
class Collector : public DataCollectorBase {
public:
    Collector(EnvPtr env, Policy policy, CollectorOptions options);
    template <class E>
    requires std::is_base_of_v<EnvBase, std::remove_cvref_t<E>> Collector(E&& env, Policy policy,
                                                                          CollectorOptions options)
        : Collector(as_env(std::forward<E>(env)), std::move(policy), std::move(options)) {}
    ~Collector() override;

    EnvBase& env() const;
    void reset() override;
    std::int64_t set_seed(std::int64_t seed) override;
    void shutdown() override;

protected:
    TensorDict collect(std::int64_t steps, bool random) override;
    TensorDict collection_state() const override;
    void load_collection_state(const TensorDict& state) override;

private:
    std::unique_ptr<detail::EnvRunner> runner_;
};

/// The older name.
using SyncDataCollector = Collector;

} // namespace reel::rl
