// How a collector makes batches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <reel/autograd/device.hpp>
#include <reel/nn/options.hpp>
#include <reel/rl/modules/exploration_type.hpp>
#include <reel/rl/tensordict.hpp>

namespace reel::rl {

/// Options of collectors (EN-9).
struct CollectorOptions {
    CollectorOptions() = default;
    CollectorOptions(std::int64_t frames_per_batch, std::int64_t total_frames = -1)
        : frames_per_batch_(frames_per_batch), total_frames_(total_frames) {}

    /// Steps of a batch, those of all environments together. Must be given.
    REEL_ARG(std::int64_t, frames_per_batch) = 0;
    /// Batches end when as many were delivered; -1: never.
    REEL_ARG(std::int64_t, total_frames) = -1;
    /// Batches that begin before as many were delivered have actions drawn from the action spec.
    REEL_ARG(std::int64_t, init_random_frames) = 0;
    /// Trajectories are truncated after as many steps, by a StepCounter; 0: never.
    REEL_ARG(std::int64_t, max_frames_per_traj) = 0;
    /// Whether every batch begins with a reset of all environments.
    REEL_ARG(bool, reset_at_each_iter) = false;
    /// Delivers [trajectories, longest] with ("collector", "mask") in place of [*B, T] (`split_trajectories`).
    REEL_ARG(bool, split_trajs) = false;
    /// What is done to a batch last, after splitting: a MultiStep, any callable that takes and returns a dictionary.
    REEL_ARG(std::function<TensorDict(TensorDict)>, postproc);
    /// How actors choose while it collects; nothing: as without a collector.
    REEL_ARG(std::optional<ExplorationType>, exploration_type) = ExplorationType::RANDOM;
    /// Where delivered batches lie; absent: where the environment wrote them.
    REEL_ARG(std::optional<Device>, device);
};

} // namespace reel::rl
