// Functions that move a window over dimensions: convolutions, pools, patches, padding.
#include <algorithm>
#include <cmath>

#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

namespace {

/// Runs `f` on a batch; an input without one is made one for it (`D` dimensions are windowed).
template <std::size_t D, class F> IValue on_batch(Tracer& t, const IValue& input, F f) {
    if (input.toTensor().dim() != std::int64_t(D) + 1) return f(input);
    return t.aten("aten::squeeze.dim", {f(t.aten("aten::unsqueeze", {input, 0})), 0});
}
template <std::size_t D> IValue conv(Tracer& t, const Args& a) {
    return on_batch<D>(t, a[0], [&](const IValue& x) {
        if (a[4].isString())
            return t.aten("aten::_convolution_mode", {x, a[1], a[2], expanded(a[3], D), a[4], expanded(a[5], D), a[6]});
        return t.aten("aten::_convolution", {x, a[1], a[2], expanded(a[3], D), expanded(a[4], D), expanded(a[5], D),
                                             false, repeated(D, 0), a[6], false, false, true, true});
    });
}
template <std::size_t D> IValue conv_transpose(Tracer& t, const Args& a) {
    return on_batch<D>(t, a[0], [&](const IValue& x) {
        return t.aten("aten::_convolution", {x, a[1], a[2], expanded(a[3], D), expanded(a[4], D), expanded(a[7], D),
                                             true, expanded(a[5], D), a[6], false, false, true, true});
    });
}

template <std::size_t D> IValue max_pool(Tracer& t, const Args& a) {
    const Args bound = {a[0], expanded(a[1], D), or_empty(a[2], D), expanded(a[3], D), expanded(a[4], D), a[5]};
    if (!a[6].toBool()) return t.aten(of_rank<D>("aten::max_pool1d", "aten::max_pool2d", "aten::max_pool3d"), bound);
    return t.aten(
        of_rank<D>("aten::max_pool1d_with_indices", "aten::max_pool2d_with_indices", "aten::max_pool3d_with_indices"),
        bound);
}
template <std::size_t D> IValue avg_pool(Tracer& t, const Args& a) {
    return t.aten(D == 2 ? "aten::avg_pool2d" : "aten::avg_pool3d",
                  {a[0], expanded(a[1], D), or_empty(a[2], D), expanded(a[3], D), a[4], a[5], a[6]});
}
/// As large as the input where the size is None.
template <std::size_t D> IValue adaptive_size(Tracer& t, const IValue& input, const IValue& size) {
    const IValue given = expanded(size, D);
    Args out;
    for (std::size_t i = 0; i < D; ++i) {
        const IValue& n = given.elements()[i];
        const Tensor& x = input.toTensor();
        out.push_back(n.isNone() ? IValue(t.size(x, x.dim() - std::int64_t(D - i))) : n);
    }
    return list(std::move(out));
}
template <std::size_t D> IValue adaptive_avg_pool(Tracer& t, const Args& a) {
    return t.aten(D == 2 ? "aten::adaptive_avg_pool2d" : "aten::adaptive_avg_pool3d",
                  {a[0], adaptive_size<D>(t, a[0], a[1])});
}
template <std::size_t D> IValue adaptive_max_pool(Tracer& t, const Args& a) {
    const IValue both =
        t.aten(of_rank<D>("aten::adaptive_max_pool1d", "aten::adaptive_max_pool2d", "aten::adaptive_max_pool3d"),
               {a[0], adaptive_size<D>(t, a[0], a[1])});
    return a[2].toBool() ? both : both.elements()[0];
}
/// The mean of powers, times how many there are: input, norm_type, kernel_size, stride, ceil_mode.
template <std::size_t D> IValue lp_pool(Tracer& t, const Args& a) {
    const IValue kernel = expanded(a[2], D), stride = or_empty(a[3], D);
    const IValue powers = t.call("pow", {a[0], a[1].toDouble()});
    const char* const pool = of_rank<D>("aten::avg_pool1d", "aten::avg_pool2d", "aten::avg_pool3d");
    const IValue out = t.aten(pool, {powers, kernel, stride, repeated(D, 0), a[4]});
    t.local("out", out);
    std::int64_t elements = 1;
    for (const IValue& k : kernel.elements()) elements *= k.toInt();
    const IValue sign = t.call("sign", {out});
    const IValue size = t.call("nn.functional.relu", {t.call("abs", {out})});
    return t.call("pow", {t.call("mul", {t.call("mul", {sign, size}), elements}), 1. / a[1].toDouble()});
}

IValue unfold(Tracer& t, const Args& a) {
    return t.aten("aten::im2col", {a[0], expanded(a[1], 2), expanded(a[2], 2), expanded(a[3], 2), expanded(a[4], 2)});
}
IValue fold(Tracer& t, const Args& a) {
    return t.aten("aten::col2im", {a[0], expanded(a[1], 2), expanded(a[2], 2), expanded(a[3], 2), expanded(a[4], 2),
                                   expanded(a[5], 2)});
}
IValue pad(Tracer& t, const Args& a) {
    return t.aten("aten::pad", {a[0], a[1], a[2], a[2].toStringRef() == "constant" ? a[3] : IValue()});
}

constexpr FunctionLine table[] = {
    {"nn.functional.conv1d", conv<1>},
    {"nn.functional.conv2d", conv<2>},
    {"nn.functional.conv3d", conv<3>},
    {"nn.functional.conv_transpose1d", conv_transpose<1>},
    {"nn.functional.conv_transpose2d", conv_transpose<2>},
    {"nn.functional.conv_transpose3d", conv_transpose<3>},
    {"nn.functional.max_pool1d", max_pool<1>},
    {"nn.functional.max_pool2d", max_pool<2>},
    {"nn.functional.max_pool3d", max_pool<3>},
    {"nn.functional.avg_pool2d", avg_pool<2>},
    {"nn.functional.avg_pool3d", avg_pool<3>},
    {"nn.functional.adaptive_avg_pool2d", adaptive_avg_pool<2>},
    {"nn.functional.adaptive_avg_pool3d", adaptive_avg_pool<3>},
    {"nn.functional.adaptive_max_pool1d", adaptive_max_pool<1>},
    {"nn.functional.adaptive_max_pool2d", adaptive_max_pool<2>},
    {"nn.functional.adaptive_max_pool3d", adaptive_max_pool<3>},
    {"nn.functional.lp_pool1d", lp_pool<1>},
    {"nn.functional.lp_pool2d", lp_pool<2>},
    {"nn.functional.lp_pool3d", lp_pool<3>},
    {"nn.functional.unfold", unfold},
    {"nn.functional.fold", fold},
    {"nn.functional.pad", pad},
};
} // namespace

std::span<const FunctionLine> window_functions() { return table; }

} // namespace reel::jit::trace_impl
