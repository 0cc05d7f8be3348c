// Counters that threads share, which a process with one thread does not pay for.
#pragma once

#include <atomic>

#include <sys/single_threaded.h>

namespace reel::detail {

/// `counter += n` as one step; returns what was there. Before the process has its second thread nobody can come
/// between, and what the step costs is its locked instruction.
template <class T>
T add_shared(std::atomic<T>& counter, T n, std::memory_order order = std::memory_order_relaxed) noexcept {
    if (!__libc_single_threaded) return counter.fetch_add(n, order);
    const T was = counter.load(std::memory_order_relaxed);
    counter.store(T(was + n), std::memory_order_relaxed);
    return was;
}

/// Puts `wanted` in the place of `expected`, as one step; false, and `expected` is what is there, where it is not.
template <class T> bool exchange_shared(std::atomic<T>& value, T& expected, T wanted) noexcept {
    if (!__libc_single_threaded) return value.compare_exchange_strong(expected, wanted, std::memory_order_acq_rel);
    const T there = value.load(std::memory_order_relaxed);
    if (there == expected) return value.store(wanted, std::memory_order_relaxed), true;
    expected = there;
    return false;
}

} // namespace reel::detail
