// What lanes of one warp do together.
#pragma once

#include <vector>

#include "block.hpp"

namespace reel::cuda::emulation {

inline constexpr unsigned warp_lanes = 32;

/// The lanes that one of them wants to meet.
class Meeting {
public:
    Meeting(std::vector<Lane>& lanes, unsigned one);
    /// All have come, to the same place with the same mask. Ends the process when one cannot come any more.
    bool complete() const;
    /// Gives each what it takes away.
    void exchange() const;
    bool includes(unsigned lane) const {
        return lane / warp_lanes == one_.number / warp_lanes && (mask_ >> (lane % warp_lanes) & 1U) != 0;
    }
    bool whole_warp() const;

private:
    Lane* member(unsigned lane) const; ///< null for one that the block does not have or the mask leaves out
    std::vector<Lane>& lanes_;
    Lane& one_;
    unsigned mask_;
};

} // namespace reel::cuda::emulation
