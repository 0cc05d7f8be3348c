// Maps, reductions and products: what graphs of several operations consist of.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cudnn/operations.hpp"

namespace reel::cuda::emulation::dnn {

namespace {

using Places = std::array<std::int64_t, View::rank>;

double mapped(cudnnPointwiseMode_t mode, double x, double b, double t) {
    switch (mode) {
    case CUDNN_POINTWISE_ADD:
        return x + b;
    case CUDNN_POINTWISE_SUB:
        return x - b;
    case CUDNN_POINTWISE_MUL:
        return x * b;
    case CUDNN_POINTWISE_DIV:
        return x / b;
    case CUDNN_POINTWISE_EXP:
        return std::exp(x);
    case CUDNN_POINTWISE_LOG:
        return std::log(x);
    case CUDNN_POINTWISE_CMP_GE:
        return double(x >= b);
    case CUDNN_POINTWISE_BINARY_SELECT:
        return t != 0 ? x : b;
    default: // identity, among those that check_pointwise lets pass
        return x;
    }
}

} // namespace

void pointwise(const Descriptor& op, const Data& data) {
    const Descriptor& how = *op.part(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
    const auto mode = how.get<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
    const auto axis = std::size_t(how.get<std::int64_t>(CUDNN_ATTR_POINTWISE_AXIS));
    const auto or_none = [&](cudnnBackendAttributeName_t name) { return op.has(name) ? data.of(op, name) : View(); };
    const View x = data.of(op, CUDNN_ATTR_OPERATION_POINTWISE_XDESC), b = or_none(CUDNN_ATTR_OPERATION_POINTWISE_BDESC),
               t = or_none(CUDNN_ATTR_OPERATION_POINTWISE_TDESC), y = data.of(op, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    const auto at_or_zero = [](const View& v, const Places& at) { return v.data ? v[at] : 0; };
    for (std::int64_t i = 0; i < y.count(); ++i) {
        const Places at = y.nth(i);
        y.put(at, mode == CUDNN_POINTWISE_GEN_INDEX ? double(at[axis])
                                                    : mapped(mode, x[at], at_or_zero(b, at), at_or_zero(t, at)));
    }
}

void reduce(const Descriptor& op, const Data& data) {
    const bool sums =
        op.part(CUDNN_ATTR_OPERATION_REDUCTION_DESC)->get<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR) ==
        CUDNN_REDUCE_TENSOR_ADD;
    const View x = data.of(op, CUDNN_ATTR_OPERATION_REDUCTION_XDESC),
               y = data.of(op, CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
    std::vector<double> all(y.extent() / size_of(y.type), sums ? 0 : -std::numeric_limits<double>::infinity());
    for (std::int64_t i = 0; i < x.count(); ++i) {
        double& into = all[std::size_t(y.place(x.nth(i)))];
        into = sums ? into + x[x.nth(i)] : std::max(into, x[x.nth(i)]);
    }
    for (std::int64_t i = 0; i < y.count(); ++i) y.put(y.nth(i), all[std::size_t(y.place(y.nth(i)))]);
}

void multiply(const Descriptor& op, const Data& data) {
    const View a = data.of(op, CUDNN_ATTR_OPERATION_MATMUL_ADESC), b = data.of(op, CUDNN_ATTR_OPERATION_MATMUL_BDESC),
               c = data.of(op, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
    const auto shared = [&](const View& v, std::int64_t head) { return head / (c.sizes[1] / v.sizes[1]); };
    for (std::int64_t i = 0; i < c.count(); ++i) {
        const Places at = c.nth(i);
        double sum = 0;
        for (std::int64_t k = 0; k < a.sizes[3]; ++k)
            sum += a[{at[0], shared(a, at[1]), at[2], k}] * b[{at[0], shared(b, at[1]), k, at[3]}];
        c.put(at, sum);
    }
}

void reshape(const Descriptor& op, const Data& data) {
    const View x = data.of(op, CUDNN_ATTR_OPERATION_RESHAPE_XDESC), y = data.of(op, CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
    for (std::int64_t i = 0; i < y.count(); ++i) y.put(y.nth(i), x.get(y.place(y.nth(i)))); // of the same place
}

} // namespace reel::cuda::emulation::dnn
