// Layers that rearrange or resample images.
#include <reel/nn/modules/vision.hpp>

#include <reel/nn/factory.hpp>
#include <reel/nn/functional/vision.hpp>

namespace reel::nn {

void PixelShuffleOptions::fields(OptionVisitor& v) { v.required("upscale_factor", upscale_factor_); }
void PixelUnshuffleOptions::fields(OptionVisitor& v) { v.required("downscale_factor", downscale_factor_); }
void ChannelShuffleOptions::fields(OptionVisitor& v) { v.required("groups", groups_); }
void UpsampleOptions::fields(OptionVisitor& v) {
    // what was given as one number prints as one
    const auto print = [&v](const char* name, const auto& list) {
        if (list.size() == 1) v.printed(name, list[0]);
        else v.printed(name, list);
    };
    if (scale_factor_) print("scale_factor", *scale_factor_);
    else if (size_) print("size", *size_);
    v.hidden("size", size_);
    v.hidden("scale_factor", scale_factor_);
    v("mode", mode_);
    v.hidden("align_corners", align_corners_);
    v.hidden("recompute_scale_factor", recompute_scale_factor_);
}
void UnfoldOptions::fields(OptionVisitor& v) {
    v.required("kernel_size", kernel_size_);
    v("dilation", dilation_);
    v("padding", padding_);
    v("stride", stride_);
}
void FoldOptions::fields(OptionVisitor& v) {
    v.required("output_size", output_size_);
    v.required("kernel_size", kernel_size_);
    v("dilation", dilation_);
    v("padding", padding_);
    v("stride", stride_);
}

Tensor PixelShuffleImpl::forward(const Tensor& input) { return functional::pixel_shuffle(input, options); }
Tensor PixelUnshuffleImpl::forward(const Tensor& input) { return functional::pixel_unshuffle(input, options); }
Tensor ChannelShuffleImpl::forward(const Tensor& input) { return functional::channel_shuffle(input, options); }

Tensor UpsampleImpl::forward(const Tensor& input) { return functional::interpolate(input, options); }
Tensor UpsamplingNearest2dImpl::forward(const Tensor& input) { return functional::interpolate(input, options); }
Tensor UpsamplingBilinear2dImpl::forward(const Tensor& input) { return functional::interpolate(input, options); }

Tensor UnfoldImpl::forward(const Tensor& input) { return functional::unfold(input, options); }
Tensor FoldImpl::forward(const Tensor& input) { return functional::fold(input, options); }

void register_vision() {
    register_layers<PixelShuffleImpl, PixelUnshuffleImpl, ChannelShuffleImpl, UpsampleImpl, UnfoldImpl, FoldImpl>();
    // Those that say the mode by their name take the first two options alone.
    register_layers_by<UpsamplingNearest2dImpl, UpsamplingBilinear2dImpl>(
        []<class M>(const std::string& name, const Args& args, const Kwargs& kwargs) {
            const ConstructorArgs checked(name, {"size", "scale_factor"}, args, kwargs);
            return make_layer<M>(args, kwargs);
        });
}

} // namespace reel::nn
