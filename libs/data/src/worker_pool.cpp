// Worker threads behind a loader.
#include <reel/data/detail/worker_pool.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <reel/autograd/detail/thread_limit.hpp>
#include <reel/autograd/error.hpp>

namespace reel::data::detail {

struct WorkerPool::State {
    std::mutex mutex;
    std::condition_variable job_there, result_there, idle;
    std::deque<Job> jobs;
    std::deque<Result> results; ///< in the order of arrival
    std::size_t in_flight = 0;  ///< jobs whose results have not been popped
    std::size_t popped = 0;     ///< results of this pass that have been
    std::size_t running = 0;
    std::uint64_t pass = 0;
    bool quit = false;
    std::vector<std::thread> threads;

    void run(const Work& work) {
        const ThreadLimit one(1);
        for (std::unique_lock lock(mutex);;) {
            job_there.wait(lock, [&] { return quit || !jobs.empty(); });
            if (quit) return;
            {
                Job job = std::move(jobs.front());
                jobs.pop_front();
                const std::uint64_t started_in = pass;
                ++running;
                lock.unlock();
                Result result{job.number, nullptr, nullptr};
                try {
                    result.batch = work(job);
                } catch (...) {
                    result.error = std::current_exception();
                }
                lock.lock();
                --running;
                if (started_in == pass) {
                    results.push_back(std::move(result));
                    result_there.notify_one();
                } else idle.notify_one();
                lock.unlock(); // the rest of job and result goes without it
            }
            lock.lock();
        }
    }
};

WorkerPool::WorkerPool() : state_(new State) {}
WorkerPool::~WorkerPool() { join(); }

void WorkerPool::start(Work work) {
    state_->threads.emplace_back([state = state_.get(), work = std::move(work)] { state->run(work); });
}
std::size_t WorkerPool::size() const { return state_->threads.size(); }

void WorkerPool::push(Job job) {
    {
        std::lock_guard lock(state_->mutex);
        state_->jobs.push_back(std::move(job));
        ++state_->in_flight;
    }
    state_->job_there.notify_one();
}
std::optional<WorkerPool::Result> WorkerPool::pop(bool ordered, std::optional<std::int64_t> timeout) {
    State& s = *state_;
    std::unique_lock lock(s.mutex);
    if (s.in_flight == 0) return std::nullopt;
    auto found = s.results.end();
    const auto ready = [&] {
        found = ordered ? std::find_if(s.results.begin(), s.results.end(),
                                       [&](const Result& r) { return r.number == s.popped; })
                        : s.results.begin();
        return found != s.results.end();
    };
    if (timeout) {
        REEL_CHECK(s.result_there.wait_for(lock, std::chrono::milliseconds(*timeout), ready),
                   "Timeout in DataLoader queue while waiting for next batch (timeout was ", *timeout, " ms)");
    } else s.result_there.wait(lock, ready);
    std::optional<Result> r(std::move(*found));
    s.results.erase(found);
    --s.in_flight;
    ++s.popped;
    return r;
}
void WorkerPool::abandon() {
    State& s = *state_;
    std::deque<Job> jobs;
    std::deque<Result> results; // deleted without the lock
    std::lock_guard lock(s.mutex);
    jobs.swap(s.jobs);
    results.swap(s.results);
    s.in_flight = s.popped = 0;
    ++s.pass;
}
void WorkerPool::drain() {
    abandon();
    std::unique_lock lock(state_->mutex);
    state_->idle.wait(lock, [&] { return state_->running == 0; });
}
void WorkerPool::join() {
    abandon();
    {
        std::lock_guard lock(state_->mutex);
        state_->quit = true;
    }
    state_->job_there.notify_all();
    for (std::thread& t : state_->threads) t.join();
    state_->threads.clear();
    std::lock_guard lock(state_->mutex);
    state_->quit = false;
}

} // namespace reel::data::detail
