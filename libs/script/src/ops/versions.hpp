// Programs of older files, in today's operators (rules SC-94, SC-95).
#pragma once

#include <reel/script/graph.hpp>

namespace reel::jit {

/// The version that files are written with when their operators need it; files up to it are read.
inline constexpr int newest_version = 10;

/// Gives calls the meaning that they had in a file of `version`: division of integers truncates below 4, `full` of a
/// number without dtype is a float below 5.
void upgrade(Graph& graph, int version);

} // namespace reel::jit
