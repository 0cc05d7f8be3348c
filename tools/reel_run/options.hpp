// What reel-run is asked to do.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace reel_run {

struct Options {
    int ranks = 0; ///< that this reel-run starts; 0: not given
    int max_restarts = 0;
    bool elastic = false;
    std::string master; ///< host or host:port of rank 0, else found
    std::string log_folder;
    std::chrono::milliseconds grace{5000};
    std::vector<std::string> command;
};
/// Errors: std::runtime_error that says what is wrong; `help` becomes the text to print instead.
Options parse(int argc, char** argv, std::string& help);

} // namespace reel_run
