// A lock of one byte for a few instructions at a time.
#pragma once

#include <atomic>

#include <sched.h>
#include <sys/single_threaded.h>

namespace reel {

/// Guards what is only ever copied or swapped under it: no user code, no waiting. Costs next to nothing before the
/// process has its second thread. To be used with `std::lock_guard`.
class SpinLock {
public:
    void lock() noexcept {
        if (__libc_single_threaded) return; // nobody else can come before `unlock`
        while (busy_.exchange(true, std::memory_order_acquire)) sched_yield();
    }
    void unlock() noexcept { busy_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> busy_{false};
};

} // namespace reel
