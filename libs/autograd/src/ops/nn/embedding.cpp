// Rows of a table by number, and numbers as one-hot rows.
#include <reel/autograd/kernels/embedding.hpp>
#include <reel/autograd/ops/nn/embedding.hpp>

#include "ops/index/index_kernels.hpp"
#include "ops/nn/rows_gradient.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// Scales the rows of `weight` that `at` (int64, in range) names down to a norm of at most `max_norm`, in place.
void renormalise_rows(const Tensor& weight, const Tensor& at, double max_norm, double norm_type) {
    kernels::embedding_renorm(weight, contiguous_raw(at), max_norm, norm_type);
    weight.impl()->bump_version();
}
} // namespace

/// The rows of `weight` that `input` names. `padding_idx`: a row that gets no gradient (negative: from the end).
/// `max_norm`: rows that are used are first scaled down, in place, to that p-norm (p = `norm_type`).
/// `sparse`: the gradient is a sparse tensor of the rows that were used, in their order, for large tables.
/// `scale_grad_by_freq`: each row's gradient is divided by how often it was used.
/// gradient: the sum of gy over the places where a row was used.
REEL_OP("nn.functional.embedding(Tensor input, Tensor weight, int? padding_idx=None, float? max_norm=None, "
        "float norm_type=2.0, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
        rule, cpp("functional_embedding"),
        samples(call(longs({0, 2, 2}), numbers({4, 3})), call(longs({0, 2, 2}), numbers({4, 3}))
                                                             .with("padding_idx", 0)
                                                             .with("scale_grad_by_freq", true)
                                                             .by_convention()))
Tensor functional_embedding(const Tensor& input, const Tensor& weight, std::optional<std::int64_t> padding_idx,
                            std::optional<double> max_norm, double norm_type, bool scale_grad_by_freq, bool sparse) {
    REEL_CHECK(weight.dim() == 2, "embedding: weight must be a matrix, got sizes ", weight.sizes());
    REEL_CHECK(!sparse || !scale_grad_by_freq,
               "embedding: scale_grad_by_freq is not supported with sparse gradients; use sparse=false");
    const std::int64_t rows = weight.size(0);
    std::int64_t pad = -1;
    if (padding_idx) {
        REEL_CHECK(*padding_idx >= -rows && *padding_idx < rows, "embedding: padding_idx ", *padding_idx,
                   " is out of range for ", rows, " rows");
        pad = *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
    }
    const Tensor at = contiguous_raw(checked_index("embedding", index_as_long("embedding", input, "input"), rows));
    if (max_norm) renormalise_rows(weight, at, *max_norm, norm_type);
    const Tensor flat = alias_raw(at, {at.numel()}, {1}, at.storage_offset());
    Dims sizes(input.sizes());
    sizes.push_back(weight.size(1));
    const Tensor picked = gather_raw(weight, 0, expand_index(flat, {flat.numel(), weight.size(1)}, 0));
    const Tensor out = alias_raw(picked, sizes, contiguous_strides(sizes), 0);
    record("embedding", {weight}, out, {flat},
           [before = Dims(weight.sizes()), pad, scale_grad_by_freq, sparse](RuleContext& c) -> GradList {
               const Tensor i = c.saved(0);
               Tensor g = c.grad().reshape({i.numel(), before[1]});
               if (sparse) return {rows_gradient(before, i, g, pad)};
               if (pad >= 0) g = g.masked_fill(i.eq(Scalar(pad)).unsqueeze(1), Scalar(0));
               if (scale_grad_by_freq) {
                   const Tensor ones = zeros_raw({i.numel()}, g), times = zeros_raw({before[0]}, g);
                   fill_raw(ones, Scalar(1));
                   scatter_raw(ScatterMode::Add, times, 0, i, ones);
                   g = g.div(gather_raw(times, 0, i).unsqueeze(1));
               }
               if (GradMode::is_enabled()) return {g.new_zeros(before).index_add(0, i, g)};
               const Tensor sum = zeros_raw(before, g);
               scatter_raw(ScatterMode::Add, sum, 0, expand_index(i, g.sizes(), 0), g);
               return {sum};
           });
    return out;
}
/// The same in libtorch's order; a `padding_idx` that is no row's number means none.
REEL_OP("embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, "
        "bool sparse=False) -> Tensor",
        composite, samples(call(numbers({4, 3}), longs({0, 2, 2}), -1, false), call(numbers({4, 3}), longs({0, 2, 2}))))
Tensor embedding(const Tensor& weight, const Tensor& indices, std::int64_t padding_idx, bool scale_grad_by_freq,
                 bool sparse) {
    std::optional<std::int64_t> padding;
    if (padding_idx >= 0 && weight.dim() == 2 && padding_idx < weight.size(0)) padding = padding_idx;
    return functional_embedding(indices, weight, padding, std::nullopt, 2, scale_grad_by_freq, sparse);
}

/// A new last dimension of `num_classes` zeros with a one at each element's number; -1: as many classes as needed.
REEL_OP("nn.functional.one_hot(Tensor input, int num_classes=-1) -> Tensor", not_differentiable)
Tensor one_hot(const Tensor& input, std::int64_t num_classes) {
    REEL_CHECK(input.scalar_type() == kLong, "one_hot: input must be int64, got ", toString(input.scalar_type()));
    std::int64_t greatest = -1;
    for (const std::int64_t c : HostValues<std::int64_t>(input, "one_hot")) {
        REEL_CHECK(c >= 0, "one_hot: class numbers must not be negative, got ", c);
        greatest = std::max(greatest, c);
    }
    REEL_CHECK(input.numel() > 0 || num_classes > 0,
               "one_hot: num_classes cannot be told from an empty input; give a positive one");
    REEL_CHECK(num_classes == -1 || num_classes > greatest, "one_hot: class number ", greatest,
               " is out of range for num_classes ", num_classes);
    const std::int64_t n = num_classes == -1 ? checked_add("one_hot", "num_classes", greatest, 1) : num_classes;
    Dims sizes(input.sizes());
    sizes.push_back(n);
    check_sizes("one_hot", sizes, kLong);
    const Tensor out = zeros_raw(sizes, input), one = empty_raw({}, input), at = input.unsqueeze(-1);
    fill_raw(one, Scalar(1));
    scatter_raw(ScatterMode::Assign, out, input.dim(), at, expand_raw(one, at.sizes()));
    return out;
}

} // namespace reel
