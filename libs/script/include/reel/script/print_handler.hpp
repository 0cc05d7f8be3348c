// Where `print` of scripts writes.
#pragma once

#include <functional>
#include <string>

namespace reel::jit {

/// Gets each line with its newline.
using PrintHandler = std::function<void(const std::string& line)>;
/// Sets the handler of this thread and returns the one before; an empty one writes to std::cout.
PrintHandler set_print_handler(PrintHandler handler);

} // namespace reel::jit
