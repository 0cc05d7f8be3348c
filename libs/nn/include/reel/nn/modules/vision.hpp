// Layers that rearrange or resample images.
#pragma once

#include <optional>
#include <vector>

#include <reel/autograd/enum.hpp>
#include <reel/autograd/expanding_array.hpp>
#include <reel/nn/cloneable.hpp>
#include <reel/nn/module_holder.hpp>
#include <reel/nn/options.hpp>

namespace reel::nn {

struct PixelShuffleOptions {
    PixelShuffleOptions(std::int64_t upscale_factor) : upscale_factor_(upscale_factor) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, upscale_factor);
};
/// [N, C r^2, H, W] becomes [N, C, H r, W r].
class PixelShuffleImpl : public Cloneable<PixelShuffleImpl> {
public:
    explicit PixelShuffleImpl(std::int64_t upscale_factor) : options(upscale_factor) {}
    explicit PixelShuffleImpl(const PixelShuffleOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    PixelShuffleOptions options;
};
REEL_MODULE(PixelShuffle);

struct PixelUnshuffleOptions {
    PixelUnshuffleOptions(std::int64_t downscale_factor) : downscale_factor_(downscale_factor) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, downscale_factor);
};
/// [N, C, H r, W r] becomes [N, C r^2, H, W].
class PixelUnshuffleImpl : public Cloneable<PixelUnshuffleImpl> {
public:
    explicit PixelUnshuffleImpl(std::int64_t downscale_factor) : options(downscale_factor) {}
    explicit PixelUnshuffleImpl(const PixelUnshuffleOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    PixelUnshuffleOptions options;
};
REEL_MODULE(PixelUnshuffle);

struct ChannelShuffleOptions {
    ChannelShuffleOptions(std::int64_t groups) : groups_(groups) {}
    void fields(OptionVisitor& v);
    REEL_ARG(std::int64_t, groups);
};
/// Interleaves the groups of channels.
class ChannelShuffleImpl : public Cloneable<ChannelShuffleImpl> {
public:
    explicit ChannelShuffleImpl(std::int64_t groups) : options(groups) {}
    explicit ChannelShuffleImpl(const ChannelShuffleOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    ChannelShuffleOptions options;
};
REEL_MODULE(ChannelShuffle);

/// Exactly one of `size` and `scale_factor`.
struct UpsampleOptions {
    using mode_t = Choice<enumtype::kNearest, enumtype::kNearestExact, enumtype::kLinear, enumtype::kBilinear,
                          enumtype::kBicubic, enumtype::kTrilinear, enumtype::kArea>;
    void fields(OptionVisitor& v);
    REEL_ARG(std::optional<std::vector<std::int64_t>>, size) = std::nullopt;
    REEL_ARG(std::optional<std::vector<double>>, scale_factor) = std::nullopt;
    REEL_ARG(mode_t, mode) = kNearest;
    REEL_ARG(std::optional<bool>, align_corners) = std::nullopt;
    REEL_ARG(std::optional<bool>, recompute_scale_factor) = std::nullopt;
};
/// Resizes the dimensions after [N, C].
class UpsampleImpl : public Cloneable<UpsampleImpl> {
public:
    explicit UpsampleImpl(UpsampleOptions options = {}) : options(std::move(options)) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    UpsampleOptions options;
};
REEL_MODULE(Upsample);

/// Upsample to the nearest place / bilinearly with aligned corners.
class UpsamplingNearest2dImpl : public Cloneable<UpsamplingNearest2dImpl> {
public:
    explicit UpsamplingNearest2dImpl(UpsampleOptions options = {}) : options(std::move(options)) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    UpsampleOptions options;
};
REEL_MODULE(UpsamplingNearest2d);
class UpsamplingBilinear2dImpl : public Cloneable<UpsamplingBilinear2dImpl> {
public:
    explicit UpsamplingBilinear2dImpl(UpsampleOptions options = {}) : options(std::move(options)) {
        this->options.mode(kBilinear).align_corners(true);
    }
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    UpsampleOptions options;
};
REEL_MODULE(UpsamplingBilinear2d);

/// One number or one per dimension.
struct UnfoldOptions {
    UnfoldOptions(ExpandingArray<2> kernel_size) : kernel_size_(kernel_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(ExpandingArray<2>, kernel_size);
    REEL_ARG(ExpandingArray<2>, dilation) = 1;
    REEL_ARG(ExpandingArray<2>, padding) = 0;
    REEL_ARG(ExpandingArray<2>, stride) = 1;
};
/// The patches of [N, C, H, W] as columns [N, C kernel, positions].
class UnfoldImpl : public Cloneable<UnfoldImpl> {
public:
    explicit UnfoldImpl(ExpandingArray<2> kernel_size) : options(kernel_size) {}
    explicit UnfoldImpl(const UnfoldOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    UnfoldOptions options;
};
REEL_MODULE(Unfold);

struct FoldOptions {
    FoldOptions(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size)
        : output_size_(output_size), kernel_size_(kernel_size) {}
    void fields(OptionVisitor& v);
    REEL_ARG(ExpandingArray<2>, output_size);
    REEL_ARG(ExpandingArray<2>, kernel_size);
    REEL_ARG(ExpandingArray<2>, dilation) = 1;
    REEL_ARG(ExpandingArray<2>, padding) = 0;
    REEL_ARG(ExpandingArray<2>, stride) = 1;
};
/// Adds columns of patches up into images: the adjoint of Unfold.
class FoldImpl : public Cloneable<FoldImpl> {
public:
    FoldImpl(ExpandingArray<2> output_size, ExpandingArray<2> kernel_size) : options(output_size, kernel_size) {}
    explicit FoldImpl(const FoldOptions& options) : options(options) {}
    void reset() override {}
    static constexpr const char* forward_arguments = "input";
    Tensor forward(const Tensor& input);
    FoldOptions options;
};
REEL_MODULE(Fold);

} // namespace reel::nn
