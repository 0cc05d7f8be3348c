// Resampling along one dimension: what each target is made of, and the inner loops.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// Target i is the sum of weight[k] * source[index[k]] over k from start[i] to start[i + 1].
template <class T> struct ResampleTable {
    std::int64_t sources, targets;
    const std::int32_t *start, *index;
    const T* weight;
};

/// Compiled once per instruction set.
template <class T> struct ResampleKernels {
    std::int64_t lanes;
    /// Sources and targets are rows of `inner` numbers.
    void (*rows)(const ResampleTable<T>& table, const T* in, T* out, std::int64_t inner);
    /// They are numbers, of `count` lines. `turned` is scratch for the sources of `lanes` lines.
    void (*lines)(const ResampleTable<T>& table, const T* in, T* out, std::int64_t count, T* turned);
};
template <class T> inline constinit ResampleKernels<T> resample_kernels{};

} // namespace reel::cpu
