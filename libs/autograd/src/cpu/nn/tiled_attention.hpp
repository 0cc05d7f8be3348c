// What both passes of attention in tiles share: shapes, masks, products.
#pragma once

#include <cstdint>

#include <reel/autograd/tensor.hpp>

#include "cpu/linalg/packed_product.hpp"
#include "cpu/nn/attention_kernels.hpp"

namespace reel::cpu {

struct AttentionShape {
    std::int64_t batch, heads, key_heads, queries, keys, size, value_size;
    AttentionShape(const Tensor& query, const Tensor& key, const Tensor& value)
        : batch(query.size(0)), heads(query.size(1)), key_heads(key.size(1)), queries(query.size(2)), keys(key.size(2)),
          size(query.size(3)), value_size(value.size(3)) {}
    /// The heads of query that read one of key's.
    std::int64_t group() const { return heads / key_heads; }
};

/// What hides scores, or is added to them.
template <class T> class AttentionMask {
public:
    AttentionMask(const Tensor& mask, bool is_causal);
    bool is_causal() const { return causal_; }
    /// Applies it to a tile of the scores of one head: rows from query `i0` on, columns from key `j0` on, or, `turned`,
    /// the other way round.
    void apply(T* tile, std::int64_t ld, std::int64_t batch, std::int64_t head, std::int64_t i0, std::int64_t queries,
               std::int64_t j0, std::int64_t keys, bool turned) const;

private:
    const bool* kept_ = nullptr;
    const T* added_ = nullptr;
    std::int64_t strides_[4] = {};
    bool causal_;
};

/// c [m, n] = a [m, k] b, or added to it, where b stands in panels already.
template <class T>
void multiply_packed(const T* a, std::int64_t lda, const T* panels, T* c, std::int64_t ldc, std::int64_t m,
                     std::int64_t n, std::int64_t k, bool add) {
    const PackedProductKernels<T>& kernel = packed_product_kernels<T>;
    kernel.run(a, lda, panels, 0, (n + kernel.width - 1) / kernel.width, c, ldc, m, n, k, add);
}

} // namespace reel::cpu
