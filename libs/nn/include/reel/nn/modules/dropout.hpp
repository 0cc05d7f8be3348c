// Dropout layers.
#pragma once

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/number.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

struct DropoutOptions {
    DropoutOptions() = default;
    template <class T>
    requires std::is_arithmetic_v<T> DropoutOptions(T p) : p_(p) {}
    void fields(OptionVisitor& v);
    REEL_ARG(Number, p) = 0.5;
    REEL_ARG(bool, inplace) = false;
};
using Dropout1dOptions = DropoutOptions;
using Dropout2dOptions = DropoutOptions;
using Dropout3dOptions = DropoutOptions;
using AlphaDropoutOptions = DropoutOptions;
using FeatureAlphaDropoutOptions = DropoutOptions;

namespace detail {
template <class Derived> class DropoutNdImpl : public Cloneable<Derived> {
public:
    template <class T>
    requires std::is_arithmetic_v<T>
    explicit DropoutNdImpl(T p) : DropoutNdImpl(DropoutOptions(p)) {}
    explicit DropoutNdImpl(const DropoutOptions& options = {});
    void reset() override;
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    DropoutOptions options;
};
} // namespace detail

/// In training, zeroes elements with probability p and scales the rest by 1 / (1 - p).
REEL_MODULE_OF(Dropout, detail::DropoutNdImpl<DropoutImpl>);
/// The same for whole channels of [N, C, L] (1d), [N, C, H, W] (2d), [N, C, D, H, W] (3d); the batch dimension is
/// optional.
REEL_MODULE_OF(Dropout1d, detail::DropoutNdImpl<Dropout1dImpl>);
REEL_MODULE_OF(Dropout2d, detail::DropoutNdImpl<Dropout2dImpl>);
REEL_MODULE_OF(Dropout3d, detail::DropoutNdImpl<Dropout3dImpl>);
/// Keeps mean and variance of SELU activations: dropped elements get SELU's negative limit.
REEL_MODULE_OF(AlphaDropout, detail::DropoutNdImpl<AlphaDropoutImpl>);
REEL_MODULE_OF(FeatureAlphaDropout, detail::DropoutNdImpl<FeatureAlphaDropoutImpl>);

} // namespace reel::nn
