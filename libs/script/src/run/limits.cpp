// Steps, bytes, depth and interruption.
#include "run/limits.hpp"

#include <algorithm>
#include <limits>

#include <reel/autograd/detail/allocation_guard.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/memory.hpp>

namespace reel::jit {

namespace {
template <class... Parts> void require(bool holds, const Parts&... parts) {
    if (!holds) [[unlikely]]
        throw LimitReached(reel::str(parts...));
}
constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();
/// What no machine has: sizes that only a mistake or malice asks for.
constexpr std::size_t impossible = std::size_t(1) << 40;
} // namespace

RunState& run_state() {
    thread_local RunState state;
    return state;
}

void RunState::refuse_depth() const {
    throw LimitReached(reel::str("script: more than ", limits.call_depth, " calls within calls"));
}

void RunState::begin() {
    limited = limits.steps || limits.live_bytes || limits.interrupt;
    steps = 0;
    bytes_before = limits.live_bytes ? memory_stats().allocated_bytes : 0;
    // An interrupt is asked between any two nodes; steps alone are counted in one go.
    until_check = limits.interrupt ? 1
                  : limits.steps   ? std::int64_t(std::min<std::uint64_t>(limits.steps, unlimited))
                                   : unlimited;
}

void RunState::check() {
    if (!limits.interrupt) {
        if (!limits.steps) {
            until_check = unlimited;
            return;
        }
        require(false, "script: stopped after ", limits.steps, " steps, the limit of this run");
    }
    ++steps;
    require(!limits.steps || steps < limits.steps, "script: stopped after ", limits.steps,
            " steps, the limit of this run");
    require(!limits.interrupt(), "script: interrupted after ", steps, " steps");
    until_check = 1;
}

void RunState::grant() { until_check = 10000; }

void RunState::claim(std::size_t bytes) const {
    const std::size_t most = limits.live_bytes ? limits.live_bytes : impossible;
    require(bytes <= most, "script: a string or list of ", bytes, " bytes would be made; the limit of this run is ",
            most);
}

void RunState::watch(const IValue& value) const {
    if (!limits.live_bytes) return;
    const std::size_t now = memory_stats().allocated_bytes;
    std::size_t held = now > bytes_before ? now - bytes_before : 0;
    if (value.isString()) held += value.toStringRef().size();
    else if (value.isSequence()) held += value.elements().size() * sizeof(IValue);
    else if (value.isGenericDict()) held += value.toGenericDict().size() * sizeof(ValueDict::Item);
    require(held <= limits.live_bytes, "script: ", held, " bytes are held; the limit of this run is ",
            limits.live_bytes);
}

namespace {
/// Before a tensor of the run takes its memory: afterwards may be too late.
void ask_run(std::size_t bytes) {
    const RunState& run = run_state();
    const std::size_t most = run.limits.live_bytes, now = memory_stats().allocated_bytes;
    if (!run.depth || !most) return;
    const std::size_t held = now > run.bytes_before ? now - run.bytes_before : 0;
    require(held <= most && bytes <= most - held, "script: a tensor of ", bytes, " bytes would be made where ", held,
            " bytes are held; the limit of this run is ", most);
}
void guard_allocations(const RunLimits& limits) {
    reel::detail::set_allocation_guard(limits.live_bytes ? &ask_run : nullptr);
}
} // namespace

Function::LimitScope::LimitScope(RunLimits limits) : before_(std::exchange(run_state().limits, std::move(limits))) {
    guard_allocations(run_state().limits);
}
Function::LimitScope::~LimitScope() {
    run_state().limits = std::move(before_);
    guard_allocations(run_state().limits);
}

} // namespace reel::jit
