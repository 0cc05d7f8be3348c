// What ops on shapes share: inferring sizes, aliases of parts, walking and moving raw elements.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/record.hpp>

#include "cpu/strided.hpp"
#include "tensor/raw.hpp"

namespace reel::shape {

std::int64_t count(IntArrayRef sizes);
/// `sizes` with its one -1 replaced so that `numel` elements fit. Throws naming the op and both shapes.
Dims infer_size(const char* op, IntArrayRef sizes, std::int64_t numel);
/// Strides that show the same elements under `sizes`, absent when that needs a copy.
std::optional<Dims> view_strides(IntArrayRef old_sizes, IntArrayRef old_strides, IntArrayRef sizes);
/// `dst[...] += src[...]` in order, also when elements of `dst` overlap. CPU only.
void accumulate_raw(const Tensor& dst, const Tensor& src);
/// Throws unless `t` is on the CPU: names the op and the device. For ops whose shapes depend on values.
void require_cpu(const char* op, const Tensor& t);
/// Throws TypeError unless `index` is int32 or int64; returns it as int64.
Tensor index_as_long(const char* op, const Tensor& index, const char* argument = "index");

/// Gradients of the basic views; each is linear and differentiable itself.
Tensor select_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, std::int64_t index);
Tensor slice_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t dim, std::int64_t start, std::int64_t end,
                      std::int64_t step);
Tensor diagonal_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t offset, std::int64_t dim1,
                         std::int64_t dim2);

namespace walking {
template <class F> void call_loop(char* const* data, const std::int64_t* strides, std::int64_t n, const void* f) {
    (*static_cast<const F*>(f))(data, strides, n);
}
} // namespace walking

/// One operand of `walk`: first element (none on meta) and strides in bytes, one per dim.
struct Walked {
    char* data;
    Dims strides;
    Walked(const Tensor& t); ///< shaped as the walk is
    Walked(char* d, Dims s) : data(d), strides(std::move(s)) {}
};

/// NotImplementedError: an operand on meta of a result that is not.
[[noreturn]] void throw_meta_operand();

inline constexpr std::int64_t kSerial = std::numeric_limits<std::int64_t>::max() / 4;

/// Calls `f(char* const* data, const int64_t* byte_strides, n)` for stretches that together cover `sizes`; the first
/// operand decides the order. Stretches run on several threads when there are more than `grain` elements. Nothing is
/// done when the first operand, which is written, is on meta.
template <std::size_t N, class F>
void walk(IntArrayRef sizes, const Walked (&operands)[N], const F& f, std::int64_t grain = 32768) {
    char* data[N];
    const std::int64_t* strides[N];
    for (std::size_t i = 0; i < N; ++i) {
        data[i] = operands[i].data;
        strides[i] = operands[i].strides.data();
    }
    for (std::int64_t s : sizes)
        if (s == 0) return;
    if (!data[0]) return;
    for (const char* const d : data)
        if (!d) throw_meta_operand();
    cpu::for_each_strided(int(sizes.size()), sizes.data(), int(N), data, strides, &walking::call_loop<F>, &f, grain);
}

/// Calls `f.operator()<Bytes>()` with an unsigned type of that size: for kernels that only move elements.
template <class F> void dispatch_size(std::size_t itemsize, const F& f) {
    switch (itemsize) {
    case 1:
        return f.template operator()<std::uint8_t>();
    case 2:
        return f.template operator()<std::uint16_t>();
    case 4:
        return f.template operator()<std::uint32_t>();
    case 8:
        return f.template operator()<std::uint64_t>();
    default: {
        struct Pair {
            std::uint64_t a, b;
        };
        return f.template operator()<Pair>();
    }
    }
}

} // namespace reel::shape
