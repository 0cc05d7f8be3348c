// Loops over tensors of one shape and any strides.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include <reel/autograd/host_data.hpp>

#include "cpu/strided.hpp"

namespace reel::cpu {

namespace walking {
template <class F> void call_loop(char* const* data, const std::int64_t* strides, std::int64_t n, const void* f) {
    (*static_cast<const F*>(f))(data, strides, n);
}
} // namespace walking

/// A grain that keeps a walk on one thread.
inline constexpr std::int64_t kSerial = std::numeric_limits<std::int64_t>::max() / 4;

/// What a walk begins with: where each operand's data lies, its strides in bytes.
template <std::size_t N> struct Operands {
    char* data[N];
    Dims bytes[N];
    const std::int64_t* strides[N];
    Operands(const char* op, const std::reference_wrapper<const Tensor> (&operands)[N]) {
        for (std::size_t i = 0; i < N; ++i) {
            const Tensor& t = operands[i];
            data[i] = static_cast<char*>(host_data(t, op));
            // Strides too long for bytes belong to dimensions of which no step is made.
            for (const std::int64_t s : t.strides())
                bytes[i].push_back(std::int64_t(std::uint64_t(s) * std::uint64_t(t.element_size())));
            strides[i] = bytes[i].data();
        }
    }
};

/// Calls `f(char* const* data, const int64_t* byte_strides, n)` for stretches that together cover `sizes`, which all
/// operands have; the first one decides the order. Stretches run on several threads when there are more than `grain`
/// elements. Throws as `host_data` does for operands that are not on the CPU.
template <std::size_t N, class F>
void walk(const char* op, IntArrayRef sizes, const std::reference_wrapper<const Tensor> (&operands)[N], const F& f,
          std::int64_t grain = 32768) {
    const Operands<N> all(op, operands);
    for (const std::int64_t s : sizes)
        if (s == 0) return;
    for_each_strided(int(sizes.size()), sizes.data(), int(N), all.data, all.strides, &walking::call_loop<F>, &f, grain);
}
/// The same for a first operand that stands still where the loop chooses the place: see `for_each_strided_apart`.
template <std::size_t N, class F>
void walk_apart(const char* op, IntArrayRef sizes, const std::reference_wrapper<const Tensor> (&operands)[N],
                const F& f) {
    const Operands<N> all(op, operands);
    for_each_strided_apart(int(sizes.size()), sizes.data(), int(N), all.data, all.strides, &walking::call_loop<F>, &f);
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

} // namespace reel::cpu
