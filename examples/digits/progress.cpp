#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <vector>

namespace digits {

namespace {
template <class... A> std::string format(const char* pattern, A... a) {
    char text[256];
    std::snprintf(text, sizeof text, pattern, a...);
    return text;
}
double seconds_since(std::chrono::steady_clock::time_point t) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}
} // namespace

Progress::Progress(std::int64_t samples)
    : terminal_(isatty(STDOUT_FILENO)), samples_total_(samples), start_(std::chrono::steady_clock::now()),
      last_shown_(start_) {}

std::string Progress::rate_and_time() const {
    const double seconds = seconds_since(start_), rate = seconds > 0 ? double(samples_done_) / seconds : 0;
    const double left = rate > 0 ? double(samples_total_ - samples_done_) / rate : 0;
    return format("%5.0f samples/s  %3.0f s left", rate, std::max(left, 0.0));
}
void Progress::begin_epoch(std::string title, std::int64_t steps) {
    title_ = std::move(title);
    steps_ = steps;
    step_ = 0;
}
void Progress::step(std::int64_t samples, double mean_loss, double mean_accuracy) {
    samples_done_ += samples;
    ++step_;
    if (!terminal_ || (seconds_since(last_shown_) < 0.05 && step_ < steps_)) return;
    last_shown_ = std::chrono::steady_clock::now();
    constexpr int width = 24;
    const int full = int(width * step_ / std::max<std::int64_t>(steps_, 1));
    std::string bar;
    for (int i = 0; i < width; ++i) bar += i < full ? "█" : "░";
    std::cout << "\r\033[K" << title_ << "  " << bar << format("  loss %.4f  accuracy %.4f  ", mean_loss, mean_accuracy)
              << rate_and_time() << std::flush;
}
void Progress::end_epoch(const EpochRecord& r) {
    if (terminal_) std::cout << "\r\033[K";
    std::cout << title_ << format("  loss %.4f  accuracy %.4f  test %.4f  ", r.loss, r.train_accuracy, r.test_accuracy)
              << rate_and_time() << std::endl;
}
void Progress::note(const std::string& text) {
    if (terminal_) std::cout << "\r\033[K";
    std::cout << text << std::endl;
}

std::string norm_table(const History& history, std::int64_t stage) {
    std::vector<const EpochRecord*> epochs;
    std::vector<std::string> paths;
    for (const EpochRecord& r : history) {
        if (r.stage != stage) continue;
        epochs.push_back(&r);
        for (const auto& [path, norm] : r.norms)
            if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
    }
    std::string text = format("  %-20s", "gradient norm, epoch");
    for (const EpochRecord* r : epochs) text += format(" %9d", int(r->epoch + 1));
    for (const std::string& path : paths) {
        text += format("\n  %-20s", path.c_str());
        for (const EpochRecord* r : epochs) {
            const auto at =
                std::find_if(r->norms.begin(), r->norms.end(), [&](const auto& n) { return n.first == path; });
            text += at == r->norms.end() ? format(" %9s", "-") : format(" %9.2e", at->second);
        }
    }
    return text;
}

} // namespace digits
