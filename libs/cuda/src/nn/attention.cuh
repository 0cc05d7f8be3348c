// Attention in tiles: a block multiplies tiles of two matrices, keeps one tile of scores in its own memory, and never
// writes it anywhere else.
#pragma once

#include <cmath>
#include <limits>

#include "dispatch.cuh"
#include "random/philox.cuh"
#include "team.cuh"

#if defined(__CUDACC__)
#define REEL_UNROLL _Pragma("unroll")
#else
#define REEL_UNROLL
#endif

namespace reel::cuda {

/// Of one dtype: how large tiles are. A block has 16 x 16 threads, each with the same places of a tile of results.
template <class T> struct AttentionTile {
    static constexpr int threads = 16, per = sizeof(T) == 4 ? 4 : 2; ///< rows, and columns, of a thread
    static constexpr int size = threads * per;                       ///< queries, and keys, of a tile
    static constexpr int depth = 32;                                 ///< what is multiplied between two barriers
    static constexpr int slices = 4, width = slices * depth;         ///< columns of results that a block adds up
    static constexpr int lanes = threads * threads / size;           ///< threads that look at one row together
};
static_assert(AttentionTile<float>::threads * AttentionTile<float>::threads == threads_per_block);

/// A block's own memory.
template <class T> struct AttentionRoom {
    using Tile = AttentionTile<T>;
    T left[Tile::size][Tile::depth + 1], right[Tile::size][Tile::depth + 1]; // rows begin in different banks
    T scores[Tile::size][Tile::size + 1];
    T best[Tile::size], sum[Tile::size], rescale[Tile::size];
};

/// Operands and numbers of a call.
template <class T> struct AttentionCall {
    const T *query, *key, *value;
    std::int64_t batch, heads, key_heads, queries, keys, size, value_size;
    T scale;
    bool causal;
    const bool* kept; ///< of the mask, if there is one: this or that
    const T* added;
    std::int64_t mask_steps[4];
    const std::uint64_t* drawn; ///< seed and first counter of what is dropped; null: nothing is
    T chance, grown;            ///< of being kept, and by how much what is kept grows

    __device__ std::int64_t key_head(std::int64_t head) const {
        const std::int64_t b = head / heads;
        return b * key_heads + (head - b * heads) / (heads / key_heads);
    }
    /// The score of query `i` and key `j` from their product; minus infinity where they do not meet.
    __device__ T score(T product, std::int64_t head, std::int64_t i, std::int64_t j) const {
        constexpr T hidden = -std::numeric_limits<T>::infinity();
        if (i >= queries || j >= keys || (causal && j > i)) return hidden;
        if (!kept && !added) return product * scale;
        const std::int64_t b = head / heads;
        const std::int64_t at =
            b * mask_steps[0] + (head - b * heads) * mask_steps[1] + i * mask_steps[2] + j * mask_steps[3];
        if (kept) return kept[at] ? product * scale : hidden;
        return product * scale + added[at];
    }
    /// What the weight of a place is multiplied by: zero where it is dropped.
    __device__ T factor(std::int64_t place) const {
        if (!drawn) return T(1);
        const RandomPair bits = Philox(RandomSource{drawn, 0, 0})(std::uint64_t(place) / 2);
        return uniform_double(place % 2 == 0 ? bits.first : bits.second) < double(chance) ? grown : T(0);
    }
    __device__ T factor(std::int64_t head, std::int64_t i, std::int64_t j) const {
        return factor((head * queries + i) * keys + j);
    }
};

/// Some rows of a dense matrix.
template <class T> struct AttentionRows {
    const T* data; ///< of the matrix
    std::int64_t first, rows, columns;
};

/// What a thread of a block does; all of them call the same in the same order.
template <class T> class AttentionBlock {
public:
    using Tile = AttentionTile<T>;
    static constexpr int per = Tile::per;
    using Scores = T[per][per];
    using Sums = T[per][Tile::slices][2];

    __device__ explicit AttentionBlock(AttentionRoom<T>& own)
        : room(own), me(int(threadIdx.x)), x(me % Tile::threads), y(me / Tile::threads) {}
    __device__ int row(int r) const { return y + Tile::threads * r; }
    __device__ int column(int c) const { return x + Tile::threads * c; }

    /// Products of all rows of one tile with all of another.
    __device__ void products(Scores& s, const AttentionRows<T>& a, const AttentionRows<T>& b) const {
        for (int r = 0; r < per; ++r)
            for (int c = 0; c < per; ++c) s[r][c] = T(0);
        for (std::int64_t at = 0; at < a.columns; at += Tile::depth) {
            __syncthreads(); // the room may still be read
            load(room.left, a, at);
            load(room.right, b, at);
            __syncthreads();
            for (int k = 0; k < Tile::depth; ++k) {
                T left[per], right[per];
                for (int r = 0; r < per; ++r) left[r] = room.left[row(r)][k];
                for (int c = 0; c < per; ++c) right[c] = room.right[column(c)][k];
                for (int r = 0; r < per; ++r)
                    for (int c = 0; c < per; ++c) s[r][c] += left[r] * right[c];
            }
        }
    }
    /// Adds to `sums` the tile of scores, by its columns if `turned`, times the columns of `b` from `first` on.
    template <bool turned> __device__ void add(Sums& sums, const AttentionRows<T>& b, std::int64_t first) const {
        REEL_UNROLL
        for (int slice = 0; slice < Tile::slices; ++slice) {
            const std::int64_t at = first + slice * Tile::depth;
            if (at >= b.columns) continue; // for all threads
            __syncthreads();
            load(room.right, b, at);
            __syncthreads();
            for (int k = 0; k < Tile::size; ++k) {
                const T right[2] = {room.right[k][x], room.right[k][x + Tile::threads]};
                for (int r = 0; r < per; ++r) {
                    const T left = turned ? room.scores[k][row(r)] : room.scores[row(r)][k];
                    for (int c = 0; c < 2; ++c) sums[r][slice][c] += left * right[c];
                }
            }
        }
    }
    /// Calls `f(row, column, sum)` for the places of `sums` that are in a matrix.
    template <class F>
    __device__ void each(const Sums& sums, std::int64_t rows, std::int64_t first, std::int64_t columns, F f) const {
        REEL_UNROLL
        for (int slice = 0; slice < Tile::slices; ++slice)
            for (int r = 0; r < per; ++r)
                for (int c = 0; c < 2; ++c) {
                    const std::int64_t at = first + slice * Tile::depth + x + c * Tile::threads;
                    if (row(r) < rows && at < columns) f(row(r), at, sums[r][slice][c]);
                }
    }
    __device__ static void clear(Sums& sums) {
        for (int r = 0; r < per; ++r)
            for (int slice = 0; slice < Tile::slices; ++slice) sums[r][slice][0] = sums[r][slice][1] = T(0);
    }

    AttentionRoom<T>& room;
    const int me, x, y;

private:
    __device__ void load(T (&to)[Tile::size][Tile::depth + 1], const AttentionRows<T>& from, std::int64_t at) const {
        for (int e = me; e < Tile::size * Tile::depth; e += threads_per_block) {
            const int r = e / Tile::depth, c = e % Tile::depth;
            const bool inside = from.first + r < from.rows && at + c < from.columns;
            to[r][c] = inside ? from.data[(from.first + r) * from.columns + at + c] : T(0);
        }
    }
};

inline std::int64_t tiles_of(std::int64_t count, int size) { return (count + size - 1) / size; }

/// From a kernel's operands; `drawn` undefined: nothing is dropped.
template <class T>
AttentionCall<T> attention_call(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                                const Tensor& drawn, bool causal, double scale, double p) {
    AttentionCall<T> c{};
    c.query = Elements<T>(query).data, c.key = Elements<T>(key).data, c.value = Elements<T>(value).data;
    c.batch = query.size(0), c.heads = query.size(1), c.key_heads = key.size(1);
    c.queries = query.size(2), c.keys = key.size(2), c.size = query.size(3), c.value_size = value.size(3);
    c.scale = T(scale), c.causal = causal;
    if (mask.defined()) {
        if (mask.scalar_type() == kBool) c.kept = static_cast<const bool*>(mask.data_ptr());
        else c.added = Elements<T>(mask).data;
        for (std::size_t d = 0; d < 4; ++d) c.mask_steps[d] = mask.strides()[d];
    }
    if (drawn.defined()) c.drawn = static_cast<const std::uint64_t*>(drawn.data_ptr());
    c.chance = T(1 - p), c.grown = T(1 / (1 - p));
    return c;
}

} // namespace reel::cuda
