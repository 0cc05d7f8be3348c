// Nodes whose gradients have all arrived, in the order in which they run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <reel/autograd/node.hpp>

namespace reel::autograd {

/// Accumulators first, then what was recorded last (E-21).
class ReadyQueue {
public:
    bool empty() const { return heap_.empty(); }
    void push(Node* n) {
        const std::uint64_t rank = n->is_accumulator() ? std::numeric_limits<std::uint64_t>::max() : n->sequence_nr();
        heap_.emplace_back(rank, n);
        std::push_heap(heap_.begin(), heap_.end(), runs_later);
    }
    Node* pop() {
        std::pop_heap(heap_.begin(), heap_.end(), runs_later);
        Node* n = heap_.back().second;
        heap_.pop_back();
        return n;
    }

private:
    using Entry = std::pair<std::uint64_t, Node*>;
    static bool runs_later(const Entry& a, const Entry& b) { return a.first < b.first; }
    SmallVector<Entry, 8> heap_;
};

} // namespace reel::autograd
