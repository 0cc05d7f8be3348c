// Ranks that are processes of this machine: this test program once more, each with a body to run instead of tests.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace reel::testing {

/// What became of one.
struct Ended {
    int status = 0; ///< exit status; 128 and the signal where one ended it
    std::string said;
    double seconds = 0; ///< from the start
};

/// A body by its name, to be defined at namespace scope. What it throws is said, and its exit status is 1.
struct ProcessBody {
    ProcessBody(const char* name, std::function<void()> body);
};

/// Runs `body` on `n` ranks that find each other by the environment (sockets). `change` may add to, or empty, variables
/// of a rank.
using Variables = std::map<std::string, std::string>;
std::vector<Ended> run_processes(std::int64_t n, const std::string& body,
                                 const std::function<void(std::int64_t rank, Variables&)>& change = {});
/// In `main`: where this process is one of those, runs its body and ends.
void become_process();

} // namespace reel::testing
