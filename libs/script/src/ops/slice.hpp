// The places that `l[start:end:step]` means.
#pragma once

#include <algorithm>
#include <cstdint>

#include <reel/autograd/error.hpp>
#include <reel/autograd/value.hpp>

namespace reel::jit {

/// Calls `visit(i)` for each; None stands for a missing bound. ValueError for a step of 0.
template <class F>
void for_slice(std::size_t size, const IValue& start, const IValue& end, const IValue& step, F visit) {
    const std::int64_t n = std::int64_t(size), stride = step.isNone() ? 1 : step.toInt();
    REEL_CHECK_VALUE(stride != 0, "slice step cannot be zero");
    const std::int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? n : n - 1;
    const auto bound = [&](const IValue& v, std::int64_t missing) {
        if (v.isNone()) return missing;
        std::int64_t i = v.toInt();
        if (i < 0) i += n; // no overflow: n is not negative
        return std::clamp(i, low, high);
    };
    const std::int64_t from = bound(start, stride > 0 ? 0 : n - 1), to = bound(end, stride > 0 ? n : -1);
    // Counted, as an index beyond the end might overflow.
    const std::int64_t distance = stride > 0 ? to - from : from - to;
    if (distance <= 0) return;
    const std::uint64_t magnitude = stride > 0 ? std::uint64_t(stride) : 0 - std::uint64_t(stride);
    const std::uint64_t count = (std::uint64_t(distance) - 1) / magnitude + 1;
    for (std::uint64_t k = 0; k < count; ++k) visit(std::size_t(std::uint64_t(from) + k * std::uint64_t(stride)));
}

} // namespace reel::jit
