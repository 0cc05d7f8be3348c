// Convolutions in their three directions, as graphs of one operation, and one more that adds a bias.
#include <algorithm>
#include <array>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/shape/view.hpp>

#include "dnn.hpp"
#include "dnn/enabled.hpp"
#include "dnn/graph.hpp"

namespace reel::cuda::dnn {

namespace {

using Sizes = std::array<std::int64_t, 5>;

/// How many places the kernel reaches over.
std::int64_t reach(const ConvGeometry& g, std::size_t d) { return (g.kernel[d] - 1) * g.dilation[d] + 1; }
/// Padding behind the image: as much as before it, which is what cuDNN has most for, or, where that gives another size
/// (an even kernel with padding "same"), as much as the last window wants.
std::int64_t after(const ConvGeometry& g, std::size_t d) {
    if ((g.in[d] + 2 * g.pad[d] - reach(g, d)) / g.stride[d] + 1 == g.out[d]) return g.pad[d];
    return std::max<std::int64_t>(0, (g.out[d] - 1) * g.stride[d] + reach(g, d) - g.pad[d] - g.in[d]);
}

/// Two spatial dimensions unless the first one is used: cuDNN has more for those.
struct Shapes {
    explicit Shapes(const ConvGeometry& g) : g_(g) {
        const bool flat = g.in[0] == 1 && g.out[0] == 1 && g.kernel[0] == 1 && g.stride[0] == 1 && g.pad[0] == 0 &&
                          g.dilation[0] == 1;
        first_ = flat ? 1 : 0;
    }
    std::size_t rank() const { return 5 - first_; }
    std::span<const std::int64_t> spatial(const std::int64_t (&of)[3]) const { return std::span(of).subspan(first_); }

    Part image(Graph& graph, const Tensor& t) const { return graph.dense(t, sizes(g_.batch, g_.in_channels, g_.in)); }
    Part filter(Graph& graph, const Tensor& t) const {
        return graph.dense(t, sizes(g_.out_channels, g_.channels_per_group(), g_.kernel));
    }
    Part response(Graph& graph, const Tensor& t) const {
        return graph.dense(t, sizes(g_.batch, g_.out_channels, g_.out));
    }
    Part bias(Graph& graph, const Tensor& t) const {
        const std::int64_t ones[3] = {1, 1, 1};
        return graph.dense(t, sizes(1, t.numel(), ones));
    }
    Part like_image(Graph& graph, ScalarType t) const {
        return graph.between(compute_type(t), sizes(g_.batch, g_.in_channels, g_.in));
    }
    Part like_response(Graph& graph, ScalarType t) const {
        return graph.between(compute_type(t), sizes(g_.batch, g_.out_channels, g_.out));
    }
    Part windows(Graph& graph, ScalarType t) const {
        return graph.describe(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR,
                              {{CUDNN_ATTR_CONVOLUTION_COMP_TYPE, compute_type(t)},
                               {CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION},
                               {CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t(3 - first_)},
                               {CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, spatial(g_.stride)},
                               {CUDNN_ATTR_CONVOLUTION_DILATIONS, spatial(g_.dilation)},
                               {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, spatial(g_.pad)},
                               {CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, after_padding()}});
    }

private:
    std::span<const std::int64_t> sizes(std::int64_t n, std::int64_t channels, const std::int64_t (&places)[3]) const {
        sizes_ = {n, channels};
        std::copy(places + first_, places + 3, sizes_.begin() + 2);
        return std::span<const std::int64_t>(sizes_).first(rank());
    }
    std::span<const std::int64_t> after_padding() const {
        for (std::size_t d = 0; d < 3; ++d) after_[d] = after(g_, d);
        return std::span<const std::int64_t>(after_).subspan(first_);
    }
    const ConvGeometry& g_;
    std::size_t first_;
    mutable Sizes sizes_{};
    mutable std::array<std::int64_t, 3> after_{};
};

void add_bias(Graph& graph, ScalarType t, Part sum, Part bias, Part out) {
    const Part addition =
        graph.describe(CUDNN_BACKEND_POINTWISE_DESCRIPTOR, {{CUDNN_ATTR_POINTWISE_MODE, CUDNN_POINTWISE_ADD},
                                                            {CUDNN_ATTR_POINTWISE_MATH_PREC, compute_type(t)}});
    graph.operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, addition},
                     {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, sum},
                     {CUDNN_ATTR_OPERATION_POINTWISE_BDESC, bias},
                     {CUDNN_ATTR_OPERATION_POINTWISE_YDESC, out}});
}
/// What cuDNN does not fuse: another pass.
void add_bias(const Tensor& out, const Tensor& bias) {
    const NoGradGuard no_grad;
    Dims sizes(std::size_t(out.dim()), 1);
    sizes[1] = bias.numel();
    Tensor(out).add_(bias.view(sizes));
}

/// 16-bit results are rounded once.
bool may_add_after(const Tensor& bias) {
    return bias.defined() && (bias.scalar_type() == kFloat || bias.scalar_type() == kDouble);
}

bool takes(const ConvGeometry& g, const Tensor& t) {
    if (!is_enabled() || !isFloatingType(t.scalar_type()) || g.batch == 0 || g.in_size() == 0) return false;
    for (std::size_t d = 0; d < 3; ++d) // images may be larger than windows reach: output_padding beyond the stride
        if ((g.in[d] + g.pad[d] + after(g, d) - reach(g, d)) / g.stride[d] + 1 != g.out[d]) return false;
    return true;
}

bool forward(const ConvGeometry& g, const Tensor& y, const Tensor& x, const Tensor& w, const Tensor& bias) {
    Graph graph("conv", y);
    const Shapes shapes(g);
    const ScalarType t = y.scalar_type();
    const Part image = shapes.image(graph, x), filter = shapes.filter(graph, w), out = shapes.response(graph, y),
               sum = bias.defined() ? shapes.like_response(graph, t) : out;
    graph.operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, shapes.windows(graph, t)},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, image},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, filter},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, sum},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.0},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.0}});
    if (bias.defined()) add_bias(graph, t, sum, shapes.bias(graph, bias), out);
    return graph.run();
}
bool backward_data(const ConvGeometry& g, const Tensor& x, const Tensor& y, const Tensor& w, const Tensor& bias) {
    Graph graph("conv_transpose", x);
    const Shapes shapes(g);
    const ScalarType t = x.scalar_type();
    const Part response = shapes.response(graph, y), filter = shapes.filter(graph, w), out = shapes.image(graph, x),
               sum = bias.defined() ? shapes.like_image(graph, t) : out;
    graph.operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, shapes.windows(graph, t)},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, sum},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, filter},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, response},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, 1.0},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA, 0.0}});
    if (bias.defined()) add_bias(graph, t, sum, shapes.bias(graph, bias), out);
    return graph.run();
}

} // namespace

bool conv(const ConvGeometry& g, const Tensor& y, const Tensor& x, const Tensor& w, const Tensor& bias) {
    if (!takes(g, y)) return false;
    if (forward(g, y, x, w, bias)) return true;
    if (!may_add_after(bias) || !forward(g, y, x, w, {})) return false;
    add_bias(y, bias);
    return true;
}
bool conv_transpose(const ConvGeometry& g, const Tensor& x, const Tensor& y, const Tensor& w, const Tensor& bias) {
    if (!takes(g, x)) return false;
    if (backward_data(g, x, y, w, bias)) return true;
    if (!may_add_after(bias) || !backward_data(g, x, y, w, {})) return false;
    add_bias(x, bias);
    return true;
}
bool conv_weight(const ConvGeometry& g, const Tensor& w, const Tensor& x, const Tensor& y) {
    if (!takes(g, w)) return false;
    Graph graph("conv_weight", w);
    const Shapes shapes(g);
    const Part image = shapes.image(graph, x), response = shapes.response(graph, y), out = shapes.filter(graph, w);
    graph.operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, shapes.windows(graph, w.scalar_type())},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, image},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, out},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, response},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, 1.0},
                     {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA, 0.0}});
    return graph.run();
}

} // namespace reel::cuda::dnn
