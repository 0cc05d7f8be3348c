// Attention forward: a block of queries meets one block of keys after the other, and what it has seen is rescaled when
// a greater score comes.
#include "cpu/nn/tiled_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernels/tiled_attention.hpp>

#include "op/dispatch.hpp"

namespace reel::cpu {

template <class T> AttentionMask<T>::AttentionMask(const Tensor& mask, bool is_causal) : causal_(is_causal) {
    if (!mask.defined()) return;
    if (mask.scalar_type() == kBool) kept_ = host_data<bool>(mask, "scaled_dot_product_attention");
    else added_ = host_data<T>(mask, "scaled_dot_product_attention");
    for (int d = 0; d < 4; ++d) strides_[d] = mask.strides()[std::size_t(d)];
}

template <class T>
void AttentionMask<T>::apply(T* tile, std::int64_t ld, std::int64_t batch, std::int64_t head, std::int64_t i0,
                             std::int64_t queries, std::int64_t j0, std::int64_t keys, bool turned) const {
    constexpr T hidden = -std::numeric_limits<T>::infinity();
    const std::int64_t rows = turned ? keys : queries, columns = turned ? queries : keys;
    if (causal_) // query i sees keys up to i
        for (std::int64_t r = 0; r < rows; ++r) {
            const std::int64_t first = turned ? 0 : std::clamp<std::int64_t>(i0 + r - j0 + 1, 0, columns),
                               last = turned ? std::clamp<std::int64_t>(j0 + r - i0, 0, columns) : columns;
            std::fill(tile + r * ld + first, tile + r * ld + last, hidden);
        }
    if (!kept_ && !added_) return;
    const std::int64_t start = batch * strides_[0] + head * strides_[1] + i0 * strides_[2] + j0 * strides_[3],
                       down = strides_[turned ? 3 : 2], along = strides_[turned ? 2 : 3];
    for (std::int64_t r = 0; r < rows; ++r) {
        T* const row = tile + r * ld;
        const std::int64_t at = start + r * down;
        if (kept_)
            for (std::int64_t c = 0; c < columns; ++c) row[c] = kept_[at + c * along] ? row[c] : hidden;
        else
            for (std::int64_t c = 0; c < columns; ++c) row[c] += added_[at + c * along];
    }
}

template class AttentionMask<float>;
template class AttentionMask<double>;

namespace {

constexpr std::int64_t query_block = 48, key_block = 256;

/// Keys and values of all heads in panels, a block of keys after the other.
template <class T> struct PackedKeys {
    const AttentionShape& s;
    const PackedProductKernels<T>& kernel = packed_product_kernels<T>;
    std::int64_t blocks = (s.keys + key_block - 1) / key_block, step = std::min(s.keys, key_block),
                 keys_size = kernel.size(s.size, step), values_size = kernel.size(step, s.value_size);
    Scratch panels{std::size_t(s.batch * s.key_heads * blocks * (keys_size + values_size)) * sizeof(T)};

    T* keys(std::int64_t head, std::int64_t block) const {
        return panels.template as<T>() + (head * blocks + block) * (keys_size + values_size);
    }
    T* values(std::int64_t head, std::int64_t block) const { return keys(head, block) + keys_size; }
    std::int64_t count(std::int64_t block) const { return std::min(key_block, s.keys - block * key_block); }

    void fill(const T* key, const T* value) const {
        const std::int64_t grain = std::max<std::int64_t>(1, 65536 / (step * (s.size + s.value_size)));
        parallel_for(0, s.batch * s.key_heads * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t b = begin; b < end; ++b) {
                const std::int64_t head = b / blocks, block = b % blocks, n = count(block),
                                   row = head * s.keys + block * key_block;
                kernel.pack(key + row * s.size, true, s.size, n, s.size, keys(head, block));
                kernel.pack(value + row * s.value_size, false, n, s.value_size, s.value_size, values(head, block));
            }
        });
    }
};

template <class T> struct Forward {
    const AttentionShape& s;
    const AttentionMask<T>& mask;
    const PackedKeys<T>& packed;
    T scale;
    const AttentionKernels<T>& kernel = attention_kernels<T>;

    /// `count` queries of one head from `i0` on; `out` and `normalizers` are theirs, scores and scaled scratch.
    void block(std::int64_t batch, std::int64_t head, std::int64_t i0, std::int64_t count, const T* query, T* out,
               T* normalizers, T* scores, T* scaled) const {
        constexpr T lowest = -std::numeric_limits<T>::infinity();
        const std::int64_t of_key = batch * s.key_heads + head / s.group(), v = s.value_size;
        T best[query_block], sum[query_block] = {}, factor[query_block];
        std::fill_n(best, query_block, lowest);
        for (std::int64_t i = 0; i < count * s.size; ++i) scaled[i] = query[i] * scale;
        for (std::int64_t b = 0; b < packed.blocks && !(mask.is_causal() && b * key_block >= i0 + count); ++b) {
            const std::int64_t n = packed.count(b);
            multiply_packed(scaled, s.size, packed.keys(of_key, b), scores, key_block, count, n, s.size, false);
            mask.apply(scores, key_block, batch, head, i0, count, b * key_block, n, false);
            kernel.weigh(scores, key_block, count, n, best, sum, factor);
            if (b > 0) kernel.scale_rows(out, v, count, v, factor);
            multiply_packed(scores, key_block, packed.values(of_key, b), out, v, count, v, n, b > 0);
        }
        for (std::int64_t i = 0; i < count; ++i) {
            normalizers[i] = sum[i] == T(0) ? -lowest : best[i] + std::log(sum[i]);
            if (sum[i] == T(0)) std::fill_n(out + i * v, v, T(0)); // what weighs nothing may still be infinite
            factor[i] = sum[i] == T(0) ? T(1) : T(1) / sum[i];
        }
        kernel.scale_rows(out, v, count, v, factor);
    }
    void run(const T* query, T* out, T* normalizers) const {
        const std::int64_t blocks = (s.queries + query_block - 1) / query_block,
                           work = query_block * s.keys * (s.size + s.value_size),
                           grain = std::max<std::int64_t>(1, 1000000 / work);
        parallel_for(0, s.batch * s.heads * blocks, grain, [&](std::int64_t begin, std::int64_t end) {
            const Scratch tile(std::size_t(query_block * (key_block + s.size)) * sizeof(T));
            T* const scores = tile.as<T>();
            for (std::int64_t b = begin; b < end; ++b) {
                const std::int64_t head = b / blocks, i0 = b % blocks * query_block, row = head * s.queries + i0;
                block(head / s.heads, head % s.heads, i0, std::min(query_block, s.queries - i0), query + row * s.size,
                      out + row * s.value_size, normalizers + row, scores, scores + query_block * key_block);
            }
        });
    }
};

} // namespace

void tiled_attention(const Tensor& out, const Tensor& normalizers, const Tensor& query, const Tensor& key,
                     const Tensor& value, const Tensor& mask, bool is_causal, double scale) {
    const char* const op = "scaled_dot_product_attention";
    detail::dispatch<detail::Floats>(out.scalar_type(), op, [&]<class T>() {
        const AttentionShape shape(query, key, value);
        const PackedKeys<T> packed{shape};
        packed.fill(host_data<T>(key, op), host_data<T>(value, op));
        const AttentionMask<T> hides(mask, is_causal);
        Forward<T>{shape, hides, packed, T(scale)}.run(host_data<T>(query, op), host_data<T>(out, op),
                                                       host_data<T>(normalizers, op));
    });
}

} // namespace reel::cpu
