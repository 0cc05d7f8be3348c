// Others are noticed by the time that a thread which could run does not.
#include "waiting.hpp"

#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <thread>

namespace reel::cpu {

namespace {
/// Seconds that the calling thread stood in line for a processor since it began, by the kernel's own count.
std::optional<double> seconds_in_line() {
    const int file = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    char text[96];
    const ssize_t length = ::read(file, text, sizeof text - 1);
    ::close(file);
    if (length <= 0) return std::nullopt;
    text[length] = 0;
    unsigned long long ran = 0, stood = 0;
    if (std::sscanf(text, "%llu %llu", &ran, &stood) != 2) return std::nullopt;
    return double(stood) * 1e-9;
}
/// Where the kernel does not count that: each time that a thread of the process had to make room for another stands for
/// a millisecond (alone it happens some 30 times a second, beside others 200 times).
double seconds_by_switches() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return double(usage.ru_nivcsw) * 1e-3;
}
constexpr double at_least = 0.1;              ///< seconds between two looks
constexpr double others = 0.15, alone = 0.05; ///< shares of the time in line
constexpr double quiet = 1.0;                 ///< seconds alone until threads spin again
} // namespace

Waiting::Waiting() : told_(std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) {}

void Waiting::look_closely() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - since_).count();
    if (seconds < at_least) return;
    const double stood = seconds_in_line().value_or(seconds_by_switches());
    const pid_t thread = ::gettid();
    // Of a long pause, or of another thread, nothing can be said.
    if (thread == thread_ && seconds < 10) judge((stood - stood_) / seconds, seconds);
    thread_ = thread;
    since_ = now;
    stood_ = stood;
}
void Waiting::judge(double share, double seconds) {
    alone_ = share < alone ? alone_ + seconds : 0;
    if (!brief() && share > others) start();
    else if (brief() && alone_ > quiet) stop();
}
void Waiting::start() {
    if (team_) return; // the last one has not ended yet
    try {
        std::thread([this] { sleeping_team(); }).detach();
        team_ = true;
        brief_.store(true, std::memory_order_relaxed);
    } catch (const std::system_error&) { // no thread to be had now
    }
}
void Waiting::stop() {
    brief_.store(false, std::memory_order_relaxed);
    team_ends_.notify_all();
}
/// Two threads that sleep: libgomp counts them, and so knows of more threads than processors.
void Waiting::sleeping_team() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr); // signals are for threads that wake
#pragma omp parallel num_threads(2)
    {
        std::unique_lock lock(mutex_);
        team_ends_.wait(lock, [this] { return !brief(); });
    }
    const std::lock_guard lock(mutex_);
    team_ = false;
}

Waiting& waiting() {
    static auto* one = new Waiting; // loops may run until the very end of the program
    return *one;
}

} // namespace reel::cpu
