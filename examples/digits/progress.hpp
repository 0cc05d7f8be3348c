// A progress bar on terminals, plain lines elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "history.hpp"

namespace digits {

class Progress {
public:
    /// `samples`: how many images all epochs of the run (that are still to come) go through.
    explicit Progress(std::int64_t samples);
    void begin_epoch(std::string title, std::int64_t steps);
    void step(std::int64_t samples, double mean_loss, double mean_accuracy);
    void end_epoch(const EpochRecord& record);
    /// A line of its own, without disturbing the bar.
    void note(const std::string& text);

private:
    std::string rate_and_time() const;
    bool terminal_;
    std::int64_t samples_total_, samples_done_ = 0, steps_ = 0, step_ = 0;
    std::string title_;
    std::chrono::steady_clock::time_point start_, last_shown_;
};

/// Gradient norms of one stage: a row per module, a column per epoch.
std::string norm_table(const History& history, std::int64_t stage);

} // namespace digits
