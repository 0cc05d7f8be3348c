// Views that keep the order of elements: view, flatten, unflatten, ravel, alias.
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/view.hpp>

#include "ops/shape/shape_util.hpp"
#include "tensor/strided_geometry.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

/// The same elements under another shape, without copying; one size may be -1. Throws when the strides do not allow it.
REEL_OP("view(Tensor input, int[] size) -> Tensor", rule, method, view)
Tensor view(const Tensor& input, IntArrayRef size) {
    const Dims sizes = infer_size("view", size, input.numel());
    const auto strides = view_strides(input.sizes(), input.strides(), sizes);
    REEL_CHECK(strides, "view: shape ", sizes, " cannot show a tensor of sizes ", input.sizes(), " and strides ",
               input.strides(), " without copying; use reshape");
    return recorded_view("view", input, view_raw(input, sizes, *strides, input.storage_offset()));
}

/// The same memory read as another dtype; the last dimension (of stride 1) shrinks or grows by the ratio of their
/// sizes. No gradient passes.
REEL_OP("view(Tensor input, Dtype dtype) -> Tensor", not_differentiable, view, cpp("view_dtype"),
        samples(call(numbers({3, 4}), kLong)))
Tensor view_dtype(const Tensor& input, ScalarType dtype) {
    if (dtype == input.scalar_type()) return alias(input);
    const std::int64_t had = std::int64_t(input.itemsize()), size = std::int64_t(elementSize(dtype));
    Dims sizes(input.sizes()), strides(input.strides());
    std::int64_t offset = input.storage_offset();
    if (had != size) {
        REEL_CHECK(input.dim() > 0, "view: a tensor without dimensions of ", dtype_name(input.scalar_type()),
                   " cannot show ", dtype_name(dtype), ", whose elements have another size");
        REEL_CHECK(strides.back() == 1, "view: input has strides ", input.strides(), "; to show ", dtype_name(dtype),
                   " the last must be 1");
        const std::int64_t all = sizes.back() * had;
        bool fits = all % size == 0 && offset * had % size == 0;
        for (std::size_t d = 0; d + 1 < strides.size(); ++d) {
            fits = fits && strides[d] * had % size == 0;
            strides[d] = strides[d] * had / size;
        }
        REEL_CHECK(fits, "view: input has shape ", input.sizes(), ", strides ", input.strides(), " and offset ", offset,
                   "; ", dtype_name(dtype), " needs the last size, the other strides and the offset divisible by ",
                   size / had);
        sizes.back() = all / size;
        offset = offset * had / size;
    }
    // A view of the detached tensor: one of `input` would require grad with it.
    return view_as_dtype(input.detach(), dtype, sizes, strides, offset);
}

/// `view` with the sizes of `other`.
REEL_OP("view_as(Tensor input, Tensor other) -> Tensor", composite, not_differentiable("other"), method, view,
        any_device("other"))
Tensor view_as(const Tensor& input, const Tensor& other) { return view(input, other.sizes()); }

/// `view` into memory of its own.
REEL_OP("view_copy(Tensor input, int[] size) -> Tensor", composite, out_exact)
Tensor view_copy(const Tensor& input, IntArrayRef size) { return view(input, size).clone(MemoryFormat::Contiguous); }
REEL_OP("view_copy(Tensor input, Dtype dtype) -> Tensor", not_differentiable, cpp("view_copy_dtype"), out_exact,
        samples(call(numbers({3, 4}), kLong)))
Tensor view_copy_dtype(const Tensor& input, ScalarType dtype) {
    return view_dtype(input, dtype).clone(MemoryFormat::Contiguous);
}

/// Dimensions `start_dim` to `end_dim` (inclusive) as one.
REEL_OP("flatten(Tensor input, int start_dim=0, int end_dim=-1) -> Tensor", composite, method, view)
Tensor flatten(const Tensor& input, std::int64_t start_dim, std::int64_t end_dim) {
    const std::int64_t a = wrap_dim("flatten", start_dim, input.dim());
    const std::int64_t b = wrap_dim("flatten", end_dim, input.dim());
    REEL_CHECK(a <= b, "flatten: start_dim ", start_dim, " comes after end_dim ", end_dim);
    if (input.dim() == 0) return reshape(input, {1});
    if (a == b) return input;
    Dims sizes;
    for (std::int64_t d = 0; d < input.dim(); ++d) {
        const std::int64_t n = input.sizes()[std::size_t(d)];
        if (d > a && d <= b) sizes.back() *= n;
        else sizes.push_back(n);
    }
    return reshape(input, sizes);
}

/// Splits dimension `dim` into `sizes`, of which one may be -1.
REEL_OP("unflatten(Tensor input, int dim, int[] sizes) -> Tensor", composite, method, view)
Tensor unflatten(const Tensor& input, std::int64_t dim, IntArrayRef sizes) {
    REEL_CHECK(!sizes.empty(), "unflatten: sizes must not be empty");
    const std::int64_t d = wrap_dim("unflatten", dim, input.dim());
    const Dims inner = infer_size("unflatten", sizes, input.size(d));
    Dims full;
    for (std::int64_t i = 0; i < input.dim(); ++i) {
        if (i != d) full.push_back(input.sizes()[std::size_t(i)]);
        else
            for (std::int64_t s : inner) full.push_back(s);
    }
    return reshape(input, full);
}

/// All elements in one dimension.
REEL_OP("ravel(Tensor input) -> Tensor", composite, method, view)
Tensor ravel(const Tensor& input) { return reshape(input.contiguous(), {-1}); }

/// Another handle to the same elements that knows its base.
REEL_OP("alias(Tensor input) -> Tensor", rule, method, view, samples(call(numbers({3, 4}))))
Tensor alias(const Tensor& input) {
    const Tensor out = view_raw(input, input.sizes(), input.strides(), input.storage_offset());
    record({"alias", Work::kMoves}, {input}, out, {}, [](RuleContext& c) -> GradList { return {c.grad()}; });
    return out;
}
/// `alias` into memory of its own.
REEL_OP("alias_copy(Tensor input) -> Tensor", composite, out_exact)
Tensor alias_copy(const Tensor& input) { return clone(input, MemoryFormat::Contiguous); }
/// The same memory without history: no gradient passes.
REEL_OP("detach(Tensor input) -> Tensor", not_differentiable, view, samples(call(numbers({3, 4}))))
Tensor detach(const Tensor& input) { return input.detach(); }
REEL_OP("detach_copy(Tensor input) -> Tensor", not_differentiable, out, samples(call(numbers({3, 4}))))
Tensor detach_copy(const Tensor& input) { return input.detach().clone(MemoryFormat::Contiguous); }

} // namespace reel
