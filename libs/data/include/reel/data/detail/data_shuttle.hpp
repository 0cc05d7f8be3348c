// The way of jobs to worker threads, and of results back.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include <reel/data/detail/queue.hpp>

namespace reel::data::detail {

/// One thread pushes jobs and pops results, workers pop jobs and push results. As libtorch's, for loops of one's own;
/// Reel's loaders have a WorkerPool.
template <class Job, class Result> class DataShuttle {
public:
    /// The caller's.
    void push_job(Job job) {
        jobs_.push(std::move(job));
        ++in_flight_;
    }
    /// A worker's; waits for a job.
    Job pop_job() { return jobs_.pop(); }
    /// A worker's.
    void push_result(Result result) { results_.push(std::move(result)); }
    /// The caller's: a result, nullopt when no job is under way. Errors: Error when none came within `timeout`.
    std::optional<Result> pop_result(std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
        if (in_flight_ == 0) return std::nullopt;
        std::optional<Result> result(results_.pop(timeout));
        --in_flight_;
        return result;
    }
    /// The caller's: forgets jobs that nobody has taken, waits for the others and forgets their results.
    void drain() {
        in_flight_ -= jobs_.clear();
        while (in_flight_ > 0) pop_result();
    }
    /// Jobs whose results have not been popped.
    std::size_t in_flight_jobs() const { return in_flight_; }

private:
    Queue<Job> jobs_;
    Queue<Result> results_;
    std::size_t in_flight_ = 0; ///< the caller's alone
};

} // namespace reel::data::detail
