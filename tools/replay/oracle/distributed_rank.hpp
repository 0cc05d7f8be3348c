// What each rank of a training run does, and whether it finds what the file holds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <reel/autograd/hook_table.hpp>
#include <reel/distributed/data_parallel.hpp>

#include "oracle/distributed_run.hpp"

namespace replay {

/// The calling rank's part. Error that says what differs. `formula`: what one process computes, where that is wanted.
void run_distributed_rank(const DistributedRun& run, const std::map<std::string, reel::Tensor>& formula);

/// The hooks that a run has, and the events that the file lists for them, in their order.
class HookEvents {
public:
    HookEvents(const DistributedRun& run, reel::distributed::DistributedDataParallelImpl& ddp, std::int64_t rank);
    void at_step(std::int64_t step) { step_ = step; }
    /// Error for the first event that is missing, out of order or has other values.
    void compare() const;

private:
    void add(const std::string& label, reel::distributed::DistributedDataParallelImpl& ddp);
    void happened(const std::string& label, const std::vector<reel::Tensor>& values);
    reel::nn::ModulePtr module_at(const std::string& path, reel::distributed::DistributedDataParallelImpl& ddp) const;
    struct Event {
        std::int64_t step;
        std::string label;
        std::vector<reel::Tensor> values;
    };
    const DistributedRun& run_;
    std::int64_t rank_, step_ = 0;
    std::vector<Event> events_;
};

} // namespace replay
