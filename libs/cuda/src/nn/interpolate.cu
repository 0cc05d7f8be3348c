// Resampling along one dimension, and back: both gather.
#include <reel/autograd/kernels/interpolate.hpp>

#include "scratch.cuh"

namespace reel::cuda {

namespace {

/// What one result is the weighted sum of: entries begin[i] up to begin[i + 1].
struct Taps {
    std::vector<std::int64_t> begin, index;
    std::vector<double> weight;
};
Taps forward_taps(const ResampleTaps& t) {
    Taps r{{}, t.index, t.weight};
    for (std::int64_t o = 0; o <= t.out; ++o) r.begin.push_back(o * t.per_output);
    return r;
}
/// By input place: the outputs that read it, in order.
Taps adjoint_taps(const ResampleTaps& t) {
    Taps r;
    r.begin.assign(std::size_t(t.in) + 1, 0);
    for (const std::int64_t i : t.index) ++r.begin[std::size_t(i) + 1];
    for (std::size_t i = 0; i < std::size_t(t.in); ++i) r.begin[i + 1] += r.begin[i];
    r.index.resize(t.index.size());
    r.weight.resize(t.index.size());
    std::vector<std::int64_t> next(r.begin.begin(), r.begin.end() - 1);
    for (std::size_t k = 0; k < t.index.size(); ++k) {
        const auto at = std::size_t(next[std::size_t(t.index[k])]++);
        r.index[at] = std::int64_t(k) / t.per_output;
        r.weight[at] = t.weight[k];
    }
    return r;
}

template <class T>
__global__ void resample_kernel(T* out, const T* in, const std::int64_t* begin, const std::int64_t* index,
                                const double* weight, std::int64_t count, std::int64_t from, std::int64_t to,
                                std::int64_t inner) {
    for (std::int64_t i = first_place(); i < count; i += place_step()) {
        const std::int64_t line = i / inner, c = i - line * inner, outer = line / to, o = line - outer * to;
        T sum(0);
        for (std::int64_t k = begin[o]; k < begin[o + 1]; ++k)
            sum += T(weight[k]) * in[(outer * from + index[k]) * inner + c];
        out[i] = sum;
    }
}
void resample(const Tensor& out, const Tensor& x, const ResampleTaps& t, std::int64_t inner, bool adjoint) {
    if (out.numel() == 0) return;
    const OnDevice on(out);
    const Taps taps = adjoint ? adjoint_taps(t) : forward_taps(t);
    const DeviceTable<std::int64_t> begin(taps.begin, out, on), index(taps.index, out, on);
    const DeviceTable<double> weight(taps.weight, out, on);
    for_dtype<floats>("interpolate", out, [&]<class T>() {
        launch("interpolate", resample_kernel<T>, on.over(out.numel()), Elements<T>(out).data, Elements<T>(x).data,
               begin.data(), index.data(), weight.data(), out.numel(), adjoint ? t.out : t.in, adjoint ? t.in : t.out,
               inner);
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::resample.set(kCUDA, &resample);
    return true;
}();

} // namespace

} // namespace reel::cuda
