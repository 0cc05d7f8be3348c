#include "collectives.hpp"

#include <array>

#include "fault.hpp"

namespace reel::cuda::emulation {

Meeting::Meeting(std::vector<Lane>& lanes, unsigned one) : lanes_(lanes), one_(lanes[one]), mask_(one_.mask) {}

Lane* Meeting::member(unsigned lane) const {
    const unsigned n = one_.number / warp_lanes * warp_lanes + lane;
    return n < lanes_.size() && includes(n) ? &lanes_[n] : nullptr;
}

bool Meeting::complete() const {
    for (unsigned i = 0; i < warp_lanes; ++i) {
        const Lane* const lane = member(i);
        if (!lane) continue;
        if (lane->state == State::returned)
            fault("lanes of a warp meet at " + place(one_.at) + " with a mask that names lane " + std::to_string(i) +
                  ", which has returned");
        if (lane->state != State::in_collective) return false;
        if (lane->kind != one_.kind || lane->mask != mask_ || !same_place(lane->at, one_.at)) return false;
    }
    return true;
}

bool Meeting::whole_warp() const {
    const unsigned first = one_.number / warp_lanes * warp_lanes;
    for (unsigned i = 0; i < warp_lanes && first + i < lanes_.size(); ++i)
        if (!member(i)) return false;
    return true;
}

void Meeting::exchange() const {
    std::array<std::uint64_t, warp_lanes> brought{};
    std::uint64_t ballot = 0, everyone = 0;
    for (unsigned i = 0; i < warp_lanes; ++i)
        if (const Lane* const lane = member(i)) {
            brought[i] = lane->value;
            everyone |= std::uint64_t(1) << i;
            if (lane->value != 0) ballot |= std::uint64_t(1) << i;
        }
    for (unsigned i = 0; i < warp_lanes; ++i) {
        Lane* const lane = member(i);
        if (!lane) continue;
        switch (lane->kind) {
        case Collective::sync:
            break;
        case Collective::shuffle: {
            const unsigned from = unsigned(lane->source) % warp_lanes;
            if ((everyone >> from & 1U) == 0)
                fault("a shuffle at " + place(lane->at) + " reads lane " + std::to_string(from) +
                      ", which does not take part");
            lane->value = brought[from];
            break;
        }
        case Collective::any:
            lane->value = ballot != 0;
            break;
        case Collective::all:
            lane->value = ballot == everyone;
            break;
        case Collective::ballot:
            lane->value = ballot;
            break;
        case Collective::match: {
            std::uint64_t same = 0;
            for (unsigned j = 0; j < warp_lanes; ++j)
                if ((everyone >> j & 1U) != 0 && brought[j] == brought[i]) same |= std::uint64_t(1) << j;
            lane->value = same;
            break;
        }
        }
    }
}

std::uint64_t collective(Collective kind, unsigned mask, std::uint64_t value, int source, std::source_location at) {
    Lane* const lane = Block::running();
    if (!lane) fault("a collective of a warp outside of a kernel (" + place(at) + ")");
    if ((mask >> (lane->number % warp_lanes) & 1U) == 0)
        fault("lane " + std::to_string(lane->number % warp_lanes) + " calls a collective of its warp at " + place(at) +
              " with a mask that leaves it out");
    lane->kind = kind;
    lane->mask = mask;
    lane->value = value;
    lane->source = source;
    Block::current()->wait(State::in_collective, at);
    return lane->value;
}

unsigned lane() {
    const Lane* const lane = Block::running();
    if (!lane) fault("a lane is asked for outside of a kernel");
    return lane->number % warp_lanes;
}

} // namespace reel::cuda::emulation
