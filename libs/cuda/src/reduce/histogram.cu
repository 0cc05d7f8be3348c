// Points by where they lie.
#include <reel/autograd/kernels/histogram.hpp>

#include <cmath>
#include <vector>

#include "atomic.cuh"
#include "dispatch.cuh"
#include "for_each.cuh"

namespace reel::cuda {

namespace {

constexpr int most_dims = 16;

struct IntoBoxes {
    double* sums;
    std::int64_t* cells;
    const double *points, *weight; // the latter may be null
    const double* edges[most_dims];
    std::int64_t bins[most_dims];
    int dims;
    __device__ void operator()(std::int64_t i) const {
        std::int64_t cell = 0;
        for (int d = 0; d < dims && cell >= 0; ++d) {
            const double v = points[i * dims + d];
            const double* const e = edges[d];
            if (!(v >= e[0] && v <= e[bins[d]])) {
                cell = -1;
                continue;
            }
            std::int64_t low = 0, high = bins[d] + 1; // the first edge beyond v
            while (low < high) {
                const std::int64_t middle = low + (high - low) / 2;
                if (e[middle] > v) high = middle;
                else low = middle + 1;
            }
            const std::int64_t bin = low - 1 < bins[d] - 1 ? low - 1 : bins[d] - 1;
            cell = cell * bins[d] + bin;
        }
        cells[i] = cell;
        if (cell >= 0) atomic_add(sums + cell, weight ? weight[i] : 1.);
    }
};

void histogram(const char* op, const Tensor& sums, const Tensor& cells, const Tensor& points, TensorList edges,
               const Tensor& weight) {
    REEL_CHECK_NOT_IMPLEMENTED(edges.size() <= most_dims, op, ": the cuda kernel takes at most ", most_dims,
                               " dimensions, got ", edges.size());
    IntoBoxes f{
        data<double>(sums), data<std::int64_t>(cells), data<double>(points), data_or_null<double>(weight), {}, {},
        int(edges.size())};
    for (std::size_t d = 0; d < edges.size(); ++d) {
        f.edges[d] = data<double>(edges[d]);
        f.bins[d] = sums.size(std::int64_t(d));
    }
    const DeviceIndex index = sums.device().index();
    {
        const DeviceGuard guard(index);
        check(cudaMemsetAsync(f.sums, 0, std::size_t(sums.numel()) * sizeof(double), raw_stream(index)), op);
    }
    for_each(op, index, points.size(0), f);
}

/// Places are found in the input's own precision, as the CPU's.
template <class T> struct IntoBins {
    std::int64_t* counts;
    const T* input;
    double low, high;
    std::int64_t bins;
    __device__ void operator()(std::int64_t i) const {
        using C = compute_t<T>;
        const T from = T(C(low)), to = T(C(high)), v = input[i];
        if (!(C(v) >= C(from) && C(v) <= C(to))) return;
        const T above = T(C(v) - C(from)), scaled = T(C(above) * C(T(C(double(bins))))), range = T(C(to) - C(from));
        double at = double(C(T(C(scaled) / C(range))));
        if (!std::isfinite(at)) at = (double(C(v)) / 2 - low / 2) / (high / 2 - low / 2) * double(bins);
        const double last = double(bins - 1);
        atomic_add(counts + std::int64_t(at < 0 ? 0 : at > last ? last : at), std::int64_t(1));
    }
};
template <class T> struct RoundOnce {
    T* to;
    const std::int64_t* counts;
    __device__ void operator()(std::int64_t i) const { to[i] = T(compute_t<T>(double(counts[i]))); }
};

void histc(const Tensor& out, const Tensor& input, double low, double high) {
    const DeviceIndex index = out.device().index();
    const Tensor counts = out.new_zeros(out.sizes(), kLong);
    dispatch(FloatingTypes(), "histc", input, [&]<class T>() {
        for_each("histc", index, input.numel(),
                 IntoBins<T>{data<std::int64_t>(counts), data<T>(input), low, high, out.numel()});
        for_each("histc", index, out.numel(), RoundOnce<T>{data<T>(out), data<std::int64_t>(counts)});
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::histogram.set(kCUDA, &histogram);
    kernels::histc.set(kCUDA, &histc);
    return true;
}();

} // namespace

} // namespace reel::cuda
