// Whether actors explore.
#pragma once

#include <iosfwd>
#include <optional>

namespace reel::rl {

/// How an actor takes an action from its distribution.
enum class ExplorationType {
    RANDOM,        ///< a draw
    MODE,          ///< the likeliest
    MEAN,          ///< the mean
    DETERMINISTIC, ///< what the distribution calls its `deterministic_sample`
};
std::ostream& operator<<(std::ostream& os, ExplorationType type);

/// This thread's choice; none unless a guard is alive, and every module has a default of its own then.
std::optional<ExplorationType> exploration_type() noexcept;

/// Sets the choice of this thread for the guard's lifetime: `set_exploration_type guard(ExplorationType::MODE);`.
class [[nodiscard]] set_exploration_type {
public:
    explicit set_exploration_type(std::optional<ExplorationType> type) noexcept;
    ~set_exploration_type();
    set_exploration_type(const set_exploration_type&) = delete;
    set_exploration_type& operator=(const set_exploration_type&) = delete;

private:
    std::optional<ExplorationType> previous_;
};

} // namespace reel::rl
