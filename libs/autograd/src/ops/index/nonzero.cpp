// Where the non-zero elements are.
#include <reel/autograd/kernels/search.hpp>
#include <reel/autograd/ops/index/nonzero.hpp>

#include "ops/shape/shape_util.hpp"

#include "tensor/checked_size.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

/// The coordinates of the non-zero elements: int64, one row per element. `as_tuple`: one tensor per dimension instead
/// (`nonzero_numpy` in C++).
REEL_OP("nonzero(Tensor input) -> Tensor", not_differentiable, method, out, samples(call(numbers({3, 4}))))
Tensor nonzero(const Tensor& input) { return kernels::nonzero("nonzero", input, -1); }
REEL_OP("nonzero(Tensor input, *, bool as_tuple) -> Value", not_differentiable, cpp("nonzero_as"))
Value nonzero_as(const Tensor& input, bool as_tuple) {
    return as_tuple ? Value(nonzero_numpy(input)) : Value(nonzero(input));
}
REEL_OP("nonzero_numpy(Tensor input) -> Tensor[]", not_differentiable, method, samples(call(numbers({3, 4}) > 0)))
std::vector<Tensor> nonzero_numpy(const Tensor& input) {
    const Tensor rows = nonzero(input.dim() == 0 ? input.reshape({1}) : input);
    std::vector<Tensor> out;
    for (std::int64_t d = 0; d < rows.size(1); ++d) out.push_back(contiguous_raw(select_raw(rows, 1, d)));
    return out;
}

/// The first `size` rows of `nonzero`, padded with `fill_value`: a result whose shape does not depend on the data.
REEL_OP("nonzero_static(Tensor input, *, int size, int fill_value=-1) -> Tensor", not_differentiable, method, out)
Tensor nonzero_static(const Tensor& input, std::int64_t size, std::int64_t fill_value) {
    REEL_CHECK(size >= 0, "nonzero_static: size must not be negative, got ", size);
    check_sizes("nonzero_static", {size, std::max<std::int64_t>(input.dim(), 1)}, kLong);
    const Tensor found = kernels::nonzero("nonzero_static", input, size);
    const Tensor out = empty_raw({size, input.dim()}, kLong, input.device());
    fill_raw(out, Scalar(fill_value));
    if (found.numel() > 0) assign_raw(narrow_raw(out, 0, 0, found.size(0)), found);
    return out;
}

/// `nonzero` under NumPy's name.
REEL_OP("argwhere(Tensor input) -> Tensor", not_differentiable, method)
Tensor argwhere(const Tensor& input) { return nonzero(input); }

/// The coordinates where `condition` holds, one tensor per dimension.
REEL_OP("where(Tensor condition) -> Tensor[]", not_differentiable, samples(call(numbers({3, 4}) > 0)))
std::vector<Tensor> where(const Tensor& condition) { return nonzero_numpy(condition); }

} // namespace reel
