// im2col, col2im, and the three bilinear maps over them, for all that conv_direct.cpp does not take.
#include <reel/autograd/kernels/conv.hpp>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/pointwise/scalar_math.hpp>

#include "cpu/linalg/gemm.hpp"
#include "cpu/nn/conv_direct.hpp"
#include "cpu/nn/conv_kernels.hpp"
#include "cpu/nn/winograd.hpp"
#include "cpu/scratch.hpp"
#include "op/dispatch.hpp"
#include "tensor/raw.hpp"

namespace reel::cpu {

namespace {

/// A pass over one image's columns goes block by block, each block so many output rows that it stays in the cache.
struct Blocks {
    std::int64_t rows, per_block; ///< output rows of one image, rows of one block
    Blocks(const ConvGeometry& g, std::size_t itemsize) {
        rows = g.out[0] * g.out[1];
        const std::int64_t row =
            std::max<std::int64_t>(1, g.channels_per_group() * g.kernel_size() * g.out[2] * std::int64_t(itemsize));
        per_block = std::clamp<std::int64_t>((1 << 20) / row, 1, std::max<std::int64_t>(rows, 1));
    }
};

/// A 1x1 kernel that reads every place once: the image is its own column matrix.
bool is_pointwise(const ConvGeometry& g) {
    for (int d = 0; d < 3; ++d)
        if (g.kernel[d] != 1 || g.stride[d] != 1 || g.pad[d] != 0 || g.in[d] != g.out[d]) return false;
    return true;
}

/// Do the places that one result reads lie together? The direct kernels copy all that is between them.
bool is_compact(const ConvGeometry& g) {
    for (int d = 0; d < 3; ++d) {
        const std::int64_t reach = g.dilation[d] * (g.kernel[d] - 1) + 1;
        if ((g.out[d] - 1) * std::min(g.stride[d], reach) + reach > 1024 + 16 * (g.in[d] + g.out[d] + g.kernel[d]))
            return false;
    }
    return true;
}

/// So few places to compute that packing the weights, as the direct kernels do, would take longer than using them?
bool has_few_places(const ConvGeometry& g) {
    constexpr std::int64_t few = 16, worth_a_product = 1024; // below that, calling the product takes longest
    return g.batch * g.out_size() <= few &&
           g.out_channels / g.groups * g.channels_per_group() * g.kernel_size() >= worth_a_product;
}

/// Calls `visit(in_offset or -1, col_offset, first, last)` for every (column row, output row): output positions
/// [first, last) of that row read `in_offset + (ox * stride)`, the others lie outside of the image.
template <class F> void each_segment(const ConvGeometry& g, std::int64_t row0, std::int64_t row1, F visit) {
    const std::int64_t width = g.out[2], columns = (row1 - row0) * width, s = g.stride[2];
    std::int64_t k = 0;
    for (std::int64_t c = 0; c < g.channels_per_group(); ++c)
        for (std::int64_t kz = 0; kz < g.kernel[0]; ++kz)
            for (std::int64_t ky = 0; ky < g.kernel[1]; ++ky)
                for (std::int64_t kx = 0; kx < g.kernel[2]; ++kx, ++k) {
                    const std::int64_t shift = kx * g.dilation[2] - g.pad[2]; // ix = ox * s + shift
                    const std::int64_t first =
                        std::clamp<std::int64_t>(shift >= 0 ? 0 : (-shift - 1) / s + 1, 0, width);
                    const std::int64_t room = g.in[2] - shift; // ox * s < room
                    const std::int64_t last =
                        std::clamp<std::int64_t>(room <= 0 ? 0 : (room - 1) / s + 1, first, width);
                    for (std::int64_t r = row0; r < row1; ++r) {
                        const std::int64_t iz = r / g.out[1] * g.stride[0] - g.pad[0] + kz * g.dilation[0];
                        const std::int64_t iy = r % g.out[1] * g.stride[1] - g.pad[1] + ky * g.dilation[1];
                        const bool inside = iz >= 0 && iz < g.in[0] && iy >= 0 && iy < g.in[1];
                        const bool reads = inside && first < last; // else the place may be too far off to be counted
                        visit(reads ? ((c * g.in[0] + iz) * g.in[1] + iy) * g.in[2] + shift : 0,
                              k * columns + (r - row0) * width, inside ? first : width, inside ? last : width);
                    }
                }
}

template <class T> void im2col(const ConvGeometry& g, const T* x, std::int64_t row0, std::int64_t row1, T* col) {
    const std::int64_t s = g.stride[2], width = g.out[2];
    each_segment(g, row0, row1, [&](std::int64_t from, std::int64_t to, std::int64_t first, std::int64_t last) {
        T* out = col + to;
        for (std::int64_t i = 0; i < first; ++i) out[i] = T(0);
        const T* in = x + from;
        if (s == 1) {
            if (first < last)
                std::memcpy(static_cast<void*>(out + first), in + first, std::size_t(last - first) * sizeof(T));
        } else
            for (std::int64_t i = first; i < last; ++i) out[i] = in[i * s];
        for (std::int64_t i = last; i < width; ++i) out[i] = T(0);
    });
}
template <class T> void col2im(const ConvGeometry& g, const T* col, std::int64_t row0, std::int64_t row1, T* x) {
    const std::int64_t s = g.stride[2];
    each_segment(g, row0, row1, [&](std::int64_t to, std::int64_t from, std::int64_t first, std::int64_t last) {
        const T* in = col + from;
        T* out = x + to;
        for (std::int64_t i = first; i < last; ++i) out[i * s] = T(math::wrapping(out[i * s]) + math::wrapping(in[i]));
    });
}
template <class T> void start_with(const void* bias, std::int64_t channels, std::int64_t size, T* out) {
    for (std::int64_t c = 0; c < channels; ++c)
        std::fill_n(out + c * size, size, bias ? static_cast<const T*>(bias)[c] : T(0));
}

template <class T> struct Conv {
    const ConvGeometry& g;
    ScalarType t;
    std::int64_t cg = g.channels_per_group(), og = g.out_channels / g.groups, k = cg * g.kernel_size(),
                 l = g.out_size(), in = g.in_size();
    Blocks blocks{g, sizeof(T)};
    bool pointwise = is_pointwise(g);

    std::size_t scratch() const { return pointwise ? 0 : std::size_t(k * blocks.per_block * g.out[2]) * sizeof(T); }
    std::int64_t images_per_thread() const {
        const double work =
            double(std::max<std::int64_t>(1, g.out_channels * k)) * double(std::max<std::int64_t>(1, l));
        return std::max<std::int64_t>(1, std::int64_t(500000 / work));
    }
    /// Calls `f(group, first output position, column matrix, its width)` over the blocks of one image.
    template <class F> void each_block(F f) const {
        for (std::int64_t group = 0; group < g.groups; ++group)
            for (std::int64_t r = 0; r < blocks.rows; r += blocks.per_block)
                f(group, r, std::min(blocks.rows, r + blocks.per_block));
    }

    void forward(const T* x, const T* w, const void* bias, T* y) const {
        parallel_for(0, g.batch, images_per_thread(), [&](std::int64_t begin, std::int64_t end) {
            const Scratch col(scratch());
            for (std::int64_t n = begin; n < end; ++n) {
                T* out = y + n * g.out_channels * l;
                if (bias) start_with<T>(bias, g.out_channels, l, out);
                each_block([&](std::int64_t group, std::int64_t r0, std::int64_t r1) {
                    const T* image = x + (n * g.in_channels + group * cg) * in;
                    const std::int64_t width = (r1 - r0) * g.out[2];
                    if (!pointwise) im2col(g, image, r0, r1, col.template as<T>());
                    gemm(t, false, false, og, width, k, 1, w + group * og * k, std::max<std::int64_t>(k, 1),
                         pointwise ? image + r0 * g.out[2] : col.template as<T>(), pointwise ? l : width, bias ? 1 : 0,
                         out + group * og * l + r0 * g.out[2], l);
                });
            }
        });
    }
    void input(const T* y, const T* w, const void* bias, T* x) const {
        parallel_for(0, g.batch, images_per_thread(), [&](std::int64_t begin, std::int64_t end) {
            const Scratch col(scratch());
            for (std::int64_t n = begin; n < end; ++n) {
                T* image = x + n * g.in_channels * in;
                std::fill_n(image, g.in_channels * in, T(0));
                each_block([&](std::int64_t group, std::int64_t r0, std::int64_t r1) {
                    const std::int64_t width = (r1 - r0) * g.out[2];
                    T* part = image + group * cg * in;
                    gemm(t, true, false, k, width, og, 1, w + group * og * k, std::max<std::int64_t>(k, 1),
                         y + (n * g.out_channels + group * og) * l + r0 * g.out[2], l, pointwise ? 1 : 0,
                         pointwise ? part + r0 * g.out[2] : col.template as<T>(), pointwise ? l : width);
                    if (!pointwise) col2im(g, col.template as<T>(), r0, r1, part);
                });
                for (std::int64_t i = 0; bias && i < g.in_channels * in; ++i)
                    image[i] = T(math::wrapping(image[i]) + math::wrapping(static_cast<const T*>(bias)[i / in]));
            }
        });
    }
    void weight(const T* x, const T* y, T* w) const {
        const std::int64_t size = g.out_channels * k;
        // A fixed number of partial sums, so that the bits do not depend on the threads.
        const std::int64_t parts = std::clamp<std::int64_t>(g.batch / images_per_thread(), 1, 8),
                           step = (g.batch + parts - 1) / parts;
        const Scratch partial(parts > 1 ? std::size_t((parts - 1) * size) * sizeof(T) : 0);
        parallel_for(0, parts, 1, [&](std::int64_t first_part, std::int64_t last_part) {
            const Scratch col(scratch());
            for (std::int64_t p = first_part; p < last_part; ++p) {
                T* out = p == 0 ? w : partial.as<T>() + (p - 1) * size;
                std::fill_n(out, size, T(0));
                for (std::int64_t n = p * step; n < std::min(g.batch, (p + 1) * step); ++n)
                    each_block([&](std::int64_t group, std::int64_t r0, std::int64_t r1) {
                        const T* image = x + (n * g.in_channels + group * cg) * in;
                        const std::int64_t width = (r1 - r0) * g.out[2];
                        if (!pointwise) im2col(g, image, r0, r1, col.template as<T>());
                        gemm(t, false, true, og, k, width, 1, y + (n * g.out_channels + group * og) * l + r0 * g.out[2],
                             l, pointwise ? image + r0 * g.out[2] : col.template as<T>(), pointwise ? l : width, 1,
                             out + group * og * k, std::max<std::int64_t>(k, 1));
                    });
            }
        });
        for (std::int64_t p = 1; p < parts; ++p)
            for (std::int64_t i = 0; i < size; ++i) w[i] = T(w[i] + partial.as<T>()[(p - 1) * size + i]);
    }
};

template <class F> void dispatch_conv(ScalarType t, F f) {
    detail::dispatch<detail::Floats | detail::Ints | detail::Complexes>(t, "convolution", f);
}

} // namespace

namespace {
bool is_narrow(const Tensor& t) { return t.scalar_type() == kHalf || t.scalar_type() == kBFloat16; }
Tensor wide(const Tensor& t) { return t.defined() ? detail::cast_raw(t, kFloat) : t; }
/// Calls `f` with the type of a 16-bit float.
template <class F> void dispatch_narrow(ScalarType t, F f) {
    if (t == kHalf) f(Half());
    else f(BFloat16());
}
/// 16-bit floats are convolved in float32 and rounded once.
template <class Run> void in_float32(const Tensor& out, Run run) {
    const Tensor result = detail::empty_raw(out.sizes(), kFloat);
    run(result);
    detail::copy_raw(out, result);
}
} // namespace

void conv(const ConvGeometry& g, const Tensor& out, const Tensor& input, const Tensor& w, const Tensor& b) {
    if (is_narrow(out) && by_winograd(g)) {
        const Tensor weight = wide(w), bias = wide(b);
        return dispatch_narrow(out.scalar_type(), [&]<class T>(T) {
            winograd_forward(g, host_data<T>(input, "conv"), host_data<float>(weight, "conv"),
                             static_cast<const float*>(host_data_or_null(bias, "conv")), host_data<T>(out, "conv"));
        });
    }
    if (is_narrow(out)) return in_float32(out, [&](const Tensor& y) { conv(g, y, wide(input), wide(w), wide(b)); });
    const void *x = host_data(input, "conv"), *bias = host_data_or_null(b, "conv");
    void* y = host_data(out, "conv");
    const ScalarType t = out.scalar_type();
    if (g.batch * g.out_channels * g.out_size() == 0) return;
    dispatch_conv(t, [&]<class T>() {
        const T *from = static_cast<const T*>(x), *weight = host_data<T>(w, "conv");
        if constexpr (std::is_same_v<T, float>)
            if (by_winograd(g))
                return winograd_forward(g, from, weight, static_cast<const T*>(bias), static_cast<T*>(y));
        if constexpr (std::is_floating_point_v<T>)
            if (!is_pointwise(g) && is_compact(g) && !has_few_places(g))
                return direct_forward(g, from, weight, static_cast<const T*>(bias), static_cast<T*>(y));
        Conv<T>{g, t}.forward(from, weight, bias, static_cast<T*>(y));
    });
}
void conv_transpose(const ConvGeometry& g, const Tensor& input, const Tensor& out, const Tensor& w, const Tensor& b) {
    if (is_narrow(input) && by_winograd(g)) {
        const Tensor weight = wide(w), bias = wide(b);
        return dispatch_narrow(input.scalar_type(), [&]<class T>(T) {
            winograd_input(g, host_data<T>(out, "conv_transpose"), host_data<float>(weight, "conv_transpose"),
                           static_cast<const float*>(host_data_or_null(bias, "conv_transpose")),
                           host_data<T>(input, "conv_transpose"));
        });
    }
    if (is_narrow(input))
        return in_float32(input, [&](const Tensor& x) { conv_transpose(g, x, wide(out), wide(w), wide(b)); });
    const void *y = host_data(out, "conv_transpose"), *bias = host_data_or_null(b, "conv_transpose");
    void* x = host_data(input, "conv_transpose");
    const ScalarType t = input.scalar_type();
    if (g.batch * g.in_channels * g.in_size() == 0) return;
    detail::dispatch<detail::Floats | detail::Ints | detail::Complexes>(t, "conv_transpose", [&]<class T>() {
        const T *from = static_cast<const T*>(y), *weight = host_data<T>(w, "conv_transpose");
        if constexpr (std::is_same_v<T, float>)
            if (by_winograd(g)) return winograd_input(g, from, weight, static_cast<const T*>(bias), static_cast<T*>(x));
        if constexpr (std::is_floating_point_v<T>)
            // its tiles are channels of x: too few of them do not pay for the taps of many channels of y
            if (!is_pointwise(g) && is_compact(g) &&
                (4 * g.channels_per_group() > conv_kernels<T>.rows || g.out_channels / g.groups < 16))
                return direct_input(g, from, weight, static_cast<const T*>(bias), static_cast<T*>(x));
        Conv<T>{g, t}.input(from, weight, bias, static_cast<T*>(x));
    });
}
void conv_weight(const ConvGeometry& g, const Tensor& weight, const Tensor& input, const Tensor& out) {
    if (is_narrow(weight) && by_winograd(g))
        return in_float32(weight, [&](const Tensor& w) {
            dispatch_narrow(weight.scalar_type(), [&]<class T>(T) {
                winograd_weight(g, host_data<T>(input, "conv_weight"), host_data<T>(out, "conv_weight"),
                                host_data<float>(w, "conv_weight"));
            });
        });
    if (is_narrow(weight))
        return in_float32(weight, [&](const Tensor& w) { conv_weight(g, w, wide(input), wide(out)); });
    const void *x = host_data(input, "conv_weight"), *y = host_data(out, "conv_weight");
    void* w = host_data(weight, "conv_weight");
    const ScalarType t = weight.scalar_type();
    if (g.out_channels * g.channels_per_group() * g.kernel_size() == 0) return;
    dispatch_conv(t, [&]<class T>() {
        const T *from = static_cast<const T*>(x), *grad = static_cast<const T*>(y);
        if constexpr (std::is_same_v<T, float>)
            if (by_winograd(g)) return winograd_weight(g, from, grad, static_cast<T*>(w));
        if constexpr (std::is_floating_point_v<T>)
            // its vectors are channels of y, or places where both sides have one channel
            if (!is_pointwise(g) && is_compact(g) &&
                (4 * (g.out_channels / g.groups) > conv_kernels<T>.lanes ||
                 (g.out_channels == g.groups && g.in_channels == g.groups)))
                return direct_weight(g, from, grad, static_cast<T*>(w));
        Conv<T>{g, t}.weight(from, grad, static_cast<T*>(w));
    });
}

} // namespace reel::cpu
