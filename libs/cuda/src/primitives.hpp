// Sorting, running sums and selection on the device: what other kernels are made of. The only interface behind which a
// library of primitives may stand.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::cuda {

/// Rows in order, and where each element of them stood.
struct SortedKeys {
    Tensor keys;   ///< int64, of which the bits count: they are ordered as unsigned numbers
    Tensor places; ///< int64, within the row
};

/// A key for each element of `t` (dense, real), so that keys are ordered as the elements are: zeros are equal, NaN are
/// equal and the greatest. `descending` turns the order round.
Tensor keys_of(const char* op, const Tensor& t, bool descending);
/// Sorts each row of `n` keys; equal ones keep their order. `keys` is dense and may be overwritten.
SortedKeys sort_keys(const char* op, const Tensor& keys, std::int64_t n);
/// values[i] = values[0] + ... + values[i]; int64, dense.
void running_sums(const char* op, const Tensor& values);
/// The last element of a dense int64 tensor, zero if it is empty. Waits for the device.
std::int64_t last_of(const char* op, const Tensor& values);

} // namespace reel::cuda
