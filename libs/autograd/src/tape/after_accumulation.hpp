// Functions that wait until a pass has accumulated into certain leaves.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include <reel/autograd/node.hpp>

namespace reel::autograd {

/// Those of one pass.
class AfterAccumulation {
public:
    /// Runs `fn` when all of `accumulators` have run: at once when there are none.
    void add(const std::vector<Node*>& accumulators, std::function<void()> fn);
    /// `accumulator` has run.
    void ran(Node* accumulator) {
        if (!waiting_.empty()) [[unlikely]]
            release(accumulator);
    }

private:
    void release(Node* accumulator);
    struct Waiting {
        std::size_t left; ///< accumulators that have not run
        std::function<void()> fn;
    };
    std::unordered_map<Node*, std::vector<std::shared_ptr<Waiting>>> waiting_; ///< by accumulator
};

} // namespace reel::autograd
