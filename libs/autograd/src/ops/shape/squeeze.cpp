// Views that drop or add dimensions of size one.
#include "ops/shape/geometry_change.hpp"
#include "ops/shape/shape_util.hpp"

#include <algorithm>

#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
template <class Drop> Tensor squeeze_if(const Tensor& input, const Drop& drop) {
    Dims sizes, strides;
    for (std::int64_t d = 0; d < input.dim(); ++d) {
        if (input.sizes()[std::size_t(d)] == 1 && drop(d)) continue;
        sizes.push_back(input.sizes()[std::size_t(d)]);
        strides.push_back(input.strides()[std::size_t(d)]);
    }
    const Tensor out = view_raw(input, sizes, strides, input.storage_offset());
    record({"squeeze", Work::kMoves}, {input}, out, {},
           [before = Dims(input.sizes())](RuleContext& c) -> GradList { return {c.grad().reshape(before)}; });
    return out;
}
} // namespace

/// Without the dimensions of size one: all of them, or those named (named ones of another size stay).
REEL_OP("squeeze(Tensor input) -> Tensor", rule, method, view, inplace_native)
Tensor squeeze(const Tensor& input) {
    return squeeze_if(input, [](std::int64_t) { return true; });
}
Tensor& squeeze_(const Tensor& input) {
    return geometry_in_place("squeeze_", input, [](const Tensor& x) { return squeeze(x); });
}
REEL_OP("squeeze(Tensor input, int dim) -> Tensor", rule, method, view, inplace_native)
Tensor squeeze(const Tensor& input, std::int64_t dim) {
    const std::int64_t only = wrap_dim("squeeze", dim, input.dim());
    return squeeze_if(input, [&](std::int64_t d) { return d == only; });
}
Tensor& squeeze_(const Tensor& input, std::int64_t dim) {
    return geometry_in_place("squeeze_", input, [&](const Tensor& x) { return squeeze(x, dim); });
}
REEL_OP("squeeze(Tensor input, int[] dim) -> Tensor", rule, method, view, inplace_native)
Tensor squeeze(const Tensor& input, IntArrayRef dim) {
    const Dims dims = wrap_dims("squeeze", dim, input.dim());
    return squeeze_if(input, [&](std::int64_t d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); });
}
Tensor& squeeze_(const Tensor& input, IntArrayRef dim) {
    return geometry_in_place("squeeze_", input, [&](const Tensor& x) { return squeeze(x, dim); });
}

/// `squeeze` into memory of its own.
REEL_OP("squeeze_copy(Tensor input) -> Tensor", composite, out_exact)
Tensor squeeze_copy(const Tensor& input) { return squeeze(input).clone(MemoryFormat::Contiguous); }
REEL_OP("squeeze_copy(Tensor input, int dim) -> Tensor", composite, out_exact)
Tensor squeeze_copy(const Tensor& input, std::int64_t dim) {
    return squeeze(input, dim).clone(MemoryFormat::Contiguous);
}
REEL_OP("squeeze_copy(Tensor input, int[] dim) -> Tensor", composite, out_exact)
Tensor squeeze_copy(const Tensor& input, IntArrayRef dim) {
    return squeeze(input, dim).clone(MemoryFormat::Contiguous);
}

/// With a new dimension of size one at position `dim`.
REEL_OP("unsqueeze(Tensor input, int dim) -> Tensor", rule, method, view, inplace_native)
Tensor unsqueeze(const Tensor& input, std::int64_t dim) {
    const std::int64_t d = wrap_dim("unsqueeze", dim, input.dim() + 1);
    Dims sizes(input.sizes()), strides(input.strides());
    const std::int64_t step = d < input.dim() ? sizes[std::size_t(d)] * strides[std::size_t(d)] : 1;
    sizes.insert(sizes.begin() + d, 1);
    strides.insert(strides.begin() + d, step);
    const Tensor out = view_raw(input, sizes, strides, input.storage_offset());
    record({"unsqueeze", Work::kMoves}, {input}, out, {},
           [d](RuleContext& c) -> GradList { return {c.grad().squeeze(d)}; });
    return out;
}
Tensor& unsqueeze_(const Tensor& input, std::int64_t dim) {
    return geometry_in_place("unsqueeze_", input, [&](const Tensor& x) { return unsqueeze(x, dim); });
}

/// `unsqueeze` into memory of its own.
REEL_OP("unsqueeze_copy(Tensor input, int dim) -> Tensor", composite, out_exact)
Tensor unsqueeze_copy(const Tensor& input, std::int64_t dim) {
    return unsqueeze(input, dim).clone(MemoryFormat::Contiguous);
}

/// At least one, two, three dimensions; a list gives a list.
REEL_OP("atleast_1d(Tensor input) -> Tensor", composite, view, samples(call(numbers({}))))
Tensor atleast_1d(const Tensor& input) { return input.dim() == 0 ? reshape(input, {1}) : input; }
REEL_OP("atleast_1d(Tensor[] tensors) -> Tensor[]", composite, view, any_device("tensors"),
        samples(call(tensors({numbers({}), numbers({4})}))))
std::vector<Tensor> atleast_1d(TensorList tensors) {
    std::vector<Tensor> out;
    for (const Tensor& t : tensors) out.push_back(atleast_1d(t));
    return out;
}
REEL_OP("atleast_2d(Tensor input) -> Tensor", composite, view)
Tensor atleast_2d(const Tensor& input) {
    if (input.dim() == 0) return reshape(input, {1, 1});
    return input.dim() == 1 ? unsqueeze(input, 0) : input;
}
REEL_OP("atleast_2d(Tensor[] tensors) -> Tensor[]", composite, view, any_device("tensors"),
        samples(call(tensors({numbers({}), numbers({4})}))))
std::vector<Tensor> atleast_2d(TensorList tensors) {
    std::vector<Tensor> out;
    for (const Tensor& t : tensors) out.push_back(atleast_2d(t));
    return out;
}
REEL_OP("atleast_3d(Tensor input) -> Tensor", composite, view)
Tensor atleast_3d(const Tensor& input) {
    if (input.dim() == 0) return reshape(input, {1, 1, 1});
    if (input.dim() == 1) return unsqueeze(unsqueeze(input, 0), -1);
    return input.dim() == 2 ? unsqueeze(input, -1) : input;
}
REEL_OP("atleast_3d(Tensor[] tensors) -> Tensor[]", composite, view, any_device("tensors"),
        samples(call(tensors({numbers({}), numbers({4})}))))
std::vector<Tensor> atleast_3d(TensorList tensors) {
    std::vector<Tensor> out;
    for (const Tensor& t : tensors) out.push_back(atleast_3d(t));
    return out;
}

} // namespace reel
