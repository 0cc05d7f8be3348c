// Sampling images at the places of a grid.
#include <reel/autograd/backward.hpp>
#include <reel/autograd/kernels/grid_sample.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/nn/grid_sample.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/pointwise/rounding.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

enum class Sampling { Linear, Nearest, Cubic };
enum class Outside { Zeros, Border, Reflection };

/// From [-1, 1] to places: the ends are centres of elements with `align`, else their outer edges.
Tensor places(const Tensor& x, std::int64_t size, bool align) {
    return align ? (x + 1) / 2.0 * double(size - 1) : ((x + 1) * double(size) - 1) / 2.0;
}
Tensor reflected(const Tensor& x, std::int64_t size, bool align) {
    const double low = align ? 0 : -0.5, span = align ? double(size - 1) : double(size);
    if (span == 0) return x * 0.0;
    const Tensor from = abs(x - low), turns = floor(from.detach() / span), rest = from - turns * span;
    const Tensor odd = fmod(turns, Scalar(2)) != Scalar(0);
    return (span - rest).where(odd, rest) + low;
}
/// Brings places into the image as the padding asks; what is no number goes to the first.
Tensor inside(const Tensor& x, std::int64_t size, Outside outside, bool align) {
    if (outside == Outside::Zeros) return x;
    const Tensor at = outside == Outside::Reflection ? reflected(x, size, align) : x;
    return clamp(masked_fill(at, isnan(at), 0), Scalar(0), Scalar(double(size - 1)));
}

/// What one dimension contributes: whole places and their weights.
struct Tap {
    Tensor place, weight; ///< weight undefined: one
};
std::vector<Tap> taps(const Tensor& coordinate, std::int64_t size, Sampling sampling, Outside outside, bool align) {
    const Tensor raw = places(coordinate, size, align);
    if (sampling == Sampling::Nearest) return {{round(inside(raw, size, outside, align)).detach(), {}}};
    const Tensor x = sampling == Sampling::Linear ? inside(raw, size, outside, align) : raw;
    const Tensor first = floor(x).detach(), u = x - first;
    if (sampling == Sampling::Linear) return {{first, 1 - u}, {first + 1, u}};
    const double a = -0.75;
    const auto near = [a](const Tensor& t) { return ((t * (a + 2) - (a + 3)) * t * t) + 1; };
    const auto far = [a](const Tensor& t) { return ((t * a - 5 * a) * t + 8 * a) * t - 4 * a; };
    const auto at = [&](int step) { return inside(first + step, size, outside, align); };
    return {{at(-1), far(u + 1)}, {at(0), near(u)}, {at(1), near(1 - u)}, {at(2), far(2 - u)}};
}

void check_operands(const char* op, const Tensor& input, const Tensor& grid) {
    const std::int64_t rank = input.dim() - 2;
    REEL_CHECK((rank == 2 || rank == 3) && grid.dim() == input.dim(), op, ": input ", input.sizes(), " and grid ",
               grid.sizes(), " must both have 4 or both 5 dimensions");
    REEL_CHECK(grid.size(0) == input.size(0) && grid.size(-1) == rank, op, ": grid has shape ", grid.sizes(),
               "; expected [", input.size(0), ", ..., ", rank, "] for input ", input.sizes());
    REEL_CHECK(input.scalar_type() == grid.scalar_type(), op, ": input is ", dtype_name(input.scalar_type()),
               " and grid is ", dtype_name(grid.scalar_type()), "; convert one of them");
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), op, ": input is ", dtype_name(input.scalar_type()),
                               "; expected a floating dtype");
    for (std::int64_t d = 0; d < rank; ++d)
        REEL_CHECK(input.size(d + 2) > 0, op, ": input has shape ", input.sizes(), "; the image must not be empty");
}

/// The elements of `image` [batch, channels, elements] at one tap for each dimension, the innermost first, of `extents`
/// elements; `which` counts through the combinations of taps. Elements outside weigh nothing; what is no place has no
/// value.
Tensor weighted_elements(const Tensor& image, const std::vector<std::vector<Tap>>& taps, const Dims& extents,
                         std::size_t which) {
    Tensor index, weight, valid;
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < taps.size(); ++d) {
        const Tap& tap = taps[d][which % taps[d].size()];
        which /= taps[d].size();
        const Scalar last(double(extents[d] - 1));
        const Tensor place = tap.place.detach();
        const Tensor fits = logical_and(place >= Scalar(0), place <= last);
        const Tensor part = masked_fill(place, logical_not(fits), 0).to(kLong) * stride;
        index = d == 0 ? part : index + part;
        valid = d == 0 ? fits : logical_and(valid, fits);
        if (tap.weight.defined()) {
            const Tensor outside = logical_and(logical_not(fits), place == place);
            const Tensor share = masked_fill(tap.weight, outside, 0);
            weight = weight.defined() ? weight * share : share;
        }
        stride *= extents[d];
    }
    const Tensor value = gather(image, 2, expand(unsqueeze(index, 1), {image.size(0), image.size(1), index.size(1)}));
    return value * unsqueeze(weight.defined() ? weight : valid.to(image.scalar_type()), 1);
}

/// By ops, in any number of dimensions; recorded.
Tensor by_ops(const Tensor& input, const Tensor& grid, Sampling sampling, Outside outside, bool align) {
    const std::int64_t rank = input.dim() - 2;
    const std::int64_t batch = input.size(0), channels = input.size(1);
    std::int64_t positions = 1, elements = 1;
    Dims out{batch, channels};
    for (std::int64_t d = 0; d < rank; ++d) {
        out.push_back(grid.size(d + 1));
        positions *= grid.size(d + 1);
        elements *= input.size(d + 2);
    }
    const Tensor image = reshape(input, {batch, channels, elements});
    const Tensor points = reshape(grid, {batch, positions, rank});
    std::vector<std::vector<Tap>> all; // innermost dimension first, as the grid's last axis has it
    Dims extents;
    std::size_t combinations = 1;
    for (std::int64_t d = 0; d < rank; ++d) {
        extents.push_back(input.size(input.dim() - 1 - d));
        all.push_back(taps(select(points, 2, d), extents.back(), sampling, outside, align));
        combinations *= all.back().size();
    }
    Tensor sum;
    for (std::size_t k = 0; k < combinations; ++k) {
        const Tensor term = weighted_elements(image, all, extents, k);
        sum = k == 0 ? term : sum + term;
    }
    const Tensor result = reshape(sum, out);
    if (sampling != Sampling::Nearest || !needs_recording(grid)) return result;
    // The nearest element does not change with the place: the grid's gradient is zero, not absent.
    Tensor both = alias_raw(result);
    const Dims sizes(grid.sizes());
    record("grid_sample", {result, grid}, both, {}, [sizes](RuleContext& c) -> GradList {
        return {c.grad(), c.grad().new_zeros(sizes)};
    });
    return both;
}
/// Gradients for higher orders, through `by_ops` on a tape that ends at the operands.
GradList through_ops(RuleContext& c, bool align) {
    const variable_list operands{c.needs(0) ? reel::alias(c.saved(0)) : c.saved(0),
                                 c.needs(1) ? reel::alias(c.saved(1)) : c.saved(1)};
    variable_list wanted;
    for (std::size_t i = 0; i < 2; ++i)
        if (c.needs(i)) wanted.push_back(operands[i]);
    const Tensor out = by_ops(operands[0], operands[1], Sampling::Linear, Outside::Zeros, align);
    const variable_list grads = grad({out}, wanted, {c.grad()}, true, true);
    GradList r(2, Tensor());
    for (std::size_t i = 0, k = 0; i < 2; ++i)
        if (c.needs(i)) r[i] = grads[k++];
    return r;
}
/// Bilinear, zeros outside, of images: by the device's kernel; undefined where it has none.
Tensor by_kernel(const Tensor& input, const Tensor& grid, bool align) {
    if (!kernels::grid_sample.has(input.device().type()) || input.dim() != 4) return {};
    if (input.size(2) >= (std::int64_t(1) << 31) / input.size(3)) return {};
    const Tensor image = contiguous_raw(input), places = contiguous_raw(grid),
                 out = empty_raw({input.size(0), input.size(1), grid.size(1), grid.size(2)}, input);
    kernels::grid_sample(out, image, places, align);
    record("grid_sample", {input, grid}, out, {input, grid}, [align](RuleContext& c) -> GradList {
        if (GradMode::is_enabled()) return through_ops(c, align);
        const Tensor x = contiguous_raw(c.saved(0)), at = contiguous_raw(c.saved(1));
        const Tensor gx = c.needs(0) ? empty_raw(x.sizes(), x) : Tensor(),
                     gat = c.needs(1) ? empty_raw(at.sizes(), at) : Tensor();
        kernels::grid_sample_backward(contiguous_raw(c.grad()), gx, gat, x, at, align);
        return {gx, gat};
    });
    return out;
}

Tensor sample(const char* op, const Tensor& input, const Tensor& grid, Sampling sampling, Outside outside, bool align) {
    check_operands(op, input, grid);
    const ScalarType t = input.scalar_type();
    if (t == kHalf || t == kBFloat16) // places and weights need more digits than these have
        return sample(op, input.to(kFloat), grid.to(kFloat), sampling, outside, align).to(t);
    if (sampling == Sampling::Linear && outside == Outside::Zeros)
        if (Tensor out = by_kernel(input, grid, align); out.defined()) return out;
    return by_ops(input, grid, sampling, outside, align);
}

Sampling sampling_of(const char* op, std::int64_t mode) {
    REEL_CHECK(mode >= 0 && mode <= 2, op, ": interpolation_mode is ", mode,
               "; expected 0 (bilinear), 1 (nearest) or 2 (bicubic)");
    return mode == 0 ? Sampling::Linear : mode == 1 ? Sampling::Nearest : Sampling::Cubic;
}
Outside outside_of(const char* op, std::int64_t mode) {
    REEL_CHECK(mode >= 0 && mode <= 2, op, ": padding_mode is ", mode,
               "; expected 0 (zeros), 1 (border) or 2 (reflection)");
    return mode == 0 ? Outside::Zeros : mode == 1 ? Outside::Border : Outside::Reflection;
}

} // namespace

/// Elements of input [N, C, H, W] (or [N, C, D, H, W]) at the places grid [N, ..., 2 or 3], coordinates x, y(, z) in
/// [-1, 1].
REEL_OP("nn.functional.grid_sample(Tensor input, Tensor grid, str mode='bilinear', str padding_mode='zeros', "
        "bool? align_corners=None) -> Tensor",
        rule)
Tensor grid_sample(const Tensor& input, const Tensor& grid, std::string_view mode, std::string_view padding_mode,
                   std::optional<bool> align_corners) {
    REEL_CHECK_VALUE(mode == "bilinear" || mode == "nearest" || mode == "bicubic", "grid_sample: mode is '", mode,
                     "'; expected 'bilinear', 'nearest' or 'bicubic'");
    REEL_CHECK_VALUE(padding_mode == "zeros" || padding_mode == "border" || padding_mode == "reflection",
                     "grid_sample: padding_mode is '", padding_mode, "'; expected 'zeros', 'border' or 'reflection'");
    return sample("grid_sample", input, grid,
                  mode == "bilinear"  ? Sampling::Linear
                  : mode == "nearest" ? Sampling::Nearest
                                      : Sampling::Cubic,
                  padding_mode == "zeros"    ? Outside::Zeros
                  : padding_mode == "border" ? Outside::Border
                                             : Outside::Reflection,
                  align_corners.value_or(false));
}
REEL_OP("grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> "
        "Tensor",
        rule)
Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, std::int64_t interpolation_mode,
                       std::int64_t padding_mode, bool align_corners) {
    REEL_CHECK(input.dim() == 4, "grid_sampler_2d: input has shape ", input.sizes(), "; expected 4 dimensions");
    return sample("grid_sampler_2d", input, grid, sampling_of("grid_sampler_2d", interpolation_mode),
                  outside_of("grid_sampler_2d", padding_mode), align_corners);
}
REEL_OP("grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> "
        "Tensor",
        rule)
Tensor grid_sampler_3d(const Tensor& input, const Tensor& grid, std::int64_t interpolation_mode,
                       std::int64_t padding_mode, bool align_corners) {
    REEL_CHECK(input.dim() == 5, "grid_sampler_3d: input has shape ", input.sizes(), "; expected 5 dimensions");
    return sample("grid_sampler_3d", input, grid, sampling_of("grid_sampler_3d", interpolation_mode),
                  outside_of("grid_sampler_3d", padding_mode), align_corners);
}

} // namespace reel
