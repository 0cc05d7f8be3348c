// Command line of the agents.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace agents {

struct RunOptions {
    std::uint64_t seed = 0;
    std::int64_t frames = 0;     ///< environment steps at most
    double seconds = 0;          ///< of training at most
    std::string report;          ///< where the HTML page goes; empty: none
    std::string checkpoint;      ///< where the run is saved; empty: nowhere
    std::int64_t save_every = 0; ///< frames between two savings
    std::int64_t episodes = 100; ///< of the closing evaluation
    bool resume = false;         ///< go on from the checkpoint
};

/// `main` of an agent: reads the options over `defaults` (--help prints them with `title`), calls `run`, which returns
/// the exit status. What is thrown ends with one line on standard error and status 2.
int run_agent(int argc, char** argv, const std::string& title, RunOptions defaults,
              const std::function<int(const RunOptions&)>& run);

} // namespace agents
