// The elements of one tensor in another order, or several times.
#include <reel/autograd/kernels/flip.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/shape/arrange.hpp>
#include <reel/autograd/ops/shape/permute.hpp>

#include "ops/index/index_kernels.hpp"
#include "ops/shape/join.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"

#include <algorithm>
#include <numeric>

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
std::int64_t modulo(std::int64_t a, std::int64_t n) {
    const std::int64_t r = a % n;
    return r < 0 ? r + n : r;
}

Tensor flip_raw(const Tensor& input, IntArrayRef dims) {
    if (kernels::flip.has(input.device().type())) {
        const Tensor out = empty_raw(input.sizes(), input);
        std::uint64_t reversed = 0;
        for (const std::int64_t d : dims)
            if (input.dim() > 0) reversed |= std::uint64_t(1) << d;
        kernels::flip(out, input, reversed);
        return out;
    }
    Tensor x = input;
    for (const std::int64_t d : dims) {
        if (input.dim() == 0) break;
        const std::int64_t n = x.sizes()[std::size_t(d)];
        const Tensor back = generated<std::int64_t>(n, [n](std::int64_t i) { return n - 1 - i; }).to(x.device());
        x = gather_raw(x, d, expand_index(back, x.sizes(), d));
    }
    if (!x.is_same(input)) return x;
    const Tensor out = empty_raw(input.sizes(), input);
    assign_raw(out, input);
    return out;
}

/// `t` with dimension `d` moved on by `shift` in [0, size).
Tensor roll_raw(const Tensor& t, std::int64_t d, std::int64_t shift) {
    const std::int64_t n = t.sizes()[std::size_t(d)];
    const Tensor out = empty_raw(t.sizes(), t),
                 parts[] = {narrow_raw(t, d, n - shift, shift), narrow_raw(t, d, 0, n - shift)};
    if (joined_as_blocks(out, parts, d)) return out;
    assign_raw(narrow_raw(out, d, shift, n - shift), parts[1]);
    if (shift > 0) assign_raw(narrow_raw(out, d, 0, shift), parts[0]);
    return out;
}

/// Each dimension moved on by half of its size (rounded down or up).
Tensor shift_by_half(const char* op, const Tensor& input, OptionalIntArrayRef dim, std::int64_t round_up) {
    Dims dims;
    if (dim) dims = wrap_dims(op, *dim, input.dim());
    else
        for (std::int64_t d = 0; d < input.dim(); ++d) dims.push_back(d);
    Dims shifts;
    for (const std::int64_t d : dims) shifts.push_back((input.size(d) + round_up) / 2);
    return dims.empty() ? input.clone() : roll(input, shifts, dims);
}
} // namespace

/// A copy with the order of the elements along each of `dims` reversed.  gx = flip(gy, dims)
REEL_OP("flip(Tensor input, int[] dims) -> Tensor", rule, method)
Tensor flip(const Tensor& input, IntArrayRef dims) {
    const Dims d = wrap_dims("flip", dims, input.dim());
    const Tensor out = flip_raw(input, d);
    record("flip", {input}, out, {}, [d](RuleContext& c) -> GradList { return {flip(c.grad(), d)}; });
    return out;
}
/// `flip` of the second dimension.
REEL_OP("fliplr(Tensor input) -> Tensor", composite, method)
Tensor fliplr(const Tensor& input) {
    REEL_CHECK(input.dim() >= 2, "fliplr: expected at least 2 dimensions, got sizes ", input.sizes());
    return flip(input, {1});
}
/// `flip` of the first dimension.
REEL_OP("flipud(Tensor input) -> Tensor", composite, method)
Tensor flipud(const Tensor& input) {
    REEL_CHECK(input.dim() >= 1, "flipud: expected at least 1 dimension, got a 0-dim tensor");
    return flip(input, {0});
}

/// Elements moved on by `shifts` along `dims`; those that leave at the end come back at the start. Without `dims` the
/// flattened tensor is rolled.  gx = roll(gy, -shifts, dims)
REEL_OP("roll(Tensor input, int[] shifts, int[] dims=[]) -> Tensor", rule, method)
Tensor roll(const Tensor& input, IntArrayRef shifts, IntArrayRef dims) {
    REEL_CHECK(!shifts.empty(), "roll: shifts must not be empty");
    if (dims.empty() && shifts.size() == 1) {
        if (input.dim() == 1) return roll(input, shifts, {0});
        return roll(input.contiguous().view({-1}), shifts, {0}).reshape(input.sizes());
    }
    REEL_CHECK(shifts.size() == dims.size(), "roll: shifts ", shifts, " and dims ", dims, " differ in length");
    REEL_CHECK_INDEX(input.dim() > 0, "roll: dims ", dims, " are given, but a 0-dim tensor has none");
    Tensor out = input;
    Dims back, d; // a dimension may be named several times
    for (std::size_t i = 0; i < dims.size(); ++i) {
        d.push_back(wrap_dim("roll", dims[i], input.dim()));
        const std::int64_t n = std::max<std::int64_t>(input.sizes()[std::size_t(d[i])], 1), by = modulo(shifts[i], n);
        back.push_back(n - by);
        if (input.numel() > 0) out = roll_raw(out, d[i], by);
    }
    if (out.is_same(input)) out = empty_raw(input.sizes(), input); // empty
    record("roll", {input}, out, {}, [back, d](RuleContext& c) -> GradList { return {roll(c.grad(), back, d)}; });
    return out;
}

/// Zero frequency to the middle of the spectrum, and back.
REEL_OP("fft.fftshift(Tensor input, int[]? dim=None) -> Tensor", composite)
Tensor fft_fftshift(const Tensor& input, OptionalIntArrayRef dim) {
    return shift_by_half("fft.fftshift", input, dim, 0);
}
REEL_OP("fft.ifftshift(Tensor input, int[]? dim=None) -> Tensor", composite)
Tensor fft_ifftshift(const Tensor& input, OptionalIntArrayRef dim) {
    return shift_by_half("fft.ifftshift", input, dim, 1);
}

/// The plane of `dims` turned by `k` quarter turns, from the first dimension towards the second.
REEL_OP("rot90(Tensor input, int k=1, int[] dims=[0, 1]) -> Tensor", composite, method)
Tensor rot90(const Tensor& input, std::int64_t k, IntArrayRef dims) {
    REEL_CHECK(dims.size() == 2, "rot90: dims must name two dimensions, got ", dims);
    REEL_CHECK(input.dim() >= 2, "rot90: expected at least 2 dimensions, got sizes ", input.sizes());
    const Dims d = wrap_dims("rot90", dims, input.dim());
    switch (modulo(k, 4)) {
    case 1:
        return transpose(flip(input, {d[1]}), d[0], d[1]);
    case 2:
        return flip(input, d);
    case 3:
        return transpose(flip(input, {d[0]}), d[0], d[1]);
    default:
        return clone(input, MemoryFormat::Contiguous);
    }
}

/// `repeats[i]` copies one after the other along dimension i; further repeats count for new leading dimensions.
/// gradient: the sum over the copies.
REEL_OP("repeat(Tensor input, int[] repeats) -> Tensor", rule, method)
Tensor repeat(const Tensor& input, IntArrayRef repeats) {
    REEL_CHECK(std::int64_t(repeats.size()) >= input.dim(), "repeat: ", repeats.size(), " repeats ", repeats,
               " for a tensor of ", input.dim(), " dimensions ", input.sizes(), "; expected at least as many");
    const std::size_t lead = repeats.size() - input.sizes().size();
    Dims sizes, split, from_sizes, from_strides, copies;
    for (std::size_t i = 0; i < repeats.size(); ++i) {
        REEL_CHECK(repeats[i] >= 0, "repeat: repeats must not be negative, got ", repeats);
        const std::int64_t n = i < lead ? 1 : input.sizes()[i - lead];
        sizes.push_back(checked_mul("repeat", "the result", repeats[i], n));
        if (n == 1) { // one element repeated: no dimension of its own, of which there are not many
            copies.push_back(std::int64_t(split.size()));
            split.push_back(repeats[i]);
            from_strides.push_back(0);
            continue;
        }
        copies.push_back(std::int64_t(split.size()));
        split.push_back(repeats[i]);
        split.push_back(n);
        from_strides.push_back(0);
        from_strides.push_back(i < lead ? 0 : input.strides()[i - lead]);
    }
    check_sizes("repeat", sizes, input.scalar_type());
    REEL_CHECK_VALUE(split.size() <= max_dims, "repeat: repeats ", repeats, " of a tensor of ", input.dim(),
                     " dimensions are too many");
    const Tensor out = empty_raw(sizes, input);
    if (out.numel() > 0)
        assign_raw(alias_raw(out, split, contiguous_strides(split), 0),
                   alias_raw(input, split, from_strides, input.storage_offset()));
    record("repeat", {input}, out, {}, [split, copies, before = Dims(input.sizes())](RuleContext& c) -> GradList {
        if (copies.empty()) return {c.grad()};
        return {c.grad().reshape(split).sum(IntArrayRef(copies)).reshape(before)};
    });
    return out;
}
/// `repeat` that fills up with ones in front when there are fewer `dims` than dimensions.
REEL_OP("tile(Tensor input, int[] dims) -> Tensor", composite, method)
Tensor tile(const Tensor& input, IntArrayRef dims) {
    Dims all(std::size_t(std::max<std::int64_t>(input.dim() - std::int64_t(dims.size()), 0)), 1);
    for (const std::int64_t r : dims) all.push_back(r);
    return repeat(input, all);
}

/// Each slice of `dim` (without it: each element of the flattened input) `repeats` times, one number for all or one for
/// each.
REEL_OP("repeat_interleave(Tensor input, int repeats, int? dim=None, *, int? output_size=None) -> Tensor", composite,
        method)
Tensor repeat_interleave(const Tensor& input, std::int64_t repeats, std::optional<std::int64_t> dim,
                         std::optional<std::int64_t> output_size) {
    REEL_CHECK(repeats >= 0, "repeat_interleave: repeats must not be negative, got ", repeats);
    const Tensor x = dim && input.dim() > 0 ? input : input.reshape({-1});
    const std::int64_t d = wrap_dim("repeat_interleave", dim.value_or(0), x.dim()), n = x.sizes()[std::size_t(d)];
    const std::int64_t total = checked_mul("repeat_interleave", "the result", n, repeats);
    REEL_CHECK(!output_size || *output_size == total, "repeat_interleave: output_size is ", *output_size,
               ", the repeats sum to ", total);
    check_sizes("repeat_interleave", total, kLong);
    const Tensor at = generated<std::int64_t>(total, [repeats](std::int64_t i) { return i / repeats; });
    return index_select(x, d, at.to(x.device()));
}
REEL_OP("repeat_interleave(Tensor input, Tensor repeats, int? dim=None, *, int? output_size=None) -> Tensor", composite,
        method)
Tensor repeat_interleave(const Tensor& input, const Tensor& repeats, std::optional<std::int64_t> dim,
                         std::optional<std::int64_t> output_size) {
    const Tensor x = dim && input.dim() > 0 ? input : input.reshape({-1});
    const std::int64_t d = wrap_dim("repeat_interleave", dim.value_or(0), x.dim()), n = x.sizes()[std::size_t(d)];
    Tensor each = repeats.dim() == 0 ? repeats.reshape({1}) : repeats;
    REEL_CHECK(each.dim() == 1 && (each.size(0) == n || each.size(0) == 1),
               "repeat_interleave: repeats must be one number or one for each of the ", n, " slices, got sizes ",
               repeats.sizes());
    if (each.size(0) != n) each = expand_raw(each, {n});
    return index_select(x, d, repeat_interleave(each, output_size));
}
/// The index i, `repeats[i]` times, for all i.
REEL_OP("repeat_interleave(Tensor repeats, *, int? output_size=None) -> Tensor", not_differentiable)
Tensor repeat_interleave(const Tensor& repeats, std::optional<std::int64_t> output_size) {
    REEL_CHECK(repeats.dim() == 1, "repeat_interleave: repeats must have one dimension, got sizes ", repeats.sizes());
    const HostValues<std::int64_t> times(index_as_long("repeat_interleave", repeats, "repeats"), "repeat_interleave");
    std::int64_t total = 0;
    for (const std::int64_t n : times) {
        REEL_CHECK(n >= 0, "repeat_interleave: repeats must not be negative, got ", n);
        total = checked_add("repeat_interleave", "the sum of the repeats", total, n);
    }
    check_sizes("repeat_interleave", total, kLong);
    REEL_CHECK(!output_size || *output_size == total, "repeat_interleave: output_size is ", *output_size,
               ", the repeats sum to ", total);
    std::vector<std::int64_t> index;
    checked_reserve("repeat_interleave", "the result", index, total);
    for (std::int64_t i = 0; i < times.size(); ++i) index.insert(index.end(), std::size_t(times[i]), i);
    return tensor_of(index).to(repeats.device());
}

} // namespace reel
