// What calls do beside computing results: they draw random numbers, and write tensors from outside.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include <reel/autograd/generator_scope.hpp>
#include <reel/autograd/random.hpp>

#include "replay/plan.hpp"

namespace reel::jit::replay {

/// How the world was when a call began, as far as the call changes it.
struct Beginning {
    Tensor stream; ///< state of the default generator; undefined where nothing is drawn
    std::vector<std::vector<char>> changed;
};
/// The state of this thread's default generator.
Tensor stream_state();
/// As it is now.
Beginning beginning_of(const Plan& plan);

/// While this lives the world is as it was at a beginning, for this thread; then it is again as it was before.
class Again {
public:
    Again(const Plan& plan, const Beginning& beginning);
    ~Again();
    Again(const Again&) = delete;
    /// Is it by now as it was before this began?
    bool same_changes() const;
    bool same_stream() const;

private:
    const Plan& plan_;
    std::vector<std::vector<char>> after_;
    Tensor stream_after_;
    Generator generator_;
    std::optional<GeneratorScope> draws_;
};

/// A stretch of the default generator's stream: while it lives, this thread draws, all others wait.
class StreamStretch {
public:
    StreamStretch();
    ~StreamStretch();
    StreamStretch(const StreamStretch&) = delete;
    const Tensor& beginning() const { return beginning_; }

private:
    Generator shared_;
    std::lock_guard<std::mutex> lock_;
    Tensor beginning_;
    Generator own_;
    std::optional<GeneratorScope> draws_;
};

} // namespace reel::jit::replay
