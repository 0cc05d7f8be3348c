// Views that repeat elements by stride zero.
#include <reel/autograd/ops/shape/expand.hpp>

#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

/// Dimensions of size one repeated to `size`; -1 keeps a size, new dimensions go in front. The engine sums the gradient
/// back to the input's shape (E-57).
REEL_OP("expand(Tensor input, int[] size, *, bool implicit=False) -> Tensor", rule, method, view)
Tensor expand(const Tensor& input, IntArrayRef size, bool) {
    REEL_CHECK(std::int64_t(size.size()) >= input.dim(), "expand: ", size.size(), " sizes ", size, " for a tensor of ",
               input.dim(), " dimensions ", input.sizes(), "; expected at least as many");
    const std::size_t lead = size.size() - input.sizes().size();
    Dims sizes(size), strides(size.size(), 0);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const bool fresh = i < lead;
        const std::int64_t have = fresh ? 1 : input.sizes()[i - lead];
        if (sizes[i] == -1) {
            REEL_CHECK(!fresh, "expand: size -1 at dimension ", i, " of ", size, " stands for a new dimension");
            sizes[i] = have;
        }
        REEL_CHECK(sizes[i] >= 0, "expand: size ", sizes[i], " at dimension ", i, " is negative");
        REEL_CHECK(have == 1 || have == sizes[i], "expand: size ", sizes[i], " at dimension ", i,
                   " does not match the existing size ", have, "; input ", input.sizes(), ", wanted ", size);
        if (fresh) continue;
        strides[i] = have == 1 && sizes[i] != 1 ? 0 : input.strides()[i - lead];
    }
    const Tensor out = view_raw(input, sizes, strides, input.storage_offset());
    record("expand", {input}, out, {}, [](RuleContext& c) -> GradList { return {c.grad()}; });
    return out;
}

/// `expand` to the sizes of `other`.
REEL_OP("expand_as(Tensor input, Tensor other) -> Tensor", composite, not_differentiable("other"), method, view,
        any_device("other"))
Tensor expand_as(const Tensor& input, const Tensor& other) { return expand(input, other.sizes()); }

/// `expand` into memory of its own.
REEL_OP("expand_copy(Tensor input, int[] size, *, bool implicit=False) -> Tensor", composite, out_exact)
Tensor expand_copy(const Tensor& input, IntArrayRef size, bool) {
    return expand(input, size).clone(MemoryFormat::Contiguous);
}

/// `expand` under NumPy's name.
REEL_OP("broadcast_to(Tensor input, int[] size) -> Tensor", composite, method, view)
Tensor broadcast_to(const Tensor& input, IntArrayRef size) { return expand(input, size); }

/// All tensors expanded to their common shape.
REEL_OP("broadcast_tensors(Tensor[] tensors) -> Tensor[]", composite, view, any_device("tensors"))
std::vector<Tensor> broadcast_tensors(TensorList tensors) {
    Dims sizes;
    for (const Tensor& t : tensors) sizes = broadcast_shapes("broadcast_tensors", sizes, t.sizes());
    std::vector<Tensor> out;
    for (const Tensor& t : tensors) out.push_back(expand(t, sizes));
    return out;
}

} // namespace reel
