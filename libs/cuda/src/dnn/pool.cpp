// Means over windows. Maxima stay with Reel's own kernel: cuDNN tells no places in the image.
#include <algorithm>
#include <array>
#include <optional>

#include "dnn.hpp"
#include "dnn/enabled.hpp"
#include "dnn/graph.hpp"

namespace reel::cuda::dnn {

namespace {

/// Windows of one size and step, cut off at the image's edges.
struct Regular {
    std::int64_t size, stride, before, after;
    bool counts_padding;
};

/// The size, step and padding that cut to these windows, if there are some.
std::optional<Regular> regular(const std::vector<PoolWindow>& windows, std::int64_t in) {
    const std::int64_t n = std::int64_t(windows.size());
    std::int64_t stride = 1, widest = 0;
    for (std::int64_t o = 1; o < n; ++o) { // an edge cuts only one end of most
        stride = std::max(stride, windows[std::size_t(o)].first - windows[std::size_t(o) - 1].first);
        stride = std::max(stride, windows[std::size_t(o)].last - windows[std::size_t(o) - 1].last);
    }
    for (const PoolWindow& w : windows) widest = std::max({widest, w.last - w.first, w.share});
    // the first window that the beginning does not cut says how far before the image the first one starts
    for (std::int64_t before = 0; before <= widest / 2; ++before) {
        const std::int64_t size = widest, end = (n - 1) * stride - before + size,
                           after = std::max<std::int64_t>(0, end - in);
        if ((in + before + after - size) / stride + 1 != n) continue;
        bool same = true, padding = true, inside = true;
        for (std::int64_t o = 0; o < n && same; ++o) {
            const PoolWindow& w = windows[std::size_t(o)];
            const std::int64_t first = std::max<std::int64_t>(0, o * stride - before),
                               last = std::min(in, o * stride - before + size);
            same = w.step == 1 && w.first == first && w.last == last;
            padding = padding && w.share == size;
            inside = inside && w.share == last - first;
        }
        if (same && (padding || inside)) return Regular{size, stride, before, after, !inside};
    }
    return std::nullopt;
}

struct Shapes {
    std::array<std::int64_t, 5> in, out;
    std::array<std::int64_t, 3> size, stride, before, after;
    cudnnResampleMode_t mode;
    std::size_t first; ///< spatial dimension that is used

    static std::optional<Shapes> of(const PoolGeometry& g) {
        Shapes s{};
        s.first = g.in[0] == 1 && g.out[0] == 1 ? 1 : 0;
        bool any_padding = false, all_inside = true;
        for (std::size_t d = 0; d < 3; ++d) {
            const std::optional<Regular> r = regular(g.windows[d], g.in[d]);
            if (!r || (d < s.first && (r->size != 1 || r->stride != 1))) return std::nullopt;
            s.size[d] = r->size, s.stride[d] = r->stride, s.before[d] = r->before, s.after[d] = r->after;
            any_padding = any_padding || r->counts_padding;
            all_inside = all_inside && !r->counts_padding;
        }
        // a dimension without padding counts the same in both ways
        for (std::size_t d = 0; any_padding && d < 3; ++d)
            for (const PoolWindow& w : g.windows[d])
                if (w.share != s.size[d]) return std::nullopt;
        if (g.divisor != 0) return std::nullopt;
        s.mode = any_padding ? CUDNN_RESAMPLE_AVGPOOL_INCLUDE_PADDING : CUDNN_RESAMPLE_AVGPOOL_EXCLUDE_PADDING;
        s.in = {1, g.planes}, s.out = {1, g.planes};
        std::copy(g.in + s.first, g.in + 3, s.in.begin() + 2);
        std::copy(g.out + s.first, g.out + 3, s.out.begin() + 2);
        return s;
    }
    std::span<const std::int64_t> spatial(const std::array<std::int64_t, 3>& of) const {
        return std::span(of).subspan(first);
    }
    Part windows(Graph& graph, ScalarType t) const {
        return graph.describe(CUDNN_BACKEND_RESAMPLE_DESCRIPTOR,
                              {{CUDNN_ATTR_RESAMPLE_MODE, mode},
                               {CUDNN_ATTR_RESAMPLE_COMP_TYPE, compute_type(t)},
                               {CUDNN_ATTR_RESAMPLE_PADDING_MODE, CUDNN_ZERO_PAD},
                               {CUDNN_ATTR_RESAMPLE_SPATIAL_DIMS, std::int64_t(3 - first)},
                               {CUDNN_ATTR_RESAMPLE_WINDOW_DIMS, spatial(size)},
                               {CUDNN_ATTR_RESAMPLE_STRIDES, spatial(stride)},
                               {CUDNN_ATTR_RESAMPLE_PRE_PADDINGS, spatial(before)},
                               {CUDNN_ATTR_RESAMPLE_POST_PADDINGS, spatial(after)}});
    }
};

bool takes(const Tensor& t) { return is_enabled() && t.scalar_type() == kFloat && t.numel() > 0; }

} // namespace

bool avg_pool(const PoolGeometry& g, const Tensor& input, const Tensor& out) {
    const std::optional<Shapes> s = takes(input) && takes(out) ? Shapes::of(g) : std::nullopt;
    if (!s) return false;
    Graph graph("avg_pool", input);
    const std::size_t rank = 5 - s->first;
    const Part x = graph.dense(input, std::span(s->in).first(rank)),
               y = graph.dense(out, std::span(s->out).first(rank));
    graph.operation(CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_RESAMPLE_FWD_DESC, s->windows(graph, input.scalar_type())},
                     {CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC, x},
                     {CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC, y}});
    return graph.run();
}
bool avg_pool_adjoint(const PoolGeometry& g, const Tensor& input, const Tensor& out) {
    const std::optional<Shapes> s = takes(input) && takes(out) ? Shapes::of(g) : std::nullopt;
    if (!s) return false;
    Graph graph("avg_pool_adjoint", input);
    const std::size_t rank = 5 - s->first;
    const Part x = graph.dense(input, std::span(s->in).first(rank)),
               y = graph.dense(out, std::span(s->out).first(rank));
    graph.operation(CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR,
                    {{CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DESC, s->windows(graph, input.scalar_type())},
                     {CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC, x},
                     {CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC, y}});
    return graph.run();
}

} // namespace reel::cuda::dnn
