// Claiming, counting and choosing the nodes of a pass.
#include "tape/pass_nodes.hpp"

#include <algorithm>
#include <functional>

#include <reel/autograd/detail/shared_counter.hpp>

namespace reel::autograd {

namespace {
std::atomic<std::uint64_t> next_pass{1};

/// The memory of this thread's last pass, for its next one.
struct SpareList {
    static constexpr std::size_t most = 4096; ///< states: beyond it a pass costs more than its memory
    std::vector<PassState> states;
    ~SpareList();
};
constinit thread_local SpareList* spare = nullptr; // of a plain type: looking there costs one load
constinit thread_local bool closed = false;        // passes of what ends with the thread have memory of their own
SpareList::~SpareList() {
    spare = nullptr;
    closed = true;
}
[[gnu::noinline, gnu::cold]] void open_spare() {
    if (closed) return;
    thread_local SpareList own;
    spare = &own;
}
} // namespace

PassNodes::PassNodes() : pass_(reel::detail::add_shared(next_pass, std::uint64_t(1))) {
    if (spare) claimed_.swap(spare->states);
}
PassNodes::~PassNodes() {
    release();
    if (!spare) [[unlikely]]
        open_spare();
    if (spare && claimed_.capacity() <= SpareList::most) spare->states.swap(claimed_);
}
void PassNodes::release() {
    for (const PassState& s : claimed_) s.node->pass_.store(0, std::memory_order_release);
    claimed_.clear();
    if (!side_.empty()) side_.clear(); // clearing walks the buckets of an empty table, too
}

PassState& PassNodes::claim(Node* n, bool& fresh) {
    std::uint64_t owner = n->pass_.load(std::memory_order_acquire);
    if (owner == pass_) {
        fresh = false;
        return claimed_[n->place_in_pass_];
    }
    if (owner == 0 && reel::detail::exchange_shared(n->pass_, owner, pass_)) {
        fresh = true;
        n->place_in_pass_ = std::uint32_t(claimed_.size());
        PassState& s = claimed_.emplace_back();
        s.node = n;
        return s;
    }
    const auto [it, inserted] = side_.try_emplace(n);
    fresh = inserted;
    return it->second;
}

PassState* PassNodes::find_aside(Node* n) {
    const auto it = side_.find(n);
    return it == side_.end() ? nullptr : &it->second;
}

void PassNodes::end_at(std::vector<Node*> nodes) {
    ends_ = std::move(nodes);
    std::ranges::sort(ends_, std::less<>());
}
bool PassNodes::ends_at(Node* n) const { return !ends_.empty() && std::ranges::binary_search(ends_, n, std::less<>()); }

void PassNodes::discover(const EdgeList& roots) {
    SmallVector<Node*, 16> stack;
    const auto reach = [&](Node* n) {
        bool fresh = false;
        ++claim(n, fresh).dependencies;
        if (fresh && !ends_at(n)) stack.push_back(n);
    };
    for (const Edge& root : roots) reach(root.function.get());
    while (!stack.empty()) {
        const Node* n = stack.back();
        stack.pop_back();
        for (const Edge& e : n->next_edges())
            if (e.is_valid()) reach(e.function.get());
    }
}

/// Calls `fn` for every node of the pass once, when it was called for all that the node's edges lead to. Graphs are
/// deeper than the call stack, so this keeps a stack of its own.
template <class F> void PassNodes::after_their_successors(const EdgeList& roots, F fn) {
    struct Visit {
        Node* node;
        std::size_t next_edge;
    };
    std::vector<Visit> path;
    const auto enter = [&](Node* n) {
        if (!std::exchange(at(n).visited, true)) path.push_back({n, ends_at(n) ? n->next_edges().size() : 0});
    };
    for (const Edge& root : roots) {
        enter(root.function.get());
        while (!path.empty()) {
            Visit& v = path.back();
            if (v.next_edge == v.node->next_edges().size()) {
                fn(v.node);
                path.pop_back();
            } else if (const Edge& e = v.node->next_edge(v.next_edge++); e.is_valid()) {
                enter(e.function.get());
            }
        }
    }
}

void PassNodes::restrict_to(const EdgeList& roots, const std::vector<Node*>& executed) {
    for (PassState& s : claimed_) s.executes = false;
    for (auto& [n, s] : side_) s.executes = false;
    for (Node* n : executed)
        if (PassState* s = find(n)) s->executes = true;
    after_their_successors(roots, [&](Node* n) {
        if (ends_at(n)) return;
        for (const Edge& e : n->next_edges())
            if (e.is_valid() && wants(e.function.get())) at(n).executes = true;
    });
}

} // namespace reel::autograd
