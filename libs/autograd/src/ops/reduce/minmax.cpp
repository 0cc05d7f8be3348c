// Extrema and the elements that stand in the middle or occur most often.
#include <reel/autograd/kernels/reduce.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/extrema.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

#include "ops/reduce/reduction.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace autograd;
using namespace reduction;

namespace {

/// What `kernel` finds along `dims`, as elements of `dtype`.
template <class Kernel>
Tensor found_by(const Kernel& kernel, const char* op, const Tensor& input, ScalarType dtype, const Dims& dims,
                bool keepdim, bool greatest) {
    require_rows(op, input, dims);
    check_real(input.scalar_type(), op);
    std::int64_t inner = 1;
    Tensor out = empty_raw(reduced_sizes(input, dims, keepdim), dtype, input.device());
    const Tensor rows = rows_last(input, dims, inner);
    kernel(op, out, rows, inner, greatest);
    return out;
}
template <bool Max> Tensor extremum(const char* op, const Tensor& input, const Dims& dims, bool keepdim) {
    require_rows(op, input, dims);
    check_real(input.scalar_type(), op);
    Tensor out = empty_raw(reduced_sizes(input, dims, keepdim), input.scalar_type(), input.device());
    Dims order = dims;
    const Tensor operand = in_memory_order(input, order);
    if (kernels::extremum_of_columns.has(input.device().type()) && out.numel() >= 16 &&
        reduces_columns(operand, order)) {
        kernels::extremum_of_columns(op, out, operand, operand.numel() / out.numel(), Max);
        return out;
    }
    std::int64_t inner = 1;
    const Tensor rows = rows_last(operand, order, inner);
    kernels::extremum(op, out, rows, inner, Max);
    return out;
}
template <bool Max> Tensor extremum_place(const char* op, const Tensor& input, const Dims& dims, bool keepdim) {
    return found_by(kernels::extremum_place, op, input, kLong, dims, keepdim, Max);
}
/// The elements at `index` along `dim`, which the reduction has removed or kept.
Tensor pick(const Tensor& input, std::int64_t dim, const Tensor& index, bool keepdim) {
    NoGradGuard guard;
    if (input.dim() == 0) return input.clone();
    const Tensor at = keepdim ? index : unsqueeze(index, dim);
    const Tensor v = gather(input, dim, at);
    return keepdim ? v : squeeze(v, dim);
}
/// Values at the places that the op chose; the gradient goes back to those places.
std::tuple<Tensor, Tensor> chosen(const char* op, const Tensor& input, std::int64_t dim, const Tensor& index,
                                  bool keepdim) {
    const Tensor values = pick(input.detach(), dim, index, keepdim);
    const Dims shape(input.sizes());
    record(op, TensorList{input}, {values, index}, {index}, [shape, dim, keepdim](RuleContext& c) -> GradList {
        if (!c.grad(0).defined()) return {Tensor()};
        return {scatter_back(c.grad(0), c.saved(0), shape, dim, keepdim)};
    });
    return {values, index};
}
/// Places equal to the reduced value (NaN counts as equal to NaN).
Tensor equal_places(const Tensor& x, const Tensor& value) {
    const Tensor same = x == value;
    return x.is_floating_point() ? logical_or(same, logical_and(isnan(x), isnan(value))) : same;
}
template <bool Max> Tensor whole(const char* op, const Tensor& input) {
    REEL_CHECK(input.numel() > 0, op, ": input ", input.sizes(),
               " is empty; an extremum needs at least one element. Name a dimension");
    Tensor out = extremum<Max>(op, input, all_dims(input), false);
    record(op, {input}, out, {input, out}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0);
        return {share(c.grad(), equal_places(x, c.saved(1)), all_dims(x))};
    });
    return out;
}
template <bool Max>
std::tuple<Tensor, Tensor> along(const char* op, const Tensor& input, std::int64_t dim, bool keepdim) {
    const std::int64_t d = wrap_dim(op, dim, input.dim());
    return chosen(op, input, d, extremum_place<Max>(op, input, {d}, keepdim), keepdim);
}
template <bool Max> Tensor over(const char* op, const Tensor& input, OptionalIntArrayRef dim, bool keepdim) {
    const Dims dims = reduced_dims(op, input, dim);
    Tensor out = extremum<Max>(op, input, dims, keepdim);
    record(op, {input}, out, {input, out}, [dims, keepdim](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0);
        const Dims shape(x.sizes());
        const Tensor y = keep_dims(c.saved(1), shape, dims, keepdim), g = keep_dims(c.grad(), shape, dims, keepdim);
        return {share(g, x == y, dims)};
    });
    return out;
}

} // namespace

/// Largest element (ties share the gradient); the larger of two tensors; largest along `dim` and its first place.
/// NaN is larger than anything.
REEL_OP("max(Tensor input) -> Tensor", rule, method, out)
Tensor max(const Tensor& input) { return whole<true>("max", input); }
REEL_OP("max(Tensor input, Tensor other) -> Tensor", composite, method, out)
Tensor max(const Tensor& input, const Tensor& other) { return maximum(input, other); }
REEL_OP("max(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", rule, method, out)
std::tuple<Tensor, Tensor> max(const Tensor& input, std::int64_t dim, bool keepdim) {
    return along<true>("max", input, dim, keepdim);
}
/// Smallest element (ties share the gradient); the smaller of two tensors; smallest along `dim` and its first place.
/// NaN is smaller than anything.
REEL_OP("min(Tensor input) -> Tensor", rule, method, out)
Tensor min(const Tensor& input) { return whole<false>("min", input); }
REEL_OP("min(Tensor input, Tensor other) -> Tensor", composite, method, out)
Tensor min(const Tensor& input, const Tensor& other) { return minimum(input, other); }
REEL_OP("min(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", rule, method, out)
std::tuple<Tensor, Tensor> min(const Tensor& input, std::int64_t dim, bool keepdim) {
    return along<false>("min", input, dim, keepdim);
}
/// Largest elements over `dim` (all when absent or empty); ties share the gradient.
REEL_OP("amax(Tensor input, int[] dim=[], bool keepdim=False) -> Tensor", rule, method, out_exact)
Tensor amax(const Tensor& input, IntArrayRef dim, bool keepdim) { return over<true>("amax", input, dim, keepdim); }
/// Smallest elements over `dim` (all when absent or empty); ties share the gradient.
REEL_OP("amin(Tensor input, int[] dim=[], bool keepdim=False) -> Tensor", rule, method, out_exact)
Tensor amin(const Tensor& input, IntArrayRef dim, bool keepdim) { return over<false>("amin", input, dim, keepdim); }
/// Smallest and largest elements along `dim`, or of the whole tensor.
REEL_OP("aminmax(Tensor input, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", rule, method,
        out_exact)
std::tuple<Tensor, Tensor> aminmax(const Tensor& input, std::optional<std::int64_t> dim, bool keepdim) {
    REEL_CHECK(dim || input.numel() > 0, "aminmax: input ", input.sizes(),
               " is empty; an extremum needs at least one element. Name a dimension");
    const Dims dims = dim ? Dims{wrap_dim("aminmax", *dim, input.dim())} : all_dims(input);
    return {over<false>("aminmax", input, IntArrayRef(dims), keepdim),
            over<true>("aminmax", input, IntArrayRef(dims), keepdim)};
}
/// Place of the first largest element along `dim`, or in the flattened tensor; a NaN is the largest.
REEL_OP("argmax(Tensor input, int? dim=None, bool keepdim=False) -> Tensor", not_differentiable, method, out_exact)
Tensor argmax(const Tensor& input, std::optional<std::int64_t> dim, bool keepdim) {
    if (reel::detail::thread_modes.observers) recording::not_recorded("argmax", {input});
    const Dims dims = dim ? Dims{wrap_dim("argmax", *dim, input.dim())} : all_dims(input);
    return extremum_place<true>("argmax", input, dims, keepdim);
}
/// Place of the first smallest element along `dim`, or in the flattened tensor; a NaN is the smallest.
REEL_OP("argmin(Tensor input, int? dim=None, bool keepdim=False) -> Tensor", not_differentiable, method, out_exact)
Tensor argmin(const Tensor& input, std::optional<std::int64_t> dim, bool keepdim) {
    if (reel::detail::thread_modes.observers) recording::not_recorded("argmin", {input});
    const Dims dims = dim ? Dims{wrap_dim("argmin", *dim, input.dim())} : all_dims(input);
    return extremum_place<false>("argmin", input, dims, keepdim);
}

namespace {

Tensor median_places(const char* op, const Tensor& input, const Dims& dims, bool keepdim, bool ignore_nan) {
    require_rows(op, input, dims);
    check_real(input.scalar_type(), op);
    std::int64_t inner = 1;
    Tensor out = empty_raw(reduced_sizes(input, dims, keepdim), kLong, input.device());
    const Tensor rows = rows_last(input, dims, inner);
    kernels::median_place(op, out, rows, inner, ignore_nan);
    return out;
}
Tensor median_of_all(const char* op, const Tensor& input, bool ignore_nan) {
    Tensor out;
    if (input.numel() == 0) {
        out = empty_raw({}, input.scalar_type(), input.device());
        if (input.is_floating_point()) fill_raw(out, std::numeric_limits<double>::quiet_NaN());
        else fill_raw(out, std::numeric_limits<std::int64_t>::min());
    } else {
        const Tensor place = median_places(op, input, all_dims(input), false, ignore_nan);
        NoGradGuard guard;
        out = !has_values(input) ? empty_raw({}, input.scalar_type(), input.device())
              : input.dim() == 0 ? input.detach().clone()
                                 : select(reshape(input.detach(), {-1}), 0, place.item().toLong()).clone();
    }
    record(op, {input}, out, {input, out}, [](RuleContext& c) -> GradList {
        const Tensor x = c.saved(0);
        return {share(c.grad(), equal_places(x, c.saved(1)), all_dims(x))};
    });
    return out;
}
std::tuple<Tensor, Tensor> median_along(const char* op, const Tensor& input, std::int64_t dim, bool keepdim,
                                        bool ignore_nan) {
    const std::int64_t d = wrap_dim(op, dim, input.dim());
    return chosen(op, input, d, median_places(op, input, {d}, keepdim, ignore_nan), keepdim);
}

} // namespace

/// The lower median of all elements, or along `dim` with its place; NaN if there is one.
REEL_OP("median(Tensor input) -> Tensor", rule, method)
Tensor median(const Tensor& input) { return median_of_all("median", input, false); }
REEL_OP("median(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", rule, method, out)
std::tuple<Tensor, Tensor> median(const Tensor& input, std::int64_t dim, bool keepdim) {
    return median_along("median", input, dim, keepdim, false);
}
/// The lower median of the elements that are numbers.
REEL_OP("nanmedian(Tensor input) -> Tensor", rule, method)
Tensor nanmedian(const Tensor& input) { return median_of_all("nanmedian", input, true); }
REEL_OP("nanmedian(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", rule, method, out)
std::tuple<Tensor, Tensor> nanmedian(const Tensor& input, std::int64_t dim, bool keepdim) {
    return median_along("nanmedian", input, dim, keepdim, true);
}

/// The most frequent element along `dim` and a place where it is; the smallest of equally frequent ones.
REEL_OP("mode(Tensor input, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", rule, method,
        out_exact)
std::tuple<Tensor, Tensor> mode(const Tensor& input, std::int64_t dim, bool keepdim) {
    const std::int64_t d = wrap_dim("mode", dim, input.dim());
    require_rows("mode", input, {d});
    check_real(input.scalar_type(), "mode");
    std::int64_t inner = 1;
    const Tensor places = empty_raw(reduced_sizes(input, {d}, keepdim), kLong, input.device());
    const Tensor rows = rows_last(input, {d}, inner);
    kernels::mode_place(places, rows, inner);
    return chosen("mode", input, d, places, keepdim);
}

} // namespace reel
