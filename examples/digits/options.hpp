// What the user asks for.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <reel/autograd/device.hpp>

namespace digits {

struct Options {
    std::string data, out = "out/digits";
    std::uint64_t seed = 7;
    std::int64_t batch = 64;
    std::array<std::int64_t, 3> epochs{6, 4, 6}; ///< of the three stages
    int threads = 0;                             ///< 0: the library's choice
    reel::Device device = reel::kCPU;            ///< where it computes
    bool resume = false, help = false;
    std::string help_text;

    std::string checkpoint() const { return out + "/checkpoint.safetensors"; }
};

/// Throws std::runtime_error with one line naming the option that is wrong.
Options parse_options(int argc, char** argv);

} // namespace digits
