// Normalisation of float32: cuDNN has no float64 for it, and Reel's ops bring 16-bit floats in float32. By moments that
// are given, as outside of training, it normalises no batch: the map is Reel's own.
#include <array>

#include <reel/autograd/kernels/batch_norm.hpp>
#include <reel/autograd/kernels/rms_norm.hpp>

#include "dnn.hpp"
#include "dnn/enabled.hpp"
#include "dnn/graph.hpp"

namespace reel::cuda::dnn {

namespace {

using Sizes = std::array<std::int64_t, 4>;

/// Rows seen as [rows, inner, 1, 1]; channels as [batch, channels, length, 1].
struct Layout {
    Sizes all, affine, moments;
    static Layout of_rows(std::int64_t rows, std::int64_t inner) {
        return {{rows, inner, 1, 1}, {1, inner, 1, 1}, {rows, 1, 1, 1}};
    }
    static Layout of_channels(const NormGeometry& g) {
        return {{g.batch, g.channels, g.length, 1}, {1, g.channels, 1, 1}, {1, g.channels, 1, 1}};
    }
};
bool takes(const Tensor& x, const Tensor& weight) {
    return is_enabled() && x.scalar_type() == kFloat && weight.defined() && x.numel() > 0;
}

struct Gradients {
    const Tensor &gy, &x, &mean, &rstd, &weight, &gx, &gw, &gb;
};
/// cuDNN computes all gradients or none: those that nobody wants get memory for a while.
bool backward(const char* op, cudnnBackendNormMode_t mode, const Layout& l, const Gradients& t) {
    const auto or_own = [](const Tensor& wanted, const Tensor& like) {
        return wanted.defined() ? wanted : like.new_empty(like.sizes());
    };
    const Tensor gw = or_own(t.gw, t.weight), gb = or_own(t.gb, t.weight);
    Graph graph(op, t.x);
    const Part x = graph.dense(t.x, l.all), gy = graph.dense(t.gy, l.all), mean = graph.dense(t.mean, l.moments),
               rstd = graph.dense(t.rstd, l.moments), weight = graph.dense(t.weight, l.affine),
               gx = graph.dense(t.gx, l.all), of_weight = graph.dense(gw, l.affine),
               of_bias = graph.dense(gb, l.affine);
    graph.operation(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_NORM_BWD_MODE, mode},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, x},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC, mean},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, rstd},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, gy},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, weight},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, of_weight},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC, of_bias},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, gx}});
    return graph.run();
}

struct Forward {
    const Tensor &y, &mean, &rstd, &x, &weight, &bias;
};
/// Fills y, mean and rstd.
bool forward(const char* op, cudnnBackendNormMode_t mode, const Layout& l, const Forward& t, double eps) {
    Graph graph(op, t.x);
    const Part x = graph.dense(t.x, l.all), mean = graph.dense(t.mean, l.moments),
               rstd = graph.dense(t.rstd, l.moments), weight = graph.dense(t.weight, l.affine),
               bias = graph.dense(t.bias, l.affine), y = graph.dense(t.y, l.all),
               epsilon = graph.number(float(eps), l.all.size());
    graph.operation(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_NORM_FWD_MODE, mode},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_NORM_FWD_TRAINING},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, x},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, mean},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, rstd},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, weight},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC, bias},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, epsilon},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, y}});
    return graph.run();
}

} // namespace

bool norm_backward(const char* op, const NormGeometry& g, const Tensor& gy, const Tensor& x, const Tensor& mean,
                   const Tensor& rstd, const Tensor& weight, bool constant_stats, const Tensor& gx, const Tensor& gw,
                   const Tensor& gb) {
    if (g.groups != 0 || constant_stats || !gx.defined() || !takes(x, weight)) return false;
    return backward(op, CUDNN_BATCH_NORM, Layout::of_channels(g), {gy, x, mean, rstd, weight, gx, gw, gb});
}

bool layer_norm(const char* op, const Tensor& y, const Tensor& mean, const Tensor& rstd, const Tensor& x,
                const Tensor& weight, const Tensor& bias, std::int64_t inner, double eps) {
    if (!takes(x, weight) || !bias.defined()) return false;
    return forward(op, CUDNN_LAYER_NORM, Layout::of_rows(x.numel() / inner, inner), {y, mean, rstd, x, weight, bias},
                   eps);
}

bool layer_norm_backward(const char* op, const Tensor& gy, const Tensor& x, const Tensor& mean, const Tensor& rstd,
                         const Tensor& weight, std::int64_t inner, const Tensor& gx, const Tensor& gw,
                         const Tensor& gb) {
    if (!gx.defined() || !takes(x, weight)) return false;
    return backward(op, CUDNN_LAYER_NORM, Layout::of_rows(x.numel() / inner, inner),
                    {gy, x, mean, rstd, weight, gx, gw, gb});
}

namespace {

bool rms_norm(const char* op, const Tensor& y, const Tensor& rstd, const Tensor& x, const Tensor& weight,
              std::int64_t inner, double eps) {
    if (!takes(x, weight)) return false;
    const Layout l = Layout::of_rows(x.numel() / inner, inner);
    Graph graph(op, x);
    const Part in = graph.dense(x, l.all), r = graph.dense(rstd, l.moments), w = graph.dense(weight, l.affine),
               out = graph.dense(y, l.all), epsilon = graph.number(float(eps), l.all.size());
    graph.operation(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_NORM_FWD_MODE, CUDNN_RMS_NORM},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_PHASE, CUDNN_NORM_FWD_TRAINING},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_XDESC, in},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, r},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC, w},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC, epsilon},
                     {CUDNN_ATTR_OPERATION_NORM_FWD_YDESC, out}});
    return graph.run();
}

bool rms_norm_backward(const char* op, const Tensor& gx, const Tensor& gw, const Tensor& gy, const Tensor& x,
                       const Tensor& rstd, const Tensor& weight, std::int64_t inner) {
    if (!takes(x, weight)) return false;
    const Layout l = Layout::of_rows(x.numel() / inner, inner);
    Graph graph(op, x);
    const Part in = graph.dense(x, l.all), g = graph.dense(gy, l.all), r = graph.dense(rstd, l.moments),
               w = graph.dense(weight, l.affine), of_input = graph.dense(gx, l.all),
               of_weight = graph.dense(gw, l.affine);
    graph.operation(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_NORM_BWD_MODE, CUDNN_RMS_NORM},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_XDESC, in},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC, r},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC, g},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC, w},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC, of_weight},
                     {CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC, of_input}});
    return graph.run();
}

bool batch_norm(const char* op, const NormGeometry& g, const Tensor& y, const Tensor& mean, const Tensor& rstd,
                const Tensor& x, const Tensor& weight, const Tensor& bias, double eps) {
    if (!takes(x, weight) || !bias.defined()) return false;
    return forward(op, CUDNN_BATCH_NORM, Layout::of_channels(g), {y, mean, rstd, x, weight, bias}, eps);
}

[[maybe_unused]] const bool attached = [] {
    kernels::batch_norm.set(kCUDA, &batch_norm);
    kernels::rms_norm.set(kCUDA, &rms_norm);
    kernels::rms_norm_backward.set(kCUDA, &rms_norm_backward);
    return true;
}();

} // namespace

} // namespace reel::cuda::dnn
