#include "dnn/operations.hpp"

namespace reel::cuda::dnn {

Part map(Graph& graph, cudnnPointwiseMode_t mode, Part y, Part x, const MapOptions& options) {
    std::vector<Attribute> how{{CUDNN_ATTR_POINTWISE_MODE, mode}, {CUDNN_ATTR_POINTWISE_MATH_PREC, options.compute}};
    if (options.axis) how.emplace_back(CUDNN_ATTR_POINTWISE_AXIS, *options.axis);
    const Part descriptor = graph.describe(CUDNN_BACKEND_POINTWISE_DESCRIPTOR, how);
    std::vector<Attribute> operands{{CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, descriptor},
                                    {CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x}};
    if (options.b) operands.emplace_back(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *options.b);
    if (options.where) operands.emplace_back(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, *options.where);
    operands.emplace_back(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    graph.operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, operands);
    return y;
}

Part reduce(Graph& graph, cudnnReduceTensorOp_t op, Part y, Part x) {
    const Part how =
        graph.describe(CUDNN_BACKEND_REDUCTION_DESCRIPTOR,
                       {{CUDNN_ATTR_REDUCTION_OPERATOR, op}, {CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_DATA_FLOAT}});
    graph.operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, {{CUDNN_ATTR_OPERATION_REDUCTION_DESC, how},
                                                                   {CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x},
                                                                   {CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y}});
    return y;
}

Part product(Graph& graph, Part y, Part a, Part b) {
    const Part how = graph.describe(CUDNN_BACKEND_MATMUL_DESCRIPTOR, {{CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT}});
    graph.operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, {{CUDNN_ATTR_OPERATION_MATMUL_DESC, how},
                                                                {CUDNN_ATTR_OPERATION_MATMUL_ADESC, a},
                                                                {CUDNN_ATTR_OPERATION_MATMUL_BDESC, b},
                                                                {CUDNN_ATTR_OPERATION_MATMUL_CDESC, y}});
    return y;
}

Part reshape(Graph& graph, Part y, Part x) {
    graph.operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_RESHAPE_XDESC, x}, {CUDNN_ATTR_OPERATION_RESHAPE_YDESC, y}});
    return y;
}

} // namespace reel::cuda::dnn
