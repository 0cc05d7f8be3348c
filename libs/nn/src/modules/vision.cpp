// Layers that rearrange or resample images.
#include <reel/nn/modules/vision.hpp>

#include <reel/autograd/ops.hpp>

#include "modules/python_text.hpp"

namespace reel::nn {

Tensor PixelShuffleImpl::forward(const Tensor& input) { return reel::pixel_shuffle(input, options.upscale_factor()); }
Tensor PixelUnshuffleImpl::forward(const Tensor& input) {
    return reel::pixel_unshuffle(input, options.downscale_factor());
}
Tensor ChannelShuffleImpl::forward(const Tensor& input) { return reel::channel_shuffle(input, options.groups()); }

namespace {
std::string mode_text(const UpsampleOptions::mode_t& mode) {
    const std::string n = enumtype::get_enum_name(mode);
    if (n == "kNearestExact") return "nearest-exact";
    std::string s = n.substr(1);
    s[0] = char(s[0] - 'A' + 'a');
    return s;
}
Tensor upsampled(const UpsampleOptions& o, const Tensor& input) {
    const std::string mode = mode_text(o.mode());
    const OptionalIntArrayRef size = o.size() ? OptionalIntArrayRef(*o.size()) : OptionalIntArrayRef();
    const auto factor = o.scale_factor() ? std::optional(ArrayRef<double>(*o.scale_factor())) : std::nullopt;
    return reel::interpolate(input, size, factor, mode, o.align_corners(), o.recompute_scale_factor());
}
std::string describe(const UpsampleOptions& o) {
    std::string s;
    if (o.scale_factor()) {
        const auto& f = *o.scale_factor();
        s = "scale_factor=" + (f.size() == 1 ? text::number(f[0]) : std::string("("));
        for (std::size_t i = 0; f.size() > 1 && i < f.size(); ++i) s += (i ? ", " : "") + text::number(f[i]);
        if (f.size() > 1) s += ")";
    } else if (o.size())
        s = "size=" + (o.size()->size() == 1 ? std::to_string((*o.size())[0]) : text::tuple(*o.size()));
    return s + ", mode='" + mode_text(o.mode()) + "'";
}
} // namespace

Tensor UpsampleImpl::forward(const Tensor& input) { return upsampled(options, input); }
std::string UpsampleImpl::extra_repr() const { return describe(options); }
Tensor UpsamplingNearest2dImpl::forward(const Tensor& input) { return upsampled(options, input); }
std::string UpsamplingNearest2dImpl::extra_repr() const { return describe(options); }
Tensor UpsamplingBilinear2dImpl::forward(const Tensor& input) { return upsampled(options, input); }
std::string UpsamplingBilinear2dImpl::extra_repr() const { return describe(options); }

Tensor UnfoldImpl::forward(const Tensor& input) {
    return reel::im2col(input, options.kernel_size(), options.dilation(), options.padding(), options.stride());
}
std::string UnfoldImpl::extra_repr() const {
    return str("kernel_size=", text::as_given(options.kernel_size()), ", dilation=", text::as_given(options.dilation()),
               ", padding=", text::as_given(options.padding()), ", stride=", text::as_given(options.stride()));
}
Tensor FoldImpl::forward(const Tensor& input) {
    return reel::col2im(input, options.output_size(), options.kernel_size(), options.dilation(), options.padding(),
                        options.stride());
}
std::string FoldImpl::extra_repr() const {
    return str("output_size=", text::as_given(options.output_size()),
               ", kernel_size=", text::as_given(options.kernel_size()),
               ", dilation=", text::as_given(options.dilation()), ", padding=", text::as_given(options.padding()),
               ", stride=", text::as_given(options.stride()));
}

namespace {
UpsampleOptions upsample_options(const char* name, const ConstructorArgs& a, const std::string& mode) {
    UpsampleOptions o;
    if (a.has("size"))
        o.size(a.at("size").isSequence() ? a.at("size").toIntVector()
                                         : std::vector<std::int64_t>{a.at("size").toInt()});
    if (a.has("scale_factor"))
        o.scale_factor(a.at("scale_factor").isSequence() ? a.at("scale_factor").toDoubleVector()
                                                         : std::vector<double>{a.at("scale_factor").toDouble()});
    if (a.has("align_corners")) o.align_corners(a.get<bool>("align_corners"));
    if (a.has("recompute_scale_factor")) o.recompute_scale_factor(a.get<bool>("recompute_scale_factor"));
    if (mode == "nearest") o.mode(kNearest);
    else if (mode == "nearest-exact") o.mode(kNearestExact);
    else if (mode == "linear") o.mode(kLinear);
    else if (mode == "bilinear") o.mode(kBilinear);
    else if (mode == "bicubic") o.mode(kBicubic);
    else if (mode == "trilinear") o.mode(kTrilinear);
    else if (mode == "area") o.mode(kArea);
    else REEL_THROW(ValueError, name, ": unknown mode '", mode, "'");
    return o;
}
[[maybe_unused]] const bool registered[] = {
    register_module_class(
        "PixelShuffle",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            return std::make_shared<PixelShuffleImpl>(
                ConstructorArgs("PixelShuffle", {"upscale_factor"}, args, kwargs).get<std::int64_t>("upscale_factor"));
        }),
    register_module_class("PixelUnshuffle",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              return std::make_shared<PixelUnshuffleImpl>(
                                  ConstructorArgs("PixelUnshuffle", {"downscale_factor"}, args, kwargs)
                                      .get<std::int64_t>("downscale_factor"));
                          }),
    register_module_class(
        "ChannelShuffle",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            return std::make_shared<ChannelShuffleImpl>(
                ConstructorArgs("ChannelShuffle", {"groups"}, args, kwargs).get<std::int64_t>("groups"));
        }),
    register_module_class(
        "Upsample",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a(
                "Upsample", {"size", "scale_factor", "mode", "align_corners", "recompute_scale_factor"}, args, kwargs);
            return std::make_shared<UpsampleImpl>(
                upsample_options("Upsample", a, a.get<std::string>("mode", "nearest")));
        }),
    register_module_class("UpsamplingNearest2d",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("UpsamplingNearest2d", {"size", "scale_factor"}, args, kwargs);
                              return std::make_shared<UpsamplingNearest2dImpl>(
                                  upsample_options("UpsamplingNearest2d", a, "nearest"));
                          }),
    register_module_class("UpsamplingBilinear2d",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("UpsamplingBilinear2d", {"size", "scale_factor"}, args, kwargs);
                              return std::make_shared<UpsamplingBilinear2dImpl>(
                                  upsample_options("UpsamplingBilinear2d", a, "bilinear"));
                          }),
    register_module_class(
        "Unfold",
        [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
            const ConstructorArgs a("Unfold", {"kernel_size", "dilation", "padding", "stride"}, args, kwargs);
            return std::make_shared<UnfoldImpl>(UnfoldOptions(text::expanding<2>(a, "kernel_size"))
                                                    .dilation(text::expanding<2>(a, "dilation", 1))
                                                    .padding(text::expanding<2>(a, "padding", 0))
                                                    .stride(text::expanding<2>(a, "stride", 1)));
        }),
    register_module_class("Fold",
                          [](const Args& args, const Kwargs& kwargs) -> ModulePtr {
                              const ConstructorArgs a("Fold",
                                                      {"output_size", "kernel_size", "dilation", "padding", "stride"},
                                                      args, kwargs);
                              return std::make_shared<FoldImpl>(FoldOptions(text::expanding<2>(a, "output_size"),
                                                                            text::expanding<2>(a, "kernel_size"))
                                                                    .dilation(text::expanding<2>(a, "dilation", 1))
                                                                    .padding(text::expanding<2>(a, "padding", 0))
                                                                    .stride(text::expanding<2>(a, "stride", 1)));
                          }),
};
} // namespace

} // namespace reel::nn
