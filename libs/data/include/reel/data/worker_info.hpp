// What datasets and transforms can know about the batch they are working on.
#pragma once

#include <cstddef>
#include <cstdint>

#include <reel/autograd/generator.hpp>

namespace reel::data {

/// The worker thread that asks.
struct WorkerInfo {
    std::size_t id, num_workers;
    std::uint64_t seed; ///< of the batch that it is making
};
/// Null on threads that are not making a batch as a loader's worker.
const WorkerInfo* get_worker_info();

/// The generator for random transforms: while a loader makes a batch, one of that batch alone. Its numbers depend on
/// the default generator's state when the pass began (which is left as it is), the number of the pass and the number of
/// the batch, so they are the same for any number of workers and whichever of them makes the batch. (The default
/// generator is one for all threads: workers that draw from it share its numbers as chance has it.) Outside of loaders
/// it is the default generator.
Generator batch_generator();

} // namespace reel::data
