// Functional forms of what rearranges or resamples images.
#include <reel/autograd/ops/nn/grid_sample.hpp>
#include <reel/autograd/ops/nn/im2col.hpp>
#include <reel/autograd/ops/nn/interpolate.hpp>
#include <reel/autograd/ops/shape/pixel_shuffle.hpp>
#include <reel/nn/functional/vision.hpp>

#include <reel/nn/option_visitor.hpp>

namespace reel::nn::functional {

InterpolateFuncOptions::InterpolateFuncOptions(const UpsampleOptions& layer)
    : size_(layer.size()), scale_factor_(layer.scale_factor()), mode_(layer.mode()),
      align_corners_(layer.align_corners()), recompute_scale_factor_(layer.recompute_scale_factor()) {}

Tensor pixel_shuffle(const Tensor& x, const PixelShuffleFuncOptions& o) {
    return reel::pixel_shuffle(x, o.upscale_factor());
}
Tensor pixel_unshuffle(const Tensor& x, const PixelUnshuffleFuncOptions& o) {
    return reel::pixel_unshuffle(x, o.downscale_factor());
}
Tensor channel_shuffle(const Tensor& x, const ChannelShuffleFuncOptions& o) {
    return reel::channel_shuffle(x, o.groups());
}
Tensor fold(const Tensor& x, const FoldFuncOptions& o) {
    return reel::col2im(x, o.output_size(), o.kernel_size(), o.dilation(), o.padding(), o.stride());
}
Tensor unfold(const Tensor& x, const UnfoldFuncOptions& o) {
    return reel::im2col(x, o.kernel_size(), o.dilation(), o.padding(), o.stride());
}
Tensor interpolate(const Tensor& x, const InterpolateFuncOptions& o) {
    const OptionalIntArrayRef size = o.size() ? OptionalIntArrayRef(*o.size()) : OptionalIntArrayRef();
    const auto factor = o.scale_factor() ? std::optional(ArrayRef<double>(*o.scale_factor())) : std::nullopt;
    const std::string mode = nn::detail::choice_text(o.mode().name());
    // libtorch's programs say there that it is off; Python's interpolate takes no word about it
    const bool off = mode == "nearest-exact" && o.align_corners() == std::optional(false);
    return reel::interpolate(x, size, factor, mode, off ? std::nullopt : o.align_corners(), o.recompute_scale_factor(),
                             o.antialias());
}
Tensor grid_sample(const Tensor& x, const Tensor& grid, const GridSampleFuncOptions& o) {
    return reel::grid_sample(x, grid, nn::detail::choice_text(o.mode().name()),
                             nn::detail::choice_text(o.padding_mode().name()), o.align_corners());
}

} // namespace reel::nn::functional
