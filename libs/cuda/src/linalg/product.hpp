// Products of matrices by cuBLASLt.
#pragma once

#include <reel/autograd/tensor.hpp>

namespace reel::cuda {

/// An operand of `batch` matrices: dense lines `ld` elements apart, matrices `step` apart; `transposed`: columns are
/// what lies dense.
struct ProductOperand {
    const void* data;
    std::int64_t ld, step;
    bool transposed;
};
/// out = alpha a b + beta out (+ bias along each row), for `batch` row-major dense matrices [m, n] one after the other.
struct Product {
    ScalarType dtype;
    DeviceIndex device;
    std::int64_t batch, m, n, k;
    ProductOperand a, b;
    void* out;
    double alpha, beta;
    const void* bias; ///< n elements, or null
};

/// Queues the product on the current stream. 16-bit floats are added up in float32; float32 operands are rounded to
/// TF32 where Context::allowTF32CuBLAS says that they may be. Throws Error naming `op` and what the library says;
/// NotImplementedError for dtypes that it has no products for.
void multiply(const char* op, const Product& p);
/// Has the library products of the dtype?
bool multiplies(ScalarType t);

} // namespace reel::cuda
