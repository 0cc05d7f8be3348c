// Several tensors joined into one.
#include <reel/autograd/kernels/block_copies.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>

#include "ops/pointwise/run.hpp"
#include "ops/shape/join.hpp"
#include "ops/shape/shape_util.hpp"

#include <algorithm>

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;
using pointwise::fit_gradient;

namespace shape {
bool joined_as_blocks(const Tensor& out, TensorList tensors, std::int64_t d) {
    return kernels::join_blocks.has(out.device().type()) && kernels::join_blocks(out, tensors, d);
}

ScalarType common_dtype(TensorList tensors) {
    ScalarType t = tensors[0].scalar_type();
    for (const Tensor& x : tensors) t = promote_types(t, x.scalar_type());
    return t;
}

std::vector<bool> complex_ones(TensorList tensors) {
    std::vector<bool> kinds;
    for (const Tensor& t : tensors) kinds.push_back(t.is_complex());
    return kinds;
}

void check_list(const char* op, TensorList tensors) {
    REEL_CHECK(!tensors.empty(), op, ": expected a non-empty list of tensors");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        REEL_CHECK(tensors[i].defined(), op, ": tensor ", i, " of the list is undefined");
        REEL_CHECK(tensors[i].device() == tensors[0].device(), op, ": tensor ", i, " is on ", tensors[i].device().str(),
                   ", tensor 0 on ", tensors[0].device().str());
    }
}
} // namespace shape

namespace {
bool is_legacy_empty(const Tensor& t) { return t.dim() == 1 && t.sizes()[0] == 0; }
} // namespace

/// The tensors one after the other along `dim`. Other sizes must agree; one-dimensional empty tensors are skipped.
REEL_OP("cat(Tensor[] tensors, int dim=0) -> Tensor", rule, out, alias("concat"), alias("concatenate"))
Tensor cat(TensorList tensors, std::int64_t dim) {
    check_list("cat", tensors);
    const Tensor* model = nullptr;
    for (const Tensor& t : tensors)
        if (!is_legacy_empty(t)) {
            model = &t;
            break;
        }
    for (const Tensor& t : tensors) REEL_CHECK(t.dim() > 0, "cat: a 0-dim tensor cannot be joined; use stack");
    const std::int64_t d = wrap_dim("cat", dim, model ? model->dim() : 1);
    Dims sizes(model ? model->sizes() : tensors[0].sizes());
    std::vector<std::int64_t> lengths;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& t = tensors[i];
        if (is_legacy_empty(t)) {
            lengths.push_back(-1);
            continue;
        }
        REEL_CHECK(t.dim() == model->dim(), "cat: tensors must have the same number of dimensions, tensor ", i,
                   " has sizes ", t.sizes(), ", the first ", model->sizes());
        for (std::int64_t k = 0; k < t.dim(); ++k)
            REEL_CHECK(k == d || t.sizes()[std::size_t(k)] == sizes[std::size_t(k)],
                       "cat: sizes must agree except in dimension ", d, ", tensor ", i, " has ", t.sizes(),
                       ", the first ", model->sizes());
        lengths.push_back(t.sizes()[std::size_t(d)]);
        total += lengths.back();
    }
    sizes[std::size_t(d)] = total;
    const Tensor out = empty_raw(sizes, common_dtype(tensors), tensors[0].device());
    std::int64_t start = 0;
    for (std::size_t i = 0, n = joined_as_blocks(out, tensors, d) ? 0 : tensors.size(); i < n; ++i) {
        if (lengths[i] <= 0) continue;
        assign_raw(narrow_raw(out, d, start, lengths[i]), tensors[i]);
        start += lengths[i];
    }
    record({"cat", Work::kMoves}, tensors, TensorList(out), TensorList(),
           [lengths, d, kinds = complex_ones(tensors)](RuleContext& c) -> GradList {
               GradList grads(lengths.size());
               std::int64_t at = 0;
               for (std::size_t i = 0; i < lengths.size(); ++i) {
                   if (c.needs(i))
                       grads[i] = fit_gradient(
                           lengths[i] < 0 ? c.grad().new_zeros({0}) : c.grad().narrow(d, at, lengths[i]), kinds[i]);
                   at += std::max<std::int64_t>(lengths[i], 0);
               }
               return grads;
           });
    return out;
}

/// A matrix with the given matrices (vectors count as one row) along its diagonal and zeros elsewhere.
REEL_OP("block_diag(Tensor[] tensors) -> Tensor", rule)
Tensor block_diag(TensorList tensors) {
    check_list("block_diag", tensors);
    std::vector<Tensor> blocks;
    std::int64_t rows = 0, columns = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        REEL_CHECK(tensors[i].dim() <= 2, "block_diag: tensor ", i, " has sizes ", tensors[i].sizes(),
                   "; expected at most 2 dimensions");
        blocks.push_back(atleast_2d(tensors[i]));
        rows += blocks.back().sizes()[0];
        columns += blocks.back().sizes()[1];
    }
    const Tensor out = zeros_raw({rows, columns}, empty_raw({0}, common_dtype(tensors), tensors[0].device()));
    Dims heights, widths;
    std::int64_t r = 0, k = 0;
    for (const Tensor& b : blocks) {
        heights.push_back(b.sizes()[0]);
        widths.push_back(b.sizes()[1]);
        if (b.numel() > 0) assign_raw(narrow_raw(narrow_raw(out, 0, r, heights.back()), 1, k, widths.back()), b);
        r += heights.back();
        k += widths.back();
    }
    record("block_diag", TensorList(blocks), TensorList(out), TensorList(),
           [heights, widths, kinds = complex_ones(tensors)](RuleContext& c) {
               GradList grads(heights.size());
               std::int64_t top = 0, left = 0;
               for (std::size_t i = 0; i < heights.size(); ++i) {
                   if (c.needs(i))
                       grads[i] =
                           fit_gradient(c.grad().narrow(0, top, heights[i]).narrow(1, left, widths[i]), kinds[i]);
                   top += heights[i];
                   left += widths[i];
               }
               return grads;
           });
    return out;
}

} // namespace reel
