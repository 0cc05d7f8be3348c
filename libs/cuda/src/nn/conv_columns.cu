// Convolutions as products of matrices, some images at a time.
#include "conv.hpp"

#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/kernels/copy.hpp>
#include <reel/autograd/kernels/matmul.hpp>

#include "scratch.cuh"

namespace reel::cuda {

namespace {

/// Element i of the columns [image, channel, tap, output position]: where in the images it comes from, or -1.
__device__ std::int64_t source(const ConvGeometry& g, std::int64_t i, std::int64_t out, std::int64_t taps,
                               std::int64_t in) {
    const std::int64_t row = i / out, o = i - row * out, plane = row / taps, t = row - plane * taps;
    const std::int64_t line = o / g.out[2], tap_line = t / g.kernel[2];
    const std::int64_t at[3] = {line / g.out[1], line % g.out[1], o % g.out[2]},
                       k[3] = {tap_line / g.kernel[1], tap_line % g.kernel[1], t % g.kernel[2]};
    std::int64_t place = 0;
    for (int d = 0; d < 3; ++d) {
        const std::int64_t p = at[d] * g.stride[d] - g.pad[d] + k[d] * g.dilation[d];
        if (p < 0 || p >= g.in[d]) return -1;
        place = place * g.in[d] + p;
    }
    return plane * in + place;
}
template <class T>
__global__ void to_columns_kernel(ConvGeometry g, T* columns, const T* x, std::int64_t count, std::int64_t out,
                                  std::int64_t taps, std::int64_t in) {
    for (std::int64_t i = first_place(); i < count; i += place_step()) {
        const std::int64_t from = source(g, i, out, taps, in);
        columns[i] = from < 0 ? T{} : x[from];
    }
}
/// Every place of the images adds up the columns' elements that came from it.
template <class T>
__global__ void from_columns_kernel(ConvGeometry g, T* x, const T* columns, const T* bias, std::int64_t count,
                                    std::int64_t out, std::int64_t taps, std::int64_t in) {
    for (std::int64_t i = first_place(); i < count; i += place_step()) {
        const std::int64_t plane = i / in, place = i - plane * in, line = place / g.in[2];
        const std::int64_t at[3] = {line / g.in[1], line % g.in[1], place % g.in[2]};
        T sum(0);
        for (std::int64_t t = 0; t < taps; ++t) {
            const std::int64_t tap_line = t / g.kernel[2],
                               k[3] = {tap_line / g.kernel[1], tap_line % g.kernel[1], t % g.kernel[2]};
            std::int64_t o = 0;
            for (int d = 0; d < 3 && o >= 0; ++d) {
                const std::int64_t from = at[d] + g.pad[d] - k[d] * g.dilation[d], q = from / g.stride[d];
                o = from < 0 || q * g.stride[d] != from || q >= g.out[d] ? -1 : o * g.out[d] + q;
            }
            if (o >= 0) sum += columns[(plane * taps + t) * out + o];
        }
        x[i] = bias ? sum + bias[plane % g.in_channels] : sum;
    }
}

/// Columns for as many images as fit into a moderate piece of memory, and the matrices of the products.
class Columns {
public:
    Columns(const ConvGeometry& g, const Tensor& like)
        : g_(g), out_(g.out_size()), taps_(g.kernel_size()), in_(g.in_size()), rows_(g.channels_per_group() * taps_),
          per_image_(g.in_channels * taps_ * out_) {
        constexpr std::int64_t most_bytes = 64 << 20;
        const std::int64_t bytes = per_image_ * elementSize(like.scalar_type());
        images = std::clamp<std::int64_t>(most_bytes / bytes, 1, g.batch);
        columns_ = like.new_empty({images, g.groups, rows_, out_});
    }
    std::int64_t images; ///< at a time

    void fill_from(const Tensor& x, std::int64_t first, std::int64_t count) const {
        const OnDevice on(x);
        for_size(x, [&]<class T>() {
            launch("conv", to_columns_kernel<T>, on.over(count * per_image_), g_, static_cast<T*>(columns_.data_ptr()),
                   static_cast<const T*>(x.data_ptr()) + first * g_.in_channels * in_, count * per_image_, out_, taps_,
                   in_);
        });
    }
    void add_up_to(const Tensor& x, std::int64_t first, std::int64_t count, const Tensor& bias) const {
        const OnDevice on(x);
        const std::int64_t size = g_.in_channels * in_;
        for_dtype<floats>("conv_transpose", x, [&]<class T>() {
            launch("conv_transpose", from_columns_kernel<T>, on.over(count * size), g_,
                   Elements<T>(x).data + first * size, Elements<T>(columns_).data, Elements<T>(bias).data, count * size,
                   out_, taps_, in_);
        });
    }
    /// [channels of a group x taps, output positions]
    Tensor matrix(std::int64_t image, std::int64_t group) const { return columns_.select(0, image).select(0, group); }
    /// Of the weight [channels of the result in a group, channels of a group x taps], and of results of one image.
    Tensor weight(const Tensor& w, std::int64_t group) const {
        return w.view({g_.groups, g_.out_channels / g_.groups, rows_}).select(0, group);
    }
    Tensor result(const Tensor& y, std::int64_t image, std::int64_t group) const {
        return y.view({g_.batch, g_.groups, g_.out_channels / g_.groups, out_}).select(0, image).select(0, group);
    }
    /// Calls `f(first image, how many)` for every piece of the batch.
    template <class F> void each_piece(F f) const {
        for (std::int64_t n = 0; n < g_.batch; n += images) f(n, std::min(images, g_.batch - n));
    }

private:
    const ConvGeometry& g_;
    std::int64_t out_, taps_, in_, rows_, per_image_;
    Tensor columns_;
};

bool is_narrow(const Tensor& t) { return t.scalar_type() == kHalf || t.scalar_type() == kBFloat16; }
Tensor wide(const Tensor& t) { return t.defined() ? t.to(kFloat) : t; }

} // namespace

bool columns_pay(const ConvGeometry& g, const Tensor& result) {
    const std::int64_t height = g.out_channels / g.groups, depth = g.channels_per_group() * g.kernel_size();
    if (!isFloatingType(result.scalar_type()) || g.batch == 0) return false;
    return height >= 8 && depth >= 8 && g.out_size() >= 8 && g.in_size() > 0;
}

void conv_by_columns(const ConvGeometry& g, const Tensor& y, const Tensor& x, const Tensor& w, const Tensor& bias) {
    const NoGradGuard no_grad;
    const Columns columns(g, x);
    if (bias.defined())
        kernels::copy(
            y, bias.view({1, g.out_channels, 1}).expand({g.batch, g.out_channels, g.out_size()}).reshape(y.sizes()),
            false);
    columns.each_piece([&](std::int64_t first, std::int64_t count) {
        columns.fill_from(x, first, count);
        for (std::int64_t n = 0; n < count; ++n)
            for (std::int64_t k = 0; k < g.groups; ++k)
                kernels::mm(columns.result(y, first + n, k), columns.weight(w, k), columns.matrix(n, k), 1,
                            bias.defined() ? 1 : 0);
    });
}
void conv_transpose_by_columns(const ConvGeometry& g, const Tensor& x, const Tensor& y, const Tensor& w,
                               const Tensor& bias) {
    const NoGradGuard no_grad;
    if (is_narrow(x)) { // added up in float32 and rounded once
        const Tensor sums = x.new_empty(x.sizes(), kFloat);
        conv_transpose_by_columns(g, sums, wide(y), wide(w), wide(bias));
        return kernels::copy(x, sums, false);
    }
    const Columns columns(g, x);
    columns.each_piece([&](std::int64_t first, std::int64_t count) {
        for (std::int64_t n = 0; n < count; ++n)
            for (std::int64_t k = 0; k < g.groups; ++k)
                kernels::mm(columns.matrix(n, k), columns.weight(w, k).t(), columns.result(y, first + n, k), 1, 0);
        columns.add_up_to(x, first, count, bias);
    });
}
void conv_weight_by_columns(const ConvGeometry& g, const Tensor& w, const Tensor& x, const Tensor& y) {
    const NoGradGuard no_grad;
    if (is_narrow(w)) {
        const Tensor sums = w.new_empty(w.sizes(), kFloat);
        conv_weight_by_columns(g, sums, wide(x), wide(y));
        return kernels::copy(w, sums, false);
    }
    const Columns columns(g, x);
    columns.each_piece([&](std::int64_t first, std::int64_t count) {
        columns.fill_from(x, first, count);
        for (std::int64_t n = 0; n < count; ++n)
            for (std::int64_t k = 0; k < g.groups; ++k)
                kernels::mm(columns.weight(w, k), columns.result(y, first + n, k), columns.matrix(n, k).t(), 1,
                            first + n > 0 ? 1 : 0);
    });
}

} // namespace reel::cuda
