// What the program under test did wrong.
#pragma once

#include <source_location>
#include <string>

namespace reel::cuda::emulation {

/// Says `emulated device: text` on standard error and ends the process with `fault_status`. Async-signal-safe enough
/// for a handler: the process does not go on.
[[noreturn]] void fault(const std::string& text);
/// `sum.cu:31`
std::string place(const std::source_location& at);
/// As `place` says it, without making the text.
bool same_place(const std::source_location& a, const std::source_location& b);

} // namespace reel::cuda::emulation
