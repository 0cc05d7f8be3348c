// Graphs written to a file, for the real library to judge.
#pragma once

#include "cudnn/descriptor.hpp"

namespace reel::cuda::emulation::dnn {

/// Appends the graph, which has become a plan, to the file that the environment's REEL_CUDNN_RECORD names, if it does
/// and no graph like it was written by this process: a line `graph`, one for each part (`TYPE is-operation
/// NAME:TYPE:VALUE,VALUE ...`), `end`. Values are whole numbers, doubles as their bits, parts as their places.
void record(const Program& program);

} // namespace reel::cuda::emulation::dnn
