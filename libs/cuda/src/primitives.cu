// Short rows are sorted by a kernel of Reel's own, a block each; long ones, and running sums, are CUB's.
#include "primitives.hpp"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <bit>

#include "capturing.hpp"
#include "complex.cuh"
#include "dispatch.cuh"
#include "for_each.cuh"
#include "scratch.cuh"

namespace reel::cuda {

namespace {

using Key = std::uint64_t;
constexpr int tile = 1024; ///< elements that a block sorts in its own memory

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
__device__ int count_before(const Key* keys, int begin, int end, Key key, bool equal) {
    int low = begin, high = end;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (keys[middle] < key || (equal && keys[middle] == key)) low = middle + 1;
        else high = middle;
    }
    return low - begin;
}

/// Where element `e` of a row of `n` goes when its sorted runs of `width` merge in pairs.
__device__ int merged_place(const Key* keys, int e, int width, int n) {
    const int pair = e / (2 * width) * (2 * width), middle = pair + width < n ? pair + width : n;
    if (e < middle) {
        const int end = middle + width < n ? middle + width : n;
        return e + count_before(keys, middle, end, keys[e], false);
    }
    return pair + (e - middle) + count_before(keys, pair, middle, keys[e], true);
}

/// Each block sorts rows of at most `tile`: runs of one become runs of the row's size.
__global__ void sort_rows_kernel(Pairs to, const Key* from, std::int64_t rows, int n) {
    __shared__ Key keys[2][tile];
    __shared__ int places[2][tile];
    for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
        for (int e = int(threadIdx.x); e < n; e += threads_per_block) {
            keys[0][e] = from[row * n + e];
            places[0][e] = e;
        }
        __syncthreads();
        int now = 0;
        for (int width = 1; width < n; width *= 2) {
            for (int e = int(threadIdx.x); e < n; e += threads_per_block) {
                const int at = merged_place(keys[now], e, width, n);
                keys[1 - now][at] = keys[now][e];
                places[1 - now][at] = places[now][e];
            }
            now = 1 - now;
            __syncthreads();
        }
        for (int e = int(threadIdx.x); e < n; e += threads_per_block) {
            to.keys[row * n + e] = keys[now][e];
            to.places[row * n + e] = places[now][e];
        }
        __syncthreads(); // before the next row overwrites them
    }
}

struct Count {
    std::int64_t* to;
    __device__ void operator()(std::int64_t i) const { to[i] = i; }
};
struct RowOf {
    const std::int64_t* places;
    Key* to;
    std::int64_t n;
    __device__ void operator()(std::int64_t i) const { to[i] = Key(places[i] / n); }
};
/// Keys from where they stood, and their places within rows of `n`.
struct TakeRows {
    Pairs to; ///< whose places are those among all
    const Key* from;
    std::int64_t n;
    __device__ void operator()(std::int64_t i) const {
        to.keys[i] = from[to.places[i]];
        to.places[i] %= n;
    }
};

/// `call(room, bytes)` twice, as CUB wants it: it tells how much room it needs, and then takes it.
template <class F> void with_room(const char* op, const Tensor& like, F call) {
    std::size_t bytes = 0;
    check(call(nullptr, bytes), op);
    const Tensor room = scratch_bytes(std::int64_t(bytes), like);
    check(call(room.data_ptr(), bytes), op);
}
/// Equal keys keep their order; bits from `bits` on are not looked at.
void sort_all(const char* op, const Tensor& keys, const Tensor& values, const Pairs& to, int bits) {
    const cudaStream_t stream = raw_stream(keys.device().index());
    with_room(op, keys, [&](void* room, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(room, bytes, data<const Key>(keys), to.keys,
                                               data<const std::int64_t>(values), to.places, keys.numel(), 0, bits,
                                               stream);
    });
}

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
    const SortedKeys sorted{numbers(keys, keys.sizes()), numbers(keys, keys.sizes())};
    if (keys.numel() == 0) return sorted;
    const DeviceIndex index = keys.device().index();
    const DeviceGuard guard(index);
    const std::int64_t count = keys.numel(), rows = count / n;
    const Pairs to{data<Key>(sorted.keys), data<std::int64_t>(sorted.places)};
    if (n <= tile) {
        launch(op, sort_rows_kernel, {blocks_for(rows * threads_per_block), threads_per_block, 0, raw_stream(index)},
               to, data<Key>(keys), rows, int(n));
        return sorted;
    }
    const Tensor places = numbers(keys, keys.sizes());
    for_each(op, index, count, Count{data<std::int64_t>(places)});
    sort_all(op, keys, places, to, 64);
    if (rows == 1) return sorted;
    // all rows together, and then by row, which keeps the order within each
    const Tensor row = numbers(keys, keys.sizes()), ignored = numbers(keys, keys.sizes());
    for_each(op, index, count, RowOf{to.places, data<Key>(row), n});
    sort_all(op, row, sorted.places, {data<Key>(ignored), data<std::int64_t>(places)},
             int(std::bit_width(std::uint64_t(rows - 1))));
    for_each(op, index, count, TakeRows{{to.keys, data<std::int64_t>(places)}, data<Key>(keys), n});
    return {sorted.keys, places};
}

void running_sums(const char* op, const Tensor& values) {
    if (values.numel() == 0) return;
    const DeviceGuard guard(values.device().index());
    const cudaStream_t stream = raw_stream(values.device().index());
    with_room(op, values, [&](void* room, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveSum(room, bytes, data<std::int64_t>(values), data<std::int64_t>(values),
                                             values.numel(), stream);
    });
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
