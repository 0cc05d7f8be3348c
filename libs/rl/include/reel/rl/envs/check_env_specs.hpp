// Does an environment do what its specs say?
#pragma once

#include <cstdint>
#include <optional>

#include <reel/rl/envs/env_base.hpp>

namespace reel::rl {

struct CheckEnvSpecsOptions {
    REEL_ARG(std::int64_t, max_steps) = 3;
    REEL_ARG(bool, check_dtype) = true;
    REEL_ARG(std::optional<std::int64_t>, seed);
};

/// Runs short rollouts, with and without stopping at ends, and throws Error (naming entry, shapes and spec) where an
/// entry is missing, is not in the specs, has another shape or dtype or lies outside its spec.
void check_env_specs(EnvBase& env, const CheckEnvSpecsOptions& options = {});

} // namespace reel::rl
