// From a recording to a plan: which loops run as one, what lies where.
#include <algorithm>
#include <map>

#include "replay/cheaper_products.hpp"
#include "replay/plan.hpp"

namespace reel::jit::replay {

namespace {

constexpr std::size_t alignment = 64;
std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Memory that is handed out and taken back in the order of a program's items.
class Arena {
public:
    std::size_t take(std::size_t bytes) {
        bytes = aligned(std::max<std::size_t>(bytes, 1));
        auto best = free_.end();
        for (auto it = free_.begin(); it != free_.end(); ++it)
            if (it->second >= bytes && (best == free_.end() || it->second < best->second)) best = it;
        if (best == free_.end()) {
            const std::size_t at = end_;
            end_ += bytes;
            return at;
        }
        const auto [at, size] = *best;
        free_.erase(best);
        if (size > bytes) free_.emplace(at + bytes, size - bytes);
        return at;
    }
    void give_back(std::size_t at, std::size_t bytes) {
        bytes = aligned(std::max<std::size_t>(bytes, 1));
        auto next = free_.lower_bound(at);
        if (next != free_.end() && at + bytes == next->first) {
            bytes += next->second;
            next = free_.erase(next);
        }
        if (next != free_.begin()) {
            const auto before = std::prev(next);
            if (before->first + before->second == at) {
                before->second += bytes;
                return;
            }
        }
        free_.emplace(at, bytes);
    }
    std::size_t size() const { return end_; }

private:
    std::map<std::size_t, std::size_t> free_; ///< by place
    std::size_t end_ = 0;
};

/// How the loops of a group being collected touch a block of memory.
struct Use {
    Place place;
    bool uniform = true, written = false;
};

/// May `loop` join a group whose loops touch memory as `uses` tells?
bool joins(const FlatLoop& loop, const std::map<int, Use>& uses) {
    for (int i = 0; i < loop.operands; ++i) {
        const Place& p = loop.places[i];
        const auto it = p.memory < 0 ? uses.end() : uses.find(p.memory);
        if (it == uses.end()) continue;
        const bool same = it->second.uniform && it->second.place == p;
        if (!same && (it->second.written || i == 0)) return false;
    }
    // Its own operands: the result must not be read at other places.
    for (int i = 1; i < loop.operands; ++i)
        if (loop.places[i].memory == loop.places[0].memory && !(loop.places[i] == loop.places[0])) return false;
    return true;
}
void note_uses(const FlatLoop& loop, std::map<int, Use>& uses) {
    for (int i = 0; i < loop.operands; ++i) {
        const Place& p = loop.places[i];
        if (p.memory < 0) continue;
        const auto [it, is_new] = uses.emplace(p.memory, Use{p});
        if (!is_new && !(it->second.place == p)) it->second.uniform = false;
        it->second.written = it->second.written || i == 0;
    }
}

/// Plans one program: steps [begin, end).
class Planner {
public:
    Planner(Plan& plan, std::vector<Step>& steps, std::size_t begin, std::size_t end)
        : plan_(plan), steps_(steps), begin_(begin), end_(end) {}

    void plan(Program& program) {
        group_loops(program);
        for (std::size_t i = 0; i < program.items.size(); ++i)
            if (!program.items[i].call) make_own(program.items[i].group, int(i));
        place_scratch(program);
        for (const Program::Item& item : program.items) {
            if (item.group.loops.size() < 2) continue;
            ++program.groups;
            program.fused_loops += item.group.loops.size();
        }
    }

private:
    void group_loops(Program& program) {
        std::map<int, Use> uses;
        bool open = false;
        item_of_.resize(end_ - begin_);
        for (std::size_t s = begin_; s < end_; ++s) {
            Step& step = steps_[s];
            program.names.emplace_back(step.name);
            if (step.call) {
                program.items.push_back({std::move(step.call), {}});
                open = false;
            } else {
                if (!open || program.items.back().group.count != step.flat.count || !joins(step.flat, uses)) {
                    program.items.emplace_back();
                    program.items.back().group.count = step.flat.count;
                    uses.clear();
                    open = true;
                }
                open = joins(step.flat, {}); // one that overlaps itself stays alone
                note_uses(step.flat, uses);
                program.items.back().group.loops.push_back({std::move(step.flat), {}});
            }
            item_of_[s - begin_] = int(program.items.size()) - 1;
        }
    }
    int item_of(int step) const { return item_of_[std::size_t(step) - begin_]; }

    /// Memory that only this group touches, everywhere in the same way, needs no more than a block.
    void make_own(LoopGroup& group, int item) {
        struct Span {
            Place place;
            bool fits = true;
            int first = 0, last = 0;
        };
        std::map<int, Span> spans;
        for (int l = 0; l < int(group.loops.size()); ++l) {
            const FlatLoop& flat = group.loops[std::size_t(l)].flat;
            for (int i = 0; i < flat.operands; ++i) {
                const Place& p = flat.places[i];
                if (p.memory < 0) continue;
                Span& span = spans.emplace(p.memory, Span{p, p.step > 0, l, l}).first->second;
                span.fits = span.fits && span.place == p;
                span.last = l;
            }
        }
        std::vector<std::vector<int>> begins(group.loops.size()), ends(group.loops.size());
        for (const auto& [m, span] : spans) {
            const Memory& memory = plan_.memories[std::size_t(m)];
            if (!span.fits || plan_.regions[std::size_t(m)] != Region::Scratch || item_of(memory.first) != item ||
                item_of(memory.last) != item)
                continue;
            plan_.regions[std::size_t(m)] = Region::Block;
            begins[std::size_t(span.first)].push_back(m);
            ends[std::size_t(span.last)].push_back(m);
        }
        Arena arena;
        const auto bytes = [&](int m) { return std::size_t(spans.at(m).place.step * LoopGroup::block); };
        std::map<int, std::size_t> at;
        for (std::size_t l = 0; l < group.loops.size(); ++l) {
            for (const int m : begins[l]) at[m] = arena.take(bytes(m));
            LoopGroup::Loop& loop = group.loops[l];
            for (int i = 0; i < loop.flat.operands; ++i) {
                const auto it = at.find(loop.flat.places[i].memory);
                if (it == at.end()) continue;
                loop.own[i] = true;
                loop.flat.places[i].offset = std::int64_t(it->second);
            }
            for (const int m : ends[l]) {
                arena.give_back(at.at(m), bytes(m));
                at.erase(m);
            }
        }
        group.own_bytes = arena.size();
    }

    void place_scratch(const Program& program) {
        std::vector<std::vector<int>> begins(program.items.size()), ends(program.items.size());
        for (std::size_t m = 0; m < plan_.memories.size(); ++m) {
            const Memory& memory = plan_.memories[m];
            if (plan_.regions[m] != Region::Scratch || memory.first < int(begin_) || memory.first >= int(end_))
                continue;
            begins[std::size_t(item_of(memory.first))].push_back(int(m));
            ends[std::size_t(item_of(memory.last))].push_back(int(m));
        }
        Arena arena;
        for (std::size_t i = 0; i < program.items.size(); ++i) {
            for (const int m : begins[i])
                plan_.offsets[std::size_t(m)] = arena.take(plan_.memories[std::size_t(m)].bytes);
            for (const int m : ends[i])
                arena.give_back(plan_.offsets[std::size_t(m)], plan_.memories[std::size_t(m)].bytes);
        }
        plan_.scratch_bytes = std::max(plan_.scratch_bytes, arena.size());
    }

    Plan& plan_;
    std::vector<Step>& steps_;
    const std::size_t begin_, end_;
    std::vector<int> item_of_;
};

/// Which region each block belongs to, before groups make some their own.
void choose_regions(Plan& plan, std::size_t forward_steps) {
    const int boundary = int(forward_steps);
    for (std::size_t m = 0; m < plan.memories.size(); ++m) {
        const Memory& memory = plan.memories[m];
        Region& r = plan.regions[m];
        if (memory.origin == Origin::Outside) r = Region::Outside;
        else if (memory.origin != Origin::Fresh) r = Region::Argument;
        else if (memory.first < 0) r = Region::Unused;
        else r = memory.first < boundary && memory.last >= boundary ? Region::Saved : Region::Scratch;
    }
    for (const auto* slots : {&plan.outputs, &plan.gradients})
        for (const Slot& s : *slots)
            if (s.memory >= 0 && plan.memories[std::size_t(s.memory)].origin == Origin::Fresh)
                plan.regions[std::size_t(s.memory)] = Region::Result;
}

void collect_results(const Plan& plan, const std::vector<Slot>& slots, Program& program) {
    for (const Slot& s : slots)
        if (s.memory >= 0 && plan.regions[std::size_t(s.memory)] == Region::Result &&
            std::ranges::find(program.results, s.memory) == program.results.end())
            program.results.push_back(s.memory);
}

} // namespace

std::unique_ptr<Plan> make_plan(Recording&& recording) {
    make_products_cheaper(recording);
    auto plan = std::make_unique<Plan>();
    plan->kept = keep_outer_gradients(recording);
    Recorder& r = recording.recorder;
    plan->memories = std::move(r.memories);
    plan->draws = r.draws;
    for (const Change& c : r.changes)
        plan->changes.push_back({c.memory, plan->memories[std::size_t(c.memory)].held.impl()->version() - c.version});
    const std::size_t n = plan->memories.size();
    plan->regions.assign(n, Region::Unused);
    plan->offsets.assign(n, 0);
    plan->at.assign(n, nullptr);
    plan->read_by_backward.assign(n, false);
    plan->arguments = std::move(recording.arguments);
    plan->outputs = std::move(recording.outputs);
    plan->seeds = std::move(recording.seeds);
    plan->gradients = std::move(recording.gradients);
    for (std::size_t s = recording.forward_steps; s < r.steps.size(); ++s)
        for (const int m : r.steps[s].touched) plan->read_by_backward[std::size_t(m)] = true;
    choose_regions(*plan, recording.forward_steps);
    for (const OuterGradient& g : plan->kept) plan->regions[std::size_t(g.memory)] = Region::Kept;
    Planner(*plan, r.steps, 0, recording.forward_steps).plan(plan->forward);
    Planner(*plan, r.steps, recording.forward_steps, r.steps.size()).plan(plan->backward);
    collect_results(*plan, plan->outputs, plan->forward);
    collect_results(*plan, plan->gradients, plan->backward);
    for (std::size_t m = 0; m < n; ++m)
        if (plan->regions[m] == Region::Saved) {
            plan->offsets[m] = plan->saved_bytes;
            plan->saved_bytes += aligned(plan->memories[m].bytes);
        }
    if (plan->scratch_bytes) plan->scratch = Storage::allocate(plan->scratch_bytes, kCPU);
    for (std::size_t m = 0; m < n; ++m) {
        if (plan->regions[m] == Region::Scratch) plan->bind(int(m), plan->scratch, plan->offsets[m]);
        if (plan->regions[m] != Region::Outside) continue;
        plan->at[m] = static_cast<char*>(plan->memories[m].held.storage()->data());
        if (!plan->memories[m].constant) plan->outside.push_back(int(m));
    }
    return plan;
}

} // namespace reel::jit::replay
