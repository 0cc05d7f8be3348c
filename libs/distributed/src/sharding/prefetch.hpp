// Whose parameters will be wanted next: whose were, the last time.
#pragma once

#include <memory>

namespace reel::distributed {

class Unit;

/// Behind one unit, in forward ([0]) and in backward ([1]). What was foreseen wrongly once is not foreseen again.
struct NextWanted {
    std::weak_ptr<Unit> unit;
    bool given_up = false;
};

/// `unit` has just gathered: begins to gather for the one that is wanted after it. The same on all ranks, which make
/// the same calls in the same order.
void prefetch_after(const std::shared_ptr<Unit>& unit);
/// What was gathered for `unit` ahead of time is of no use: its rows are others by now.
void foreseen_wrongly(const std::shared_ptr<Unit>& unit);

} // namespace reel::distributed
