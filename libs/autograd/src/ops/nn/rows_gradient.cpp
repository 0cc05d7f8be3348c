// The gradient of a table of which few rows were used.
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>

#include "ops/nn/rows_gradient.hpp"

#include "tensor/sparse_parts.hpp"

namespace reel::detail {

Tensor rows_gradient(IntArrayRef sizes, const Tensor& rows, const Tensor& g, std::int64_t padding) {
    Tensor at = rows, values = g;
    if (padding >= 0) {
        const Tensor counts = rows.ne(padding).nonzero().flatten();
        at = rows.index_select(0, counts);
        values = g.index_select(0, counts);
    }
    return sparse_coo_tensor(at.unsqueeze(0), values, sizes);
}

} // namespace reel::detail
