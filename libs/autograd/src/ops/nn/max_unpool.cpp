// Putting pooled elements back where they stood.
#include <reel/autograd/ops/nn/max_unpool.hpp>
#include <reel/autograd/record.hpp>

#include <vector>

#include "ops/nn/pool.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

Tensor gather_places(const pool::Plan& p, const Tensor& x, const Tensor& places);
/// x[places] = y; its derivative reads there, and the derivative of that writes again.
Tensor put_places(const pool::Plan& p, const Tensor& y, const Tensor& places) {
    Tensor x = empty_raw(p.in, y.scalar_type(), y.device());
    kernels::max_unpool(p.g, x, contiguous_raw(places), contiguous_raw(y));
    if (needs_recording(y))
        record("max_unpool", {y}, x, {places},
               [p](RuleContext& c) -> GradList { return {gather_places(p, c.grad(), c.saved(0))}; });
    return x;
}
Tensor gather_places(const pool::Plan& p, const Tensor& x, const Tensor& places) {
    Tensor y = empty_raw(p.out, x.scalar_type(), x.device());
    kernels::max_unpool_adjoint(p.g, contiguous_raw(x), contiguous_raw(places), y);
    if (needs_recording(x))
        record("max_unpool_backward", {x}, y, {places},
               [p](RuleContext& c) -> GradList { return {put_places(p, c.grad(), c.saved(0))}; });
    return y;
}

Tensor unpool(const char* op, std::size_t n, const Tensor& input, const Tensor& indices, IntArrayRef kernel_size,
              OptionalIntArrayRef stride, IntArrayRef padding, OptionalIntArrayRef output_size) {
    const std::int64_t rank = std::int64_t(n);
    REEL_CHECK(input.dim() == rank + 1 || input.dim() == rank + 2, op, ": input has shape ", input.sizes(),
               "; expected ", rank + 1, " or ", rank + 2, " dimensions");
    REEL_CHECK(indices.sizes().equals(input.sizes()) && indices.scalar_type() == kLong, op, ": indices of shape ",
               indices.sizes(), " and dtype ", dtype_name(indices.scalar_type()), " must be int64 with input's shape ",
               input.sizes());
    const auto at = [n](IntArrayRef v, std::size_t d) { return v[v.size() == n ? d : 0]; };
    const IntArrayRef step = stride && !(*stride).empty() ? *stride : kernel_size;
    const auto check_length = [&](const char* argument, IntArrayRef v) {
        REEL_CHECK(v.size() == 1 || v.size() == n, op, ": ", argument, " is ", v, "; expected one number or ", n);
    };
    check_length("kernel_size", kernel_size);
    check_length("stride", step);
    check_length("padding", padding);
    pool::Plan p;
    p.in = p.out = Dims(input.sizes());
    for (std::int64_t d = 0; d < input.dim() - rank; ++d) p.g.planes *= input.size(d);
    for (std::size_t d = 0; d < n; ++d) {
        REEL_CHECK(at(step, d) > 0 && at(kernel_size, d) > 0 && at(padding, d) >= 0, op, ": kernel_size ", kernel_size,
                   " and stride ", step, " must be positive, padding ", padding, " not negative");
        const std::int64_t size = input.size(std::int64_t(d) - rank),
                           whole = checked_add(op, "the output", checked_mul(op, "the output", size - 1, at(step, d)),
                                               at(kernel_size, d)),
                           usual = checked_sub(op, "the output", whole,
                                               checked_mul(op, "twice the padding", at(padding, d), 2));
        std::int64_t out = usual;
        if (output_size) {
            REEL_CHECK_VALUE((*output_size).size() == n || (*output_size).size() == n + 2, op, ": output_size ",
                             *output_size, " must have ", n, " or ", n + 2, " entries");
            out = (*output_size)[(*output_size).size() - n + d];
            REEL_CHECK_VALUE(out > checked_sub(op, "the output", usual, at(step, d)) &&
                                 out < checked_add(op, "the output", usual, at(step, d)),
                             op, ": output_size ", *output_size, " is not within a stride of ", usual, " in dimension ",
                             d);
        }
        REEL_CHECK(out > 0, op, ": the output would have size ", out);
        p.g.out[3 - n + d] = size;
        p.g.in[3 - n + d] = out;
        p.in[p.in.size() - n + d] = out;
    }
    check_sizes(op, p.in, input.scalar_type());
    const Tensor places = contiguous_raw(indices);
    if (has_values(places))
        for (const std::int64_t i : HostValues<std::int64_t>(places, op))
            REEL_CHECK(i >= 0 && i < p.g.in_size(), op, ": index ", i, " is outside of the output of ", p.g.in_size(),
                       " elements");
    return put_places(p, input, places);
}

} // namespace

/// The partial inverse of max_pool1d: elements go back to `indices`, the rest is zero.
REEL_OP("nn.functional.max_unpool1d(Tensor input, Tensor indices, int[] kernel_size, int[]? stride=None, int[] "
        "padding=0, int[]? output_size=None) -> Tensor",
        rule)
Tensor max_unpool1d(const Tensor& input, const Tensor& indices, IntArrayRef kernel_size, OptionalIntArrayRef stride,
                    IntArrayRef padding, OptionalIntArrayRef output_size) {
    return unpool("max_unpool1d", 1, input, indices, kernel_size, stride, padding, output_size);
}
/// The partial inverse of max_pool2d: elements go back to `indices`, the rest is zero.
REEL_OP("nn.functional.max_unpool2d(Tensor input, Tensor indices, int[] kernel_size, int[]? stride=None, int[] "
        "padding=0, int[]? output_size=None) -> Tensor",
        rule)
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, IntArrayRef kernel_size, OptionalIntArrayRef stride,
                    IntArrayRef padding, OptionalIntArrayRef output_size) {
    return unpool("max_unpool2d", 2, input, indices, kernel_size, stride, padding, output_size);
}
/// The partial inverse of max_pool3d: elements go back to `indices`, the rest is zero.
REEL_OP("nn.functional.max_unpool3d(Tensor input, Tensor indices, int[] kernel_size, int[]? stride=None, int[] "
        "padding=0, int[]? output_size=None) -> Tensor",
        rule)
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, IntArrayRef kernel_size, OptionalIntArrayRef stride,
                    IntArrayRef padding, OptionalIntArrayRef output_size) {
    return unpool("max_unpool3d", 3, input, indices, kernel_size, stride, padding, output_size);
}

} // namespace reel
