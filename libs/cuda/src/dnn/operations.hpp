// Operations that graphs are put together from.
#pragma once

#include <optional>

#include "dnn/graph.hpp"

namespace reel::cuda::dnn {

/// Further operands of a map.
struct MapOptions {
    std::optional<Part> b{};            ///< the second operand
    std::optional<Part> where{};        ///< `x` where it is true, else `b`
    std::optional<std::int64_t> axis{}; ///< of GEN_INDEX
    cudnnDataType_t compute = CUDNN_DATA_FLOAT;
};
/// Each gives its result, `y`.
Part map(Graph& graph, cudnnPointwiseMode_t mode, Part y, Part x, const MapOptions& options = {});
/// Over the dimensions in which `y` has the size one.
Part reduce(Graph& graph, cudnnReduceTensorOp_t op, Part y, Part x);
/// Of matrices in the last two dimensions, added up in float32.
Part product(Graph& graph, Part y, Part a, Part b);
/// The elements that lie in the same places, by other sizes and strides.
Part reshape(Graph& graph, Part y, Part x);

} // namespace reel::cuda::dnn
