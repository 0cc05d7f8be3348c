// Convolutions, every result by a thread (a weight's gradient by a team of them) that reads what it needs: any dtype.
// Large ones of floating dtypes go by columns and products (conv_columns.cu), and those that cuDNN takes go there.
#include "conv.hpp"

#include <reel/autograd/kernels/conv.hpp>

#include "dnn.hpp"
#include "reduce/reduction.cuh"

namespace reel::cuda {

namespace {

constexpr unsigned convolved = floats | halves | integers | complexes;

/// The three places of `i` among `size`.
__device__ void split(std::int64_t i, const std::int64_t (&size)[3], std::int64_t (&at)[3]) {
    const std::int64_t rest = i / size[2];
    at[2] = i - rest * size[2];
    at[0] = rest / size[1];
    at[1] = rest - at[0] * size[1];
}
__device__ std::int64_t size_of(const std::int64_t (&size)[3]) { return size[0] * size[1] * size[2]; }
/// Where output position `o` reads at kernel position `k`, or -1 outside of the image.
__device__ std::int64_t read_place(const ConvGeometry& g, const std::int64_t (&o)[3], const std::int64_t (&k)[3]) {
    std::int64_t place = 0;
    for (int d = 0; d < 3; ++d) {
        const std::int64_t i = o[d] * g.stride[d] - g.pad[d] + k[d] * g.dilation[d];
        if (i < 0 || i >= g.in[d]) return -1;
        place = place * g.in[d] + i;
    }
    return place;
}
/// Which output position reads `i` at kernel position `k`, or -1 if none does.
__device__ std::int64_t reading_place(const ConvGeometry& g, const std::int64_t (&i)[3], const std::int64_t (&k)[3]) {
    std::int64_t place = 0;
    for (int d = 0; d < 3; ++d) {
        const std::int64_t from = i[d] + g.pad[d] - k[d] * g.dilation[d], o = from / g.stride[d];
        if (from < 0 || o * g.stride[d] != from || o >= g.out[d]) return -1;
        place = place * g.out[d] + o;
    }
    return place;
}

template <class T>
__global__ void forward_kernel(ConvGeometry g, Elements<T> y, Elements<T> x, Elements<T> w, Elements<T> bias,
                               bool has_bias) {
    const std::int64_t per_group = g.in_channels / g.groups, out_per_group = g.out_channels / g.groups,
                       out = size_of(g.out), in = size_of(g.in), taps = size_of(g.kernel);
    for (std::int64_t i = first_place(); i < g.batch * g.out_channels * out; i += place_step()) {
        const std::int64_t plane = i / out, n = plane / g.out_channels, c = plane - n * g.out_channels,
                           first = n * g.in_channels + c / out_per_group * per_group;
        std::int64_t o[3], k[3];
        split(i - plane * out, g.out, o);
        number_t<T> sum(0);
        for (std::int64_t t = 0; t < taps; ++t) {
            split(t, g.kernel, k);
            const std::int64_t at = read_place(g, o, k);
            if (at < 0) continue;
            for (std::int64_t ic = 0; ic < per_group; ++ic)
                sum = sum + w[(c * per_group + ic) * taps + t] * x[(first + ic) * in + at];
        }
        y.put(i, has_bias ? sum + bias[c] : sum);
    }
}
template <class T>
__global__ void transpose_kernel(ConvGeometry g, Elements<T> x, Elements<T> y, Elements<T> w, Elements<T> bias,
                                 bool has_bias) {
    const std::int64_t per_group = g.in_channels / g.groups, out_per_group = g.out_channels / g.groups,
                       out = size_of(g.out), in = size_of(g.in), taps = size_of(g.kernel);
    for (std::int64_t i = first_place(); i < g.batch * g.in_channels * in; i += place_step()) {
        const std::int64_t plane = i / in, n = plane / g.in_channels, c = plane - n * g.in_channels,
                           group = c / per_group, ic = c - group * per_group, first = group * out_per_group;
        std::int64_t at[3], k[3];
        split(i - plane * in, g.in, at);
        number_t<T> sum(0);
        for (std::int64_t t = 0; t < taps; ++t) {
            split(t, g.kernel, k);
            const std::int64_t o = reading_place(g, at, k);
            if (o < 0) continue;
            for (std::int64_t oc = first; oc < first + out_per_group; ++oc)
                sum = sum + w[(oc * per_group + ic) * taps + t] * y[(n * g.out_channels + oc) * out + o];
        }
        x.put(i, has_bias ? sum + bias[c] : sum);
    }
}
/// Rows are the weight's elements, their elements the output positions of all examples.
template <class T> struct WeightGradient {
    using State = number_t<T>;
    static constexpr int per_pack = 1;
    ConvGeometry g;
    Elements<T> w, x, y;

    __device__ State nothing() const { return State(0); }
    __device__ State join(State a, State b) const { return a + b; }
    __device__ void pack(State& s, std::int64_t row, std::int64_t i, std::int64_t) const {
        const std::int64_t taps = size_of(g.kernel), out = size_of(g.out), per_group = g.in_channels / g.groups,
                           line = row / taps, oc = line / per_group, n = i / out,
                           ic = oc / (g.out_channels / g.groups) * per_group + (line - oc * per_group);
        std::int64_t k[3], o[3];
        split(row - line * taps, g.kernel, k);
        split(i - n * out, g.out, o);
        const std::int64_t at = read_place(g, o, k);
        if (at >= 0)
            s = s +
                x[(n * g.in_channels + ic) * size_of(g.in) + at] * y[(n * g.out_channels + oc) * out + (i - n * out)];
    }
    __device__ void finish(std::int64_t row, State s, std::int64_t) const { w.put(row, s); }
};

void conv(const ConvGeometry& g, const Tensor& y, const Tensor& x, const Tensor& w, const Tensor& bias) {
    if (y.numel() == 0 || dnn::conv(g, y, x, w, bias)) return;
    if (columns_pay(g, y)) return conv_by_columns(g, y, x, w, bias);
    for_dtype<convolved>("conv", y, [&]<class T>() {
        launch("conv", forward_kernel<T>, OnDevice(y).over(y.numel()), g, Elements<T>(y), Elements<T>(x),
               Elements<T>(w), Elements<T>(bias.defined() ? bias : w), bias.defined());
    });
}
void conv_transpose(const ConvGeometry& g, const Tensor& x, const Tensor& y, const Tensor& w, const Tensor& bias) {
    if (x.numel() == 0 || dnn::conv_transpose(g, x, y, w, bias)) return;
    if (columns_pay(g, x)) return conv_transpose_by_columns(g, x, y, w, bias);
    for_dtype<convolved>("conv_transpose", x, [&]<class T>() {
        launch("conv_transpose", transpose_kernel<T>, OnDevice(x).over(x.numel()), g, Elements<T>(x), Elements<T>(y),
               Elements<T>(w), Elements<T>(bias.defined() ? bias : w), bias.defined());
    });
}
void conv_weight(const ConvGeometry& g, const Tensor& w, const Tensor& x, const Tensor& y) {
    if (w.numel() == 0 || dnn::conv_weight(g, w, x, y)) return;
    if (columns_pay(g, w)) return conv_weight_by_columns(g, w, x, y);
    for_dtype<convolved>("conv_weight", w, [&]<class T>() {
        const WeightGradient<T> rule{g, Elements<T>(w), Elements<T>(x), Elements<T>(y)};
        reduce_rows("conv_weight", w, rule, w.numel(), g.batch * g.out_size());
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::conv.set(kCUDA, &conv);
    kernels::conv_transpose.set(kCUDA, &conv_transpose);
    kernels::conv_weight.set(kCUDA, &conv_weight);
    return true;
}();

} // namespace

} // namespace reel::cuda
