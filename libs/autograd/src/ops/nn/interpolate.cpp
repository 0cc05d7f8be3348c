// Resampling: every mode is a table of taps per dimension.
#include <reel/autograd/kernels/interpolate.hpp>
#include <reel/autograd/ops/nn/avg_pool.hpp>
#include <reel/autograd/ops/nn/interpolate.hpp>
#include <reel/autograd/record.hpp>

#include <cmath>

#include "tensor/checked_size.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

using Taps = ResampleTaps;
void add_tap(Taps& t, std::int64_t i, double w) {
    t.index.push_back(std::min(std::max<std::int64_t>(i, 0), t.in - 1));
    t.weight.push_back(w);
}
Tensor resample(const Tensor& x, const TapsOfDimensions& taps, bool adjoint) {
    Dims sizes(x.sizes());
    for (std::size_t i = 0; i < taps.size(); ++i) { // in the order of the passes, whose results must have a size each
        const std::size_t d = adjoint ? i : taps.size() - 1 - i;
        sizes[sizes.size() - taps.size() + d] = adjoint ? taps[d].in : taps[d].out;
        check_sizes("interpolate", sizes, x.scalar_type());
    }
    Tensor out = empty_raw(sizes, x);
    kernels::resample(out, contiguous_raw(x), taps, adjoint);
    if (needs_recording(x))
        record("interpolate", {x}, out, {},
               [taps, adjoint](RuleContext& c) -> GradList { return {resample(c.grad(), taps, !adjoint)}; });
    return out;
}

enum class Mode { Nearest, NearestExact, Linear, Cubic };

/// Input elements for one of the result; `factor`, where it is given, has the last word.
template <class R> R step(std::int64_t in, std::int64_t out, std::optional<double> factor, bool align_corners) {
    if (align_corners) return out > 1 ? R(in - 1) / R(out - 1) : R(0);
    return factor && *factor > 0 ? R(1 / *factor) : R(in) / R(out);
}
void reserve_taps(Taps& t) {
    const std::int64_t entries = checked_mul("interpolate", "a table of taps", t.out, t.per_output);
    checked_reserve("interpolate", "a table of taps", t.index, entries);
    checked_reserve("interpolate", "a table of taps", t.weight, entries);
}
/// Places are computed in R, the precision that PyTorch computes them in.
template <class R>
Taps taps_of(Mode mode, std::int64_t in, std::int64_t out, std::optional<double> factor, bool align_corners) {
    Taps t{in, out, mode == Mode::Linear ? 2 : mode == Mode::Cubic ? 4 : 1, {}, {}};
    const R scale = step<R>(in, out, factor, align_corners);
    reserve_taps(t);
    for (std::int64_t o = 0; o < out; ++o) {
        if (mode == Mode::Nearest || mode == Mode::NearestExact) {
            const float s = step<float>(in, out, factor, false);
            add_tap(t, std::int64_t(std::floor((float(o) + (mode == Mode::NearestExact ? 0.5f : 0.f)) * s)), 1);
            continue;
        }
        R place = align_corners ? scale * R(o) : scale * (R(o) + R(0.5)) - R(0.5);
        if (mode == Mode::Linear && place < 0) place = 0;
        const std::int64_t i = std::min(std::int64_t(std::floor(place)), in - 1);
        R u = std::min(std::max(place - R(i), R(0)), R(1));
        if (mode == Mode::Linear) {
            add_tap(t, i, double(R(1) - u));
            add_tap(t, i + 1, double(u));
            continue;
        }
        const R a = R(-0.75);
        const auto near = [a](R x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
        const auto far = [a](R x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
        add_tap(t, i - 1, double(far(u + 1)));
        add_tap(t, i, double(near(u)));
        add_tap(t, i + 1, double(near(1 - u)));
        add_tap(t, i + 2, double(far(2 - u)));
    }
    return t;
}

/// The triangle, or Keys' cubic (a = -1/2), about a place.
template <class R> R window(Mode mode, R x) {
    x = std::abs(x);
    if (mode == Mode::Linear) return x < 1 ? 1 - x : R(0);
    const R a = R(-0.5);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : R(0);
}
/// With antialias the window is as wide as a step of the result, so that every input element on the way counts. Results
/// at the edges have fewer taps; zeros fill the table.
template <class R>
Taps wide_taps(Mode mode, std::int64_t in, std::int64_t out, std::optional<double> factor, bool align_corners) {
    const R scale = step<R>(in, out, factor, align_corners), stretch = std::max(scale, R(1));
    const R narrow = 1 / stretch;
    const R reach = (mode == Mode::Linear ? 1 : 2) * stretch;
    Taps t{in, out, checked_size("interpolate", "the taps of a result", double(std::ceil(reach)) * 2 + 1), {}, {}};
    reserve_taps(t);
    for (std::int64_t o = 0; o < out; ++o) {
        const R center = scale * (R(o) + R(0.5));
        const std::int64_t first = std::max<std::int64_t>(std::int64_t(center - reach + R(0.5)), 0);
        const std::int64_t end = std::min(std::int64_t(center + reach + R(0.5)), in);
        R total = 0;
        for (std::int64_t i = first; i < end; ++i) total += window<R>(mode, (R(i) - center + R(0.5)) * narrow);
        for (std::int64_t k = 0; k < t.per_output; ++k) {
            const std::int64_t i = first + k;
            add_tap(t, i,
                    i < end && total != 0 ? double(window<R>(mode, (R(i) - center + R(0.5)) * narrow) / total) : 0);
        }
    }
    return t;
}

void check_mode(const Tensor& input, bool size, bool scale_factor, std::string_view mode, bool align_corners,
                bool recompute_scale_factor, bool antialias) {
    const std::int64_t rank = input.dim() - 2;
    REEL_CHECK(rank >= 1 && rank <= 3, "interpolate: input has shape ", input.sizes(),
               "; expected 3, 4 or 5 dimensions");
    REEL_CHECK_VALUE(size != scale_factor, "interpolate: exactly one of size and scale_factor must be given");
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), "interpolate: input is ",
                               dtype_name(input.scalar_type()), "; expected a floating dtype");
    const bool smooth = mode == "linear" || mode == "bilinear" || mode == "bicubic" || mode == "trilinear";
    REEL_CHECK_NOT_IMPLEMENTED(smooth || mode == "nearest" || mode == "nearest-exact" || mode == "area",
                               "interpolate: unknown mode '", mode, "'");
    REEL_CHECK_VALUE(smooth || !align_corners,
                     "interpolate: align_corners applies to the linear and cubic modes only, not to '", mode, "'");
    REEL_CHECK_VALUE(!antialias || mode == "bilinear" || mode == "bicubic",
                     "interpolate: antialias applies to the modes bilinear and bicubic, not to '", mode, "'");
    const std::int64_t wants = mode == "linear"                          ? 1
                               : mode == "bilinear" || mode == "bicubic" ? 2
                               : mode == "trilinear"                     ? 3
                                                                         : rank;
    REEL_CHECK_NOT_IMPLEMENTED(rank == wants, "interpolate: mode '", mode, "' needs ", wants + 2,
                               "-D input, got shape ", input.sizes());
    REEL_CHECK_VALUE(!(size && recompute_scale_factor), "interpolate: recompute_scale_factor needs a scale_factor");
}
/// The sizes of the result, and the factors that places are computed with where they are given.
struct Resized {
    Dims sizes;
    std::vector<std::optional<double>> factors;
};
Resized resized(const Tensor& input, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scale_factor,
                bool recompute_scale_factor) {
    const std::int64_t rank = input.dim() - 2;
    Resized r{{}, std::vector<std::optional<double>>(std::size_t(rank))};
    Dims& out = r.sizes;
    for (std::int64_t d = 0; d < rank; ++d) {
        const auto i = std::size_t(d);
        if (size) {
            REEL_CHECK_VALUE((*size).size() == 1 || std::int64_t((*size).size()) == rank, "interpolate: size ", *size,
                             " must have 1 or ", rank, " entries");
            out.push_back((*size)[(*size).size() == 1 ? 0 : i]);
        } else {
            REEL_CHECK_VALUE(scale_factor->size() == 1 || std::int64_t(scale_factor->size()) == rank,
                             "interpolate: scale_factor must have 1 or ", rank, " entries");
            const double f = (*scale_factor)[scale_factor->size() == 1 ? 0 : i];
            const double wanted = std::floor(double(input.size(d + 2)) * f);
            out.push_back(wanted < 0 && wanted > -1e18 ? std::int64_t(wanted)
                                                       : checked_size("interpolate", "a size of the result", wanted));
            if (!recompute_scale_factor) r.factors[i] = f;
        }
        REEL_CHECK(out.back() > 0 && input.size(d + 2) > 0, "interpolate: input ", input.sizes(),
                   " cannot be resized to ", out.back(), " in dimension ", d + 2);
    }
    return r;
}
} // namespace

/// Resizes the trailing dimensions of input [N, C, ...] to `size`, or by `scale_factor`. Modes: nearest, nearest-exact,
/// linear (3-D input), bilinear and bicubic (4-D), trilinear (5-D), area.
REEL_OP("nn.functional.interpolate(Tensor input, int[]? size=None, float[]? scale_factor=None, str mode='nearest', "
        "bool? align_corners=None, bool? recompute_scale_factor=None, bool antialias=False) -> Tensor",
        rule)
Tensor interpolate(const Tensor& input, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scale_factor,
                   std::string_view mode, std::optional<bool> align_corners, std::optional<bool> recompute_scale_factor,
                   bool antialias) {
    check_mode(input, size.has_value(), scale_factor.has_value(), mode, align_corners.has_value(),
               recompute_scale_factor.value_or(false), antialias);
    const std::int64_t rank = input.dim() - 2;
    const auto [out, factors] = resized(input, size, scale_factor, recompute_scale_factor.value_or(false));
    Dims whole{input.size(0), input.size(1)};
    for (const std::int64_t s : out) whole.push_back(s);
    check_sizes("interpolate", whole, kDouble);
    if (mode == "area")
        return rank == 1   ? adaptive_avg_pool1d(input, out)
               : rank == 2 ? adaptive_avg_pool2d(input, out)
                           : adaptive_avg_pool3d(input, out);
    const Mode m = mode == "nearest"         ? Mode::Nearest
                   : mode == "nearest-exact" ? Mode::NearestExact
                   : mode == "bicubic"       ? Mode::Cubic
                                             : Mode::Linear;
    const ScalarType t = input.scalar_type();
    const auto taps = antialias ? (t == kDouble ? wide_taps<double> : wide_taps<float>)
                                : (t == kDouble ? taps_of<double> : taps_of<float>);
    const Tensor x = t == kDouble ? input : input.to(kFloat);
    TapsOfDimensions all;
    for (std::size_t d = 0; d < out.size(); ++d)
        all.push_back(taps(m, input.size(std::int64_t(d) + 2), out[d], factors[d], align_corners.value_or(false)));
    return resample(x, all, false).to(t);
}
/// interpolate(mode='bilinear', align_corners=True).
REEL_OP("nn.functional.upsample_bilinear(Tensor input, int[]? size=None, float[]? scale_factor=None) -> Tensor",
        composite)
Tensor upsample_bilinear(const Tensor& input, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scale_factor) {
    return interpolate(input, size, scale_factor, "bilinear", true, std::nullopt, false);
}
/// interpolate(mode='nearest').
REEL_OP("nn.functional.upsample_nearest(Tensor input, int[]? size=None, float[]? scale_factor=None) -> Tensor",
        composite)
Tensor upsample_nearest(const Tensor& input, OptionalIntArrayRef size, std::optional<ArrayRef<double>> scale_factor) {
    return interpolate(input, size, scale_factor, "nearest", std::nullopt, std::nullopt, false);
}

static Tensor sized(const char* op, const Tensor& input, std::int64_t rank, IntArrayRef output_size,
                    std::string_view mode, std::optional<bool> align_corners) {
    REEL_CHECK(input.dim() == rank + 2, op, ": input must have ", rank + 2, " dimensions, got sizes ", input.sizes());
    return interpolate(input, output_size, std::nullopt, mode, align_corners, std::nullopt, false);
}
/// interpolate to a size, one function a mode and rank: ATen's names.
REEL_OP("upsample_nearest1d(Tensor input, int[] output_size) -> Tensor", composite,
        samples(call(numbers({1, 2, 3}), ints({5}))))
Tensor upsample_nearest1d(const Tensor& input, IntArrayRef output_size) {
    return sized("upsample_nearest1d", input, 1, output_size, "nearest", std::nullopt);
}
REEL_OP("upsample_nearest2d(Tensor input, int[] output_size) -> Tensor", composite,
        samples(call(numbers({1, 2, 3, 3}), ints({5, 4}))))
Tensor upsample_nearest2d(const Tensor& input, IntArrayRef output_size) {
    return sized("upsample_nearest2d", input, 2, output_size, "nearest", std::nullopt);
}
REEL_OP("upsample_nearest3d(Tensor input, int[] output_size) -> Tensor", composite,
        samples(call(numbers({1, 2, 3, 3, 3}), ints({5, 4, 2}))))
Tensor upsample_nearest3d(const Tensor& input, IntArrayRef output_size) {
    return sized("upsample_nearest3d", input, 3, output_size, "nearest", std::nullopt);
}
REEL_OP("upsample_linear1d(Tensor input, int[] output_size, bool align_corners) -> Tensor", composite,
        samples(call(numbers({1, 2, 3}), ints({5}), false), call(numbers({1, 2, 3}), ints({5}), true)))
Tensor upsample_linear1d(const Tensor& input, IntArrayRef output_size, bool align_corners) {
    return sized("upsample_linear1d", input, 1, output_size, "linear", align_corners);
}
REEL_OP("upsample_bilinear2d(Tensor input, int[] output_size, bool align_corners) -> Tensor", composite,
        samples(call(numbers({1, 2, 3, 3}), ints({5, 4}), false), call(numbers({1, 2, 3, 3}), ints({5, 4}), true)))
Tensor upsample_bilinear2d(const Tensor& input, IntArrayRef output_size, bool align_corners) {
    return sized("upsample_bilinear2d", input, 2, output_size, "bilinear", align_corners);
}
REEL_OP("upsample_bicubic2d(Tensor input, int[] output_size, bool align_corners) -> Tensor", composite,
        samples(call(numbers({1, 2, 3, 3}), ints({5, 4}), false), call(numbers({1, 2, 3, 3}), ints({5, 4}), true)))
Tensor upsample_bicubic2d(const Tensor& input, IntArrayRef output_size, bool align_corners) {
    return sized("upsample_bicubic2d", input, 2, output_size, "bicubic", align_corners);
}
REEL_OP("upsample_trilinear3d(Tensor input, int[] output_size, bool align_corners) -> Tensor", composite,
        samples(call(numbers({1, 2, 3, 3, 3}), ints({5, 4, 2}), false),
                call(numbers({1, 2, 3, 3, 3}), ints({5, 4, 2}), true)))
Tensor upsample_trilinear3d(const Tensor& input, IntArrayRef output_size, bool align_corners) {
    return sized("upsample_trilinear3d", input, 3, output_size, "trilinear", align_corners);
}

} // namespace reel
