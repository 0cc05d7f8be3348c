// Points by where they lie.
#include <reel/autograd/kernels/histogram.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <reel/autograd/host_data.hpp>

#include "op/dispatch.hpp"

namespace reel::cpu {

void histogram(const char* op, const Tensor& sums, const Tensor& cells, const Tensor& points, TensorList edges,
               const Tensor& weight) {
    const std::int64_t n = points.size(0), dims = points.size(1);
    std::vector<const double*> walls;
    for (const Tensor& e : edges) walls.push_back(host_data<double>(e, op));
    const double *at = host_data<double>(points, op), *w = host_data_or_null<double>(weight, op);
    double* const to = host_data<double>(sums, op);
    std::int64_t* const where = host_data<std::int64_t>(cells, op);
    std::fill_n(to, sums.numel(), 0.0);
    for (std::int64_t i = 0; i < n; ++i) {
        std::int64_t cell = 0;
        for (std::int64_t d = 0; d < dims && cell >= 0; ++d) {
            const double v = at[i * dims + d];
            const double* e = walls[std::size_t(d)];
            const std::int64_t bins = sums.size(d);
            if (!(v >= e[0] && v <= e[bins])) cell = -1;
            else cell = cell * bins + std::min<std::int64_t>(std::upper_bound(e, e + bins + 1, v) - e - 1, bins - 1);
        }
        where[i] = cell;
        if (cell >= 0) to[cell] += w ? w[i] : 1;
    }
}

void histc(const Tensor& out, const Tensor& input, double low, double high) {
    const std::int64_t bins = out.numel();
    std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
    dispatch_floating(input.scalar_type(), "histc", [&]<class T>() {
        // Positions are found in the input's own precision, as the reference does.
        const T from = T(low), to = T(high), *p = host_data<T>(input, "histc");
        for (std::int64_t i = 0; i < input.numel(); ++i) {
            if (!(p[i] >= from && p[i] <= to)) continue;
            double at = double(T(T(T(p[i] - from) * T(double(bins))) / T(to - from)));
            if (!std::isfinite(at)) // the product, or the range, is beyond T's numbers: halves are not
                at = (double(p[i]) / 2 - low / 2) / (high / 2 - low / 2) * double(bins);
            ++counts[std::size_t(std::clamp(at, 0., double(bins - 1)))];
        }
        T* const result = host_data<T>(out, "histc");
        for (std::int64_t i = 0; i < bins; ++i) result[i] = T(double(counts[std::size_t(i)]));
    });
}

} // namespace reel::cpu
