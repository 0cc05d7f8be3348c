// Drawing from a given generator.
#pragma once

#include <reel/autograd/generator.hpp>

namespace reel {

/// While this lives, what the thread draws from the default CPU generator comes from `generator`; manual_seed seeds
/// that one, too. Other threads draw as before. Scopes nest, with those of `PrivateGenerator`, too. Error for an
/// undefined generator.
class GeneratorScope {
public:
    explicit GeneratorScope(Generator generator);
    ~GeneratorScope();
    GeneratorScope(const GeneratorScope&) = delete;
    GeneratorScope& operator=(const GeneratorScope&) = delete;

private:
    Generator generator_;
    const Generator* before_;
};

} // namespace reel
