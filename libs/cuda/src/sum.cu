// Sums of rows. The tree is fixed by the shape, so that two runs give the same bits.
#include <complex>

#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/kernels/sum.hpp>
#include <reel/cuda/device.hpp>

#include "strided.cuh"

namespace reel::cuda {

namespace {

template <class T> struct accumulate_of { using type = compute_t<T>; };
template <> struct accumulate_of<bool> { using type = std::int64_t; };
template <class T> using accumulate_t = typename accumulate_of<T>::type;

/// One block for each chunk of each row; partial sums meet pairwise.
template <class In, class Out>
__global__ void sum_kernel(const In* in, Out* out, std::int64_t inner, std::int64_t chunk) {
    using A = accumulate_t<In>;
    __shared__ A part[threads_per_block];
    const std::int64_t begin = std::int64_t(blockIdx.x) * chunk, end = begin + chunk < inner ? begin + chunk : inner;
    const In* row = in + std::int64_t(blockIdx.y) * inner;
    A mine = A(0);
    for (std::int64_t i = begin + threadIdx.x; i < end; i += threads_per_block) mine += A(row[i]);
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = threads_per_block / 2; half > 0; half /= 2) {
        if (int(threadIdx.x) < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[std::int64_t(blockIdx.y) * gridDim.x + blockIdx.x] = Out(part[0]);
}

/// Rows that are short: one thread each.
template <class In, class Out>
__global__ void short_rows_kernel(const In* in, Out* out, std::int64_t rows, std::int64_t inner) {
    using A = accumulate_t<In>;
    const std::int64_t step = std::int64_t(gridDim.x) * blockDim.x;
    for (std::int64_t r = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; r < rows; r += step) {
        A sum = A(0);
        for (std::int64_t i = 0; i < inner; ++i) sum += A(in[r * inner + i]);
        out[r] = Out(sum);
    }
}

template <class T> void rows_of(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    using A = accumulate_t<T>;
    constexpr std::int64_t chunk = 16384, most_rows = 65535;
    const DeviceGuard guard(out.device().index());
    const cudaStream_t stream = raw_stream(out.device().index());
    const std::int64_t n = out.numel();
    if (n == 0) return;
    const T* in = static_cast<const T*>(rows.data_ptr());
    T* to = static_cast<T*>(out.data_ptr());
    if (inner < 64) {
        return launch("sum", short_rows_kernel<T, T>, {blocks_for(n), threads_per_block, 0, stream}, in, to, n, inner);
    }
    const std::int64_t chunks = (inner + chunk - 1) / chunk;
    // partial sums of long rows keep the accumulator's precision
    const Tensor partial =
        chunks > 1 ? reel::empty({n, chunks}, TensorOptions().dtype(dtype_of<A>).device(out.device())) : Tensor();
    for (std::int64_t r = 0; r < n; r += most_rows) { // the grid's height is limited
        const dim3 grid(unsigned(chunks), unsigned(n - r < most_rows ? n - r : most_rows));
        if (chunks == 1) {
            launch("sum", sum_kernel<T, T>, {grid, threads_per_block, 0, stream}, in + r * inner, to + r, inner, chunk);
            continue;
        }
        A* parts = static_cast<A*>(partial.data_ptr()) + r * chunks;
        launch("sum", sum_kernel<T, A>, {grid, threads_per_block, 0, stream}, in + r * inner, parts, inner, chunk);
        launch("sum", sum_kernel<A, T>, {dim3(1, grid.y), threads_per_block, 0, stream}, parts, to + r, chunks, chunks);
    }
}

void sum_rows(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    switch (out.scalar_type()) {
    case kFloat:
        return rows_of<float>(out, rows, inner);
    case kDouble:
        return rows_of<double>(out, rows, inner);
    case kHalf:
        return rows_of<Half>(out, rows, inner);
    case kBFloat16:
        return rows_of<BFloat16>(out, rows, inner);
    case kLong:
        return rows_of<std::int64_t>(out, rows, inner);
    case kInt:
        return rows_of<std::int32_t>(out, rows, inner);
    default:
        detail::throw_no_kernel("sum", out, {true});
    }
}

[[maybe_unused]] const bool attached = [] {
    kernels::sum_rows.set(kCUDA, &sum_rows);
    return true;
}();

} // namespace

} // namespace reel::cuda
