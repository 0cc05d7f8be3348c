// Norms that have functions of their own besides linalg.norm.
#include <reel/autograd/ops/nn/older_norms.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/value.hpp>

namespace reel {

/// The root of the sum of squares over `dim`: one, two, or (empty) all dimensions.
REEL_OP("frobenius_norm(Tensor input, int[] dim, bool keepdim=False) -> Tensor", composite, out,
        samples(call(numbers({4, 3}), ints({0, 1}))))
Tensor frobenius_norm(const Tensor& input, IntArrayRef dim, bool keepdim) {
    REEL_CHECK(dim.size() <= 2, "frobenius_norm: dim is ", dim, "; expected at most two dimensions");
    return linalg_vector_norm(input, 2, dim.empty() ? OptionalIntArrayRef() : OptionalIntArrayRef(dim), keepdim);
}
/// The sum of the singular values of a matrix, or of those that two dimensions of `input` hold.
REEL_OP("nuclear_norm(Tensor input, bool keepdim=False) -> Tensor", composite, out, samples(call(numbers({4, 3}))))
Tensor nuclear_norm(const Tensor& input, bool keepdim) {
    REEL_CHECK(input.dim() == 2, "nuclear_norm: input has shape ", input.sizes(),
               "; expected a matrix, or dim to name two dimensions");
    return nuclear_norm(input, {0, 1}, keepdim);
}
REEL_OP("nuclear_norm(Tensor input, int[] dim, bool keepdim=False) -> Tensor", composite, out,
        samples(call(numbers({2, 4, 3}), ints({1, 2}))))
Tensor nuclear_norm(const Tensor& input, IntArrayRef dim, bool keepdim) {
    REEL_CHECK(dim.size() == 2, "nuclear_norm: dim is ", dim, "; expected two dimensions");
    return linalg_matrix_norm(input, "nuc", dim, keepdim);
}

} // namespace reel
