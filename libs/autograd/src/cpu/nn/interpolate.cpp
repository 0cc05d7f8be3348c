// Resampling along one dimension. Both directions are sums over sources in a fixed order: the adjoint gathers, too.
#include <reel/autograd/kernels/interpolate.hpp>

#include <algorithm>
#include <vector>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/nn/resample.hpp"
#include "cpu/scratch.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// Every target's sources, one target after the other.
template <class T> struct Sums {
    std::vector<std::int32_t> start, index;
    std::vector<T> weight;

    Sums(const ResampleTaps& t, bool adjoint) : start(std::size_t(adjoint ? t.in : t.out) + 1) {
        const std::size_t entries = t.index.size();
        const auto target = [&](std::size_t k) {
            return std::size_t(adjoint ? t.index[k] : std::int64_t(k) / t.per_output);
        };
        for (std::size_t k = 0; k < entries; ++k) ++start[target(k) + 1];
        for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
        std::vector<std::int32_t> next(start);
        index.resize(entries);
        weight.resize(entries);
        for (std::size_t k = 0; k < entries; ++k) {
            const auto at = std::size_t(next[target(k)]++);
            index[at] = std::int32_t(adjoint ? std::int64_t(k) / t.per_output : t.index[k]);
            weight[at] = T(t.weight[k]);
        }
    }
};

} // namespace

void resample(const Tensor& out, const Tensor& x, const ResampleTaps& t, std::int64_t inner, bool adjoint) {
    const std::int64_t sources = adjoint ? t.out : t.in, targets = adjoint ? t.in : t.out;
    const std::int64_t outer = sources * inner == 0 ? 0 : x.numel() / (sources * inner);
    detail::dispatch<detail::Floats>(x.scalar_type(), "interpolate", [&]<class T>() {
        const T* const from = host_data<T>(x, "interpolate");
        T* const to = host_data<T>(out, "interpolate");
        const Sums<T> sums(t, adjoint);
        const ResampleTable<T> table{sources, targets, sums.start.data(), sums.index.data(), sums.weight.data()};
        const ResampleKernels<T>& kernel = resample_kernels<T>;
        const std::int64_t step = inner == 1 ? kernel.lanes : 1, blocks = (outer + step - 1) / step,
                           work = step * inner * std::max<std::int64_t>(std::int64_t(t.index.size()), 1);
        parallel_for(0, blocks, std::max<std::int64_t>(1, 32768 / work), [&](std::int64_t begin, std::int64_t end) {
            const std::int64_t first = begin * step, last = std::min(outer, end * step);
            if (inner == 1) {
                const Scratch turned(std::size_t(kernel.lanes * sources) * sizeof(T));
                kernel.lines(table, from + first * sources, to + first * targets, last - first, turned.as<T>());
            } else
                for (std::int64_t a = first; a < last; ++a)
                    kernel.rows(table, from + a * sources * inner, to + a * targets * inner, inner);
        });
    });
}

} // namespace reel::cpu
