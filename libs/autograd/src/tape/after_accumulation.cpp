// Counting down the accumulators that a function waits for.
#include "tape/after_accumulation.hpp"

namespace reel::autograd {

void AfterAccumulation::add(const std::vector<Node*>& accumulators, std::function<void()> fn) {
    const auto w = std::make_shared<Waiting>();
    for (Node* n : accumulators) {
        auto& list = waiting_[n];
        if (!list.empty() && list.back() == w) continue; // named twice
        list.push_back(w);
        ++w->left;
    }
    if (w->left == 0) return fn();
    w->fn = std::move(fn);
}

void AfterAccumulation::release(Node* accumulator) {
    const auto it = waiting_.find(accumulator);
    if (it == waiting_.end()) return;
    const auto list = std::move(it->second); // what runs now may wait for others
    waiting_.erase(it);
    for (const auto& w : list)
        if (--w->left == 0) w->fn();
}

} // namespace reel::autograd
