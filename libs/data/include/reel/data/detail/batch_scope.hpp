// The batch that a thread is making, and the seeds of passes and batches.
#pragma once

#include <cstddef>
#include <cstdint>

#include <reel/data/worker_info.hpp>

namespace reel::data::detail {

/// The seed of a loader's pass.
std::uint64_t pass_seed(std::uint64_t pass_number);
/// The seed of one of its batches.
std::uint64_t batch_seed(std::uint64_t pass_seed, std::uint64_t batch_number);

/// Says that this thread makes a batch, as worker `id` of `num_workers` (none: the caller of a loader without).
class BatchScope {
public:
    BatchScope(std::size_t id, std::size_t num_workers, std::uint64_t seed);
    ~BatchScope();
    BatchScope(const BatchScope&) = delete;

private:
    friend const WorkerInfo* data::get_worker_info();
    friend Generator data::batch_generator();
    WorkerInfo info_;
    Generator generator_; ///< made when asked for
    BatchScope* outer_;
};

} // namespace reel::data::detail
