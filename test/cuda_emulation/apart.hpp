// What a piece of a program does that may end it.
#pragma once

#include <functional>
#include <string>

#include <reel/cuda/emulation/modes.hpp>

namespace apart {

struct End {
    int status = 0;   ///< what the process ended with
    std::string text; ///< what it said on standard error
    bool is_fault() const { return status == reel::cuda::emulation::fault_status; }
    bool says(const std::string& part) const { return text.find(part) != std::string::npos; }
};
/// Runs `program` in a process of its own, with the device in these modes.
End run(const char* modes, const std::function<void()>& program);

} // namespace apart
