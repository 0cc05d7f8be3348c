// Distances of rows from a panel of others.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// How many rows a panel holds, its elements in turn: element k of row j at [k * panel_rows + j].
inline constexpr std::int64_t panel_rows = 64;
/// What comes of `out` beyond these may have lost what float32 squares cannot hold.
inline constexpr float least_sure_distance = 4e-13f, most_sure_distance = 9e18f;
/// out[i * ld + j] = the distance of row i < `rows` of `a`, `m` elements each, from row j < `count` of the panel. Are
/// all of them, and of the rows that fill the panel, sure? Set for the instruction set.
using RowDistances = bool(const float* a, std::int64_t rows, const float* panel, std::int64_t m, float* out,
                          std::int64_t ld, std::int64_t count);
inline constinit RowDistances* row_distances = nullptr;

} // namespace reel::cpu
