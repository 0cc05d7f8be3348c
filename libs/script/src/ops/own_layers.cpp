// Layers whose arguments in aten are too far from Reel's to be mapped (rule SC-91).
#include <algorithm>

#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/op.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/nn/batch_norm.hpp>
#include <reel/autograd/ops/nn/conv.hpp>
#include <reel/autograd/ops/nn/interpolate.hpp>

#include "ops/numbers.hpp"
#include "ops/own.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;

Tensor optional_tensor(const IValue& v) { return v.isNone() ? Tensor() : v.toTensor(); }

/// input, weight, bias, stride, padding, dilation, transposed, output_padding, groups; what follows are switches of
/// libraries that are not here.
IValue convolution(Span a) {
    const Tensor &input = a[0].toTensor(), &weight = a[1].toTensor(), bias = optional_tensor(a[2]);
    const auto stride = a[3].toIntVector(), padding = a[4].toIntVector(), dilation = a[5].toIntVector(),
               more = a[7].toIntVector();
    const Int groups = a[8].toInt();
    const Int rank = Int(weight.dim()) - 2;
    REEL_CHECK(rank >= 1 && rank <= 3, "convolution: weight has ", weight.dim(), " dimensions; expected 3 to 5");
    if (a[6].toBool()) {
        if (rank == 1) return conv_transpose1d(input, weight, bias, stride, padding, more, groups, dilation);
        if (rank == 2) return conv_transpose2d(input, weight, bias, stride, padding, more, groups, dilation);
        return conv_transpose3d(input, weight, bias, stride, padding, more, groups, dilation);
    }
    if (rank == 1) return conv1d(input, weight, bias, stride, padding, dilation, groups);
    if (rank == 2) return conv2d(input, weight, bias, stride, padding, dilation, groups);
    return conv3d(input, weight, bias, stride, padding, dilation, groups);
}

IValue resized(const IValue& input, const IValue& size, const IValue& scales, std::string_view mode,
               std::optional<bool> align_corners, bool antialias = false) {
    std::vector<Int> sizes;
    std::vector<double> factors;
    if (!size.isNone()) sizes = size.toIntVector();
    if (!scales.isNone()) factors = scales.toDoubleVector();
    return interpolate(input.toTensor(),
                       size.isNone() ? OptionalIntArrayRef() : OptionalIntArrayRef(IntArrayRef(sizes)),
                       size.isNone() ? std::optional(ArrayRef<double>(factors)) : std::nullopt, mode, align_corners,
                       std::nullopt, antialias);
}
struct Mode {
    const char* word;
    bool has_corners = false, antialias = false;
};
constexpr Mode nearest{"nearest"}, nearest_exact{"nearest-exact"}, linear{"linear", true}, bilinear{"bilinear", true},
    bicubic{"bicubic", true}, trilinear{"trilinear", true}, bilinear_aa{"bilinear", true, true},
    bicubic_aa{"bicubic", true, true}, lanczos_aa{"lanczos", true, true};

/// `.vec`: input, output_size?, (align_corners,) scale_factors?
template <const Mode& mode> IValue upsample(Span a) {
    if (!mode.has_corners) return resized(a[0], a[1], a[2], mode.word, std::nullopt);
    return resized(a[0], a[1], a[3], mode.word, a[2].toBool(), mode.antialias);
}
/// Sizes alone say how large; the scales that follow only tell how they came about, and how positions are computed.
template <const Mode& mode> IValue upsample_to(Span a) {
    if (!mode.has_corners) return resized(a[0], a[1], {}, mode.word, std::nullopt);
    return resized(a[0], a[1], {}, mode.word, a[2].toBool(), mode.antialias);
}

/// Running statistics are left alone, and returned empty as the reference does.
IValue batch_norm_no_training(Span a) {
    const Tensor& input = a[0].toTensor();
    Tensor out = batch_norm(input, optional_tensor(a[1]), optional_tensor(a[2]), a[3].toTensor(), a[4].toTensor(),
                            false, a[5].toDouble(), a[6].toDouble(), false);
    const Tensor none = input.new_empty({0});
    return IValue::tuple({out, none, none});
}
IValue batch_norm_no_stats(Span a) {
    return native_batch_norm(a[0].toTensor(), optional_tensor(a[1]), optional_tensor(a[2]), Tensor(), Tensor(),
                             a[3].toBool(), a[4].toDouble(), a[5].toDouble());
}
IValue batch_norm_legit(Span a) {
    return native_batch_norm(a[0].toTensor(), optional_tensor(a[1]), optional_tensor(a[2]), a[3].toTensor(),
                             a[4].toTensor(), a[5].toBool(), a[6].toDouble(), a[7].toDouble());
}
/// The statistics that training leaves come as further results; those given stay as they are.
IValue batch_norm_functional(Span a) {
    Tensor mean = a[3].toTensor().clone(), var = a[4].toTensor().clone();
    auto [out, save_mean, save_var] = native_batch_norm(a[0].toTensor(), optional_tensor(a[1]), optional_tensor(a[2]),
                                                        mean, var, a[5].toBool(), a[6].toDouble(), a[7].toDouble());
    return IValue::tuple({out, save_mean, save_var, mean, var});
}
IValue native_dropout(Span a) {
    const Tensor& input = a[0].toTensor();
    const double p = a[1].toDouble();
    if (!a[2].isNone() && !a[2].toBool()) return IValue::tuple({input, ones_like(input, TensorOptions().dtype(kBool))});
    Tensor mask;
    {
        NoGradGuard no_grad;
        mask = empty_like(input).bernoulli_(1 - p);
    }
    const double scale = p == 1 ? 0. : 1. / (1. - p);
    return IValue::tuple({input * mask * scale, mask.to(kBool)});
}
IValue embedding_bag(Span a) {
    // weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx
    static constexpr const char* modes[] = {"sum", "mean", "max"};
    const Int mode = a[4].toInt();
    REEL_CHECK_VALUE(mode >= 0 && mode < 3, "embedding_bag: mode is ", mode, "; expected 0 (sum), 1 (mean) or 2 (max)");
    const bool pads = a.size() > 8 && !a[8].isNone() && a[8].toInt() >= 0;
    static const ops::Op& op = ops::registry().at("nn.functional.embedding_bag");
    const Tensor& indices = a[1].toTensor();
    const IValue out = op.call({indices, a[0], indices.dim() == 1 ? a[2] : IValue(), IValue(), 2.0, a[3], modes[mode],
                                a[5], a[6], a.size() > 7 ? a[7] : IValue(false), pads ? a[8] : IValue()});
    // The inner results serve the reference's own derivative alone.
    const Tensor none = indices.new_empty({0});
    return IValue::tuple({out, none, none, none});
}
/// weight, indices, max_norm, norm_type: scales rows of the weight in place.
IValue embedding_renorm(Span a) {
    static const ops::Op& embedding = ops::registry().at("nn.functional.embedding");
    const NoGradGuard no_grad;
    embedding.call({a[1], a[0].toTensor().detach(), IValue(), a[2], a[3]});
    return std::move(a[0]);
}
IValue transposed(Span a) {
    const Tensor& t = a[0].toTensor();
    std::vector<Int> order(std::size_t(t.dim()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = Int(order.size() - 1 - i);
    return t.permute(order);
}

/// input, weight, bias, stride, padding, dilation, groups: padding is `same` or `valid`.
IValue convolution_mode(Span a) {
    static constexpr const char* names[] = {"nn.functional.conv1d", "nn.functional.conv2d", "nn.functional.conv3d"};
    const Int rank = Int(a[1].toTensor().dim()) - 2;
    REEL_CHECK(rank >= 1 && rank <= 3, "convolution: weight has ", rank + 2, " dimensions; expected 3 to 5");
    return ops::registry().at(names[rank - 1]).call(Args(a.begin(), a.end()));
}
/// input, target, p, margin, weight, reduction
IValue multi_margin_loss(Span a) {
    static const ops::Op& op = ops::registry().at("nn.functional.multi_margin_loss");
    const double p = a[2].toDouble();
    REEL_CHECK_VALUE(p == 1 || p == 2, "multi_margin_loss: p is ", p, "; expected 1 or 2");
    return op.call({a[0], a[1], Int(p), a[3].toDouble(), a[4]}, {{"reduction", reduction_of_number(a[5].toInt())}});
}
/// input, grid, interpolation_mode, padding_mode, align_corners
IValue grid_sampler(Span a) {
    static constexpr const char *modes[] = {"bilinear", "nearest", "bicubic"},
                                *paddings[] = {"zeros", "border", "reflection"};
    const Int mode = a[2].toInt(), padding = a[3].toInt();
    REEL_CHECK_VALUE(mode >= 0 && mode < 3, "grid_sampler: interpolation_mode is ", mode,
                     "; expected 0 (bilinear), 1 (nearest) or 2 (bicubic)");
    REEL_CHECK_VALUE(padding >= 0 && padding < 3, "grid_sampler: padding_mode is ", padding,
                     "; expected 0 (zeros), 1 (border) or 2 (reflection)");
    static const ops::Op& op = ops::registry().at("nn.functional.grid_sample");
    return op.call({a[0], a[1], modes[mode], paddings[padding], a[4]});
}

/// input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias, as the function has them
IValue interpolate_any(Span a) {
    static const ops::Op& op = ops::registry().at("nn.functional.interpolate");
    return op.call(Args(a.begin(), a.end()));
}
template <const Mode& mode> IValue upsample_any(Span a) {
    Args args{a[0], a[1], a[2], mode.word};
    if (mode.has_corners) args.emplace_back(true);
    return interpolate_any(args);
}

constexpr Line lines[] = {
    {"aten::__interpolate", interpolate_any},
    {"aten::__interpolate.scale_list", interpolate_any},
    {"aten::__interpolate.size_list", interpolate_any},
    {"aten::__interpolate.size_list_scale_list", interpolate_any},
    {"aten::__upsample", interpolate_any},
    {"aten::__upsample.size_list", interpolate_any},
    {"aten::__upsample_nearest", upsample_any<nearest>},
    {"aten::__upsample_nearest.size_list", upsample_any<nearest>},
    {"aten::__upsample_bilinear", upsample_any<bilinear>},
    {"aten::__upsample_bilinear.size_list", upsample_any<bilinear>},
    {"aten::__upsample_bilinear.scale_list", upsample_any<bilinear>},
    {"aten::__upsample_bilinear.size_list_scale_list", upsample_any<bilinear>},
    {"aten::_convolution", convolution},
    {"aten::_convolution.deprecated", convolution},
    {"aten::_convolution_mode", convolution_mode},
    {"aten::convolution", convolution},
    {"aten::upsample_nearest1d.vec", upsample<nearest>},
    {"aten::upsample_nearest2d.vec", upsample<nearest>},
    {"aten::upsample_nearest3d.vec", upsample<nearest>},
    {"aten::_upsample_nearest_exact1d.vec", upsample<nearest_exact>},
    {"aten::_upsample_nearest_exact2d.vec", upsample<nearest_exact>},
    {"aten::_upsample_nearest_exact3d.vec", upsample<nearest_exact>},
    {"aten::upsample_linear1d.vec", upsample<linear>},
    {"aten::upsample_bilinear2d.vec", upsample<bilinear>},
    {"aten::upsample_bicubic2d.vec", upsample<bicubic>},
    {"aten::upsample_trilinear3d.vec", upsample<trilinear>},
    {"aten::_upsample_bilinear2d_aa.vec", upsample<bilinear_aa>},
    {"aten::_upsample_bicubic2d_aa.vec", upsample<bicubic_aa>},
    {"aten::_upsample_lanczos2d_aa.vec", upsample<lanczos_aa>},
    {"aten::_upsample_bilinear2d_aa", upsample_to<bilinear_aa>},
    {"aten::_upsample_bicubic2d_aa", upsample_to<bicubic_aa>},
    {"aten::_upsample_lanczos2d_aa", upsample_to<lanczos_aa>},
    {"aten::upsample_nearest1d", upsample_to<nearest>},
    {"aten::upsample_nearest2d", upsample_to<nearest>},
    {"aten::upsample_nearest3d", upsample_to<nearest>},
    {"aten::_upsample_nearest_exact1d", upsample_to<nearest_exact>},
    {"aten::_upsample_nearest_exact2d", upsample_to<nearest_exact>},
    {"aten::_upsample_nearest_exact3d", upsample_to<nearest_exact>},
    {"aten::upsample_linear1d", upsample_to<linear>},
    {"aten::upsample_bilinear2d", upsample_to<bilinear>},
    {"aten::upsample_bicubic2d", upsample_to<bicubic>},
    {"aten::upsample_trilinear3d", upsample_to<trilinear>},
    {"aten::_native_batch_norm_legit_no_training", batch_norm_no_training},
    {"aten::_native_batch_norm_legit.no_stats", batch_norm_no_stats},
    {"aten::_native_batch_norm_legit", batch_norm_legit},
    {"aten::_native_batch_norm_legit_functional", batch_norm_functional},
    {"aten::native_dropout", native_dropout, true},
    {"aten::multi_margin_loss", multi_margin_loss},
    {"aten::grid_sampler", grid_sampler},
    {"aten::grid_sampler_2d", grid_sampler},
    {"aten::grid_sampler_3d", grid_sampler},
    {"aten::embedding_bag", embedding_bag},
    {"aten::embedding_bag.padding_idx", embedding_bag},
    {"aten::_embedding_bag", embedding_bag},
    {"aten::_embedding_bag_forward_only", embedding_bag},
    {"aten::embedding_renorm_", embedding_renorm},
    {"aten::_no_grad_embedding_renorm_", embedding_renorm, true},
    {"aten::numpy_T", transposed},
};

} // namespace

std::span<const Line> layers() { return lines; }

} // namespace reel::jit::own
