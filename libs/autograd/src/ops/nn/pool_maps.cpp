// Windows of pooling calls, and the recorded maps over them.
#include "ops/nn/pool.hpp"

#include <algorithm>
#include <limits>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "tensor/checked_size.hpp"
#include "tensor/number_range.hpp"
#include "tensor/raw.hpp"

namespace reel::pool {

using namespace autograd;
using namespace reel::detail;

namespace {

Dims per_dim(const char* op, const char* argument, IntArrayRef values, std::size_t n) {
    REEL_CHECK(values.size() == 1 || values.size() == n, op, ": ", argument, " is ", values,
               "; expected one number or ", n);
    return values.size() == n ? Dims(values) : Dims(n, values[0]);
}
std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// Shape and planes of the plan from the input; the last `n` output sizes are set by the caller.
Plan begin(const char* op, std::size_t n, const Tensor& input, bool image_may_be_empty) {
    const std::int64_t rank = std::int64_t(n);
    REEL_CHECK_VALUE(input.dim() == rank + 1 || input.dim() == rank + 2, op, ": input has shape ", input.sizes(),
                     "; expected ", rank + 1, " dimensions (one example) or ", rank + 2, " (a batch)");
    Plan p;
    p.in = p.out = Dims(input.sizes());
    for (std::int64_t d = 0; d < input.dim(); ++d) {
        const bool batch = d == 0 && input.dim() == rank + 2, image = d >= input.dim() - rank;
        REEL_CHECK(input.size(d) > 0 || batch || (image_may_be_empty && !image), op, ": input has shape ",
                   input.sizes(), "; only the batch dimension may be empty");
        if (image) p.g.in[3 - input.dim() + d] = input.size(d);
        else p.g.planes *= input.size(d);
    }
    for (std::size_t d = 0; d + n < 3; ++d) p.g.windows[d].push_back({0, 1, 1, 1});
    return p;
}
void finish(Plan& p, std::size_t n) {
    for (std::size_t d = 0; d < n; ++d) {
        const std::size_t at = 3 - n + d;
        p.g.out[at] = std::int64_t(p.g.windows[at].size());
        p.out[p.out.size() - n + d] = p.g.out[at];
    }
}

} // namespace

Plan sliding(const char* op, std::size_t n, const Tensor& input, const Arguments& a) {
    const Dims kernel = per_dim(op, "kernel_size", a.kernel_size, n), padding = per_dim(op, "padding", a.padding, n),
               dilation = per_dim(op, "dilation", a.dilation, n);
    const Dims stride = a.stride && !(*a.stride).empty() ? per_dim(op, "stride", *a.stride, n) : kernel;
    REEL_CHECK(!a.divisor_override || *a.divisor_override != 0, op, ": divisor_override must not be 0");
    const auto reach_of = [&](std::size_t d) {
        return checked_add(op, "the window", checked_mul(op, "the window", dilation[d], kernel[d] - 1), 1);
    };
    for (std::size_t d = 0; d < n; ++d) {
        REEL_CHECK(kernel[d] > 0, op, ": kernel_size is ", IntArrayRef(kernel), "; expected positive numbers");
        REEL_CHECK(stride[d] > 0, op, ": stride is ", IntArrayRef(stride), "; expected positive numbers");
        REEL_CHECK(dilation[d] > 0, op, ": dilation is ", IntArrayRef(dilation), "; expected positive numbers");
        REEL_CHECK(padding[d] >= 0 && padding[d] <= reach_of(d) / 2, op, ": padding is ", IntArrayRef(padding),
                   "; expected at least 0 and at most half of the effective kernel size (kernel_size ",
                   IntArrayRef(kernel), ", dilation ", IntArrayRef(dilation), ")");
    }
    Plan p = begin(op, n, input, false);
    p.g.divisor = a.divisor_override.value_or(0);
    for (std::size_t d = 0; d < n; ++d) {
        const std::size_t at = 3 - n + d;
        const std::int64_t in = p.g.in[at], reach = reach_of(d);
        // The padding is half of the window at most, so that nothing overflows. Rounded up is 1 + rounded down of one
        // less.
        const std::int64_t room = in - (reach - 2 * padding[d]);
        std::int64_t out = a.ceil_mode ? floor_div(room - 1, stride[d]) + 2 : floor_div(room, stride[d]) + 1;
        // A window may not start in the padding beyond the image's end.
        if (a.ceil_mode && out > 0 && (out - 1) * stride[d] >= in + padding[d]) --out;
        REEL_CHECK(out > 0, op, ": input ", input.sizes(), " with kernel_size ", IntArrayRef(kernel),
                   " gives an output of size ", out, " in dimension ", d);
        checked_reserve(op, "windows", p.g.windows[at], out);
        for (std::int64_t o = 0; o < out; ++o) {
            const std::int64_t start = o * stride[d] - padding[d], end = checked_add(op, "the window", start, reach);
            PoolWindow w{start, std::min(end, in), dilation[d], 0};
            if (start < 0) w.first += (-start + dilation[d] - 1) / dilation[d] * dilation[d];
            w.share = a.count_include_pad ? std::min(end, in + padding[d]) - start : w.last - w.first;
            p.g.windows[at].push_back(w);
        }
    }
    finish(p, n);
    return p;
}

Plan adaptive(const char* op, std::size_t n, const Tensor& input, IntArrayRef output_size) {
    const Dims sizes = per_dim(op, "output_size", output_size, n);
    Plan p = begin(op, n, input, true);
    for (std::size_t d = 0; d < n; ++d) {
        const std::size_t at = 3 - n + d;
        const std::int64_t in = p.g.in[at], out = sizes[d] == no_size ? in : sizes[d];
        REEL_CHECK(out >= 0, op, ": output_size is ", out, " in dimension ", d, "; expected no negative number");
        checked_mul(op, "output_size", out, in + 1);
        p.out[p.out.size() - n + d] = out;
        check_sizes(op, p.out, input.scalar_type());
        checked_reserve(op, "windows", p.g.windows[at], out);
        for (std::int64_t o = 0; o < out; ++o) {
            const std::int64_t first = o * in / out, last = ((o + 1) * in + out - 1) / out;
            p.g.windows[at].push_back({first, last, 1, last - first});
        }
    }
    finish(p, n);
    return p;
}

namespace {
/// Does some window see padding alone? Steps of a dilated one may jump over a small image.
bool sees_nothing(const PoolGeometry& g) {
    const auto empty = [](const PoolWindow& w) { return w.first >= w.last; };
    return std::any_of(std::begin(g.windows), std::end(g.windows),
                       [&](const auto& windows) { return std::any_of(windows.begin(), windows.end(), empty); });
}
/// The greatest of no numbers of a dtype.
Scalar least_number(ScalarType t) {
    const auto range = integer_range(t);
    return range ? Scalar(range->low) : Scalar(-std::numeric_limits<double>::infinity());
}
} // namespace

std::tuple<Tensor, Tensor> max(const char* op, const Plan& p, const Tensor& input) {
    const Tensor x = contiguous_raw(input);
    Tensor out = empty_raw(p.out, input.scalar_type(), input.device()),
           places = empty_raw(p.out, kLong, input.device());
    REEL_CHECK_NOT_IMPLEMENTED(!isComplexType(input.scalar_type()) && input.scalar_type() != kBool, op,
                               ": not implemented for ", dtype_name(input.scalar_type()));
    kernels::max_pool(p.g, x, out, places);
    if (sees_nothing(p.g)) {
        const NoGradGuard guard;
        out.masked_fill_(places < 0, least_number(input.scalar_type()));
    }
    if (needs_recording(input))
        record(op, {input}, out, {places},
               [p](RuleContext& c) -> GradList { return {unpick(p, c.grad(), c.saved(0))}; });
    return {out, places};
}
Tensor pick(const Plan& p, const Tensor& x, const Tensor& places) {
    Tensor out = empty_raw(p.out, x.scalar_type(), x.device());
    kernels::max_pool_pick(p.g, contiguous_raw(x), contiguous_raw(places), out);
    if (needs_recording(x))
        record("pool_pick", {x}, out, {places},
               [p](RuleContext& c) -> GradList { return {unpick(p, c.grad(), c.saved(0))}; });
    return out;
}
Tensor unpick(const Plan& p, const Tensor& y, const Tensor& places) {
    Tensor out = empty_raw(p.in, y.scalar_type(), y.device());
    kernels::max_pool_unpick(p.g, out, contiguous_raw(places), contiguous_raw(y));
    if (needs_recording(y))
        record("pool_unpick", {y}, out, {places},
               [p](RuleContext& c) -> GradList { return {pick(p, c.grad(), c.saved(0))}; });
    return out;
}

namespace {
/// 16-bit floats are averaged in float32.
ScalarType wide(ScalarType t) { return t == kHalf || t == kBFloat16 ? kFloat : t; }
Tensor mean_adjoint(const char* op, const Plan& p, const Tensor& y) {
    const ScalarType t = y.scalar_type();
    Tensor x = empty_raw(p.in, wide(t), y.device());
    kernels::avg_pool_adjoint(p.g, x, contiguous_raw(cast_raw(y, wide(t))));
    x = cast_raw(x, t);
    if (needs_recording(y))
        record("mean_pool_adjoint", {y}, x, {},
               [op, p](RuleContext& c) -> GradList { return {window_means(op, p, c.grad())}; });
    return x;
}
} // namespace

Tensor window_means(const char* op, const Plan& p, const Tensor& input) {
    const ScalarType t = input.scalar_type();
    REEL_CHECK_NOT_IMPLEMENTED(!isComplexType(t) && t != kBool, op, ": not implemented for ", dtype_name(t));
    Tensor y = empty_raw(p.out, wide(t), input.device());
    kernels::avg_pool(p.g, contiguous_raw(cast_raw(input, wide(t))), y);
    y = cast_raw(y, t);
    if (needs_recording(input))
        record(op, {input}, y, {}, [op, p](RuleContext& c) -> GradList { return {mean_adjoint(op, p, c.grad())}; });
    return y;
}

} // namespace reel::pool
