// How tensors are printed.
#pragma once

#include <optional>

namespace reel {

/// Floating-point numbers in scientific notation: always (true), never (false), or where their range asks for it
/// (nullopt, the default). For the whole process.
void set_printoption_sci_mode(std::optional<bool> sci_mode);

} // namespace reel
