// Resampling, one dimension after the other, and back: both gather.
#include <reel/autograd/kernels/interpolate.hpp>

#include <optional>

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
/// One dimension, of rows of `inner` numbers.
template <class T>
void resample_dimension(const Tensor& like, const OnDevice& on, T* out, const T* x, std::int64_t count,
                        const ResampleTaps& t, std::int64_t inner, bool adjoint) {
    const Taps taps = adjoint ? adjoint_taps(t) : forward_taps(t);
    const DeviceTable<std::int64_t> begin(taps.begin, like, on), index(taps.index, like, on);
    const DeviceTable<double> weight(taps.weight, like, on);
    launch("interpolate", resample_kernel<T>, on.over(count), out, x, begin.data(), index.data(), weight.data(), count,
           adjoint ? t.out : t.in, adjoint ? t.in : t.out, inner);
}
void resample(const Tensor& out, const Tensor& x, const TapsOfDimensions& taps, bool adjoint) {
    if (out.numel() == 0) return;
    const OnDevice on(out);
    std::int64_t total = x.numel(), inner = 1;
    if (adjoint) // the first dimension comes first
        for (const ResampleTaps& t : taps) inner *= t.out;
    for_dtype<floats>("interpolate", out, [&]<class T>() {
        const T* from = Elements<T>(x).data;
        std::optional<DeviceScratch<T>> kept[2];
        for (std::size_t i = 0; i < taps.size(); ++i) {
            const ResampleTaps& t = taps[adjoint ? i : taps.size() - 1 - i];
            const std::int64_t sources = adjoint ? t.out : t.in, targets = adjoint ? t.in : t.out;
            if (adjoint) inner /= sources;
            total = total / sources * targets;
            T* to = Elements<T>(out).data;
            if (i + 1 < taps.size()) to = kept[i % 2].emplace(total, out).data();
            resample_dimension(out, on, to, from, total, t, inner, adjoint);
            if (!adjoint) inner *= targets;
            from = to;
        }
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::resample.set(kCUDA, &resample);
    return true;
}();

} // namespace

} // namespace reel::cuda
