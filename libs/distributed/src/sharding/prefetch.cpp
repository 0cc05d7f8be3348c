#include "sharding/prefetch.hpp"

#include <reel/autograd/backward.hpp>

#include "sharding/unit.hpp"

namespace reel::distributed {

namespace {
/// The unit that gathered last on this thread, and in which pass; outside of passes, -1.
struct Trail {
    std::weak_ptr<Unit> last;
    std::int64_t pass = -1;
};
thread_local Trail trails[2];

void give_up(Unit& before, int way) { before.next[way] = {{}, true}; }
} // namespace

void prefetch_after(const std::shared_ptr<Unit>& unit) {
    if (!unit->prefetches()) return;
    const std::int64_t pass = autograd::current_graph_task_id();
    const int way = pass == -1 ? 0 : 1; // what is computed again in backward belongs to it
    Trail& trail = trails[way];
    const std::shared_ptr<Unit> before = trail.last.lock();
    if (before == unit && trail.pass == pass) return;
    if (before && before != unit && trail.pass == pass && before->group() == unit->group()) {
        NextWanted& next = before->next[way];
        const std::shared_ptr<Unit> foreseen = next.unit.lock();
        if (foreseen && foreseen != unit) {
            foreseen->forget_prefetched();
            give_up(*before, way);
        } else if (!next.given_up) next.unit = unit;
    }
    trail = {unit, pass};
    if (const auto next = unit->next[way].unit.lock()) next->prefetch();
}

void foreseen_wrongly(const std::shared_ptr<Unit>& unit) {
    for (int way : {0, 1})
        if (const auto before = trails[way].last.lock(); before && before->next[way].unit.lock() == unit)
            give_up(*before, way);
}

} // namespace reel::distributed
