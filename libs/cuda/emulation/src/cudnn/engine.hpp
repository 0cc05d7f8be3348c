// Engines of the stand-in: what computes a graph, and how it says so.
#pragma once

#include "cudnn/descriptor.hpp"

namespace reel::cuda::emulation::dnn {

/// One way of computing graphs of some kind.
struct Engine {
    const char* name;
    std::vector<cudnnBackendNumericalNote_t> notes;
    std::int64_t workspace;
    bool finalizes; ///< some suggestions turn out not to work
    bool rounds;    ///< float32 operands to TF32
};
const Engine& engine_of(const Descriptor& d);

/// Finalizes heuristics: is the graph one that the library has engines for?
cudnnStatus_t take_suggestions(Descriptor& heuristics);
cudnnStatus_t make_plan(Descriptor& plan);
/// What descriptors can be asked for.
cudnnStatus_t answer_about(const Descriptor& d, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                           std::int64_t room, std::int64_t* count, void* elements);

} // namespace reel::cuda::emulation::dnn
