// Attention forward in tiles: what a row has seen is rescaled when a greater score comes.
#include <reel/autograd/kernels/tiled_attention.hpp>

#include "nn/attention.cuh"

namespace reel::cuda {

namespace {

/// Scores become exp(score - best) of each row's best so far, which `rescale` says the change of.
template <class T>
__device__ void exponentials(const AttentionBlock<T>& block, const AttentionCall<T>& c, std::int64_t head,
                             std::int64_t i0, std::int64_t j0) {
    using Tile = AttentionTile<T>;
    constexpr T nothing = -std::numeric_limits<T>::infinity();
    AttentionRoom<T>& room = block.room;
    const LaneTeam team = LaneTeam::here(Tile::lanes);
    const int row = block.me / Tile::lanes;
    T best = nothing, sum = T(0);
    for (int k = team.me; k < Tile::size; k += Tile::lanes) best = std::fmax(best, room.scores[row][k]);
    best = team.share(team.join(best, [](T a, T b) { return std::fmax(a, b); }));
    const T before = room.best[row];
    best = std::fmax(best, before);
    for (int k = team.me; k < Tile::size; k += Tile::lanes) {
        const T s = room.scores[row][k], e = s == nothing ? T(0) : std::exp(s - best);
        sum += e;
        room.scores[row][k] = e == T(0) ? e : e * c.factor(head, i0 + row, j0 + k);
    }
    sum = team.join(sum, [](T a, T b) { return a + b; });
    __syncwarp(); // all lanes have read what was best before
    if (team.me != 0) return;
    room.rescale[row] = before == best ? T(1) : std::exp(before - best);
    room.best[row] = best;
    room.sum[row] = room.sum[row] * room.rescale[row] + sum;
}

template <class T>
__device__ void attention_tile(const AttentionBlock<T>& block, const AttentionCall<T>& c, T* out, T* normalizers,
                               std::int64_t head, std::int64_t i0, std::int64_t first) {
    using Tile = AttentionTile<T>;
    AttentionRoom<T>& room = block.room;
    if (block.me < Tile::size) {
        room.best[block.me] = -std::numeric_limits<T>::infinity();
        room.sum[block.me] = T(0);
    }
    typename AttentionBlock<T>::Sums sums;
    AttentionBlock<T>::clear(sums);
    const std::int64_t of_key = c.key_head(head), end = c.causal && i0 + Tile::size < c.keys ? i0 + Tile::size : c.keys;
    for (std::int64_t j0 = 0; j0 < end; j0 += Tile::size) {
        typename AttentionBlock<T>::Scores s;
        block.products(s, {c.query + head * c.queries * c.size, i0, c.queries, c.size},
                       {c.key + of_key * c.keys * c.size, j0, c.keys, c.size});
        for (int r = 0; r < block.per; ++r)
            for (int k = 0; k < block.per; ++k)
                room.scores[block.row(r)][block.column(k)] =
                    c.score(s[r][k], head, i0 + block.row(r), j0 + block.column(k));
        __syncthreads();
        exponentials(block, c, head, i0, j0);
        __syncthreads();
        for (int r = 0; r < block.per; ++r)
            for (int slice = 0; slice < Tile::slices; ++slice)
                for (int k = 0; k < 2; ++k) sums[r][slice][k] *= room.rescale[block.row(r)];
        block.template add<false>(sums, {c.value + of_key * c.keys * c.value_size, j0, c.keys, c.value_size}, first);
    }
    block.each(sums, c.queries - i0, first, c.value_size, [&](int row, std::int64_t column, T sum) {
        const T all = room.sum[row];
        out[(head * c.queries + i0 + row) * c.value_size + column] = all == T(0) ? T(0) : sum / all;
    });
    const std::int64_t i = i0 + block.me;
    if (first == 0 && block.me < Tile::size && i < c.queries)
        normalizers[head * c.queries + i] = room.sum[block.me] == T(0)
                                                ? std::numeric_limits<T>::infinity()
                                                : room.best[block.me] + std::log(room.sum[block.me]);
    __syncthreads(); // before the next tile overwrites them
}

template <class T> __global__ void attention_kernel(AttentionCall<T> c, T* out, T* normalizers) {
    using Tile = AttentionTile<T>;
    __shared__ AttentionRoom<T> room;
    const AttentionBlock<T> block(room);
    const std::int64_t tiles = (c.queries + Tile::size - 1) / Tile::size,
                       parts = (c.value_size + Tile::width - 1) / Tile::width, all = c.batch * c.heads * tiles * parts;
    for (std::int64_t n = blockIdx.x; n < all; n += gridDim.x) {
        const std::int64_t rest = n / parts, head = rest / tiles;
        attention_tile(block, c, out, normalizers, head, (rest - head * tiles) * Tile::size,
                       (n - rest * parts) * Tile::width);
    }
}

void attend(const Tensor& out, const Tensor& normalizers, const Tensor& drawn, const Tensor& query, const Tensor& key,
            const Tensor& value, const Tensor& mask, bool causal, double scale, double p) {
    const OnDevice on(out);
    dispatch(FloatTypes(), "scaled_dot_product_attention", out, [&]<class T>() {
        const AttentionCall<T> c = attention_call<T>(query, key, value, mask, drawn, causal, scale, p);
        using Tile = AttentionTile<T>;
        const std::int64_t blocks =
            c.batch * c.heads * tiles_of(c.queries, Tile::size) * tiles_of(c.value_size, Tile::width);
        launch("scaled_dot_product_attention", attention_kernel<T>, on.blocks(blocks), c, Elements<T>(out).data,
               Elements<T>(normalizers).data);
    });
}

void tiled_attention(const Tensor& out, const Tensor& normalizers, const Tensor& query, const Tensor& key,
                     const Tensor& value, const Tensor& mask, bool causal, double scale) {
    attend(out, normalizers, {}, query, key, value, mask, causal, scale, 0);
}

/// Where the numbers begin, kept for the way back: a captured graph draws others in each replay.
__global__ void begin_kernel(std::uint64_t* drawn, RandomSource source) {
    const Philox numbers(source);
    if (threadIdx.x == 0) drawn[0] = numbers.key, drawn[1] = numbers.first;
}
void dropped_attention(const Tensor& out, const Tensor& normalizers, const Tensor& drawn, const Tensor& query,
                       const Tensor& key, const Tensor& value, const Tensor& mask, bool causal, double scale,
                       double p) {
    const std::int64_t weights = normalizers.numel() * key.size(2);
    {
        const OnDevice on(out);
        launch("scaled_dot_product_attention", begin_kernel, on.blocks(1, 32),
               static_cast<std::uint64_t*>(drawn.data_ptr()),
               draw("scaled_dot_product_attention", out.device().index(), {}, (weights + 1) / 2));
    }
    attend(out, normalizers, drawn, query, key, value, mask, causal, scale, p);
}

template <class T> __global__ void factors_kernel(AttentionCall<T> c, T* factors, std::int64_t count) {
    for (std::int64_t i = first_place(); i < count; i += place_step()) factors[i] = c.factor(i);
}
void dropped_attention_factors(const Tensor& factors, const Tensor& drawn, double p) {
    const OnDevice on(factors);
    dispatch(FloatTypes(), "scaled_dot_product_attention", factors, [&]<class T>() {
        AttentionCall<T> c{};
        c.drawn = static_cast<const std::uint64_t*>(drawn.data_ptr());
        c.chance = T(1 - p), c.grown = T(1 / (1 - p));
        launch("scaled_dot_product_attention", factors_kernel<T>, on.over(factors.numel()), c,
               Elements<T>(factors).data, factors.numel());
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::tiled_attention.set(kCUDA, &tiled_attention);
    kernels::dropped_attention.set(kCUDA, &dropped_attention);
    kernels::dropped_attention_factors.set(kCUDA, &dropped_attention_factors);
    return true;
}();

} // namespace

} // namespace reel::cuda
