// Diagonals of matrices, and matrices from diagonals.
#include <reel/autograd/ops/shape/diagonals.hpp>

#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace shape {
Tensor diagonal_backward(const Tensor& grad, IntArrayRef sizes, std::int64_t offset, std::int64_t dim1,
                         std::int64_t dim2) {
    const Tensor out = zeros_raw(sizes, grad);
    {
        const NoGradGuard off;
        assign_raw(out.diagonal(offset, dim1, dim2), grad);
    }
    record("diagonal_backward", {grad}, out, {},
           [offset, dim1, dim2](RuleContext& c) -> GradList { return {c.grad().diagonal(offset, dim1, dim2)}; });
    return out;
}
} // namespace shape

/// The diagonal of the planes of `dim1` and `dim2`, as last dimension; `offset` > 0 lies above the main diagonal.
REEL_OP("diagonal(Tensor input, int offset=0, int dim1=0, int dim2=1) -> Tensor", rule, method, view)
Tensor diagonal(const Tensor& input, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
    const std::int64_t a = wrap_dim("diagonal", dim1, input.dim());
    const std::int64_t b = wrap_dim("diagonal", dim2, input.dim());
    REEL_CHECK(a != b, "diagonal: dim1 and dim2 must differ, both are dimension ", a, " of ", input.sizes());
    const std::int64_t rows = input.sizes()[std::size_t(a)], columns = input.sizes()[std::size_t(b)];
    const std::int64_t length =
        std::max<std::int64_t>(offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns), 0);
    Dims sizes, strides;
    for (std::int64_t d = 0; d < input.dim(); ++d) {
        if (d == a || d == b) continue;
        sizes.push_back(input.sizes()[std::size_t(d)]);
        strides.push_back(input.strides()[std::size_t(d)]);
    }
    const std::int64_t sa = input.strides()[std::size_t(a)], sb = input.strides()[std::size_t(b)];
    sizes.push_back(length);
    strides.push_back(sa + sb);
    std::int64_t start = input.storage_offset();
    if (length > 0) start += offset >= 0 ? offset * sb : -offset * sa;
    const Tensor out = view_raw(input, sizes, strides, start);
    record("diagonal", {input}, out, {}, [before = Dims(input.sizes()), offset, a, b](RuleContext& c) -> GradList {
        return {diagonal_backward(c.grad(), before, offset, a, b)};
    });
    return out;
}
REEL_OP("linalg.diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", composite, view)
Tensor linalg_diagonal(const Tensor& A, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
    return diagonal(A, offset, dim1, dim2);
}
REEL_OP("diagonal_copy(Tensor input, int offset=0, int dim1=0, int dim2=1) -> Tensor", composite, out_exact)
Tensor diagonal_copy(const Tensor& input, std::int64_t offset, std::int64_t dim1, std::int64_t dim2) {
    return diagonal(input, offset, dim1, dim2).clone(MemoryFormat::Contiguous);
}

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
