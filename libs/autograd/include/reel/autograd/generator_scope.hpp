// Drawing from a given generator.
#pragma once

#include <memory>

#include <reel/autograd/generator.hpp>

namespace reel {

/// While this lives, what the thread draws from the default generator of the generator's device comes from `generator`;
/// manual_seed seeds that one, too. Other threads, and draws on other devices, go on as before. Scopes nest, with those
/// of `PrivateGenerator`, too. Error for an undefined generator.
class GeneratorScope {
public:
    explicit GeneratorScope(Generator generator);
    ~GeneratorScope();
    GeneratorScope(const GeneratorScope&) = delete;
    GeneratorScope& operator=(const GeneratorScope&) = delete;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace reel
