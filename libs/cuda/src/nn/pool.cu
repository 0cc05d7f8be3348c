// Pooling: a thread for each result. Adjoints gather, so that two runs give the same bits.
#include <reel/autograd/kernels/pool.hpp>

#include "dnn.hpp"
#include "reduce/extremum.cuh"
#include "scratch.cuh"

namespace reel::cuda {

namespace {

/// Geometry and tables as kernels take them; table d begins at offset[d].
struct Pooling {
    std::int64_t planes, in[3], out[3], in_size, out_size, divisor, offset[3];
    const PoolWindow* windows;

    __device__ const PoolWindow& window(int d, std::int64_t o) const { return windows[offset[d] + o]; }
    /// The three places of `i` among `size`.
    static __device__ void split(std::int64_t i, const std::int64_t (&size)[3], std::int64_t (&at)[3]) {
        const std::int64_t rest = i / size[2];
        at[2] = i - rest * size[2];
        at[0] = rest / size[1];
        at[1] = rest - at[0] * size[1];
    }
    __device__ std::int64_t share(const std::int64_t (&o)[3]) const {
        return divisor != 0 ? divisor : window(0, o[0]).share * window(1, o[1]).share * window(2, o[2]).share;
    }
    /// Calls `f(place in the image)` for a window's elements in order.
    template <class F> __device__ void each_place(const std::int64_t (&o)[3], F f) const {
        const PoolWindow z = window(0, o[0]), y = window(1, o[1]), x = window(2, o[2]);
        for (std::int64_t k = z.first; k < z.last; k += z.step)
            for (std::int64_t j = y.first; j < y.last; j += y.step)
                for (std::int64_t i = x.first; i < x.last; i += x.step) f((k * in[1] + j) * in[2] + i);
    }
};
/// The tables on the device, and the geometry that points into them.
class PoolTables {
public:
    PoolTables(const PoolGeometry& g, const Tensor& like, const OnDevice& on) : windows_(joined(g), like, on) {
        pooling.planes = g.planes;
        pooling.in_size = g.in_size();
        pooling.out_size = g.out_size();
        pooling.divisor = g.divisor;
        std::int64_t offset = 0;
        for (int d = 0; d < 3; ++d) {
            pooling.in[d] = g.in[d];
            pooling.out[d] = g.out[d];
            pooling.offset[d] = offset;
            offset += std::int64_t(g.windows[d].size());
        }
        pooling.windows = windows_.data();
    }
    Pooling pooling;

private:
    static std::vector<PoolWindow> joined(const PoolGeometry& g) {
        std::vector<PoolWindow> all;
        for (const auto& w : g.windows) all.insert(all.end(), w.begin(), w.end());
        return all;
    }
    DeviceTable<PoolWindow> windows_;
};

/// For every place of a dimension the windows that read it, in order: entries begin[i] up to begin[i + 1].
struct Readers {
    const std::int64_t *begin[3], *window[3];

    /// Calls `f(output position)` in order for the windows that read place `i`.
    template <class F> __device__ void each(const Pooling& p, std::int64_t i, F f) const {
        std::int64_t at[3];
        Pooling::split(i, p.in, at);
        for (std::int64_t z = begin[0][at[0]]; z < begin[0][at[0] + 1]; ++z)
            for (std::int64_t y = begin[1][at[1]]; y < begin[1][at[1] + 1]; ++y)
                for (std::int64_t x = begin[2][at[2]]; x < begin[2][at[2] + 1]; ++x) {
                    const std::int64_t o[3] = {window[0][z], window[1][y], window[2][x]};
                    f(o);
                }
    }
};
class ReaderTables {
public:
    ReaderTables(const PoolGeometry& g, const Tensor& like, const OnDevice& on) : table_(build(g), like, on) {
        const std::int64_t* at = table_.data();
        for (int d = 0; d < 3; ++d) {
            readers.begin[d] = at;
            readers.window[d] = at += g.in[d] + 1;
            for (const PoolWindow& w : g.windows[d]) at += count(w);
        }
    }
    Readers readers;

private:
    static std::int64_t count(const PoolWindow& w) {
        return w.last > w.first ? (w.last - w.first - 1) / w.step + 1 : 0;
    }
    static std::vector<std::int64_t> build(const PoolGeometry& g) {
        std::vector<std::int64_t> all;
        for (int d = 0; d < 3; ++d) {
            std::vector<std::vector<std::int64_t>> of(static_cast<std::size_t>(g.in[d]));
            for (std::size_t o = 0; o < g.windows[d].size(); ++o)
                for (std::int64_t k = g.windows[d][o].first; k < g.windows[d][o].last; k += g.windows[d][o].step)
                    of[std::size_t(k)].push_back(std::int64_t(o));
            std::int64_t sum = 0;
            all.push_back(0);
            for (const auto& list : of) all.push_back(sum += std::int64_t(list.size()));
            for (const auto& list : of) all.insert(all.end(), list.begin(), list.end());
        }
        return all;
    }
    DeviceTable<std::int64_t> table_;
};

template <class T> __global__ void max_kernel(Pooling p, Elements<T> in, Elements<T> out, std::int64_t* places) {
    for (std::int64_t i = first_place(); i < p.planes * p.out_size; i += place_step()) {
        const std::int64_t plane = i / p.out_size, base = plane * p.in_size;
        std::int64_t o[3];
        Pooling::split(i - plane * p.out_size, p.out, o);
        Extreme<order_t<T>> best{order_t<T>(0), -1};
        // the last NaN of several, the first of equals
        p.each_place(o, [&](std::int64_t at) {
            const auto v = order_t<T>(in[base + at]);
            if (best.place < 0 || v > best.value || is_nan(v)) best = {v, at};
        });
        out.put(i, number_t<T>(best.value));
        places[i] = best.place;
    }
}
void max_pool(const PoolGeometry& g, const Tensor& input, const Tensor& output, const Tensor& places) {
    for_dtype<floats | halves | integers>("max_pool", input, [&]<class T>() {
        if (output.numel() == 0) return;
        const OnDevice on(input);
        const PoolTables tables(g, input, on);
        launch("max_pool", max_kernel<T>, on.over(output.numel()), tables.pooling, Elements<T>(input),
               Elements<T>(output), Elements<std::int64_t>(places).data);
    });
}

template <class T> __global__ void mean_kernel(Pooling p, Elements<T> in, Elements<T> out) {
    for (std::int64_t i = first_place(); i < p.planes * p.out_size; i += place_step()) {
        const std::int64_t plane = i / p.out_size, base = plane * p.in_size;
        std::int64_t o[3];
        Pooling::split(i - plane * p.out_size, p.out, o);
        number_t<T> sum(0);
        p.each_place(o, [&](std::int64_t at) { sum = sum + in[base + at]; });
        if constexpr (std::is_same_v<T, AnyInteger>) out.put(i, std::uint64_t(in.held(sum) / p.share(o)));
        else out.put(i, sum / number_t<T>(p.share(o)));
    }
}
void avg_pool(const PoolGeometry& g, const Tensor& input, const Tensor& output) {
    if (dnn::avg_pool(g, input, output)) return;
    for_dtype<floats | integers>("avg_pool", input, [&]<class T>() {
        if (output.numel() == 0) return;
        const OnDevice on(input);
        const PoolTables tables(g, input, on);
        launch("avg_pool", mean_kernel<T>, on.over(output.numel()), tables.pooling, Elements<T>(input),
               Elements<T>(output));
    });
}

template <class T> __global__ void mean_adjoint_kernel(Pooling p, Readers readers, T* in, const T* out) {
    for (std::int64_t i = first_place(); i < p.planes * p.in_size; i += place_step()) {
        const std::int64_t plane = i / p.in_size;
        T sum(0);
        readers.each(p, i - plane * p.in_size, [&](const std::int64_t(&o)[3]) {
            const std::int64_t at = (o[0] * p.out[1] + o[1]) * p.out[2] + o[2];
            sum += out[plane * p.out_size + at] / T(p.share(o));
        });
        in[i] = sum;
    }
}
void avg_pool_adjoint(const PoolGeometry& g, const Tensor& input, const Tensor& output) {
    if (dnn::avg_pool_adjoint(g, input, output)) return;
    for_dtype<floats>("avg_pool_adjoint", input, [&]<class T>() {
        if (input.numel() == 0) return;
        const OnDevice on(input);
        const PoolTables tables(g, input, on);
        const ReaderTables readers(g, input, on);
        launch("avg_pool_adjoint", mean_adjoint_kernel<T>, on.over(input.numel()), tables.pooling, readers.readers,
               Elements<T>(input).data, Elements<T>(output).data);
    });
}

template <class T>
__global__ void unpick_kernel(Pooling p, Readers readers, Elements<T> in, const std::int64_t* places, Elements<T> out) {
    for (std::int64_t i = first_place(); i < p.planes * p.in_size; i += place_step()) {
        const std::int64_t plane = i / p.in_size, here = i - plane * p.in_size;
        number_t<T> sum(0);
        readers.each(p, here, [&](const std::int64_t(&o)[3]) {
            const std::int64_t at = plane * p.out_size + (o[0] * p.out[1] + o[1]) * p.out[2] + o[2];
            if (places[at] == here) sum = sum + out[at];
        });
        in.put(i, sum);
    }
}
void max_pool_unpick(const PoolGeometry& g, const Tensor& input, const Tensor& places, const Tensor& output) {
    PoolGeometry with_windows = g;
    for (int d = 0; d < 3; ++d) // places that come from elsewhere may be anywhere
        if (std::int64_t(g.windows[d].size()) != g.out[d])
            for (int k = 0; k < 3; ++k)
                with_windows.windows[k].assign(std::size_t(g.out[k]), PoolWindow{0, g.in[k], 1, 1});
    for_dtype<floats | halves | whole | complexes>("max_pool", input, [&]<class T>() {
        if (input.numel() == 0) return;
        const OnDevice on(input);
        const PoolTables tables(with_windows, input, on);
        const ReaderTables readers(with_windows, input, on);
        launch("max_pool_unpick", unpick_kernel<T>, on.over(input.numel()), tables.pooling, readers.readers,
               Elements<T>(input), Elements<std::int64_t>(places).data, Elements<T>(output));
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::max_pool.set(kCUDA, &max_pool);
    kernels::max_pool_unpick.set(kCUDA, &max_pool_unpick);
    kernels::avg_pool.set(kCUDA, &avg_pool);
    kernels::avg_pool_adjoint.set(kCUDA, &avg_pool_adjoint);
    return true;
}();

} // namespace

} // namespace reel::cuda
