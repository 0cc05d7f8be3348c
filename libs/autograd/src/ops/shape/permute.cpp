// Views that reorder dimensions, and their in-place and copying forms.
#include "ops/shape/shape_util.hpp"

#include <algorithm>

#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/view.hpp>

#include "ops/shape/geometry_change.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

/// Dimension `i` of the result is dimension `dims[i]` of the input.
REEL_OP("permute(Tensor input, int[] dims) -> Tensor", rule, method, view)
Tensor permute(const Tensor& input, IntArrayRef dims) {
    REEL_CHECK(std::int64_t(dims.size()) == input.dim(), "permute: dims ", dims, " must name each of the ", input.dim(),
               " dimensions of the input ", input.sizes(), " once");
    const Dims order = wrap_dims("permute", dims, input.dim());
    Dims sizes(order.size()), strides(order.size()), back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        sizes[i] = input.sizes()[std::size_t(order[i])];
        strides[i] = input.strides()[std::size_t(order[i])];
        back[std::size_t(order[i])] = std::int64_t(i);
    }
    const Tensor out = view_raw(input, sizes, strides, input.storage_offset());
    record({"permute", Work::kMoves}, {input}, out, {},
           [back](RuleContext& c) -> GradList { return {c.grad().permute(back)}; });
    return out;
}

/// `permute` into memory of its own.
REEL_OP("permute_copy(Tensor input, int[] dims) -> Tensor", composite, out_exact)
Tensor permute_copy(const Tensor& input, IntArrayRef dims) {
    return permute(input, dims).clone(MemoryFormat::Contiguous);
}

/// Exchanges two dimensions.
REEL_OP("transpose(Tensor input, int dim0, int dim1) -> Tensor", rule, method, view, inplace_native,
        alias("swapaxes(Tensor input, int axis0, int axis1)"), alias("swapdims"),
        samples(call(numbers({3, 4}), 0, 1).as("swapaxes")))
Tensor transpose(const Tensor& input, std::int64_t dim0, std::int64_t dim1) {
    const std::int64_t a = wrap_dim("transpose", dim0, input.dim());
    const std::int64_t b = wrap_dim("transpose", dim1, input.dim());
    Dims sizes(input.sizes()), strides(input.strides());
    if (a != b) {
        std::swap(sizes[std::size_t(a)], sizes[std::size_t(b)]);
        std::swap(strides[std::size_t(a)], strides[std::size_t(b)]);
    }
    const Tensor out = view_raw(input, sizes, strides, input.storage_offset());
    record({"transpose", Work::kMoves}, {input}, out, {},
           [a, b](RuleContext& c) -> GradList { return {c.grad().transpose(a, b)}; });
    return out;
}
Tensor& transpose_(const Tensor& input, std::int64_t dim0, std::int64_t dim1) {
    return geometry_in_place("transpose_", input, [&](const Tensor& x) { return transpose(x, dim0, dim1); });
}

/// `transpose` into memory of its own.
REEL_OP("transpose_copy(Tensor input, int dim0, int dim1) -> Tensor", composite, out_exact)
Tensor transpose_copy(const Tensor& input, std::int64_t dim0, std::int64_t dim1) {
    return transpose(input, dim0, dim1).clone(MemoryFormat::Contiguous);
}

/// Transposes a matrix; tensors of fewer dimensions come back as they are.
REEL_OP("t(Tensor input) -> Tensor", composite, method, view, inplace_native)
Tensor t(const Tensor& input) {
    REEL_CHECK(input.dim() <= 2, "t: expected at most 2 dimensions, got sizes ", input.sizes(),
               "; use mT or transpose");
    return transpose(input, 0, input.dim() < 2 ? 0 : 1);
}
Tensor& t_(const Tensor& input) {
    return geometry_in_place("t_", input, [](const Tensor& x) { return t(x); });
}

/// `t` into memory of its own.
REEL_OP("t_copy(Tensor input) -> Tensor", composite, out_exact)
Tensor t_copy(const Tensor& input) { return t(input).clone(MemoryFormat::Contiguous); }

/// The last two dimensions exchanged.
REEL_OP("mT(Tensor input) -> Tensor", composite, method, view)
Tensor mT(const Tensor& input) {
    REEL_CHECK(input.dim() >= 2, "mT: expected at least 2 dimensions, got sizes ", input.sizes());
    return transpose(input, -2, -1);
}

/// Conjugate transpose of the last two dimensions.
REEL_OP("mH(Tensor input) -> Tensor", composite, view, method)
Tensor mH(const Tensor& input) {
    REEL_CHECK(input.dim() >= 2, "mH: expected at least 2 dimensions, got sizes ", input.sizes());
    const Tensor turned = transpose(input, -2, -1);
    return input.is_complex() ? turned.conj() : turned;
}
REEL_OP("adjoint(Tensor input) -> Tensor", composite, view, method, samples(call(numbers({2, 3}, kComplexDouble))))
Tensor adjoint(const Tensor& input) { return mH(input); }

/// Conjugate transpose of a matrix (`matrix_H` in C++).
REEL_OP("H(Tensor input) -> Tensor", composite, view, method)
Tensor matrix_H(const Tensor& input) {
    REEL_CHECK(input.dim() == 2 || input.dim() == 0, "H: expected a matrix, got sizes ", input.sizes(), "; use mH");
    return input.dim() == 0 ? (input.is_complex() ? input.conj() : input) : mH(input);
}

/// All dimensions in reverse order (`numpy_T` in C++).
REEL_OP("T(Tensor input) -> Tensor", composite, method, view)
Tensor numpy_T(const Tensor& input) {
    Dims order;
    for (std::int64_t d = input.dim(); d-- > 0;) order.push_back(d);
    return permute(input, order);
}

/// Moves dimension `source` to position `destination`; the others keep their order.
REEL_OP("movedim(Tensor input, int source, int destination) -> Tensor", composite, method, view, alias("moveaxis"),
        samples(call(numbers({4, 3}), 0, 1)))
Tensor movedim(const Tensor& input, std::int64_t source, std::int64_t destination) {
    return movedim(input, IntArrayRef(source), IntArrayRef(destination));
}
REEL_OP("movedim(Tensor input, int[] source, int[] destination) -> Tensor", composite, method, view)
Tensor movedim(const Tensor& input, IntArrayRef source, IntArrayRef destination) {
    REEL_CHECK(source.size() == destination.size(), "movedim: source ", source, " and destination ", destination,
               " must name the same number of dimensions");
    const Dims from = wrap_dims("movedim", source, input.dim());
    const Dims to = wrap_dims("movedim", destination, input.dim());
    if (input.dim() == 0) return alias(input);
    Dims order(std::size_t(input.dim()), -1);
    for (std::size_t i = 0; i < from.size(); ++i) order[std::size_t(to[i])] = from[i];
    std::int64_t next = 0;
    for (std::int64_t& o : order) {
        if (o >= 0) continue;
        while (std::find(from.begin(), from.end(), next) != from.end()) ++next;
        o = next++;
    }
    return permute(input, order);
}

} // namespace reel
