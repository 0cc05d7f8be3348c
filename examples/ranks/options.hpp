// What the example is asked to do.
#pragma once

#include <cstdint>
#include <string>

namespace ranks {

struct Options {
    bool help = false;
    std::string model = "digits"; ///< digits: every rank has the net; gpt: every rank has its rows of it
    std::int64_t ranks = 2;       ///< threads, where nobody has started processes
    std::int64_t steps = 60;
    std::string device = "cpu"; ///< cuda: every rank has a device of its own, as far as there are
    std::string data = "examples/data/digits.csv.gz";
    std::string checkpoint; ///< a folder, to go on from and to save in
    std::string out = "ranks-report.html";
};
/// Errors: std::exception that says which option is wrong.
Options parse_options(int argc, char** argv);

} // namespace ranks
