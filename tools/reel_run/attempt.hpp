// One try of the whole job: its processes, from their start to the end of the last.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "options.hpp"
#include "place.hpp"

namespace reel_run {

/// How an attempt ended.
struct Outcome {
    bool all_well = false;
    std::string what;       ///< "rank 2 was killed by signal 9 (Killed)"
    int status = 0;         ///< as a shell would have it
    int lost = 0;           ///< ranks that died and were not ended
    int interrupted_by = 0; ///< a signal that reel-run itself got
};

class Attempt {
public:
    /// Starts `ranks` processes. std::runtime_error when the program cannot be run.
    Attempt(const Options& options, const Place& place, int ranks, int number);
    ~Attempt(); ///< ends what still runs
    Attempt(const Attempt&) = delete;
    /// Returns when all have ended: by themselves, or ended after the first failure.
    Outcome wait();

private:
    struct Child {
        pid_t pid;
        int rank;
        bool running = true;
        int status = 0;
        bool ended_by_us = false;
    };
    pid_t start(int local_rank, int port, int number);
    /// Ends of processes within `limit`.
    void collect(std::chrono::milliseconds limit);
    void end_others();
    void signal_all(int signal);
    bool any_runs() const;
    const Options& options_;
    const Place& place_;
    int ranks_;
    std::vector<Child> children_;
    std::vector<int> died_; ///< places in `children_`, by the time of their failure
};

/// SIGINT, SIGTERM and SIGHUP are noted from now on; the ranks get them, too.
void note_signals();

} // namespace reel_run
