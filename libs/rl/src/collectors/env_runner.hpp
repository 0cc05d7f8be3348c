// Steps of one environment under a policy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <reel/rl/collectors/collector_options.hpp>
#include <reel/rl/envs/env_base.hpp>

#include "detail/rows.hpp"

namespace reel::rl::detail {

/// What a collector does with one environment. Trajectories are numbered `first_id`, `first_id + id_stride`, ...
class EnvRunner {
public:
    EnvRunner(const std::string& whose, EnvPtr env, Policy policy, const CollectorOptions& options,
              std::int64_t first_id = 0, std::int64_t id_stride = 1);

    EnvBase& env() const { return *env_; }
    /// The next `steps` steps: [*batch_size, steps].
    TensorDict collect(std::int64_t steps, bool random);
    void reset() { begun_ = false; }
    /// For what is drawn from the default generator.
    void seed_generator(std::int64_t seed);
    std::int64_t set_seed(std::int64_t seed);
    TensorDict state_dict() const;
    void load_state_dict(const TensorDict& state);

private:
    void begin();
    void act(bool random);
    void give_new_ids(const TensorDict& next);
    void write_ids(std::int64_t* to, std::int64_t row, std::int64_t count) const;

    std::string whose_;
    EnvPtr env_;
    Policy policy_;
    bool reset_at_each_iter_;
    std::optional<ExplorationType> exploration_type_;
    std::int64_t first_id_, id_stride_;
    std::vector<NestedKey> done_keys_;
    Generator generator_;
    Rows root_rows_, next_rows_;
    // Where it stands between two steps.
    bool begun_ = false;
    TensorDict root_;
    std::int64_t trajectories_ = 0; ///< begun so far
    std::vector<std::int64_t> ids_; ///< of the present trajectories
};

} // namespace reel::rl::detail
