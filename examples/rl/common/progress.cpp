#include "progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <iostream>

namespace agents {

Progress::Progress(std::int64_t frames, double seconds, std::int64_t done)
    : terminal_(isatty(STDOUT_FILENO)), frames_(frames), first_(done), limit_(seconds),
      start_(std::chrono::steady_clock::now()) {}

double Progress::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}
void Progress::show(std::int64_t frames, const std::string& figures) {
    const double now = seconds();
    if (now - last_shown_ < (terminal_ ? 0.05 : 5.0) && frames < frames_) return;
    last_shown_ = now;
    constexpr int width = 24;
    const int full = int(width * std::min(frames, frames_) / std::max<std::int64_t>(frames_, 1));
    const double rate = now > 0 ? double(frames - first_) / now : 0;
    const std::string counts = format("%8lld/%lld frames  %s  %.0f frames/s  %.0f s", static_cast<long long>(frames),
                                      static_cast<long long>(frames_), figures.c_str(), rate, now);
    if (!terminal_) {
        std::cout << counts << std::endl;
        return;
    }
    std::string bar;
    for (int i = 0; i < width; ++i) bar += i < full ? "█" : "░";
    std::cout << "\r\033[K" << bar << counts << std::flush;
}
void Progress::note(const std::string& text) {
    if (terminal_) std::cout << "\r\033[K";
    std::cout << text << std::endl;
}

std::string format(const char* pattern, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, pattern);
    std::vsnprintf(text, sizeof text, pattern, arguments);
    va_end(arguments);
    return text;
}

} // namespace agents
