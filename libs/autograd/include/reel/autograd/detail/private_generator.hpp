// Drawing without touching the default generator.
#pragma once

#include <reel/autograd/generator.hpp>

namespace reel {

/// While this lives, what the thread draws from the default CPU generator comes from a generator of its own, freshly
/// made with the default seed; manual_seed seeds that one, too. Other threads draw as before. Scopes nest.
class PrivateGenerator {
public:
    PrivateGenerator();
    ~PrivateGenerator();
    PrivateGenerator(const PrivateGenerator&) = delete;
    PrivateGenerator& operator=(const PrivateGenerator&) = delete;

private:
    Generator own_;
    const Generator* before_;
};

} // namespace reel
