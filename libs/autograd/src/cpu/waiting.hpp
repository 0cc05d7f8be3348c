// How threads wait for the next parallel loop (doc/adr/0084).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <sys/types.h>

namespace reel::cpu {

/// libgomp lets threads spin for milliseconds between loops, unless it knows of more threads than processors: right
/// where nobody else wants those, ruinous where somebody does. This one notices who comes and who goes.
class Waiting {
public:
    Waiting();
    bool told() const { return told_; } ///< by OMP_WAIT_POLICY or GOMP_SPINCOUNT
    bool brief() const { return brief_.load(std::memory_order_relaxed); }
    /// Before each loop; looks now and then how long this thread stood in line for a processor.
    void look() {
        if (!told_ && loops_.fetch_add(1, std::memory_order_relaxed) % 32 == 0) look_closely();
    }

private:
    using Clock = std::chrono::steady_clock;
    void look_closely();
    /// `share`: of the last `seconds`, how much the thread stood in line.
    void judge(double share, double seconds);
    void start();
    void stop();
    void sleeping_team();

    const bool told_;
    std::atomic<bool> brief_{false};
    std::atomic<unsigned> loops_{0};
    std::mutex mutex_; ///< over what follows
    pid_t thread_ = 0; ///< whose figures these are
    Clock::time_point since_;
    double stood_ = 0; ///< seconds in line until then
    double alone_ = 0; ///< seconds since somebody was last noticed
    bool team_ = false;
    std::condition_variable team_ends_;
};

/// The one of this process.
Waiting& waiting();

} // namespace reel::cpu
