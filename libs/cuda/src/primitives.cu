// Sorting by merging, and running sums, by kernels of Reel's own.
#include "primitives.hpp"

#include <bit>
#include <utility>

#include "capturing.hpp"
#include "complex.cuh"
#include "dispatch.cuh"
#include "for_each.cuh"

namespace reel::cuda {

namespace {

using Key = std::uint64_t;
constexpr int tile = 1024; // elements that a block sorts in its own memory

Tensor numbers(const Tensor& like, IntArrayRef sizes) { return like.new_empty(sizes, kLong); }

template <class T> __device__ Key key_of(const T& v) {
    constexpr Key top = Key(1) << 63;
    if constexpr (std::is_same_v<T, bool> || std::is_unsigned_v<T>) return Key(v);
    else if constexpr (std::is_integral_v<T>) return Key(std::int64_t(v)) ^ top;
    else {
        if (is_nan(v)) return ~Key(0);
        const double wide = double(compute_t<T>(v));
        const Key bits = std::bit_cast<Key>(wide == 0 ? 0. : wide);
        return bits & top ? ~bits : bits | top;
    }
}

template <class T> struct MakeKey {
    const T* from;
    Key* to;
    Key flip;
    __device__ void operator()(std::int64_t i) const { to[i] = key_of(from[i]) ^ flip; }
};

/// Keys and the places where they stood.
struct Pairs {
    Key* keys;
    std::int64_t* places;
};

/// How many of `keys[begin..end)`, which are in order, come before `key`; equal ones too if `equal`.
__device__ std::int64_t count_before(const Key* keys, std::int64_t begin, std::int64_t end, Key key, bool equal) {
    std::int64_t low = begin, high = end;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (keys[middle] < key || (equal && keys[middle] == key)) low = middle + 1;
        else high = middle;
    }
    return low - begin;
}

/// Where element `e` of a row of `n` goes when its sorted runs of `width` merge in pairs.
__device__ std::int64_t merged_place(const Key* keys, std::int64_t e, std::int64_t width, std::int64_t n) {
    const std::int64_t pair = e / (2 * width) * (2 * width), middle = pair + width < n ? pair + width : n;
    if (e < middle) {
        const std::int64_t end = middle + width < n ? middle + width : n;
        return e + count_before(keys, middle, end, keys[e], false);
    }
    return pair + (e - middle) + count_before(keys, pair, middle, keys[e], true);
}

/// Each block sorts tiles: runs of one become runs of the tile's size.
__global__ void sort_tiles_kernel(Pairs to, const Key* from, std::int64_t rows, std::int64_t n) {
    __shared__ Key keys[2][tile];
    __shared__ std::int64_t places[2][tile];
    const std::int64_t per_row = (n + tile - 1) / tile;
    for (std::int64_t t = blockIdx.x; t < rows * per_row; t += gridDim.x) {
        const std::int64_t row = t / per_row, begin = (t - row * per_row) * tile;
        const int count = int(n - begin < tile ? n - begin : tile);
        for (int e = int(threadIdx.x); e < count; e += threads_per_block) {
            keys[0][e] = from[row * n + begin + e];
            places[0][e] = begin + e;
        }
        __syncthreads();
        int now = 0;
        for (int width = 1; width < count; width *= 2) {
            for (int e = int(threadIdx.x); e < count; e += threads_per_block) {
                const std::int64_t at = merged_place(keys[now], e, width, count);
                keys[1 - now][at] = keys[now][e];
                places[1 - now][at] = places[now][e];
            }
            now = 1 - now;
            __syncthreads();
        }
        for (int e = int(threadIdx.x); e < count; e += threads_per_block) {
            to.keys[row * n + begin + e] = keys[now][e];
            to.places[row * n + begin + e] = places[now][e];
        }
        __syncthreads(); // before the next tile overwrites them
    }
}

/// One round of merging in the device's memory.
struct MergeRuns {
    Pairs to;
    Pairs from;
    std::int64_t n, width;
    __device__ void operator()(std::int64_t i) const {
        const std::int64_t row = i / n * n, at = row + merged_place(from.keys + row, i - row, width, n);
        to.keys[at] = from.keys[i];
        to.places[at] = from.places[i];
    }
};

/// One block for each stretch: running sums within it, and its sum.
constexpr int stretch = 4 * threads_per_block;
__global__ void sum_stretches_kernel(std::int64_t* values, std::int64_t* sums, std::int64_t n) {
    __shared__ std::int64_t part[threads_per_block];
    const int me = int(threadIdx.x);
    for (std::int64_t s = blockIdx.x; s * stretch < n; s += gridDim.x) {
        const std::int64_t begin = s * stretch + 4 * me;
        std::int64_t mine[4], sum = 0;
        for (int k = 0; k < 4; ++k) mine[k] = sum += begin + k < n ? values[begin + k] : 0;
        part[me] = sum;
        __syncthreads();
        for (int by = 1; by < threads_per_block; by *= 2) {
            const std::int64_t before = me >= by ? part[me - by] : 0;
            __syncthreads();
            part[me] += before;
            __syncthreads();
        }
        const std::int64_t before = part[me] - sum;
        for (int k = 0; k < 4; ++k)
            if (begin + k < n) values[begin + k] = before + mine[k];
        if (me == threads_per_block - 1) sums[s] = part[me];
        __syncthreads();
    }
}

struct AddStretches {
    std::int64_t* values;
    const std::int64_t* sums; // running
    __device__ void operator()(std::int64_t i) const {
        if (i >= stretch) values[i] += sums[i / stretch - 1];
    }
};

} // namespace

Tensor keys_of(const char* op, const Tensor& t, bool descending) {
    const Tensor keys = numbers(t, t.sizes());
    dispatch(RealTypes(), op, t, [&]<class T>() {
        for_each(op, t.device().index(), t.numel(),
                 MakeKey<T>{data<T>(t), data<Key>(keys), descending ? ~Key(0) : Key(0)});
    });
    return keys;
}

SortedKeys sort_keys(const char* op, const Tensor& keys, std::int64_t n) {
    SortedKeys now{numbers(keys, keys.sizes()), numbers(keys, keys.sizes())};
    if (keys.numel() == 0) return now;
    const DeviceIndex index = keys.device().index();
    const std::int64_t rows = keys.numel() / n, tiles = (n + tile - 1) / tile * rows;
    const auto pairs = [](const SortedKeys& s) { return Pairs{data<Key>(s.keys), data<std::int64_t>(s.places)}; };
    {
        const DeviceGuard guard(index);
        launch(op, sort_tiles_kernel, {blocks_for(tiles * threads_per_block), threads_per_block, 0, raw_stream(index)},
               pairs(now), data<Key>(keys), rows, n);
    }
    if (n <= tile) return now;
    SortedKeys next{keys, numbers(keys, keys.sizes())};
    for (std::int64_t width = tile; width < n; width *= 2) {
        for_each(op, index, keys.numel(), MergeRuns{pairs(next), pairs(now), n, width});
        std::swap(now, next);
    }
    return now;
}

void running_sums(const char* op, const Tensor& values) {
    const std::int64_t n = values.numel(), stretches = (n + stretch - 1) / stretch;
    if (n == 0) return;
    const DeviceIndex index = values.device().index();
    const Tensor sums = numbers(values, {stretches});
    {
        const DeviceGuard guard(index);
        launch(op, sum_stretches_kernel,
               {blocks_for(stretches * threads_per_block), threads_per_block, 0, raw_stream(index)},
               data<std::int64_t>(values), data<std::int64_t>(sums), n);
    }
    if (stretches == 1) return;
    running_sums(op, sums);
    for_each(op, index, n, AddStretches{data<std::int64_t>(values), data<std::int64_t>(sums)});
}

std::int64_t last_of(const char* op, const Tensor& values) {
    if (values.numel() == 0) return 0;
    refuse_to_wait(op);
    std::int64_t last = 0;
    const DeviceIndex index = values.device().index();
    const DeviceGuard guard(index);
    check(cudaMemcpyAsync(&last, data<std::int64_t>(values) + values.numel() - 1, sizeof last, cudaMemcpyDeviceToHost,
                          raw_stream(index)),
          op);
    check(cudaStreamSynchronize(raw_stream(index)), op);
    return last;
}

} // namespace reel::cuda
