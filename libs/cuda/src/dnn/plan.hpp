// How cuDNN computes a graph: the first of its suggestions that keeps to the switches and to the limit of memory.
#pragma once

#include "dnn/descriptor.hpp"
#include "dnn/graph.hpp"

namespace reel::cuda::dnn {

/// Plans that want more are passed over.
inline constexpr std::int64_t workspace_limit = std::int64_t(1) << 30;

class Plan {
public:
    Plan(Descriptor plan, std::int64_t workspace_bytes) : plan_(std::move(plan)), workspace_bytes_(workspace_bytes) {}
    /// Queues it on the current stream of the graph's device, with the graph's tensors.
    void execute(const Graph& graph) const;

private:
    Descriptor plan_;
    std::int64_t workspace_bytes_;
};

/// The plan for graphs of the same words, made at the first call of each thread (cuDNN does not promise that several
/// may share one); null where cuDNN has none.
const Plan* plan_of(const Graph& graph);

} // namespace reel::cuda::dnn
