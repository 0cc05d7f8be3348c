// The way of jobs to worker threads and of their results back.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <utility>

#include <reel/autograd/error.hpp>

namespace reel::data::detail {

/// One consumer pushes jobs and pops results, any number of workers run the jobs. All members but `work` are the
/// consumer's.
template <class Request, class Batch> class Shuttle {
public:
    struct Job {
        std::size_t number; ///< counted from 0 in each pass
        Request request;
    };
    struct Result {
        std::size_t number;
        std::optional<Batch> batch;
        std::exception_ptr error;
    };

    void push(Job job) {
        {
            std::lock_guard lock(mutex_);
            jobs_.push_back(std::move(job));
            ++in_flight_;
        }
        job_there_.notify_one();
    }
    /// A result, the next one in order or any; nullopt when no job is under way. Errors: Error after `timeout`, which
    /// may be followed by another try.
    std::optional<Result> pop(bool ordered, std::optional<std::chrono::milliseconds> timeout) {
        std::unique_lock lock(mutex_);
        if (in_flight_ == 0) return std::nullopt;
        auto found = results_.end();
        const auto ready = [&] {
            found = ordered ? std::find_if(results_.begin(), results_.end(),
                                           [&](const Result& r) { return r.number == popped_; })
                            : results_.begin();
            return found != results_.end();
        };
        if (timeout) {
            REEL_CHECK(result_there_.wait_for(lock, *timeout, ready),
                       "Timeout in DataLoader queue while waiting for next batch (timeout was ", timeout->count(),
                       " ms)");
        } else result_there_.wait(lock, ready);
        std::optional<Result> r(std::move(*found));
        results_.erase(found);
        --in_flight_;
        ++popped_;
        return r;
    }
    /// Forgets jobs and results. What is running goes on, for nothing.
    void abandon() {
        std::deque<Job> jobs;
        std::deque<Result> results; // deleted without the lock
        std::lock_guard lock(mutex_);
        jobs.swap(jobs_);
        results.swap(results_);
        in_flight_ = popped_ = 0;
        ++pass_;
    }
    /// Forgets everything and waits until nothing is running.
    void drain() {
        abandon();
        std::unique_lock lock(mutex_);
        idle_.wait(lock, [&] { return running_ == 0; });
    }
    /// Ends every `work` as soon as its job is done.
    void quit() {
        abandon();
        {
            std::lock_guard lock(mutex_);
            quit_ = true;
        }
        job_there_.notify_all();
    }
    /// Makes it usable again after the workers have ended.
    void reopen() {
        std::lock_guard lock(mutex_);
        quit_ = false;
    }

    /// A worker's life: `make(job)` for one job after the other, until `quit`.
    template <class Make> void work(Make&& make) {
        for (std::unique_lock lock(mutex_);;) {
            job_there_.wait(lock, [&] { return quit_ || !jobs_.empty(); });
            if (quit_) return;
            {
                Job job = std::move(jobs_.front());
                jobs_.pop_front();
                const std::uint64_t pass = pass_;
                ++running_;
                lock.unlock();
                Result result{job.number, std::nullopt, nullptr};
                try {
                    result.batch = make(job);
                } catch (...) {
                    result.error = std::current_exception();
                }
                lock.lock();
                --running_;
                if (pass == pass_) {
                    results_.push_back(std::move(result));
                    result_there_.notify_one();
                } else idle_.notify_one();
                lock.unlock(); // the rest of job and result goes without it
            }
            lock.lock();
        }
    }

private:
    std::mutex mutex_;
    std::condition_variable job_there_, result_there_, idle_;
    std::deque<Job> jobs_;
    std::deque<Result> results_; ///< in the order of arrival
    std::size_t in_flight_ = 0;  ///< jobs whose results have not been popped
    std::size_t popped_ = 0;     ///< results of this pass that have been
    std::size_t running_ = 0;
    std::uint64_t pass_ = 0;
    bool quit_ = false;
};

} // namespace reel::data::detail
