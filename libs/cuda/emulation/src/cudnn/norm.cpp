// Normalisation and its gradients. Elements that share a place of the moments share moments; elements that share a
// place of the scale share scale and bias.
#include <cmath>

#include "cudnn/operations.hpp"

namespace reel::cuda::emulation::dnn {

namespace {

/// Sums for each element of `like`, whose dimensions of size one take all of an operand's.
struct SumsOver {
    const View& like;
    std::vector<double> at = std::vector<double>(like.extent() / size_of(like.type));
    double& operator[](const std::array<std::int64_t, View::rank>& place) { return at[std::size_t(like.place(place))]; }
};
/// Of the moments: one where the scale varies, else the operand's own size.
View moments_like(const View& x, const View& scale, bool by_channel) {
    View m;
    std::int64_t step = 1;
    for (std::size_t d = View::rank; d-- > 0;) {
        m.sizes[d] = by_channel ? (d == 1 ? x.sizes[1] : 1) : (scale.sizes[d] == 1 ? x.sizes[d] : 1);
        m.strides[d] = step;
        step *= m.sizes[d];
    }
    return m;
}

} // namespace

void norm_forward(const Descriptor& op, const Data& data) {
    const auto mode = op.get<cudnnBackendNormMode_t>(CUDNN_ATTR_OPERATION_NORM_FWD_MODE);
    const bool by_channel = mode == CUDNN_BATCH_NORM, centred = mode != CUDNN_RMS_NORM,
               inference =
                   op.get<cudnnBackendNormFwdPhase_t>(CUDNN_ATTR_OPERATION_NORM_FWD_PHASE) == CUDNN_NORM_FWD_INFERENCE,
               given = by_channel && inference;
    const View x = data.of(op, CUDNN_ATTR_OPERATION_NORM_FWD_XDESC),
               y = data.of(op, CUDNN_ATTR_OPERATION_NORM_FWD_YDESC),
               scale = data.of(op, CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC);
    const bool has_bias = op.has(CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC);
    const View bias = has_bias ? data.of(op, CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC) : View();
    const View moments = moments_like(x, scale, by_channel);
    SumsOver mean{moments}, inverse{moments};
    if (given) {
        const View m = data.of(op, CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC),
                   r = data.of(op, CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC);
        for (std::int64_t i = 0; i < moments.count(); ++i) {
            mean[moments.nth(i)] = m[moments.nth(i)];
            inverse[moments.nth(i)] = r[moments.nth(i)];
        }
    } else {
        const double eps = data.of(op, CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC)[{}],
                     n = double(x.count()) / double(moments.count());
        if (centred)
            for (std::int64_t i = 0; i < x.count(); ++i) mean[x.nth(i)] += x[x.nth(i)] / n;
        for (std::int64_t i = 0; i < x.count(); ++i) {
            const double far = x[x.nth(i)] - mean[x.nth(i)];
            inverse[x.nth(i)] += far * far / n;
        }
        for (double& v : inverse.at) v = 1 / std::sqrt(v + eps);
    }
    for (std::int64_t i = 0; i < x.count(); ++i) {
        const auto at = x.nth(i);
        y.put(at, (x[at] - mean[at]) * inverse[at] * scale[at] + (has_bias ? bias[at] : 0));
    }
    if (inference) return;
    const auto write = [&](cudnnBackendAttributeName_t name, SumsOver& from) {
        if (!op.has(name)) return;
        const View to = data.of(op, name);
        for (std::int64_t i = 0; i < to.count(); ++i) to.put(to.nth(i), from[to.nth(i)]);
    };
    write(CUDNN_ATTR_OPERATION_NORM_FWD_MEAN_DESC, mean);
    write(CUDNN_ATTR_OPERATION_NORM_FWD_INV_VARIANCE_DESC, inverse);
}

void norm_backward(const Descriptor& op, const Data& data) {
    const View x = data.of(op, CUDNN_ATTR_OPERATION_NORM_BWD_XDESC),
               dy = data.of(op, CUDNN_ATTR_OPERATION_NORM_BWD_DYDESC),
               dx = data.of(op, CUDNN_ATTR_OPERATION_NORM_BWD_DXDESC),
               scale = data.of(op, CUDNN_ATTR_OPERATION_NORM_BWD_SCALE_DESC),
               inverse = data.of(op, CUDNN_ATTR_OPERATION_NORM_BWD_INV_VARIANCE_DESC),
               dscale = data.of(op, CUDNN_ATTR_OPERATION_NORM_BWD_DSCALE_DESC);
    const bool centred = op.has(CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC);
    const View mean = centred ? data.of(op, CUDNN_ATTR_OPERATION_NORM_BWD_MEAN_DESC) : View();
    const auto normal = [&](const auto& at) { return (x[at] - (centred ? mean[at] : 0)) * inverse[at]; };
    SumsOver of_scale{dscale}, of_bias{dscale}, of_gradient{inverse}, of_product{inverse};
    const double n = double(x.count()) / double(inverse.count());
    for (std::int64_t i = 0; i < x.count(); ++i) {
        const auto at = x.nth(i);
        of_scale[at] += dy[at] * normal(at);
        of_bias[at] += dy[at];
        of_gradient[at] += dy[at] * scale[at] / n;
        of_product[at] += dy[at] * scale[at] * normal(at) / n;
    }
    for (std::int64_t i = 0; i < x.count(); ++i) {
        const auto at = x.nth(i);
        const double g = dy[at] * scale[at] - (centred ? of_gradient[at] : 0) - normal(at) * of_product[at];
        dx.put(at, g * inverse[at]);
    }
    for (std::int64_t i = 0; i < dscale.count(); ++i) dscale.put(dscale.nth(i), of_scale[dscale.nth(i)]);
    if (!op.has(CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC)) return;
    const View dbias = data.of(op, CUDNN_ATTR_OPERATION_NORM_BWD_DBIAS_DESC);
    for (std::int64_t i = 0; i < dbias.count(); ++i) dbias.put(dbias.nth(i), of_bias[dbias.nth(i)]);
}

} // namespace reel::cuda::emulation::dnn
