// Non-full backward hooks, which hang on one node behind a call's result (rules B-40 to B-46).
#pragma once

#include "module/call/carriers.hpp"

namespace reel::nn::detail {

/// Attaches `hooks` to the node that made the first tensor of the result of a call of `m`; does nothing where that has
/// none. Warns of what they will miss there (B-43). TypeError where there is no tensor in the result.
void attach_legacy_hooks(const Snapshots<BackwardHook>& hooks, Module& m, const CallValues& call);

} // namespace reel::nn::detail
