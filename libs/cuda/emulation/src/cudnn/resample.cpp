// Means over windows, and their adjoint.
#include <algorithm>

#include "cudnn/operations.hpp"

namespace reel::cuda::emulation::dnn {

namespace {

using Places = std::array<std::int64_t, View::rank>;

struct Windows {
    Places size{1, 1, 1}, stride{1, 1, 1}, pad{};
    bool counts_padding;

    explicit Windows(const Descriptor& d) {
        const auto w = d.list<std::int64_t>(CUDNN_ATTR_RESAMPLE_WINDOW_DIMS),
                   s = d.list<std::int64_t>(CUDNN_ATTR_RESAMPLE_STRIDES),
                   p = d.list<std::int64_t>(CUDNN_ATTR_RESAMPLE_PRE_PADDINGS);
        for (std::size_t k = 0; k < w.size(); ++k) size[k] = w[k], stride[k] = s[k], pad[k] = p[k];
        counts_padding = d.get<cudnnResampleMode_t>(CUDNN_ATTR_RESAMPLE_MODE) == CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING;
    }
    /// Calls `f(place in the image)` for what the mean at `o` is over; gives what it is divided by.
    template <class F> double each(const View& x, const Places& o, F f) const {
        std::int64_t inside = 0, all = 0;
        for (std::int64_t k = 0; k < size[0] * size[1] * size[2]; ++k, ++all) {
            const Places tap{k / (size[1] * size[2]), k / size[2] % size[1], k % size[2]};
            Places in{o[0], o[1], 0, 0, 0};
            bool there = true;
            for (std::size_t d = 0; d < 3; ++d) {
                in[d + 2] = o[d + 2] * stride[d] - pad[d] + tap[d];
                there = there && in[d + 2] >= 0 && in[d + 2] < x.sizes[d + 2];
            }
            if (!there) continue;
            ++inside;
            f(x.place(in));
        }
        return double(counts_padding ? all : inside);
    }
};

} // namespace

void resample(const Descriptor& op, const Data& data) {
    if (op.type == CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR) {
        const Windows windows(*op.part(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC));
        const View x = data.of(op, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC),
                   y = data.of(op, CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC);
        for (std::int64_t i = 0; i < y.count(); ++i) {
            double sum = 0;
            const double share = windows.each(x, y.nth(i), [&](std::int64_t at) { sum += x.get(at); });
            y.put(y.nth(i), sum / share);
        }
        return;
    }
    const Windows windows(*op.part(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC));
    const View x = data.of(op, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC),
               y = data.of(op, CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC);
    std::vector<double> sums(x.extent() / size_of(x.type));
    for (std::int64_t i = 0; i < y.count(); ++i) {
        const double share = windows.each(x, y.nth(i), [](std::int64_t) {}), g = y[y.nth(i)];
        windows.each(x, y.nth(i), [&](std::int64_t at) { sums[std::size_t(at)] += g / share; });
    }
    for (std::int64_t i = 0; i < x.count(); ++i) x.put(x.nth(i), sums[std::size_t(x.place(x.nth(i)))]);
}

} // namespace reel::cuda::emulation::dnn
