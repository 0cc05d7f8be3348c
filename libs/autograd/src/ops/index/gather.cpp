// Elements picked by index tensors along one dimension.
#include <reel/autograd/ops/index/gather.hpp>

#include "ops/index/index_kernels.hpp"
#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// `size(d)` where a 0-dim tensor counts as one dimension of one element.
std::int64_t extent(const Tensor& t, std::int64_t d) { return t.dim() == 0 ? 1 : t.sizes()[std::size_t(d)]; }
} // namespace

/// `out[i][j][k] = input[index[i][j][k]][j][k]` for dim 0, and so on. `index` may be smaller than `input` elsewhere.
REEL_OP("gather(Tensor input, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", rule, method, out_exact)
Tensor gather(const Tensor& input, std::int64_t dim, const Tensor& index, bool) {
    const std::int64_t d = wrap_dim("gather", dim, input.dim());
    if (index.numel() > 0) {
        REEL_CHECK(std::max<std::int64_t>(index.dim(), 1) == std::max<std::int64_t>(input.dim(), 1),
                   "gather: index of sizes ", index.sizes(), " must have as many dimensions as input ", input.sizes());
        for (std::int64_t k = 0; k < index.dim(); ++k)
            REEL_CHECK(k == d || index.sizes()[std::size_t(k)] <= extent(input, k), "gather: index of sizes ",
                       index.sizes(), " exceeds input ", input.sizes(), " in dimension ", k);
    }
    const Tensor at = checked_index("gather", index, extent(input, d));
    const Tensor out = gather_raw(input, d, at);
    record("gather", {input}, out, {at}, [sizes = Dims(input.sizes()), d](RuleContext& c) -> GradList {
        const Tensor g = c.grad(), at = c.saved(0);
        if (GradMode::is_enabled()) return {g.new_zeros(sizes).scatter_add(d, at, g)};
        const Tensor sum = zeros_raw(sizes, g);
        scatter_raw(ScatterMode::Add, sum, d, at, g);
        return {sum};
    });
    return out;
}

/// Gathers along `dim` with `indices` broadcast against `input`; without `dim` from the flattened input.
REEL_OP("take_along_dim(Tensor input, Tensor indices, int? dim=None) -> Tensor", composite, method, out_exact)
Tensor take_along_dim(const Tensor& input, const Tensor& indices, std::optional<std::int64_t> dim) {
    if (!dim) return gather(input.reshape({-1}), 0, indices.reshape({-1}));
    REEL_CHECK(input.dim() == indices.dim(), "take_along_dim: input ", input.sizes(), " and indices ", indices.sizes(),
               " must have the same number of dimensions");
    REEL_CHECK_TYPE(indices.scalar_type() == kLong || indices.scalar_type() == kInt,
                    "take_along_dim: indices must be int64 or int32, got ", toString(indices.scalar_type()));
    const std::int64_t d = wrap_dim("take_along_dim", *dim, input.dim());
    Dims a(input.sizes()), b(indices.sizes());
    if (input.dim() > 0) a[std::size_t(d)] = b[std::size_t(d)] = 1;
    Dims common = broadcast_shapes("take_along_dim", a, b), other = common;
    if (input.dim() > 0) {
        common[std::size_t(d)] = input.sizes()[std::size_t(d)];
        other[std::size_t(d)] = indices.sizes()[std::size_t(d)];
    }
    const Tensor at = checked_index("take_along_dim", indices, extent(input, d), true);
    return gather(input.expand(common), d, at.expand(other));
}

/// The slices of `dim` that the one-dimensional `index` names, in its order.
REEL_OP("index_select(Tensor input, int dim, Tensor index) -> Tensor", rule, method, out_exact)
Tensor index_select(const Tensor& input, std::int64_t dim, const Tensor& index) {
    const std::int64_t d = wrap_dim("index_select", dim, input.dim());
    REEL_CHECK_INDEX(index.dim() <= 1, "index_select: index must have at most one dimension, got sizes ",
                     index.sizes());
    REEL_CHECK(input.dim() > 0 || index.numel() == 1, "index_select: index for a 0-dim tensor must have one element, ",
               "got ", index.numel());
    index_as_long("index_select", index);
    const Tensor at = checked_index("index_select", index, extent(input, d));
    Dims sizes(input.sizes());
    if (input.dim() > 0) sizes[std::size_t(d)] = index.numel();
    const Tensor out = gather_raw(input, d, expand_index(at, sizes, d));
    record("index_select", {input}, out, {at}, [before = Dims(input.sizes()), d](RuleContext& c) -> GradList {
        const Tensor g = c.grad(), at = c.saved(0);
        if (GradMode::is_enabled()) return {g.new_zeros(before).index_add(d, at, g)};
        const Tensor sum = zeros_raw(before, g);
        scatter_raw(ScatterMode::Add, sum, d, expand_index(at, g.sizes(), d), g);
        return {sum};
    });
    return out;
}

/// Elements of the flattened input, in the shape of `index`. Negative indices count from the end.
REEL_OP("take(Tensor input, Tensor index) -> Tensor", composite, method, out_exact)
Tensor take(const Tensor& input, const Tensor& index) {
    REEL_CHECK_TYPE(index.scalar_type() == kLong, "take: index must be int64, got ", toString(index.scalar_type()));
    REEL_CHECK_INDEX(input.numel() > 0 || index.numel() == 0, "take: nothing to take from a tensor of sizes ",
                     input.sizes());
    const Tensor at = contiguous_raw(checked_index("take", index, input.numel(), true));
    return index_select(input.reshape({-1}), 0, alias_raw(at, {at.numel()}, {1}, at.storage_offset()))
        .reshape(index.sizes());
}

} // namespace reel
