// What the constructors of the variants ask of their Python arguments.
#pragma once

#include <reel/nn/factory.hpp>

namespace reel::nn::norms {

/// TypeError when more than the first `most` arguments are given by position.
inline void check_positional(const char* module, const Args& args, std::size_t most) {
    REEL_CHECK_TYPE(args.size() <= most, module, ": the constructor takes ", most,
                    " argument by position, the others by keyword; got ", args.size());
}

} // namespace reel::nn::norms
