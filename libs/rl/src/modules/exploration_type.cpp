#include <reel/rl/modules/exploration_type.hpp>

#include <ostream>

namespace reel::rl {

namespace {
constinit thread_local std::optional<ExplorationType> current;
}

std::ostream& operator<<(std::ostream& os, ExplorationType type) {
    constexpr const char* names[] = {"RANDOM", "MODE", "MEAN", "DETERMINISTIC"};
    return os << names[int(type)];
}
std::optional<ExplorationType> exploration_type() noexcept { return current; }
set_exploration_type::set_exploration_type(std::optional<ExplorationType> type) noexcept : previous_(current) {
    current = type;
}
set_exploration_type::~set_exploration_type() { current = previous_; }

} // namespace reel::rl
