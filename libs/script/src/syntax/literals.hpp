// Numbers and strings as they are written.
#pragma once

#include <string>
#include <string_view>

#include <reel/autograd/value.hpp>

namespace reel::jit::syntax {

/// `12`, `0xff`, `012` (octal, as the reference reads it), `1.5`, `1e3`, `2.j`. ValueError for an integer beyond 64
/// bits; `negative` negates before the range is looked at.
IValue read_number(std::string_view text, bool negative = false);
/// A quoted string's bytes. ValueError for an escape that the language lacks.
std::string read_string(std::string_view quoted);

} // namespace reel::jit::syntax
