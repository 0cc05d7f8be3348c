// What cuBLAS computes that cuBLASLt does not.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::cuda::blas {

/// Is the library there?
bool is_available();

/// x = a^-1 x, or x a^-1 unless `left`, of dense matrices, column by column, in the order of the current stream.
/// `unit`: ones stand on the diagonal, which is not read. Throws Error with the op and what the library says.
void trsm(const char* op, const Tensor& x, const Tensor& a, bool upper, bool left, bool unit);

} // namespace reel::cuda::blas
