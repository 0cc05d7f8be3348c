// Threads that work on one row together: some lanes of a warp, or a whole block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "elements.cuh"

namespace reel::cuda {

inline constexpr unsigned all_lanes = 0xffffffffU;

/// Any trivially copyable value from another lane: what the hardware exchanges are words.
template <class T, class Exchange> __device__ T exchanged(const T& value, Exchange exchange) {
    using Word = std::conditional_t<sizeof(T) % 8 == 0, unsigned long long, unsigned>;
    static_assert(sizeof(T) % sizeof(Word) == 0 && std::is_trivially_copyable_v<T>);
    constexpr int count = sizeof(T) / sizeof(Word);
    Word words[count];
    std::memcpy(words, &value, sizeof(T));
    for (int k = 0; k < count; ++k) words[k] = exchange(words[k]);
    T result;
    std::memcpy(static_cast<void*>(&result), words, sizeof(T));
    return result;
}
template <class T> __device__ T shuffle_down(const T& value, int by) {
    return exchanged(value, [by](auto word) { return __shfl_down_sync(all_lanes, word, unsigned(by)); });
}
template <class T> __device__ T shuffle_up(const T& value, int by) {
    return exchanged(value, [by](auto word) { return __shfl_up_sync(all_lanes, word, unsigned(by)); });
}
template <class T> __device__ T shuffle_from(const T& value, int lane) {
    return exchanged(value, [lane](auto word) { return __shfl_sync(all_lanes, word, lane); });
}

/// `size` lanes of a warp, a power of two, next to each other; the other lanes of the warp do the same for other rows.
struct LaneTeam {
    int me, size;

    static __device__ LaneTeam here(int size) { return {int(threadIdx.x) % size, size}; }
    /// Which team of the grid this is, and how many there are.
    __device__ std::int64_t number() const { return first_place() / size; }
    __device__ std::int64_t first_of_warp() const { return number() / (32 / size) * (32 / size); }
    __device__ std::int64_t count() const { return place_step() / size; }
    /// The members' values joined in a fixed tree; the first member's result counts.
    template <class T, class Join> __device__ T join(T value, Join join) const {
        for (int by = size / 2; by > 0; by /= 2) value = join(value, shuffle_down(value, by));
        return value;
    }
    /// The first member's value, for all.
    template <class T> __device__ T share(const T& value) const {
        return size == 1 ? value : shuffle_from(value, int(threadIdx.x) % 32 / size * size);
    }
    /// The values of all members before this one joined in order, and of all of them; the first gets `nothing`.
    template <class T, class Join> __device__ T before(T value, const T& nothing, Join join, T& all) const {
        for (int by = 1; by < size; by *= 2) {
            const T other = shuffle_up(value, by);
            if (me >= by) value = join(other, value);
        }
        if (size == 1) {
            all = value;
            return nothing;
        }
        all = shuffle_from(value, int(threadIdx.x) % 32 / size * size + size - 1);
        const T left = shuffle_up(value, 1);
        return me == 0 ? nothing : left;
    }
};

/// A whole block of full warps.
struct BlockTeam {
    int me, size;

    static __device__ BlockTeam here(int) { return {int(threadIdx.x), int(blockDim.x)}; }
    __device__ std::int64_t number() const { return blockIdx.x; }
    __device__ std::int64_t first_of_warp() const { return number(); }
    __device__ std::int64_t count() const { return gridDim.x; }
    template <class T, class Join> __device__ T join(T value, Join join) const {
        T* const part = places<T>();
        value = LaneTeam{me % 32, 32}.join(value, join);
        __syncthreads(); // the places may still be read
        if (me % 32 == 0) part[me / 32] = value;
        __syncthreads();
        if (me == 0)
            for (int w = 1; w < size / 32; ++w) value = join(value, part[w]);
        return value;
    }
    template <class T> __device__ T share(const T& value) const {
        T* const part = places<T>();
        __syncthreads();
        if (me == 0) part[0] = value;
        __syncthreads();
        return part[0];
    }
    template <class T, class Join> __device__ T before(const T& value, const T& nothing, Join join, T& all) const {
        T* const part = places<T>();
        T warp_all, mine = LaneTeam{me % 32, 32}.before(value, nothing, join, warp_all);
        __syncthreads();
        if (me % 32 == 0) part[me / 32] = warp_all;
        __syncthreads();
        T left = part[0];
        for (int w = 1; w < me / 32; ++w) left = join(left, part[w]);
        all = part[0];
        for (int w = 1; w < size / 32; ++w) all = join(all, part[w]);
        if (me < 32) return mine;
        return me % 32 == 0 ? left : join(left, mine);
    }

private:
    /// One place for each warp. Raw memory: shared variables have no constructors.
    template <class T> static __device__ T* places() {
        alignas(16) __shared__ unsigned char bytes[32 * sizeof(T)];
        return reinterpret_cast<T*>(bytes);
    }
};

/// Calls `program(team, row, length, true)` for all rows, each on a team of its own. Teams of a warp that have no row
/// take part with `false`: what the warp comes together for needs all of its lanes.
template <class Team, class Program>
__global__ void rows_kernel(Program program, std::int64_t rows, std::int64_t length, int size) {
    const Team team = Team::here(size);
    const std::int64_t first = team.number();
    // whole warps go round together, as long as the first of their teams has a row
    for (std::int64_t lead = team.first_of_warp(); lead < rows; lead += team.count()) {
        const std::int64_t row = lead + (first - team.first_of_warp());
        program(team, row, length, row < rows);
    }
}

/// Rows of up to this many elements, or so many packs, go to lanes of a warp.
inline constexpr std::int64_t packs_for_lanes = 32 * 8;

/// Runs `program` over rows of `length` elements, of which a thread reads `per_pack` at once.
template <class Program>
void over_rows(const char* op, const OnDevice& on, const Program& program, std::int64_t rows, std::int64_t length,
               int per_pack) {
    if (rows == 0) return;
    const std::int64_t packs = (length + per_pack - 1) / per_pack;
    if (packs > packs_for_lanes)
        return launch(op, rows_kernel<BlockTeam, Program>, on.blocks(rows), program, rows, length, threads_per_block);
    int size = 1;
    while (size < 32 && size < packs) size *= 2;
    launch(op, rows_kernel<LaneTeam, Program>, on.over(rows * size), program, rows, length, size);
}

} // namespace reel::cuda
