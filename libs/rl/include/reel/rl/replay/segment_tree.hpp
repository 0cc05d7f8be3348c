// Sums and minima over any part of an array that changes, and the search for a place in the running sum.
#pragma once

#include <cstdint>
#include <vector>

namespace reel::rl {

/// A tree over `size` numbers, each node of which has eight children in one cache line. Nodes are always the same
/// function of the leaves, whatever came before: a tree restored from its leaves goes on bit for bit. What `Reduce`
/// does not know from an empty place is its neutral element. Not for use by itself: `SumSegmentTree`, `MinSegmentTree`.
template <class Reduce> class SegmentTree {
public:
    explicit SegmentTree(std::int64_t size);

    std::int64_t size() const { return size_; }
    /// Over all numbers.
    double total() const;
    double operator[](std::int64_t i) const { return levels_[0][std::size_t(i / width)].child[i % width]; }
    /// Sets `n` numbers; of several for one place the last stays. Indices must be in range.
    void set(const std::int64_t* index, const double* value, std::int64_t n);
    /// Sets the numbers [begin, begin + n).
    void set_range(std::int64_t begin, const double* value, std::int64_t n);
    void fill(std::int64_t begin, std::int64_t n, double value);

protected:
    static constexpr std::int64_t width = 8;
    struct alignas(64) Node {
        double child[width];
    };
    void refresh(std::int64_t begin, std::int64_t end);
    std::int64_t size_;
    std::vector<std::vector<Node>> levels_; ///< leaves first
};

namespace detail {
struct Sum {
    static constexpr double neutral = 0;
    static double of(double a, double b) { return a + b; }
};
struct Min {
    static constexpr double neutral = __builtin_huge_val();
    static double of(double a, double b) { return b < a ? b : a; }
};
} // namespace detail

using MinSegmentTree = SegmentTree<detail::Min>;

/// Sums of numbers that are not negative.
class SumSegmentTree : public SegmentTree<detail::Sum> {
public:
    using SegmentTree::SegmentTree;
    /// For each of `n` values in [0, total): the first place up to which the running sum exceeds it. A place that holds
    /// zero is never found as long as the total is not zero. All descend together, level by level, so that their cache
    /// misses overlap.
    void scan_lower_bound(const double* value, std::int64_t* index, std::int64_t n) const;
};

} // namespace reel::rl
