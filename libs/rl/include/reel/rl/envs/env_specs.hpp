// The specs of an environment.
#pragma once

#include <cstdint>
#include <vector>

#include <reel/rl/specs/composite.hpp>

namespace reel::rl {

/// What an environment reads and writes, each with the environment's batch size as shape.
struct EnvSpecs {
    std::vector<std::int64_t> batch_size;
    Composite action;      ///< read at the root
    Composite observation; ///< written by reset and step
    Composite reward;      ///< written by step
    Composite done;        ///< "done", "terminated", "truncated" (or those of groups), written by reset and step
    friend bool operator==(const EnvSpecs&, const EnvSpecs&) = default;
};

} // namespace reel::rl
