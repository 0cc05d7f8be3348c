// Attention backward: the weights of a tile are computed again from its scores and the normalizers. Tiles stand turned,
// keys down and queries along, so that what they are multiplied with from the right belongs to the block of queries.
#include "cpu/nn/tiled_attention.hpp"

#include <algorithm>
#include <type_traits>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernels/tiled_attention.hpp>

#include "cpu/shape/transpose.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

constexpr std::int64_t query_block = 64, key_block = 96, most_parts = 8;

template <class T> struct Operands { const T *query, *key, *value, *out, *normalizers, *grad; };

/// The scratch of one thread: a block of queries and of their gradients in panels, two tiles, sums.
template <class T> struct Block {
    const AttentionShape& s;
    const PackedProductKernels<T>& kernel = packed_product_kernels<T>;
    std::int64_t blocks = (s.keys + key_block - 1) / key_block, of_query = kernel.size(s.size, query_block),
                 of_grad = kernel.size(s.value_size, query_block), across_query = kernel.size(query_block, s.size),
                 across_grad = kernel.size(query_block, s.value_size), of_keys = kernel.size(key_block, s.size),
                 tile = key_block * query_block;
    Scratch memory{std::size_t(of_query + of_grad + across_query + across_grad + blocks * of_keys + 3 * tile +
                               2 * query_block * s.size + 2 * query_block) *
                   sizeof(T)};
    T *query_columns = memory.template as<T>(), *grad_columns = query_columns + of_query,
      *query_rows = grad_columns + of_grad, *grad_rows = query_rows + across_query, *keys = grad_rows + across_grad,
      *weights = keys + blocks * of_keys, *slopes = weights + tile, *turned = slopes + tile, *scaled = turned + tile,
      *sum = scaled + query_block * s.size, *normalizers = sum + query_block * s.size,
      *dots = normalizers + query_block;

    void pack_keys(const T* key) {
        for (std::int64_t b = 0; b < blocks; ++b)
            kernel.pack(key + b * key_block * s.size, false, std::min(key_block, s.keys - b * key_block), s.size,
                        s.size, keys + b * of_keys);
    }
    /// `count` queries from row `row` on.
    void load(const Operands<T>& x, std::int64_t row, std::int64_t count, T scale) {
        const std::int64_t v = s.value_size;
        for (std::int64_t i = 0; i < count * s.size; ++i) scaled[i] = x.query[row * s.size + i] * scale;
        kernel.pack(scaled, true, s.size, count, s.size, query_columns);
        kernel.pack(scaled, false, count, s.size, s.size, query_rows);
        kernel.pack(x.grad + row * v, true, v, count, v, grad_columns);
        kernel.pack(x.grad + row * v, false, count, v, v, grad_rows);
        std::fill_n(normalizers, 2 * query_block, T(0));
        for (std::int64_t i = 0; i < count; ++i) {
            normalizers[i] = x.normalizers[row + i];
            dots[i] = attention_kernels<T>.dot(x.grad + (row + i) * v, x.out + (row + i) * v, v);
        }
        std::fill_n(sum, count * s.size, T(0));
    }
};

/// to[i][j] = from[j][i] for `rows` rows j and `columns` columns i.
template <class T> void turn(const T* from, std::int64_t ld, std::int64_t rows, std::int64_t columns, T* to) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const auto transpose = [] {
        if constexpr (sizeof(T) == 4) return transpose_kernels.b4;
        else return transpose_kernels.b8;
    }();
    transpose(reinterpret_cast<Bits*>(to), key_block, reinterpret_cast<const Bits*>(from), ld, columns, rows, false);
}

template <class T> struct Backward {
    const AttentionShape& s;
    const AttentionMask<T>& mask;
    Operands<T> x;
    T scale;
    const AttentionKernels<T>& kernel = attention_kernels<T>;

    /// What one tile gives to its keys' gradients and to the sum over keys of its queries' ones.
    void tile(Block<T>& b, std::int64_t batch, std::int64_t head, std::int64_t i0, std::int64_t count, std::int64_t j0,
              const T* key, const T* value, T* grad_key, T* grad_value) const {
        const std::int64_t n = std::min(key_block, s.keys - j0), ld = query_block, e = s.size, v = s.value_size;
        multiply_packed(key + j0 * e, e, b.query_columns, b.weights, ld, n, count, e, false);
        mask.apply(b.weights, ld, batch, head, i0, count, j0, n, true);
        kernel.weights(b.weights, ld, n, count, b.normalizers);
        multiply_packed(b.weights, ld, b.grad_rows, grad_value + j0 * v, v, n, v, count, true);
        multiply_packed(value + j0 * v, v, b.grad_columns, b.slopes, ld, n, count, v, false);
        kernel.slopes(b.slopes, b.weights, ld, n, count, b.dots);
        multiply_packed(b.slopes, ld, b.query_rows, grad_key + j0 * e, e, n, e, count, true);
        turn(b.slopes, ld, n, count, b.turned);
        multiply_packed(b.turned, key_block, b.keys + j0 / key_block * b.of_keys, b.sum, e, count, e, n, true);
    }
    /// Blocks of queries [first, last) of all heads that read one head of key.
    void heads(Block<T>& b, std::int64_t batch, std::int64_t key_head, std::int64_t first, std::int64_t last,
               T* grad_query, T* grad_key, T* grad_value) const {
        const std::int64_t at = (batch * s.key_heads + key_head) * s.keys, e = s.size;
        const T *const key = x.key + at * e, *const value = x.value + at * s.value_size;
        b.pack_keys(key);
        for (std::int64_t h = key_head * s.group(); h < (key_head + 1) * s.group(); ++h)
            for (std::int64_t i0 = first * query_block; i0 < std::min(s.queries, last * query_block);
                 i0 += query_block) {
                const std::int64_t count = std::min(query_block, s.queries - i0),
                                   row = (batch * s.heads + h) * s.queries + i0,
                                   end = mask.is_causal() ? std::min(s.keys, i0 + count) : s.keys;
                b.load(x, row, count, scale);
                for (std::int64_t j0 = 0; j0 < end; j0 += key_block)
                    tile(b, batch, h, i0, count, j0, key, value, grad_key, grad_value);
                for (std::int64_t i = 0; i < count * e; ++i) grad_query[row * e + i] = b.sum[i] * scale;
            }
    }
    void run(T* grad_query, T* grad_key, T* grad_value) const {
        // Each head of key is one job. Few of them are cut into parts of the queries, whose sums are added in order: by
        // the shape alone, so that the bits do not depend on the threads.
        const std::int64_t all = s.batch * s.key_heads, blocks = (s.queries + query_block - 1) / query_block,
                           parts = std::clamp<std::int64_t>(most_parts / all, 1, blocks),
                           step = (blocks + parts - 1) / parts, keys = all * s.keys * s.size,
                           values = all * s.keys * s.value_size;
        const Scratch partial(std::size_t((parts - 1) * (keys + values)) * sizeof(T));
        std::fill_n(partial.as<T>(), (parts - 1) * (keys + values), T(0));
        std::fill_n(grad_key, keys, T(0));
        std::fill_n(grad_value, values, T(0));
        const std::int64_t work = step * query_block * s.group() * s.keys * (s.size + s.value_size);
        parallel_for(
            0, all * parts, std::max<std::int64_t>(1, 500000 / work), [&](std::int64_t begin, std::int64_t end) {
                Block<T> block{s};
                for (std::int64_t job = begin; job < end; ++job) {
                    const std::int64_t head = job / parts, p = job % parts;
                    T *const keys_to = p ? partial.as<T>() + (p - 1) * (keys + values) : grad_key, *const values_to =
                                                                                                       p ? keys_to +
                                                                                                               keys
                                                                                                         : grad_value;
                    heads(block, head / s.key_heads, head % s.key_heads, p * step, std::min(blocks, (p + 1) * step),
                          grad_query, keys_to + head * s.keys * s.size, values_to + head * s.keys * s.value_size);
                }
            });
        for (std::int64_t p = 1; p < parts; ++p) {
            const T* const from = partial.as<T>() + (p - 1) * (keys + values);
            for (std::int64_t i = 0; i < keys; ++i) grad_key[i] += from[i];
            for (std::int64_t i = 0; i < values; ++i) grad_value[i] += from[keys + i];
        }
    }
};

} // namespace

void tiled_attention_backward(const Tensor& grad_query, const Tensor& grad_key, const Tensor& grad_value,
                              const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
                              const Tensor& mask, const Tensor& out, const Tensor& normalizers, bool is_causal,
                              double scale) {
    const char* const op = "scaled_dot_product_attention";
    detail::dispatch<detail::Floats>(out.scalar_type(), op, [&]<class T>() {
        const AttentionShape shape(query, key, value);
        const AttentionMask<T> hides(mask, is_causal);
        const Operands<T> operands{host_data<T>(query, op), host_data<T>(key, op),         host_data<T>(value, op),
                                   host_data<T>(out, op),   host_data<T>(normalizers, op), host_data<T>(grad, op)};
        Backward<T>{shape, hides, operands, T(scale)}.run(host_data<T>(grad_query, op), host_data<T>(grad_key, op),
                                                          host_data<T>(grad_value, op));
    });
}

} // namespace reel::cpu
