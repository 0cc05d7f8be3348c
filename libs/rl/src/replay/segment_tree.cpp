#include <reel/rl/replay/segment_tree.hpp>

#include <reel/autograd/error.hpp>

namespace reel::rl {

template <class Reduce> SegmentTree<Reduce>::SegmentTree(std::int64_t size) : size_(size) {
    REEL_CHECK_VALUE(size > 0, "SegmentTree: size is ", size, ", expected at least 1");
    Node empty;
    for (double& c : empty.child) c = Reduce::neutral;
    do {
        size = (size + width - 1) / width;
        levels_.emplace_back(std::size_t(size), empty);
    } while (size > 1);
}

namespace {
template <class Reduce, class Node> double reduced(const Node& node) {
    double r = node.child[0];
    for (int i = 1; i < 8; ++i) r = Reduce::of(r, node.child[i]);
    return r;
}
} // namespace

template <class Reduce> double SegmentTree<Reduce>::total() const { return reduced<Reduce>(levels_.back()[0]); }

template <class Reduce> void SegmentTree<Reduce>::set(const std::int64_t* index, const double* value, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) levels_[0][std::size_t(index[i] / width)].child[index[i] % width] = value[i];
    std::int64_t below = width; // numbers that a node of this level stands for
    for (std::size_t level = 1; level < levels_.size(); ++level, below *= width) {
        const Node* from = levels_[level - 1].data();
        Node* to = levels_[level].data();
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t node = index[i] / below;
            to[node / width].child[node % width] = reduced<Reduce>(from[node]);
        }
    }
}
template <class Reduce> void SegmentTree<Reduce>::set_range(std::int64_t begin, const double* value, std::int64_t n) {
    for (std::int64_t i = begin; i < begin + n; ++i)
        levels_[0][std::size_t(i / width)].child[i % width] = value[i - begin];
    refresh(begin, begin + n);
}
template <class Reduce> void SegmentTree<Reduce>::fill(std::int64_t begin, std::int64_t n, double value) {
    for (std::int64_t i = begin; i < begin + n; ++i) levels_[0][std::size_t(i / width)].child[i % width] = value;
    refresh(begin, begin + n);
}
template <class Reduce> void SegmentTree<Reduce>::refresh(std::int64_t begin, std::int64_t end) {
    if (begin >= end) return;
    for (std::size_t level = 1; level < levels_.size(); ++level) {
        begin /= width;
        end = (end + width - 1) / width;
        for (std::int64_t node = begin; node < end; ++node)
            levels_[level][std::size_t(node / width)].child[node % width] =
                reduced<Reduce>(levels_[level - 1][std::size_t(node)]);
    }
}

template class SegmentTree<detail::Sum>;
template class SegmentTree<detail::Min>;

void SumSegmentTree::scan_lower_bound(const double* value, std::int64_t* index, std::int64_t n) const {
    std::vector<double> rest(value, value + n);
    for (std::int64_t i = 0; i < n; ++i) index[i] = 0;
    for (std::size_t level = levels_.size(); level-- > 0;) {
        const Node* nodes = levels_[level].data();
        const Node* below = level > 0 ? levels_[level - 1].data() : nullptr;
        for (std::int64_t i = 0; i < n; ++i) {
            const Node& node = nodes[index[i]];
            const double wanted = rest[std::size_t(i)];
            double sum = 0, before = 0;
            std::int64_t child = 0;
            for (const double c : node.child) {
                sum += c;
                const bool past = sum <= wanted;
                child += past;
                before = past ? sum : before;
            }
            if (child == width) [[unlikely]] { // rounding on the way down: the last that is not empty
                do --child;
                while (child > 0 && node.child[child] == 0);
                before = wanted - node.child[child];
            }
            rest[std::size_t(i)] = wanted - before;
            index[i] = index[i] * width + child;
            if (below) __builtin_prefetch(below + index[i]);
        }
    }
}

} // namespace reel::rl
