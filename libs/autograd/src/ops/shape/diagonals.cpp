// Matrices from diagonals, and diagonals of matrices as copies.
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/slice.hpp>

#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

/// Planes of `dim1` and `dim2` (of the result) whose `offset`-th diagonals are the rows of `input`; zeros elsewhere.
/// gradient: that diagonal of gy.
REEL_OP("diag_embed(Tensor input, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", rule, method)
Tensor diag_embed(const Tensor& input, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
    REEL_CHECK(input.dim() > 0, "diag_embed: expected at least one dimension, got a 0-dim tensor");
    const std::int64_t a = wrap_dim("diag_embed", dim1, input.dim() + 1);
    const std::int64_t b = wrap_dim("diag_embed", dim2, input.dim() + 1);
    REEL_CHECK(a != b, "diag_embed: dim1 and dim2 must differ, both are dimension ", a);
    const std::int64_t aside = offset < 0 ? checked_sub("diag_embed", "offset", 0, offset) : offset,
                       n = checked_add("diag_embed", "the matrix", input.size(-1), aside);
    Dims sizes(input.sizes());
    sizes.pop_back();
    sizes.insert(sizes.begin() + std::min(a, b), n);
    sizes.insert(sizes.begin() + std::max(a, b), n);
    check_sizes("diag_embed", sizes, input.scalar_type());
    const Tensor out = zeros_raw(sizes, input);
    {
        const NoGradGuard off;
        if (input.numel() > 0) assign_raw(diagonal(out, offset, a, b), input);
    }
    record("diag_embed", {input}, out, {},
           [offset, a, b](RuleContext& c) -> GradList { return {diagonal(c.grad(), offset, a, b)}; });
    return out;
}

/// A matrix with the vector `input` on its `diagonal`-th diagonal, or that diagonal of the matrix `input`, copied.
REEL_OP("diag(Tensor input, int diagonal=0) -> Tensor", composite, method, out_exact)
Tensor diag(const Tensor& input, std::int64_t diagonal) {
    REEL_CHECK(input.dim() == 1 || input.dim() == 2, "diag: expected a vector or a matrix, got sizes ", input.sizes());
    return input.dim() == 1 ? diag_embed(input, diagonal) : diagonal_copy(input, diagonal);
}
/// `diag` of the flattened input.
REEL_OP("diagflat(Tensor input, int offset=0) -> Tensor", composite, method)
Tensor diagflat(const Tensor& input, std::int64_t offset) { return diag_embed(input.reshape({-1}), offset); }

/// The sum of a matrix's main diagonal.
REEL_OP("trace(Tensor input) -> Tensor", composite, method)
Tensor trace(const Tensor& input) {
    REEL_CHECK(input.dim() == 2, "trace: expected a matrix, got sizes ", input.sizes());
    return diagonal(input).sum();
}

} // namespace reel
