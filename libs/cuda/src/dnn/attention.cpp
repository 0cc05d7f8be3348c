// Attention in one pass, and its gradients.
//
// cuDNN has one operation for the forward pass, which knows no mask; what is causal, and what the gradients need, is
// said in products, maps and reductions, which its engines recognize as a whole. (Version 9.19 describes an operation
// for the gradients, too, and has no engine for that.)
#include <array>
#include <limits>

#include <reel/autograd/kernels/attention.hpp>
#include <reel/autograd/ops/convert/copy.hpp>

#include "dnn/enabled.hpp"
#include "dnn/operations.hpp"

namespace reel::cuda::dnn {

namespace {

using Sizes = std::array<std::int64_t, 4>;

struct Seen {
    Sizes sizes{}, strides{};
    explicit Seen(const Tensor& t) {
        std::int64_t dense = 1;
        for (std::size_t d = 4; d-- > 0; dense *= sizes[d]) {
            sizes[d] = t.sizes()[d];
            strides[d] = sizes[d] == 1 ? dense : t.strides()[d]; // nobody steps there, and cuDNN wants a number
        }
    }
    Part in(Graph& graph, const Tensor& t) const { return graph.strided(t, sizes, strides); }
    Seen turned() const {
        Seen s = *this;
        std::swap(s.sizes[2], s.sizes[3]);
        std::swap(s.strides[2], s.strides[3]);
        return s;
    }
};
Part seen(Graph& graph, const Tensor& t) { return Seen(t).in(graph, t); }
Part seen_turned(Graph& graph, const Tensor& t) { return Seen(t).turned().in(graph, t); }

/// cuDNN reads along the last dimension; the others may be anywhere, but not in one place.
Tensor readable(const Tensor& t) {
    for (std::size_t d = 0; d < 4; ++d)
        if (t.sizes()[d] > 1 && (t.strides()[d] <= 0 || (d == 3 && t.strides()[d] != 1))) return t.contiguous();
    return t;
}

struct Operands {
    Tensor query, key, value;
    double scale;
    bool causal;
    Operands(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionKind& kind)
        : query(readable(q)), key(readable(k)), value(readable(v)), scale(kind.scale), causal(kind.causal) {}
};

/// Numbers for each pair of a position and a key, and for each position, which operations hand to each other.
class Scores {
public:
    Scores(Graph& graph, const Tensor& query, const Tensor& key)
        : graph_(graph), all_{query.size(0), query.size(1), query.size(2), key.size(2)}, rows_{query.size(0),
                                                                                               query.size(1),
                                                                                               query.size(2), 1} {}

    Part each(cudnnDataType_t type = CUDNN_DATA_FLOAT) const { return graph_.between(type, all_); }
    Part each_row() const { return graph_.between(CUDNN_DATA_FLOAT, rows_); }
    Part map(cudnnPointwiseMode_t mode, Part x, const MapOptions& options = {}) const {
        return dnn::map(graph_, mode, each(), x, options);
    }
    /// scale query key^T, and minus infinity for keys that a position does not see.
    Part seen_by_each(Part query, Part turned_key, Part scale, bool causal) const {
        const Part scores = map(CUDNN_POINTWISE_MUL, product(graph_, each(), query, turned_key), {.b = scale});
        if (!causal) return scores;
        const auto place = [&](std::int64_t axis) {
            return dnn::map(graph_, CUDNN_POINTWISE_GEN_INDEX, each(CUDNN_DATA_INT32), scores,
                            {.axis = axis, .compute = CUDNN_DATA_INT32});
        };
        const Part position = place(2), key = place(3),
                   sees = dnn::map(graph_, CUDNN_POINTWISE_CMP_GE, each(CUDNN_DATA_BOOLEAN), position,
                                   {.b = key, .compute = CUDNN_DATA_BOOLEAN}),
                   nothing = graph_.number(-std::numeric_limits<float>::infinity(), 4);
        return map(CUDNN_POINTWISE_BINARY_SELECT, scores, {.b = nothing, .where = sees});
    }
    /// With rows and columns exchanged, of the operands' dtype.
    Part turned(Part x, cudnnDataType_t type) const {
        const Sizes sizes{all_[0], all_[1], all_[3], all_[2]},
            strides{all_[1] * all_[2] * all_[3], all_[2] * all_[3], 1, all_[3]};
        return reshape(graph_, graph_.between(type, sizes, strides), x);
    }

private:
    Graph& graph_;
    Sizes all_, rows_;
};

/// In operations: softmax of the scores, with their maximum taken off.
bool in_operations(const Tensor& out, const Tensor& stats, const Operands& a) {
    Graph graph("scaled_dot_product_attention", out);
    const Scores scores(graph, a.query, a.key);
    const Part query = seen(graph, a.query), key = seen_turned(graph, a.key), value = seen(graph, a.value),
               result = seen(graph, out), kept = seen(graph, stats), scale = graph.number(float(a.scale), 4);
    const Part s = scores.seen_by_each(query, key, scale, a.causal),
               best = reduce(graph, CUDNN_REDUCE_TENSOR_MAX, scores.each_row(), s),
               exponentials = scores.map(CUDNN_POINTWISE_EXP, scores.map(CUDNN_POINTWISE_SUB, s, {.b = best})),
               sum = reduce(graph, CUDNN_REDUCE_TENSOR_ADD, scores.each_row(), exponentials),
               logarithm = map(graph, CUDNN_POINTWISE_LOG, scores.each_row(), sum);
    map(graph, CUDNN_POINTWISE_ADD, kept, best, {.b = logarithm});
    const Part weights =
        map(graph, CUDNN_POINTWISE_DIV, scores.each(data_type(out.scalar_type())), exponentials, {.b = sum});
    product(graph, result, weights, value);
    return graph.run();
}
bool in_one_operation(const Tensor& out, const Operands& a) {
    Graph graph("scaled_dot_product_attention", out);
    const Part query = seen(graph, a.query), key = seen(graph, a.key), value = seen(graph, a.value),
               result = seen(graph, out), scale = graph.number(float(a.scale), 4);
    graph.operation(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, {{CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, query},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, key},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, value},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, result},
                                                                  {CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, scale}});
    return graph.run();
}

bool attention(const Tensor& out, const Tensor& stats, const Tensor& query, const Tensor& key, const Tensor& value,
               const AttentionKind& kind) {
    if (!is_enabled() || out.scalar_type() == kDouble) return false;
    const Operands a(query, key, value, kind);
    if (!a.causal && !stats.defined()) return in_one_operation(out, a);
    // there are engines only for those who want the sums
    const Tensor sums = stats.defined() ? stats : out.new_empty({out.size(0), out.size(1), out.size(2), 1}, kFloat);
    return in_operations(out, sums, a);
}

/// With the weights P = exp(scores - stats): dV = P^T dO, dS = P (dO V^T - sum dO O), dQ = scale dS K, dK = scale dS^T
/// Q.
void gradients(Graph& graph, const Operands& a, const Tensor& grad_out, const Tensor& out, const Tensor& stats,
               const std::array<const Tensor*, 3>& grads) {
    const cudnnDataType_t type = data_type(out.scalar_type());
    const Scores scores(graph, a.query, a.key);
    const Part query = seen(graph, a.query), key = seen_turned(graph, a.key), value = seen_turned(graph, a.value),
               o = seen(graph, out), go = seen(graph, grad_out), kept = seen(graph, stats), gq = seen(graph, *grads[0]),
               gk = seen(graph, *grads[1]), gv = seen(graph, *grads[2]), scale = graph.number(float(a.scale), 4);
    const Part by_row =
        reduce(graph, CUDNN_REDUCE_TENSOR_ADD, scores.each_row(),
               map(graph, CUDNN_POINTWISE_MUL, graph.between(CUDNN_DATA_FLOAT, Seen(out).sizes), go, {.b = o}));
    const Part s = scores.seen_by_each(query, key, scale, a.causal),
               weights = scores.map(CUDNN_POINTWISE_EXP, scores.map(CUDNN_POINTWISE_SUB, s, {.b = kept})),
               narrow = map(graph, CUDNN_POINTWISE_IDENTITY, scores.each(type), weights);
    product(graph, gv, scores.turned(narrow, type), go);
    const Part far = scores.map(CUDNN_POINTWISE_SUB, product(graph, scores.each(), go, value), {.b = by_row}),
               of_scores = map(graph, CUDNN_POINTWISE_MUL, scores.each(type),
                               scores.map(CUDNN_POINTWISE_MUL, far, {.b = weights}), {.b = scale});
    const Seen upright(a.key);
    product(graph, gq, of_scores, reshape(graph, graph.between(type, upright.sizes, upright.strides), key));
    product(graph, gk, scores.turned(of_scores, type), query);
}
bool attention_backward(const Tensor& grad_query, const Tensor& grad_key, const Tensor& grad_value,
                        const Tensor& grad_out, const Tensor& out, const Tensor& stats, const Tensor& query,
                        const Tensor& key, const Tensor& value, const AttentionKind& kind) {
    // heads that share keys would have to be added up
    if (!is_enabled() || out.scalar_type() == kDouble || query.size(1) != key.size(1)) return false;
    const Tensor given = readable(grad_out);
    const Operands a(query, key, value, kind);
    Graph graph("scaled_dot_product_attention", out);
    gradients(graph, a, given, out, stats, {&grad_query, &grad_key, &grad_value});
    return graph.run();
}

[[maybe_unused]] const bool attached = [] {
    kernels::attention.set(kCUDA, &attention);
    kernels::attention_backward.set(kCUDA, &attention_backward);
    return true;
}();

} // namespace

} // namespace reel::cuda::dnn
