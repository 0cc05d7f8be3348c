// Functional forms of what rearranges or resamples images.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <reel/nn/modules/vision.hpp>

namespace reel::nn::functional {

using PixelShuffleFuncOptions = PixelShuffleOptions;
using PixelUnshuffleFuncOptions = PixelUnshuffleOptions;
using ChannelShuffleFuncOptions = ChannelShuffleOptions;
using FoldFuncOptions = FoldOptions;
using UnfoldFuncOptions = UnfoldOptions;

/// Upsample's options, and `antialias` for the modes bilinear and bicubic: made smaller, an image is averaged as wide
/// as a step of the result. Exactly one of `size` and `scale_factor`.
struct InterpolateFuncOptions {
    using mode_t = UpsampleOptions::mode_t;
    using sizes_t = std::optional<std::vector<std::int64_t>>;
    using factors_t = std::optional<std::vector<double>>;
    InterpolateFuncOptions() = default;
    InterpolateFuncOptions(const UpsampleOptions& layer);
    REEL_ARG(sizes_t, size) = std::nullopt;
    REEL_ARG(factors_t, scale_factor) = std::nullopt;
    REEL_ARG(mode_t, mode) = kNearest;
    REEL_ARG(std::optional<bool>, align_corners) = std::nullopt;
    REEL_ARG(std::optional<bool>, recompute_scale_factor) = std::nullopt;
    REEL_ARG(bool, antialias) = false;
};
struct GridSampleFuncOptions {
    using mode_t = Choice<enumtype::kBilinear, enumtype::kNearest, enumtype::kBicubic>;
    using padding_mode_t = Choice<enumtype::kZeros, enumtype::kBorder, enumtype::kReflection>;
    REEL_ARG(mode_t, mode) = kBilinear;
    REEL_ARG(padding_mode_t, padding_mode) = kZeros;
    REEL_ARG(std::optional<bool>, align_corners) = std::nullopt;
};

/// [*, C r r, H, W] to [*, C, H r, W r], and back.
Tensor pixel_shuffle(const Tensor& input, const PixelShuffleFuncOptions& options);
Tensor pixel_unshuffle(const Tensor& input, const PixelUnshuffleFuncOptions& options);
Tensor channel_shuffle(const Tensor& input, const ChannelShuffleFuncOptions& options);
/// Columns of patches [N, C kernel, positions] added up into images [N, C, H, W], and images into columns.
Tensor fold(const Tensor& input, const FoldFuncOptions& options);
Tensor unfold(const Tensor& input, const UnfoldFuncOptions& options);
/// Resizes the dimensions after [N, C].
Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options = {});
/// Reads [N, C, H, W] (or with depth) at the places of `grid` [N, H', W', 2] (or 3), -1 to 1 from edge to edge.
Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridSampleFuncOptions& options = {});

} // namespace reel::nn::functional
