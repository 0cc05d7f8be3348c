// Attention backward in tiles. Weights are made again from the scores and the logarithms of the rows' sums: with the
// weights P, which dropping has turned into W = P F, and D = sum(grad out) of each row, dV = W^T grad,
// dS = scale P (F (grad V^T) - D), dQ = dS K, dK = dS^T Q. A block adds up a tile of one gradient, so nothing depends
// on who comes first.
#include <reel/autograd/kernels/tiled_attention.hpp>

#include "nn/attention.cuh"

namespace reel::cuda {

namespace {

template <class T> struct AttentionBack : AttentionCall<T> {
    const T *grad, *normalizers, *row_sums;
    T *grad_query, *grad_key, *grad_value;
};

/// D: one row for a team.
template <class T> struct RowSums {
    const T *grad, *out;
    T* sums;
    template <class Team>
    __device__ void operator()(const Team& team, std::int64_t row, std::int64_t length, bool is_row) const {
        T sum = T(0);
        if (is_row)
            for (std::int64_t i = team.me; i < length; i += team.size)
                sum += grad[row * length + i] * out[row * length + i];
        sum = team.join(sum, [](T a, T b) { return a + b; });
        if (is_row && team.me == 0) sums[row] = sum;
    }
};

/// The room's scores become the weights of a tile, or, `of_scores`, the gradients of its scores.
template <class T>
__device__ void tile_again(const AttentionBlock<T>& block, const AttentionBack<T>& c, std::int64_t head,
                           std::int64_t i0, std::int64_t j0, bool of_scores) {
    const std::int64_t of_key = c.key_head(head);
    typename AttentionBlock<T>::Scores s, far;
    block.products(s, {c.query + head * c.queries * c.size, i0, c.queries, c.size},
                   {c.key + of_key * c.keys * c.size, j0, c.keys, c.size});
    if (of_scores)
        block.products(far, {c.grad + head * c.queries * c.value_size, i0, c.queries, c.value_size},
                       {c.value + of_key * c.keys * c.value_size, j0, c.keys, c.value_size});
    REEL_UNROLL
    for (int r = 0; r < block.per; ++r) {
        const std::int64_t i = i0 + block.row(r);
        REEL_UNROLL
        for (int k = 0; k < block.per; ++k) {
            const std::int64_t j = j0 + block.column(k);
            const T score = c.score(s[r][k], head, i, j);
            T result = T(0);
            if (score != -std::numeric_limits<T>::infinity()) {
                const std::int64_t row = head * c.queries + i;
                const T weight = std::exp(score - c.normalizers[row]), factor = c.factor(head, i, j);
                result = of_scores ? weight * (far[r][k] * factor - c.row_sums[row]) * c.scale : weight * factor;
            }
            block.room.scores[block.row(r)][block.column(k)] = result;
        }
    }
    __syncthreads();
}

/// Tiles of the query's gradient.
template <class T> __global__ void query_gradient_kernel(AttentionBack<T> c) {
    using Tile = AttentionTile<T>;
    __shared__ AttentionRoom<T> room;
    const AttentionBlock<T> block(room);
    const std::int64_t tiles = (c.queries + Tile::size - 1) / Tile::size,
                       parts = (c.size + Tile::width - 1) / Tile::width, all = c.batch * c.heads * tiles * parts;
    for (std::int64_t n = blockIdx.x; n < all; n += gridDim.x) {
        const std::int64_t rest = n / parts, head = rest / tiles, i0 = (rest - head * tiles) * Tile::size,
                           first = (n - rest * parts) * Tile::width,
                           end = c.causal && i0 + Tile::size < c.keys ? i0 + Tile::size : c.keys;
        typename AttentionBlock<T>::Sums sums;
        AttentionBlock<T>::clear(sums);
        for (std::int64_t j0 = 0; j0 < end; j0 += Tile::size) {
            tile_again(block, c, head, i0, j0, true);
            block.template add<false>(sums, {c.key + c.key_head(head) * c.keys * c.size, j0, c.keys, c.size}, first);
        }
        block.each(sums, c.queries - i0, first, c.size, [&](int row, std::int64_t column, T sum) {
            c.grad_query[(head * c.queries + i0 + row) * c.size + column] = sum;
        });
    }
}

/// Tiles of the key's gradient, or of the value's: from all heads of query that share them.
template <class T> __global__ void key_gradient_kernel(AttentionBack<T> c, bool of_key) {
    using Tile = AttentionTile<T>;
    __shared__ AttentionRoom<T> room;
    const AttentionBlock<T> block(room);
    const std::int64_t width = of_key ? c.size : c.value_size, tiles = (c.keys + Tile::size - 1) / Tile::size,
                       parts = (width + Tile::width - 1) / Tile::width, group = c.heads / c.key_heads,
                       all = c.batch * c.key_heads * tiles * parts;
    T* const gradient = of_key ? c.grad_key : c.grad_value;
    for (std::int64_t n = blockIdx.x; n < all; n += gridDim.x) {
        const std::int64_t rest = n / parts, head = rest / tiles, j0 = (rest - head * tiles) * Tile::size,
                           first = (n - rest * parts) * Tile::width, b = head / c.key_heads;
        typename AttentionBlock<T>::Sums sums;
        AttentionBlock<T>::clear(sums);
        for (std::int64_t g = 0; g < group; ++g) {
            const std::int64_t of_query = b * c.heads + (head - b * c.key_heads) * group + g;
            const T* const other =
                of_key ? c.query + of_query * c.queries * c.size : c.grad + of_query * c.queries * c.value_size;
            for (std::int64_t i0 = c.causal ? j0 : 0; i0 < c.queries; i0 += Tile::size) {
                tile_again(block, c, of_query, i0, j0, of_key);
                block.template add<true>(sums, {other, i0, c.queries, width}, first);
            }
        }
        block.each(sums, c.keys - j0, first, width, [&](int row, std::int64_t column, T sum) {
            gradient[(head * c.keys + j0 + row) * width + column] = sum;
        });
    }
}

struct Gradients {
    const Tensor &query, &key, &value;
};
struct Operands {
    const Tensor &grad, &query, &key, &value, &mask, &out, &normalizers, &drawn;
};
void go_back(const Gradients& to, const Operands& o, bool causal, double scale, double p) {
    const char* const op = "scaled_dot_product_attention";
    const OnDevice on(o.query);
    const Tensor sums = o.normalizers.new_empty({o.normalizers.numel()}, o.query.scalar_type());
    dispatch(FloatTypes(), op, o.query, [&]<class T>() {
        using Tile = AttentionTile<T>;
        const auto data = [](const Tensor& t) { return Elements<T>(t).data; };
        AttentionBack<T> c{};
        static_cast<AttentionCall<T>&>(c) =
            attention_call<T>(o.query, o.key, o.value, o.mask, o.drawn, causal, scale, p);
        c.grad = data(o.grad), c.normalizers = data(o.normalizers), c.row_sums = data(sums);
        c.grad_query = data(to.query), c.grad_key = data(to.key), c.grad_value = data(to.value);
        over_rows(op, on, RowSums<T>{c.grad, data(o.out), data(sums)}, sums.numel(), c.value_size, 1);
        const auto blocks = [&](std::int64_t heads, std::int64_t rows, std::int64_t width) {
            return on.blocks(c.batch * heads * tiles_of(rows, Tile::size) * tiles_of(width, Tile::width));
        };
        launch(op, query_gradient_kernel<T>, blocks(c.heads, c.queries, c.size), c);
        launch(op, key_gradient_kernel<T>, blocks(c.key_heads, c.keys, c.size), c, true);
        launch(op, key_gradient_kernel<T>, blocks(c.key_heads, c.keys, c.value_size), c, false);
    });
}

void tiled_attention_backward(const Tensor& grad_query, const Tensor& grad_key, const Tensor& grad_value,
                              const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
                              const Tensor& mask, const Tensor& out, const Tensor& normalizers, bool causal,
                              double scale) {
    go_back({grad_query, grad_key, grad_value}, {grad, query, key, value, mask, out, normalizers, {}}, causal, scale,
            0);
}
void dropped_attention_backward(const Tensor& grad_query, const Tensor& grad_key, const Tensor& grad_value,
                                const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
                                const Tensor& mask, const Tensor& out, const Tensor& normalizers, const Tensor& drawn,
                                bool causal, double scale, double p) {
    go_back({grad_query, grad_key, grad_value}, {grad, query, key, value, mask, out, normalizers, drawn}, causal, scale,
            p);
}

[[maybe_unused]] const bool attached = [] {
    kernels::tiled_attention_backward.set(kCUDA, &tiled_attention_backward);
    kernels::dropped_attention_backward.set(kCUDA, &dropped_attention_backward);
    return true;
}();

} // namespace

} // namespace reel::cuda
