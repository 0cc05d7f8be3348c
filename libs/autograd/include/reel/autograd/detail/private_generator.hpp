// Drawing without touching the default generator.
#pragma once

#include <memory>

namespace reel {

/// While this lives, what the thread draws from default generators, of whatever device, comes from generators of its
/// own, freshly made with the default seed; manual_seed seeds those, too. Other threads draw as before. Scopes nest.
class PrivateGenerator {
public:
    PrivateGenerator();
    ~PrivateGenerator();
    PrivateGenerator(const PrivateGenerator&) = delete;
    PrivateGenerator& operator=(const PrivateGenerator&) = delete;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace reel
