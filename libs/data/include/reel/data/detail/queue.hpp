// A queue between threads.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include <reel/autograd/error.hpp>

namespace reel::data::detail {

/// First in, first out, between any number of threads; never full. As libtorch's.
template <class T> class Queue {
public:
    void push(T value) {
        {
            std::lock_guard lock(mutex_);
            values_.push_back(std::move(value));
        }
        filled_.notify_one();
    }
    /// Waits for a value, and takes it. Errors: Error when none came within `timeout`.
    T pop(std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
        std::unique_lock lock(mutex_);
        const auto filled = [this] { return !values_.empty(); };
        if (timeout)
            REEL_CHECK(filled_.wait_for(lock, *timeout, filled),
                       "Timeout in DataLoader queue while waiting for next batch (timeout was ", timeout->count(),
                       " ms)");
        else filled_.wait(lock, filled);
        T value = std::move(values_.front());
        values_.pop_front();
        return value;
    }
    /// Forgets the values that wait; how many they were.
    std::size_t clear() {
        std::deque<T> forgotten; // deleted without the lock
        std::lock_guard lock(mutex_);
        forgotten.swap(values_);
        return forgotten.size();
    }

private:
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<T> values_;
};

} // namespace reel::data::detail
