// Threads that load chunks of examples.
#include <reel/data/detail/chunk_pipeline.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <reel/autograd/detail/thread_limit.hpp>
#include <reel/data/worker_exception.hpp>

namespace reel::data::detail {

struct ChunkPipeline::State {
    std::mutex mutex;
    std::condition_variable space, examples_there;
    std::size_t capacity, examples = 0, loading;
    bool quit = false;
    std::deque<std::exception_ptr> errors;
    std::vector<std::thread> threads;

    State(std::size_t capacity, std::size_t threads) : capacity(capacity), loading(threads) {}

    /// One thread's chunks, one after the other.
    void run(const Load& load) {
        const ThreadLimit one(1);
        while (step(load)) {
        }
        const std::lock_guard lock(mutex);
        --loading;
        examples_there.notify_all();
    }
    bool step(const Load& load) {
        std::optional<Loaded> loaded;
        std::exception_ptr error;
        try {
            if (loaded = load(); !loaded) return false;
        } catch (...) {
            error = std::current_exception();
        }
        std::unique_lock lock(mutex);
        // One error at a time: what throws for ever shall not fill the memory.
        space.wait(lock, [&] { return quit || (examples < capacity && errors.empty()); });
        if (quit) return false;
        try {
            if (loaded) loaded->append(), examples += loaded->examples;
        } catch (...) {
            error = std::current_exception();
        }
        if (error) errors.push_back(error);
        examples_there.notify_all();
        return true;
    }
};

ChunkPipeline::ChunkPipeline(std::size_t threads, std::size_t capacity, Load load)
    : state_(new State(capacity, threads)) {
    for (std::size_t i = 0; i < threads; ++i)
        state_->threads.emplace_back([state = state_.get(), load] { state->run(load); });
}
ChunkPipeline::~ChunkPipeline() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->quit = true;
    }
    state_->space.notify_all();
    for (std::thread& t : state_->threads) t.join();
}

bool ChunkPipeline::take(std::size_t wanted, const Take& take) {
    State& s = *state_;
    std::unique_lock lock(s.mutex);
    s.examples_there.wait(lock, [&] { return !s.errors.empty() || s.examples >= wanted || s.loading == 0; });
    if (!s.errors.empty()) {
        const std::exception_ptr error = std::exchange(s.errors.front(), nullptr);
        s.errors.pop_front();
        s.space.notify_all();
        throw WorkerException(error);
    }
    const std::size_t n = std::min(wanted, s.examples);
    if (n == 0) return false;
    take(n);
    s.examples -= n;
    s.space.notify_all();
    return true;
}

} // namespace reel::data::detail
