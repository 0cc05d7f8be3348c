// Where the k-th smallest of a row is.
#pragma once

#include <cstdint>
#include <vector>

namespace reel::cpu {

/// Finds it among keys that compare as the elements do, equal ones in the order in which they stand; by the keys'
/// leading digits, then by comparing what shares these. Keeps its memory for the next row.
class KthPlace {
public:
    /// For rows of `n` elements, fewer than 2^32.
    explicit KthPlace(std::int64_t n) : keys_(static_cast<std::size_t>(n)), candidates_(static_cast<std::size_t>(n)) {}
    std::vector<std::uint32_t>& keys() { return keys_; }
    /// The place of the k-th, counted from 0.
    std::int64_t operator()(std::int64_t k);

private:
    std::vector<std::uint32_t> keys_;
    std::vector<std::uint64_t> candidates_; ///< a key and, below it, its place
};

} // namespace reel::cpu
