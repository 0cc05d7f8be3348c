// What the normalisations share.
#pragma once

#include <reel/autograd/kernels/norm.hpp>

#include "reduce/columns.cuh"
#include "reduce/moments.cuh"

namespace reel::cuda {

/// Which moments channel `c` of example `n` has.
__device__ inline std::int64_t stat_of(const NormGeometry& g, std::int64_t n, std::int64_t c) {
    return g.groups == 0 ? c : n * g.groups + c / (g.channels / g.groups);
}
/// One, or what `weight` has.
template <class T> __device__ T weight_at(const T* weight, std::int64_t i) { return weight ? weight[i] : T(1); }

/// Two sums that go together.
struct Sums {
    double first, second;
    __device__ Sums operator+(const Sums& o) const { return {first + o.first, second + o.second}; }
};

} // namespace reel::cuda
