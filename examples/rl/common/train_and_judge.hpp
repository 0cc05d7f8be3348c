// What the program of every agent does.
#pragma once

#include <cstdio>

#include <reel/autograd.hpp>

#include "options.hpp"

namespace agents {

/// Trains an `Agent`, evaluates it over episodes that it has not seen, writes its report and prints the mean return.
template <class Agent> int train_and_judge(const RunOptions& options) {
    reel::manual_seed(options.seed);
    Agent agent(options);
    agent.run();
    const double mean = agent.evaluate(options.episodes, 3000);
    if (!options.report.empty()) agent.write_report(mean);
    std::printf("mean return over %lld episodes after %lld frames: %.1f\n", static_cast<long long>(options.episodes),
                static_cast<long long>(agent.frames()), mean);
    return 0;
}

} // namespace agents
