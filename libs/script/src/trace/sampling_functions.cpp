// Functions that read images elsewhere than at their pixels.
#include <algorithm>
#include <array>

#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/factory/full.hpp>

#include "trace/recipes.hpp"

namespace reel::jit::trace_impl {

namespace {

IValue doubles(const IValue& v, std::size_t n) {
    Args out;
    const IValue given = expanded(v, n);
    for (const IValue& f : given.elements()) out.emplace_back(f.toDouble());
    return list(std::move(out));
}
/// The sizes that factors give, computed in float32 as the trace sees them.
IValue scaled_sizes(Tracer& t, const IValue& input, const IValue& factors) {
    Args out;
    for (std::size_t i = 0; i < factors.elements().size(); ++i) {
        const IValue size = t.call("float", {t.size(input.toTensor(), std::int64_t(i) + 2)});
        const IValue factor = t.constant(reel::scalar_tensor(factors.elements()[i].toDouble(), kFloat));
        out.push_back(t.call("floor", {t.call("float", {t.call("mul", {size, factor})})}));
    }
    return list(std::move(out));
}

struct Kind {
    std::string_view mode;
    bool corners;
    std::array<std::string_view, 3> operators; ///< by number of dimensions
};
constexpr Kind kinds[] = {
    {"nearest", false, {"aten::upsample_nearest1d", "aten::upsample_nearest2d", "aten::upsample_nearest3d"}},
    {"nearest-exact",
     false,
     {"aten::_upsample_nearest_exact1d", "aten::_upsample_nearest_exact2d", "aten::_upsample_nearest_exact3d"}},
    {"linear", true, {"aten::upsample_linear1d", "", ""}},
    {"bilinear", true, {"", "aten::upsample_bilinear2d", ""}},
    {"bicubic", true, {"", "aten::upsample_bicubic2d", ""}},
    {"trilinear", true, {"", "", "aten::upsample_trilinear3d"}},
};
constexpr Kind smooth_kinds[] = {
    {"bilinear", true, {"", "aten::_upsample_bilinear2d_aa", ""}},
    {"bicubic", true, {"", "aten::_upsample_bicubic2d_aa", ""}},
    {"lanczos", true, {"", "aten::_upsample_lanczos2d_aa", ""}},
};

IValue resize(Tracer& t, const IValue& input, const Kind& kind, std::size_t dims, const IValue& size,
              const IValue& factors, bool align_corners) {
    // in one dimension without factors the overload without lists fits first
    const bool plain = dims == 1 && factors.isNone();
    Args args = {input, size};
    if (kind.corners) args.emplace_back(align_corners);
    args.push_back(factors);
    return t.aten(std::string(kind.operators[dims - 1]) + (plain ? "" : ".vec"), args);
}
/// input, size, scale_factor, mode, align_corners, recompute_scale_factor, antialias
IValue interpolate(Tracer& t, const Args& a) {
    const std::string& mode = a[3].toStringRef();
    const std::size_t dims = std::size_t(a[0].toTensor().dim()) - 2;
    REEL_CHECK_VALUE(dims >= 1 && dims <= 3, "jit::trace: interpolate expects an input of 3 to 5 dimensions, got ",
                     dims + 2);
    IValue size = a[1].isNone() ? IValue() : expanded(a[1], dims);
    IValue factors = a[2].isNone() ? IValue() : doubles(a[2], dims);
    if (!factors.isNone() && (mode == "area" || (!a[5].isNone() && a[5].toBool()))) {
        size = scaled_sizes(t, a[0], factors);
        factors = {};
    }
    if (mode == "area")
        return t.aten(dims == 1   ? "aten::adaptive_avg_pool1d"
                      : dims == 2 ? "aten::adaptive_avg_pool2d"
                                  : "aten::adaptive_avg_pool3d",
                      {a[0], size});
    const bool corners = !a[4].isNone() && a[4].toBool();
    const std::span<const Kind> all = a[6].toBool() ? std::span<const Kind>(smooth_kinds) : kinds;
    for (const Kind& kind : all)
        if (kind.mode == mode && !kind.operators[dims - 1].empty())
            return resize(t, a[0], kind, dims, size, factors, corners);
    REEL_THROW(NotImplementedError, "jit::trace: interpolate of ", dims, " dimensions with mode '", mode, "'",
               a[6].toBool() ? " and antialias" : "");
}
IValue upsample_nearest(Tracer& t, const Args& a) {
    return interpolate(t, {a[0], a[1], a[2], "nearest", {}, {}, false});
}
IValue upsample_bilinear(Tracer& t, const Args& a) {
    return interpolate(t, {a[0], a[1], a[2], "bilinear", true, {}, false});
}

std::int64_t place_of(const IValue& word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word.toStringRef()) - words.begin();
}
IValue grid_sample(Tracer& t, const Args& a) {
    return t.aten("aten::grid_sampler",
                  {a[0], a[1], place_of(a[2], {"bilinear", "nearest", "bicubic"}),
                   place_of(a[3], {"zeros", "border", "reflection"}), !a[4].isNone() && a[4].toBool()});
}
IValue affine_grid(Tracer& t, const Args& a) {
    return t.aten("aten::affine_grid_generator", {a[0], a[1], !a[2].isNone() && a[2].toBool()});
}

constexpr FunctionLine table[] = {
    {"nn.functional.interpolate", interpolate},
    {"nn.functional.upsample_nearest", upsample_nearest},
    {"nn.functional.upsample_bilinear", upsample_bilinear},
    {"nn.functional.grid_sample", grid_sample},
    {"nn.functional.affine_grid", affine_grid},
};
} // namespace

std::span<const FunctionLine> sampling_functions() { return table; }

} // namespace reel::jit::trace_impl
