#include "group/lane.hpp"

#include <condition_variable>
#include <deque>

#include <reel/autograd/detail/thread_limit.hpp>
#include <reel/distributed/detail/mailbox.hpp>

namespace reel::distributed::detail {

struct Lane::State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> queue;
    bool busy = false, stopping = false;
};

Lane::Lane() : state_(std::make_shared<State>()) {}

Lane::~Lane() {
    if (thread_.get_id() == std::this_thread::get_id()) {
        {
            const std::lock_guard lock(state_->mutex);
            state_->stopping = true;
        }
        thread_.detach();
    } else stop();
}

bool Lane::claim() {
    const std::lock_guard lock(state_->mutex);
    if (state_->busy || !state_->queue.empty()) return false;
    return state_->busy = true;
}

void Lane::release() {
    const std::lock_guard lock(state_->mutex);
    state_->busy = false;
    state_->changed.notify_all();
}

void Lane::push(std::function<void()> task) {
    const std::lock_guard start(starting_);
    if (!thread_.joinable()) thread_ = std::thread([state = state_] { loop(state); });
    const std::lock_guard lock(state_->mutex);
    state_->queue.push_back(std::move(task));
    state_->changed.notify_all();
}

void Lane::loop(const std::shared_ptr<State>& state) {
    Mailbox::work_beside_others();
    const reel::ThreadLimit one(1); // what it sums lies in one cache, and the cores are the ranks'
    std::unique_lock lock(state->mutex);
    for (;;) {
        state->changed.wait(lock, [&] { return !state->busy && (!state->queue.empty() || state->stopping); });
        if (state->queue.empty()) return;
        std::function<void()> task = std::move(state->queue.front());
        state->queue.pop_front();
        state->busy = true;
        lock.unlock();
        task();
        task = nullptr;
        lock.lock();
        state->busy = false;
        state->changed.notify_all();
    }
}

void Lane::drain() {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return state_->queue.empty() && !state_->busy; });
}

void Lane::stop() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopping = true;
        state_->changed.notify_all();
    }
    const std::lock_guard start(starting_);
    if (thread_.joinable()) thread_.join();
}

} // namespace reel::distributed::detail
