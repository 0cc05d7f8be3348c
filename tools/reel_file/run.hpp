// `reel-file --run FILE --input x.npy`: runs a program.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace reel_file {

struct RunRequest {
    std::string file, method, output;
    std::vector<std::string> inputs;
};

/// Inputs are files (`.npy`, or a `.pt` that holds any value) and plain values: `3`, `2.5`, `true`, `none`;
/// `name=` before one makes it a keyword argument. Results are printed; with `output` (`y.npy`) their tensors are
/// written instead, several as `y_0.npy`, `y_1.npy`, ... Throws reel::Error.
void run_program(std::ostream& out, const RunRequest& request);

} // namespace reel_file
