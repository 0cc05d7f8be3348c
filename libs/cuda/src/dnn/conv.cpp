// Convolutions in their three directions, as graphs of one operation, and one more that adds a bias.
#include <algorithm>
#include <array>

#include <reel/autograd/grad_mode.hpp>
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

/// What an operation calls its parts.
struct Words {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t windows, image, filter, response, alpha, beta;
};
constexpr Words to_response{CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
constexpr Words to_image{CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                         CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
constexpr Words to_filter{CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                          CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};

void add_operation(Graph& graph, const Words& of, Part windows, Part image, Part filter, Part response) {
    graph.operation(of.operation, {{of.windows, windows},
                                   {of.image, image},
                                   {of.filter, filter},
                                   {of.response, response},
                                   {of.alpha, 1.0},
                                   {of.beta, 0.0}});
}
/// From the image to the response, or back, with the bias of what comes out unless it is undefined.
bool run(bool back, const ConvGeometry& g, const Tensor& x, const Tensor& w, const Tensor& y, const Tensor& bias) {
    const Tensor& result = back ? x : y;
    Graph graph(back ? "conv_transpose" : "conv", result);
    const Shapes shapes(g);
    const ScalarType t = result.scalar_type();
    const Part image = shapes.image(graph, x), filter = shapes.filter(graph, w), response = shapes.response(graph, y),
               out = back ? image : response,
               sum = !bias.defined() ? out
                     : back          ? shapes.like_image(graph, t)
                                     : shapes.like_response(graph, t);
    add_operation(graph, back ? to_image : to_response, shapes.windows(graph, t), back ? sum : image, filter,
                  back ? response : sum);
    if (bias.defined()) add_bias(graph, t, sum, shapes.bias(graph, bias), out);
    return graph.run();
}
/// The same, with the bias in the graph or behind it.
bool run_in_parts(bool back, const ConvGeometry& g, const Tensor& x, const Tensor& w, const Tensor& y,
                  const Tensor& bias) {
    const Tensor& result = back ? x : y;
    if (!takes(g, result)) return false;
    if (run(back, g, x, w, y, bias)) return true;
    if (!may_add_after(bias) || !run(back, g, x, w, y, {})) return false;
    add_bias(result, bias);
    return true;
}

} // namespace

bool conv(const ConvGeometry& g, const Tensor& y, const Tensor& x, const Tensor& w, const Tensor& bias) {
    return run_in_parts(false, g, x, w, y, bias);
}
bool conv_transpose(const ConvGeometry& g, const Tensor& x, const Tensor& y, const Tensor& w, const Tensor& bias) {
    return run_in_parts(true, g, x, w, y, bias);
}
bool conv_weight(const ConvGeometry& g, const Tensor& w, const Tensor& x, const Tensor& y) {
    if (!takes(g, w)) return false;
    Graph graph("conv_weight", w);
    const Shapes shapes(g);
    const Part image = shapes.image(graph, x), response = shapes.response(graph, y), out = shapes.filter(graph, w);
    add_operation(graph, to_filter, shapes.windows(graph, w.scalar_type()), image, out, response);
    return graph.run();
}

} // namespace reel::cuda::dnn
