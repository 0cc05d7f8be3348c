// Triangles of matrices.
#include <reel/autograd/kernels/triangular.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>

#include "ops/shape/shape_util.hpp"
#include "tensor/convert.hpp"

#include <algorithm>

#include "op/dispatch.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
Tensor triangle_raw(const char* op, const Tensor& input, bool upper, std::int64_t diagonal) {
    REEL_CHECK(input.dim() >= 2, op, ": expected at least 2 dimensions, got sizes ", input.sizes());
    const Triangle keep{upper, diagonal, input.size(-1)};
    if (kernels::triangle.has(input.device().type())) {
        const Tensor out = empty_raw(input.sizes(), input);
        kernels::triangle(op, out, contiguous_raw(input), keep);
        return out;
    }
    const Tensor out = zeros_raw(input.sizes(), input);
    const std::int64_t rows = input.size(-2);
    if (input.numel() == 0) return out;
    const std::int64_t d = input.dim() - 1;
    for (std::int64_t i = 0; i < rows; ++i) {
        const std::int64_t a = keep.first(i), n = keep.last(i) - a;
        if (n > 0)
            assign_raw(narrow_raw(select_raw(out, d - 1, i), d - 1, a, n),
                       narrow_raw(select_raw(input, d - 1, i), d - 1, a, n));
    }
    return out;
}

Tensor indices(const char* op, std::int64_t row, std::int64_t col, bool upper, std::int64_t offset,
               const TensorOptions& options) {
    REEL_CHECK(row >= 0 && col >= 0, op, ": row and col must not be negative, got ", row, " and ", col);
    const ScalarType dtype = options.has_dtype() ? ScalarType(options.dtype()) : kLong;
    REEL_CHECK(dtype == kLong || dtype == kInt, op, ": dtype must be int64 or int32, got ", toString(dtype));
    const Triangle keep{upper, offset, col};
    // Rows with an element: from the first one of a lower triangle on, up to the last one of an upper one.
    const auto sum = [op](std::int64_t a, std::int64_t b) { return checked_add(op, "the triangle", a, b); };
    const auto times = [op](std::int64_t a, std::int64_t b) { return checked_mul(op, "the triangle", a, b); };
    sum(row, col);
    const std::int64_t shift = std::clamp<std::int64_t>(offset, -row, col) + !upper, // what rows give, before clipping
        from = std::clamp<std::int64_t>(-shift, 0, row), full = std::clamp<std::int64_t>(col - shift, from, row);
    // Below `from` the edge is column 0, from `full` on the last one; between them it moves on by one a row.
    const std::int64_t ramp = times(full - from, 2 * (from + shift) + (full - from - 1)) / 2,
                       n = upper ? times(full, col) - ramp : sum(ramp, times(row - full, col));
    check_sizes(op, {2, n}, kLong);
    const std::int64_t first_row = upper ? 0 : from, last_row = upper ? full : row;
    std::vector<std::int64_t> rows, columns;
    checked_reserve(op, "the triangle", rows, 2 * n); // the columns follow
    checked_reserve(op, "the triangle", columns, n);
    for (std::int64_t i = first_row; i < last_row && n > 0; ++i)
        for (std::int64_t j = keep.first(i); j < keep.last(i); ++j) {
            rows.push_back(i);
            columns.push_back(j);
        }
    rows.insert(rows.end(), columns.begin(), columns.end());
    const Tensor out = alias_raw(tensor_of(rows), {2, n}, {n, 1}, 0);
    return convert(out, dtype, options.device(), false, std::nullopt);
}
} // namespace

/// The lower triangle of each matrix, up to the `diagonal`-th diagonal above the main one; zeros elsewhere.
REEL_OP("tril(Tensor input, int diagonal=0) -> Tensor", rule, method, out_exact, inplace)
Tensor tril(const Tensor& input, std::int64_t diagonal) {
    const Tensor out = triangle_raw("tril", input, false, diagonal);
    record("tril", {input}, out, {}, [diagonal](RuleContext& c) -> GradList { return {tril(c.grad(), diagonal)}; });
    return out;
}
/// The upper triangle of each matrix, from the `diagonal`-th diagonal on; zeros elsewhere.
REEL_OP("triu(Tensor input, int diagonal=0) -> Tensor", rule, method, out_exact, inplace)
Tensor triu(const Tensor& input, std::int64_t diagonal) {
    const Tensor out = triangle_raw("triu", input, true, diagonal);
    record("triu", {input}, out, {}, [diagonal](RuleContext& c) -> GradList { return {triu(c.grad(), diagonal)}; });
    return out;
}

/// Row and column numbers of the triangle's elements, row by row, as the two rows of a tensor.
REEL_OP("tril_indices(int row, int col, int offset=0, *, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor tril_indices(std::int64_t row, std::int64_t col, std::int64_t offset, TensorOptions options) {
    return indices("tril_indices", row, col, false, offset, options);
}
REEL_OP("triu_indices(int row, int col, int offset=0, *, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor triu_indices(std::int64_t row, std::int64_t col, std::int64_t offset, TensorOptions options) {
    return indices("triu_indices", row, col, true, offset, options);
}

} // namespace reel
