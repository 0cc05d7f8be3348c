// Attention in one pass, without a mask. Its gradients are those of the op's products and softmax: version 9.19 has an
// operation for them, and no engine that computes it.
#include <array>

#include <reel/autograd/kernels/attention.hpp>
#include <reel/autograd/ops/convert/copy.hpp>

#include "dnn/enabled.hpp"
#include "dnn/graph.hpp"

namespace reel::cuda::dnn {

namespace {

Part seen(Graph& graph, const Tensor& t) {
    std::array<std::int64_t, 4> sizes{}, strides{};
    std::int64_t dense = 1;
    for (std::size_t d = 4; d-- > 0; dense *= sizes[d]) {
        sizes[d] = t.sizes()[d];
        strides[d] = sizes[d] == 1 ? dense : t.strides()[d]; // nobody steps there, and cuDNN wants a number
    }
    return graph.strided(t, sizes, strides);
}
/// cuDNN reads along the last dimension; the others may be anywhere, but not in one place.
Tensor readable(const Tensor& t) {
    for (std::size_t d = 0; d < 4; ++d)
        if (t.sizes()[d] > 1 && (t.strides()[d] <= 0 || (d == 3 && t.strides()[d] != 1))) return t.contiguous();
    return t;
}

bool attention(const Tensor& out, const Tensor& query, const Tensor& key, const Tensor& value, double scale) {
    if (!is_enabled() || out.scalar_type() == kDouble) return false;
    const Tensor q = readable(query), k = readable(key), v = readable(value);
    Graph graph("scaled_dot_product_attention", out);
    const Part of_q = seen(graph, q), of_k = seen(graph, k), of_v = seen(graph, v), of_out = seen(graph, out),
               factor = graph.number(float(scale), 4);
    graph.operation(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, {{CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, of_q},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, of_k},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, of_v},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, of_out},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, factor}});
    return graph.run();
}

[[maybe_unused]] const bool attached = [] {
    kernels::attention.set(kCUDA, &attention);
    return true;
}();

} // namespace

} // namespace reel::cuda::dnn
