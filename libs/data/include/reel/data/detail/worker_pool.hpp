// Worker threads: the way of jobs to them and of their results back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>

namespace reel::data::detail {

/// One consumer pushes jobs and pops results; any number of threads run the jobs, each computing with one thread
/// (ThreadLimit). All members are the consumer's. The types of requests and batches are the loader's business.
class WorkerPool {
public:
    struct Job {
        std::size_t number; ///< counted from 0 in each pass
        std::shared_ptr<void> request;
    };
    struct Result {
        std::size_t number;
        std::shared_ptr<void> batch; ///< null for none
        std::exception_ptr error;
    };
    /// What a thread does with one job.
    using Work = std::function<std::shared_ptr<void>(Job& job)>;

    WorkerPool();
    ~WorkerPool();
    WorkerPool(const WorkerPool&) = delete;

    /// Starts a further thread.
    void start(Work work);
    /// How many were started.
    std::size_t size() const;
    void push(Job job);
    /// A result, the next one in order or any; nullopt when no job is under way. Errors: Error after `timeout`
    /// milliseconds, which may be followed by another try.
    std::optional<Result> pop(bool ordered, std::optional<std::int64_t> timeout);
    /// Forgets jobs and results. What is running goes on, for nothing.
    void abandon();
    /// Forgets everything and waits until nothing is running.
    void drain();
    /// Ends the threads as soon as their jobs are done; `start` begins anew.
    void join();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace reel::data::detail
