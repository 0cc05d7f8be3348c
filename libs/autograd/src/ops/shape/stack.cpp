// Tensors joined along a new dimension, or as rows and columns of what has too few.
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/stack.hpp>

#include "ops/pointwise/run.hpp"
#include "ops/shape/join.hpp"
#include "ops/shape/shape_util.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;
using pointwise::fit_gradient;

namespace {
std::vector<Tensor> all_at_least(TensorList tensors, std::int64_t dims) {
    if (dims == 1) return atleast_1d(tensors);
    return dims == 2 ? atleast_2d(tensors) : atleast_3d(tensors);
}
} // namespace

/// The tensors as slices along a new dimension `dim`. All sizes must agree.
REEL_OP("stack(Tensor[] tensors, int dim=0) -> Tensor", rule, out)
Tensor stack(TensorList tensors, std::int64_t dim) {
    check_list("stack", tensors);
    const std::int64_t d = wrap_dim("stack", dim, tensors[0].dim() + 1);
    for (std::size_t i = 0; i < tensors.size(); ++i)
        REEL_CHECK(tensors[i].sizes().equals(tensors[0].sizes()),
                   "stack: all tensors must have the same sizes, tensor ", i, " has ", tensors[i].sizes(),
                   ", tensor 0 ", tensors[0].sizes());
    Dims sizes(tensors[0].sizes());
    sizes.insert(sizes.begin() + d, std::int64_t(tensors.size()));
    const Tensor out = empty_raw(sizes, common_dtype(tensors), tensors[0].device());
    if (!joined_as_blocks(out, tensors, d))
        for (std::size_t i = 0; i < tensors.size(); ++i) assign_raw(select_raw(out, d, std::int64_t(i)), tensors[i]);
    record({"stack", Work::kMoves}, tensors, TensorList(out), TensorList(),
           [d, kinds = complex_ones(tensors)](RuleContext& c) -> GradList {
               GradList grads(kinds.size());
               for (std::size_t i = 0; i < kinds.size(); ++i)
                   if (c.needs(i)) grads[i] = fit_gradient(c.grad().select(d, std::int64_t(i)), kinds[i]);
               return grads;
           });
    return out;
}

/// Side by side (along the second dimension, the first for one-dimensional tensors), on top of each other, in depth.
REEL_OP("hstack(Tensor[] tensors) -> Tensor", composite, out)
Tensor hstack(TensorList tensors) {
    check_list("hstack", tensors);
    const std::vector<Tensor> all = all_at_least(tensors, 1);
    return cat(all, all[0].dim() == 1 ? 0 : 1);
}
REEL_OP("vstack(Tensor[] tensors) -> Tensor", composite, out, alias("row_stack"))
Tensor vstack(TensorList tensors) {
    check_list("vstack", tensors);
    return cat(all_at_least(tensors, 2), 0);
}
REEL_OP("dstack(Tensor[] tensors) -> Tensor", composite, out)
Tensor dstack(TensorList tensors) {
    check_list("dstack", tensors);
    return cat(all_at_least(tensors, 3), 2);
}

/// One- and zero-dimensional tensors as columns beside each other (and beside matrices).
REEL_OP("column_stack(Tensor[] tensors) -> Tensor", composite, out)
Tensor column_stack(TensorList tensors) {
    check_list("column_stack", tensors);
    std::vector<Tensor> columns;
    for (const Tensor& t : tensors) columns.push_back(t.dim() <= 1 ? t.reshape({t.numel(), 1}) : t);
    return cat(columns, 1);
}

} // namespace reel
