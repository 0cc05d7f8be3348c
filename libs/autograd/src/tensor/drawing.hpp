// Drawing from a generator that other threads may draw from, too.
#pragma once

#include <mutex>
#include <optional>

#include <reel/autograd/random.hpp>

namespace reel::detail {

/// The CPU's generator that is given, else the default one, locked: what is drawn while this lives is one stretch of
/// its stream. Error for a generator of another device.
class Drawing {
public:
    explicit Drawing(const std::optional<Generator>& generator = std::nullopt)
        : generator_(generator && generator->defined() ? *generator : getDefaultCPUGenerator()),
          lock_(generator_.mutex()) {}
    CPUGeneratorImpl& generator() const { return generator_.impl(); }

private:
    Generator generator_;
    std::lock_guard<std::mutex> lock_;
};

} // namespace reel::detail
