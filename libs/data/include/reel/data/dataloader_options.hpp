// How a loader makes batches.
#pragma once

#include <cstddef>
#include <mutex> // std::chrono::milliseconds; all of <chrono> is 2,000 lines more in every program
#include <optional>

namespace reel::data {

/// Options of loaders, with setters of the same names that can be chained.
struct DataLoaderOptions {
    DataLoaderOptions() = default;
    DataLoaderOptions(std::size_t batch_size) : batch_size_(batch_size) {}

#define REEL_LOADER_OPTION(Type, name)                                                                                 \
    const Type& name() const { return name##_; }                                                                       \
    DataLoaderOptions& name(Type value) { return name##_ = value, *this; }
    REEL_LOADER_OPTION(std::size_t, batch_size)
    /// Threads that make batches ahead of time; 0: the caller makes them.
    REEL_LOADER_OPTION(std::size_t, workers)
    /// How many batches may be under way or waiting; twice the workers when absent.
    REEL_LOADER_OPTION(std::optional<std::size_t>, max_jobs)
    /// The longest time to wait for a batch of the workers, after which Error is thrown.
    REEL_LOADER_OPTION(std::optional<std::chrono::milliseconds>, timeout)
    /// Batches come in the sampler's order whichever worker is ready first; without it sooner, in any order.
    REEL_LOADER_OPTION(bool, enforce_ordering)
    /// Leaves out a last batch that is not full. (Stateful datasets decide about theirs themselves.)
    REEL_LOADER_OPTION(bool, drop_last)
    /// Tensors of a batch lie in page-locked memory (Tensor::pin_memory): needs a CUDA device.
    REEL_LOADER_OPTION(bool, pin_memory)
#undef REEL_LOADER_OPTION

private:
    std::size_t batch_size_ = 1, workers_ = 0;
    std::optional<std::size_t> max_jobs_;
    std::optional<std::chrono::milliseconds> timeout_;
    bool enforce_ordering_ = true, drop_last_ = false, pin_memory_ = false;
};

/// The same with nothing left open.
struct FullDataLoaderOptions {
    explicit FullDataLoaderOptions(const DataLoaderOptions& options)
        : batch_size(options.batch_size()), workers(options.workers()),
          max_jobs(options.max_jobs().value_or(2 * options.workers())), timeout(options.timeout()),
          enforce_ordering(options.enforce_ordering()), drop_last(options.drop_last()),
          pin_memory(options.pin_memory()) {}

    std::size_t batch_size, workers, max_jobs;
    std::optional<std::chrono::milliseconds> timeout;
    bool enforce_ordering, drop_last, pin_memory;
};

} // namespace reel::data
