// The nodes of one backward pass: which belong to it, how many gradients each waits for, which of them are wanted.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <reel/autograd/node.hpp>

namespace reel::autograd {

/// The engine's bookkeeping for one node in one pass.
struct PassState {
    Node* node = nullptr;
    std::uint32_t dependencies = 0;
    bool executes = true;            ///< on a path to what is wanted
    bool visited = false;            ///< the search for what leads there has come by
    std::uint32_t first_capture = 0; ///< of the requested inputs of `grad` that it is, counted from 1; 0 for none
    bool captured() const { return first_capture != 0; }
    GradList buffer;
};

/// What a pass knows of its nodes stands in a list, and the place in the list in the node itself; in a side table where
/// another pass that has not ended holds the node (architecture decision 6).
class PassNodes {
public:
    PassNodes();
    ~PassNodes();
    PassNodes(const PassNodes&) = delete;
    std::uint64_t pass() const { return pass_; } ///< the number of the pass, never 0

    /// Nothing behind these nodes belongs to the pass. Before `discover`.
    void end_at(std::vector<Node*> nodes);
    /// Takes in everything that the roots reach. A node depends on each edge that leads to it and on each root that
    /// names it.
    void discover(const EdgeList& roots);
    /// What arrives at `n` is wanted, though `n` itself need not run: request number `capture`, from 1. Returns the
    /// one before it, 0 where there is none. Before `restrict_to`.
    std::uint32_t mark_captured(Node* n, std::uint32_t capture) {
        PassState* const s = find(n);
        return s ? std::exchange(s->first_capture, capture) : 0;
    }
    /// Of the discovered nodes, only those run now that are among `executed` or lead to one of these or to a captured
    /// one (E-22).
    void restrict_to(const EdgeList& roots, const std::vector<Node*>& executed);
    /// Lets the nodes go: none is part of the pass any more.
    void release();

    /// Null for a node that is not part of the pass.
    PassState* find(Node* n) {
        if (n->pass_.load(std::memory_order_relaxed) == pass_) [[likely]]
            return &claimed_[n->place_in_pass_];
        return side_.empty() ? nullptr : find_aside(n);
    }
    PassState& at(Node* n) { return *find(n); } ///< of a node that is part of it
    bool runs(Node* n) {
        const PassState* s = find(n);
        return s && s->executes;
    }
    /// Does a gradient that reaches it serve anything?
    bool wants(Node* n) {
        const PassState* s = find(n);
        return s && (s->executes || s->captured());
    }

private:
    PassState& claim(Node* n, bool& fresh);
    PassState* find_aside(Node* n);
    bool ends_at(Node* n) const;
    template <class F> void after_their_successors(const EdgeList& roots, F fn);

    std::uint64_t pass_;
    std::vector<PassState> claimed_; ///< grows in `discover` alone: references hold from then on
    std::vector<Node*> ends_;        ///< by address
    std::unordered_map<Node*, PassState> side_;
};

} // namespace reel::autograd
