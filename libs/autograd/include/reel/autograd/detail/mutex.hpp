// A mutex that a process with one thread does not pay for.
#pragma once

#include <mutex>

#include <sys/single_threaded.h>

namespace reel {

/// A `std::mutex` whose locking costs next to nothing before the process has its second thread. What it guards must not
/// start a thread that comes back to it. To be used with `std::lock_guard`.
class Mutex {
public:
    void lock() {
        if (__libc_single_threaded) return; // nobody else can come before `unlock`
        mutex_.lock();
        locked_ = true;
    }
    bool try_lock() {
        if (__libc_single_threaded) return true;
        if (!mutex_.try_lock()) return false;
        return locked_ = true;
    }
    void unlock() {
        if (!locked_) return;
        locked_ = false;
        mutex_.unlock();
    }

private:
    std::mutex mutex_;
    bool locked_ = false; ///< of whoever holds it
};

} // namespace reel
