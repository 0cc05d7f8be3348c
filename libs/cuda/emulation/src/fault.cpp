#include "fault.hpp"

#include <cstdio>
#include <string_view>
#include <unistd.h>

#include <reel/cuda/emulation/modes.hpp>

namespace reel::cuda::emulation {

void fault(const std::string& text) {
    const std::string line = "emulated device: " + text + "\n";
    // not through stdio: the fault may have come while it held its lock
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
    ::_exit(fault_status);
}

std::string place(const std::source_location& at) {
    const std::string_view file = at.file_name();
    return std::string(file.substr(file.find_last_of('/') + 1)) + ":" + std::to_string(at.line());
}

bool same_place(const std::source_location& a, const std::source_location& b) {
    return a.line() == b.line() &&
           (a.file_name() == b.file_name() || std::string_view(a.file_name()) == std::string_view(b.file_name()));
}

} // namespace reel::cuda::emulation
