// What reductions share: which dims go, dense rows to read, and putting gradients back into shape.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "op/dispatch.hpp"
#include "tensor/raw.hpp"

namespace reel::reduction {

using namespace reel::detail;

/// float32 for the 16-bit types.
inline ScalarType wide_type(ScalarType t) { return t == kHalf || t == kBFloat16 ? kFloat : t; }
/// Integers become the default floating dtype.
inline ScalarType float_type(ScalarType t) { return isIntegralType(t, true) ? get_default_dtype() : t; }

/// The dtype of a sum or a product: `asked`, else int64 for integers and input's. An integer one of what needs a
/// gradient is refused: it would be lost without a word.
ScalarType sum_type(const char* op, const Tensor& input, std::optional<ScalarType> asked);
/// Every dim of `t`; one (harmless) dim 0 for 0-dim tensors is left out.
Dims all_dims(const Tensor& t);
/// Dims to reduce, wrapped and free of repeats: all when none are named.
Dims reduced_dims(const char* op, const Tensor& t, OptionalIntArrayRef dim);
bool contains(const Dims& dims, std::int64_t d);
Dims reduced_sizes(const Tensor& t, const Dims& dims, bool keepdim);
/// How many elements go into each result.
std::int64_t reduced_count(const Tensor& t, const Dims& dims);
/// The operand as [kept..., reduced...], dense and row-major, so that each result reads one row of `inner` elements.
Tensor rows_last(const Tensor& t, const Dims& dims, std::int64_t& inner);
/// The operand of a reduction that does not care in which order elements come: its dims in the order of its memory,
/// `dims` changed along, where it is dense and the kept ones stay in order; else itself.
Tensor in_memory_order(const Tensor& t, Dims& dims);
/// `rows_last` for a reduction that does not care in which order the elements of a row come: fewer copies.
Tensor rows_in_any_order(const Tensor& t, const Dims& dims, std::int64_t& inner);
/// Are `dims` the first of a dense row-major operand, so that results are columns?
bool reduces_columns(const Tensor& t, const Dims& dims);
/// A dense operand as matrices of `rows` by `cols`, whose columns are summed first: `rows` is the last of the reduced
/// dims and those right before it that are reduced, too; `cols` is what stays behind it.
struct SummedColumns {
    std::int64_t rows = 1, cols = 1;
    std::size_t lead = 0; ///< how many dims stand before these
    bool again = false;   ///< is any of them reduced?
    SummedColumns(const Tensor& t, const Dims& dims);
};
/// Puts reduced dims back with size one: a result of the reduction as if made with keepdim.
Tensor keep_dims(const Tensor& g, const Dims& shape, const Dims& dims, bool keepdim);
/// The same, expanded to the operand's shape.
Tensor spread(const Tensor& g, const Dims& shape, const Dims& dims, bool keepdim);
/// Gradient of picking one element of each row along `dim`: `g` at `index`, zeros elsewhere.
Tensor scatter_back(const Tensor& g, const Tensor& index, const Dims& shape, std::int64_t dim, bool keepdim);
/// Shares `g` equally among the places where `mask` holds.
Tensor share(const Tensor& g, const Tensor& mask, const Dims& dims);
/// Throws IndexError when a reduction without identity meets an empty row.
void require_rows(const char* op, const Tensor& input, const Dims& dims);
/// For each element of a line the product of all others. Differentiable, at zeros, too.
Tensor product_of_others(const Tensor& x, std::int64_t dim);
/// Sum of `input` over `dims`, not recorded.
Tensor sum_raw(const Tensor& input, const Dims& dims, bool keepdim, ScalarType out_type);

/// An operand seen along one dimension: dense [outer..., n] rows, and the way back from results laid out so.
struct Lines {
    Tensor rows;           ///< dense, the dimension last
    std::int64_t n, count; ///< length of a line, number of lines
    Dims sizes;            ///< of the operand
    std::int64_t dim;
    Lines(const Tensor& t, std::int64_t d);
    /// A dense tensor in the layout of `rows`.
    Tensor make(ScalarType t) const;
    /// `like_rows` with the dimension back in its place, dense.
    Tensor restore(const Tensor& like_rows) const;
};

/// The p-norm along `dim` on behalf of `op`.
Tensor vector_norm(const char* op, const Tensor& input, double p, OptionalIntArrayRef dim, bool keepdim,
                   std::optional<ScalarType> dtype);

} // namespace reel::reduction
