// The loop over columns of dense operands.
#pragma once

#include <algorithm>
#include <cstdint>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

namespace reel::cpu {

/// Columns by `kernel`, spread over threads.
template <class T, class Kernel>
void for_columns(const char* op, const Tensor& out, const Tensor& operand, std::int64_t rows, Kernel kernel) {
    const T* const p = static_cast<const T*>(host_data(operand, op));
    T* const o = static_cast<T*>(host_data(out, op));
    const std::int64_t count = out.numel();
    constexpr std::int64_t share = 128; // whole cache lines; which columns go together changes nothing
    parallel_for(0, (count + share - 1) / share,
                 std::max<std::int64_t>(1, 32768 / share / std::max<std::int64_t>(rows, 1)),
                 [&](std::int64_t b, std::int64_t e) {
                     const std::int64_t first = b * share, last = std::min(count, e * share);
                     kernel(p + first, rows, count, last - first, o + first);
                 });
}

} // namespace reel::cpu
