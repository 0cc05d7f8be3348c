// What activations have in common.
#pragma once

#include <type_traits>

#include <reel/nn/cloneable.hpp>

namespace reel::nn::detail {

/// A function of each element, or of each line, with options and nothing to learn.
template <class Derived, class Options> class Activation : public Cloneable<Derived> {
public:
    explicit Activation(const Options& options = {}) : options(options) {}
    /// The first option alone, as in Python: `LeakyReLU(0.2)`.
    template <class First>
    requires(std::is_arithmetic_v<First> && !std::is_convertible_v<First, Options> &&
             std::is_constructible_v<Options, First>) explicit Activation(First first)
        : Activation(Options(first)) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Options options;
};
/// The same without any option.
template <class Derived> class PlainActivation : public Cloneable<Derived> {
public:
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
};

} // namespace reel::nn::detail
