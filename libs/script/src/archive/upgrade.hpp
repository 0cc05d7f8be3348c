// Programs of older files mean what they meant (rules SC-94, SC-95).
#pragma once

#include <reel/script/graph.hpp>

namespace reel::jit {

/// Files of versions below this one may hold operators that have changed since.
inline constexpr int current_version = 10;
/// Rewrites operators that had another meaning in files of that version into programs of today's that mean the same:
/// `div` of integers below 4, `full` of an integer without dtype below 5.
void upgrade(Graph& graph, int version);

} // namespace reel::jit
