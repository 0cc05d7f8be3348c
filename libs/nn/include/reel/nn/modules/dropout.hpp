// Dropout layers.
#pragma once

#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/modules/activation.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

struct DropoutOptions {
    DropoutOptions() = default;
    template <class T>
    requires std::is_arithmetic_v<T> DropoutOptions(T p) : p_(p) {}
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
    std::string extra_repr() const override;
    DropoutOptions options;
};
} // namespace detail

#define REEL_DROPOUT(Name)                                                                                             \
    class Name##Impl : public detail::DropoutNdImpl<Name##Impl> {                                                      \
    public:                                                                                                            \
        using detail::DropoutNdImpl<Name##Impl>::DropoutNdImpl;                                                        \
        static constexpr const char* forward_arguments = "input";                                                      \
        Tensor forward(const Tensor& input);                                                                           \
    };                                                                                                                 \
    REEL_MODULE(Name);
/// In training, zeroes elements with probability p and scales the rest by 1 / (1 - p).
REEL_DROPOUT(Dropout)
/// The same for whole channels of [N, C, L] (1d), [N, C, H, W] (2d), [N, C, D, H, W] (3d); the batch dimension is
/// optional.
REEL_DROPOUT(Dropout1d)
REEL_DROPOUT(Dropout2d)
REEL_DROPOUT(Dropout3d)
/// Keeps mean and variance of SELU activations: dropped elements get SELU's negative limit.
REEL_DROPOUT(AlphaDropout)
REEL_DROPOUT(FeatureAlphaDropout)
#undef REEL_DROPOUT

} // namespace reel::nn
