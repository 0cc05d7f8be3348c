// The kernels whose calls a recorder sees.
#pragma once

namespace reel::jit::replay {

/// How many kernels have a stand-in. Whoever records asks, so that they are in place in every way of linking.
int taken_kernels();

} // namespace reel::jit::replay
