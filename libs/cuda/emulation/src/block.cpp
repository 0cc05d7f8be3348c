#include "block.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>

#include <reel/cuda/emulation/modes.hpp>

#include "collectives.hpp"
#include "fault.hpp"

namespace reel::cuda::emulation {

namespace {
thread_local Lane* lane_now = nullptr;
thread_local Block* block_now = nullptr;
thread_local Fiber* fiber_now = nullptr;
} // namespace

Lane* Block::running() { return lane_now; }
Block* Block::current() { return block_now; }

Block::Block(const LaunchConfig& config, const std::function<void()>& thread, std::mt19937_64& dice)
    : config_(config), thread_(thread), dice_(dice),
      lanes_(std::size_t(config.block.x) * config.block.y * config.block.z), order_(lanes_.size()),
      shared_(config.shared_bytes), warp_phases_((lanes_.size() + warp_lanes - 1) / warp_lanes) {
    std::iota(order_.begin(), order_.end(), 0U);
    if (modes().order == Order::reverse) std::reverse(order_.begin(), order_.end());
}

void Block::run(uint3 index) {
    const dim3 &g = config_.grid, &b = config_.block;
    first_ = ((std::uint64_t(index.z) * g.y + index.y) * g.x + index.x) * lanes_.size();
    for (unsigned n = 0; n < lanes_.size(); ++n) {
        Lane& lane = lanes_[n];
        lane.number = n;
        lane.state = State::fresh;
        lane.position = {{n % b.x, n / b.x % b.y, n / (b.x * b.y)}, index, b, g};
    }
    if (modes().order == Order::random) std::shuffle(order_.begin(), order_.end(), dice_);
    // what another block left there must not help this one
    std::fill(shared_.begin(), shared_.end(), std::byte{0xff});
    ++phase_; // nothing of this block is ordered with what the block before did
    started_ = returned_ = at_barrier_ = 0;
    block_now = this;
    for (;;) {
        if (!ready_.empty()) {
            lane_now = ready_.back();
            ready_.pop_back();
            lane_now->state = State::running;
            (fiber_now = lane_now->fiber)->resume();
        } else if (started_ < order_.size()) {
            fiber_now = &free_fiber();
            fiber_now->start([this] { run_fresh(); });
        } else if (returned_ == lanes_.size()) break;
        else if (!release_collectives() && !release_barrier()) stuck();
        lane_now = nullptr;
    }
    block_now = nullptr;
}

/// On a stack of its own, one thread after the other. When one waits, the scheduler starts another stack; when it has
/// gone on and returned, this one takes further threads.
void Block::run_fresh() {
    while (started_ < order_.size()) {
        lane_now = &lanes_[order_[started_++]];
        lane_now->state = State::running;
        thread_();
        lane_now->state = State::returned;
        ++returned_;
    }
}

void Block::wait(State state, std::source_location at) {
    Lane& lane = *lane_now;
    lane.state = state;
    lane.at = at;
    lane.fiber = fiber_now;
    if (state == State::at_barrier) ++at_barrier_;
    fiber_now->leave();
}

void Block::make_ready(Lane& lane) {
    lane.state = State::ready;
    ready_.push_back(&lane);
}

bool Block::release_barrier() {
    if (at_barrier_ == 0 || at_barrier_ + returned_ != lanes_.size() || returned_ > 0) return false;
    for (const Lane& lane : lanes_)
        if (!same_place(lane.at, lanes_[0].at)) return false;
    for (auto n = order_.rbegin(); n != order_.rend(); ++n) make_ready(lanes_[*n]);
    at_barrier_ = 0;
    ++phase_;
    return true;
}

bool Block::release_collectives() {
    bool released = false;
    for (auto n = order_.rbegin(); n != order_.rend(); ++n) {
        if (lanes_[*n].state != State::in_collective) continue;
        const Meeting meeting(lanes_, *n);
        if (!meeting.complete()) continue;
        meeting.exchange();
        if (meeting.whole_warp()) ++warp_phases_[*n / warp_lanes];
        for (auto m = order_.rbegin(); m != order_.rend(); ++m)
            if (meeting.includes(*m)) make_ready(lanes_[*m]);
        released = true;
    }
    return released;
}

void Block::stuck() const {
    std::map<std::string, int> waiting;
    for (const Lane& lane : lanes_) {
        if (lane.state == State::at_barrier) ++waiting["wait at __syncthreads (" + place(lane.at) + ")"];
        if (lane.state == State::in_collective) ++waiting["wait for lanes of their warp (" + place(lane.at) + ")"];
        if (lane.state == State::returned) ++waiting["have returned"];
    }
    std::string text;
    for (auto it = waiting.rbegin(); it != waiting.rend(); ++it)
        text +=
            (text.empty() ? "" : ", ") + std::to_string(it->second) + (text.empty() ? " threads " : " ") + it->first;
    fault("kernel launched at " + place(config_.at) + ": a block cannot go on: " + text);
}

Fiber& Block::free_fiber() {
    // kept for the life of the process: a stack may hold a thread that waits when the process ends
    static thread_local auto& pool = *new std::deque<Fiber>();
    for (Fiber& f : pool)
        if (f.idle()) return f;
    return pool.emplace_back();
}

} // namespace reel::cuda::emulation
