// What is trained: a net with its share of the data, as one rank has it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <reel/distributed/checkpoint.hpp>
#include <reel/nn.hpp>
#include <reel/optim.hpp>

#include "options.hpp"

namespace ranks {

class Task {
public:
    virtual ~Task() = default;
    virtual std::string title() const = 0;
    virtual std::string explanation() const = 0;
    virtual reel::nn::Module& module() = 0;
    virtual reel::optim::Optimizer& optimizer() = 0;
    /// The loss of this rank's batch.
    virtual reel::Tensor loss(std::int64_t step) = 0;
    /// What a checkpoint holds beside module and optimizer.
    virtual void add_to(reel::distributed::checkpoint::State& state) { (void)state; }
    /// What was learned, with its name. All ranks call it.
    virtual std::pair<std::string, std::string> verdict() = 0;
};
std::unique_ptr<Task> digits_task(const Options& options, reel::Device device);
std::unique_ptr<Task> gpt_task(reel::Device device);

} // namespace ranks
