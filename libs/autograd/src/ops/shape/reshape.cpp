// Other sizes for the same elements: a view where the layout allows one.
#include <reel/autograd/ops/shape/reshape.hpp>

#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

/// The same elements under another shape: a view when strides allow it, a copy otherwise. One size may be -1.
REEL_OP("reshape(Tensor input, int[] shape) -> Tensor", rule, method, view)
Tensor reshape(const Tensor& input, IntArrayRef shape) {
    const Dims sizes = infer_size("reshape", shape, input.numel());
    if (const auto strides = view_strides(input.sizes(), input.strides(), sizes))
        return recorded_view("view", input, view_raw(input, sizes, *strides, input.storage_offset()));
    const Tensor copy = input.clone(MemoryFormat::Contiguous);
    return recorded_view("unsafe_view", copy, alias_raw(copy, sizes, contiguous_strides(sizes), 0));
}

/// `reshape` to the sizes of `other`.
REEL_OP("reshape_as(Tensor input, Tensor other) -> Tensor", composite, not_differentiable("other"), method, view,
        any_device("other"))
Tensor reshape_as(const Tensor& input, const Tensor& other) { return reshape(input, other.sizes()); }

} // namespace reel
