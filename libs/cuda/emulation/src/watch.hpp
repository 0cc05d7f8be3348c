// Races between a kernel's threads, found where kernels are compiled with the thread sanitizer's calls (cuda=watched).
#pragma once

#include <string>

#include <reel/cuda/emulation/grid.hpp>

namespace reel::cuda::emulation {

/// Accesses are compared within one launch: launches of one stream are ordered, those of several are the streams' own
/// matter.
class WatchedLaunch {
public:
    WatchedLaunch(const std::string& what, const Arguments& arguments);
    ~WatchedLaunch();
    WatchedLaunch(const WatchedLaunch&) = delete;
};

} // namespace reel::cuda::emulation
