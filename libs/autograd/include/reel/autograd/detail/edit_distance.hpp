// How far apart two words are: for messages that suggest the name that was meant.
#pragma once

#include <cstddef>
#include <string_view>

namespace reel::detail {

/// Insertions, deletions, replacements and swaps of neighbours that lead from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

} // namespace reel::detail
