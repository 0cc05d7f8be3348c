// The convolution and its two adjoints. Each is linear in either operand, and the derivative of each is made of the
// other two, so gradients of any order stay on these three kernels.
#include "ops/nn/conv.hpp"

#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "op/kept_for.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/raw.hpp"

namespace reel::conv {

using namespace autograd;
using namespace reel::detail;

namespace {

/// What one call is about: geometry, and the shapes as users see them.
struct Plan {
    ConvGeometry g;
    Dims x, w, y;
};

Tensor dense(const Tensor& t) { return t.defined() ? contiguous_raw(t) : t; }

Tensor map_input(const Plan& p, const Tensor& y, const Tensor& w, const Tensor& bias, const char* op);
Tensor map_weight(const Plan& p, const Tensor& x, const Tensor& y);

/// Gradient of a bias: the sum over everything but the channels.
Tensor over_channels(const Tensor& g) {
    Dims dims{0};
    for (std::int64_t d = 2; d < g.dim(); ++d) dims.push_back(d);
    return reel::sum(g, IntArrayRef(dims));
}

Tensor map_forward(const Plan& p, const Tensor& x, const Tensor& w, const Tensor& bias) {
    Tensor out = empty_raw(p.y, x);
    kernels::conv(p.g, out, dense(x), dense(w), dense(bias));
    record({"convolution", Work::kConvolution}, {x, w, bias}, out, {kept_for(w, x), kept_for(x, w)},
           [p](RuleContext& c) -> GradList {
               const Tensor& g = c.grad();
               GradList r{Tensor(), Tensor(), Tensor()};
               if (c.needs(0)) r[0] = map_input(p, g, reel::conj(c.saved(1)), {}, "conv_transpose");
               if (c.needs(1)) r[1] = map_weight(p, reel::conj(c.saved(0)), g);
               if (c.needs(2)) r[2] = over_channels(g);
               return r;
           });
    return out;
}
Tensor map_input(const Plan& p, const Tensor& y, const Tensor& w, const Tensor& bias, const char* op) {
    Tensor out = empty_raw(p.x, y);
    kernels::conv_transpose(p.g, out, dense(y), dense(w), dense(bias));
    record({op, Work::kConvolutionTranspose}, {y, w, bias}, out, {kept_for(w, y), kept_for(y, w)},
           [p](RuleContext& c) -> GradList {
               const Tensor& g = c.grad();
               GradList r{Tensor(), Tensor(), Tensor()};
               if (c.needs(0)) r[0] = map_forward(p, g, reel::conj(c.saved(1)), {});
               if (c.needs(1)) r[1] = map_weight(p, g, reel::conj(c.saved(0)));
               if (c.needs(2)) r[2] = over_channels(g);
               return r;
           });
    return out;
}
Tensor map_weight(const Plan& p, const Tensor& x, const Tensor& y) {
    Tensor out = empty_raw(p.w, x);
    kernels::conv_weight(p.g, out, dense(x), dense(y));
    record({"convolution_weight", Work::kConvolution}, {x, y}, out, {kept_for(y, x), kept_for(x, y)},
           [p](RuleContext& c) -> GradList {
               const Tensor& g = c.grad();
               GradList r{Tensor(), Tensor()};
               if (c.needs(0)) r[0] = map_input(p, reel::conj(c.saved(1)), g, {}, "conv_transpose");
               if (c.needs(1)) r[1] = map_forward(p, reel::conj(c.saved(0)), g, {});
               return r;
           });
    return out;
}

/// Everything that does not depend on the direction. `channels` of the input that the weight asks for.
void check(const char* op, std::size_t n, const Tensor& input, const Tensor& weight, const Tensor& bias,
           const Arguments& a, bool transposed) {
    const std::int64_t rank = std::int64_t(n);
    REEL_CHECK(weight.dim() == rank + 2, op, ": weight has shape ", weight.sizes(), "; expected ", rank + 2,
               " dimensions");
    REEL_CHECK(input.dim() == rank + 1 || input.dim() == rank + 2, op, ": input has shape ", input.sizes(),
               "; expected ", rank + 1, " dimensions (one example) or ", rank + 2, " (a batch)");
    REEL_CHECK(a.groups > 0, op, ": groups is ", a.groups, "; expected a positive number");
    for (std::size_t d = 0; d < n; ++d) {
        REEL_CHECK(a.stride[d] > 0, op, ": stride is ", IntArrayRef(a.stride), "; expected positive numbers");
        REEL_CHECK(a.dilation[d] > 0, op, ": dilation is ", IntArrayRef(a.dilation), "; expected positive numbers");
        REEL_CHECK(a.padding[d] >= 0, op, ": padding is ", IntArrayRef(a.padding), "; expected no negative number");
        REEL_CHECK(weight.size(std::int64_t(d) + 2) > 0, op, ": weight has shape ", weight.sizes(),
                   "; the kernel must not be empty");
    }
    REEL_CHECK(weight.size(0) % a.groups == 0 && weight.size(0) >= a.groups, op, ": weight has shape ", weight.sizes(),
               ", whose first size must be a multiple of groups ", a.groups);
    const std::int64_t grouped = checked_mul(op, "weight's second size times groups", weight.size(1), a.groups),
                       channels = input.size(-rank - 1), wanted = transposed ? weight.size(0) : grouped;
    REEL_CHECK(channels == wanted, op, ": input of shape ", input.sizes(), " has ", channels, " channels; weight ",
               weight.sizes(), " with groups ", a.groups, " expects ", wanted);
    const std::int64_t made = transposed ? grouped : weight.size(0);
    REEL_CHECK(input.scalar_type() == weight.scalar_type(), op, ": input is ", dtype_name(input.scalar_type()),
               " and weight is ", dtype_name(weight.scalar_type()), "; convert one of them");
    REEL_CHECK(input.device() == weight.device(), op, ": input is on ", input.device(), " and weight is on ",
               weight.device());
    if (!bias.defined()) return;
    REEL_CHECK(bias.dim() == 1 && bias.size(0) == made, op, ": bias has shape ", bias.sizes(),
               "; expected one entry for each of the ", made, " output channels");
    REEL_CHECK(bias.scalar_type() == input.scalar_type(), op, ": input is ", dtype_name(input.scalar_type()),
               " and bias is ", dtype_name(bias.scalar_type()), "; convert one of them");
}
/// Shapes and channel counts of a correlation from x to y, without y's or x's spatial sizes.
Plan plan(std::size_t n, const Tensor& weight, const Arguments& a, std::int64_t batch) {
    Plan p;
    p.g.batch = batch;
    p.g.out_channels = weight.size(0);
    p.g.in_channels = weight.size(1) * a.groups;
    p.g.groups = a.groups;
    p.w = weight.sizes();
    for (std::size_t d = 0; d < n; ++d) {
        const std::size_t at = 3 - n + d;
        p.g.kernel[at] = weight.sizes()[d + 2];
        p.g.stride[at] = a.stride[d];
        p.g.pad[at] = a.padding[d];
        p.g.dilation[at] = a.dilation[d];
    }
    return p;
}
/// From the first place that the kernel reads to the last one.
std::int64_t reach_of(const char* op, const ConvGeometry& g, std::size_t at) {
    return checked_mul(op, "the kernel with its dilation", g.dilation[at], g.kernel[at] - 1);
}
void close(Plan& p, std::size_t n) {
    p.x = Dims{p.g.batch, p.g.in_channels};
    p.y = Dims{p.g.batch, p.g.out_channels};
    for (std::size_t at = 3 - n; at < 3; ++at) p.x.push_back(p.g.in[at]), p.y.push_back(p.g.out[at]);
}

} // namespace

Dims spread(const char* op, const char* argument, IntArrayRef values, std::size_t n) {
    REEL_CHECK(values.size() == 1 || values.size() == n, op, ": ", argument, " is ", values,
               "; expected one number or ", n);
    return values.size() == n ? Dims(values) : Dims(n, values[0]);
}

Tensor convolve(const char* op, std::size_t n, const Tensor& input, const Tensor& weight, const Tensor& bias,
                const Arguments& arguments, bool same) {
    check(op, n, input, weight, bias, arguments, false);
    const bool batched = input.dim() == std::int64_t(n) + 2;
    const Tensor x = batched ? input : reel::unsqueeze(input, 0);
    Plan p = plan(n, weight, arguments, x.size(0));
    for (std::size_t d = 0; d < n; ++d) {
        const std::size_t at = 3 - n + d;
        const std::int64_t reach = reach_of(op, p.g, at);
        p.g.in[at] = x.sizes()[d + 2];
        if (same) {
            REEL_CHECK(p.g.stride[at] == 1, op, ": padding 'same' needs stride 1, got ", IntArrayRef(arguments.stride));
            p.g.pad[at] = reach / 2;
            p.g.out[at] = p.g.in[at];
            continue;
        }
        const std::int64_t padded =
            checked_add(op, "the padded input", p.g.in[at], checked_mul(op, "twice the padding", p.g.pad[at], 2));
        REEL_CHECK(padded > reach, op, ": the kernel with its dilation spans ", reach + 1,
                   " places, the padded input has ", padded, " (input ", input.sizes(), ", weight ", weight.sizes(),
                   ")");
        p.g.out[at] = (padded - reach - 1) / p.g.stride[at] + 1;
    }
    close(p, n);
    check_sizes(op, p.y, x.scalar_type());
    const Tensor y = map_forward(p, x, weight, bias);
    return batched ? y : reel::squeeze(y, 0);
}

Tensor convolve_transposed(const char* op, std::size_t n, const Tensor& input, const Tensor& weight, const Tensor& bias,
                           const Arguments& arguments) {
    check(op, n, input, weight, bias, arguments, true);
    const bool batched = input.dim() == std::int64_t(n) + 2;
    const Tensor y = batched ? input : reel::unsqueeze(input, 0);
    Plan p = plan(n, weight, arguments, y.size(0));
    for (std::size_t d = 0; d < n; ++d) {
        const std::size_t at = 3 - n + d;
        const std::int64_t extra = arguments.output_padding[d];
        REEL_CHECK(extra >= 0 && (extra < p.g.stride[at] || extra < p.g.dilation[at]), op, ": output_padding is ",
                   IntArrayRef(arguments.output_padding),
                   "; each must be smaller than stride or dilation and not negative");
        p.g.out[at] = y.sizes()[d + 2];
        const auto add = [op](std::int64_t a, std::int64_t b) { return checked_add(op, "the output", a, b); };
        const std::int64_t whole = add(checked_mul(op, "the output", p.g.out[at] - 1, p.g.stride[at]),
                                       add(reach_of(op, p.g, at), add(extra, 1)));
        p.g.in[at] = checked_sub(op, "the output", whole, checked_mul(op, "twice the padding", p.g.pad[at], 2));
        REEL_CHECK(p.g.in[at] > 0, op, ": the output would have size ", p.g.in[at], " (input ", input.sizes(),
                   ", weight ", weight.sizes(), ")");
    }
    close(p, n);
    check_sizes(op, p.x, y.scalar_type());
    const Tensor x = map_input(p, y, weight, bias, "conv_transpose");
    return batched ? x : reel::squeeze(x, 0);
}

} // namespace reel::conv
