// How rows are dealt out to ranks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace reel::distributed {

struct Rows {
    std::int64_t begin, count;
};
/// Rows of every full part.
inline std::int64_t rows_each(std::int64_t rows, std::int64_t ranks) { return (rows + ranks - 1) / ranks; }
inline Rows rows_of(std::int64_t rank, std::int64_t rows, std::int64_t ranks) {
    const std::int64_t each = rows_each(rows, ranks), begin = std::min(rows, rank * each);
    return {begin, std::min(each, rows - begin)};
}
/// Elements of one row.
inline std::int64_t row_size(const std::vector<std::int64_t>& sizes) {
    std::int64_t n = 1;
    for (std::size_t d = 1; d < sizes.size(); ++d) n *= sizes[d];
    return n;
}

} // namespace reel::distributed
