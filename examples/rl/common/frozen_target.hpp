// A target network that nothing but its updates can change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <reel/inspect/freeze.hpp>
#include <reel/rl/objectives/target_updates.hpp>

namespace agents {

/// Keeps the copy `target` of a loss frozen by `inspect::freeze` except while it is replaced by what was learned, and
/// compares every byte of it before that.
class FrozenTarget {
public:
    /// None of `optimizer`'s parameters may be the target's, nor become it. All must outlive it.
    FrozenTarget(reel::rl::LossModule& loss, reel::nn::ModulePtr target, reel::optim::Optimizer& optimizer);
    void freeze();
    /// Compares, replaces, freezes again.
    void refresh();
    /// What somebody is told who writes to it all the same; Error if nobody is.
    std::string refusal() const;

    std::int64_t periods() const { return counts_[0]; }
    std::int64_t bytes() const { return counts_[1]; } ///< compared
    std::int64_t differences() const { return counts_[2]; }
    std::int64_t attempts() const { return counts_[3]; } ///< of others to write
    /// For checkpoints: the four figures.
    const std::vector<std::int64_t>& counts() const { return counts_; }
    void set_counts(std::vector<std::int64_t> counts);

private:
    reel::nn::ModulePtr target_;
    reel::rl::HardUpdate updater_;
    reel::optim::Optimizer* optimizer_;
    std::optional<reel::inspect::FreezeGuard> guard_;
    std::vector<std::int64_t> counts_{0, 0, 0, 0};
};

} // namespace agents
