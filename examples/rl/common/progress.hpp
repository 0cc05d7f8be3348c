// A progress bar on terminals, a line now and then elsewhere; and the clock of a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace agents {

class Progress {
public:
    /// Of `frames` in all, `done` are there already.
    Progress(std::int64_t frames, double seconds, std::int64_t done = 0);
    /// `figures` stands behind the bar: "return 231.4  loss 0.0123".
    void show(std::int64_t frames, const std::string& figures);
    /// A line of its own, without disturbing the bar.
    void note(const std::string& text);
    /// Since construction.
    double seconds() const;
    bool time_is_up() const { return seconds() >= limit_; }

private:
    bool terminal_;
    std::int64_t frames_, first_;
    double limit_, last_shown_ = -1;
    std::chrono::steady_clock::time_point start_;
};

/// `format("%.2f", x)`.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

} // namespace agents
