// Attention without a mask; keeps the logarithm of each row's sum of exponentials where it is wanted.
#include <cmath>
#include <limits>

#include "cudnn/operations.hpp"

namespace reel::cuda::emulation::dnn {

namespace {

double scale_of(const Descriptor& op, const Data& data, cudnnBackendAttributeName_t name, const View& q) {
    return op.has(name) ? data.of(op, name)[{}] : 1 / std::sqrt(double(q.sizes[3]));
}
double product(const View& a, const View& b, std::int64_t n, std::int64_t ha, std::int64_t hb, std::int64_t i,
               std::int64_t j) {
    double sum = 0;
    for (std::int64_t e = 0; e < a.sizes[3]; ++e) sum += a[{n, ha, i, e}] * b[{n, hb, j, e}];
    return sum;
}

} // namespace

void attention(const Descriptor& op, const Data& data) {
    const View q = data.of(op, CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC),
               k = data.of(op, CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC),
               v = data.of(op, CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC),
               o = data.of(op, CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC);
    const bool keeps = op.has(CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC);
    const View stats = keeps ? data.of(op, CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC) : View();
    const double scale = scale_of(op, data, CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, q);
    std::vector<double> scores(static_cast<std::size_t>(k.sizes[2]));
    for (std::int64_t n = 0; n < q.sizes[0]; ++n)
        for (std::int64_t h = 0; h < q.sizes[1]; ++h)
            for (std::int64_t i = 0; i < q.sizes[2]; ++i) {
                const std::int64_t hk = h / (q.sizes[1] / k.sizes[1]);
                double best = -std::numeric_limits<double>::infinity(), sum = 0;
                for (std::int64_t j = 0; j < k.sizes[2]; ++j)
                    best = std::max(best, scores[std::size_t(j)] = scale * product(q, k, n, h, hk, i, j));
                for (double& s : scores) sum += s = std::exp(s - best);
                for (std::int64_t e = 0; e < v.sizes[3]; ++e) {
                    double seen = 0;
                    for (std::int64_t j = 0; j < k.sizes[2]; ++j) seen += scores[std::size_t(j)] * v[{n, hk, j, e}];
                    o.put({n, h, i, e}, seen / sum);
                }
                if (keeps) stats.put({n, h, i, 0}, best + std::log(sum));
            }
}

} // namespace reel::cuda::emulation::dnn
