// Archives of what has a state dict.
#pragma once

#include <reel/autograd/value.hpp>

namespace reel::serialize {
class OutputArchive; // reel/autograd/archive.hpp
class InputArchive;
} // namespace reel::serialize

namespace reel::data::detail {

/// Writes the entries of a state dict into an archive.
void write_state(serialize::OutputArchive& archive, const Value& state);
/// What an archive holds, as a state dict.
Value read_state(const serialize::InputArchive& archive);

} // namespace reel::data::detail
