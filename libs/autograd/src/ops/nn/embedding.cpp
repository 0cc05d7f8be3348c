// Rows of a table by number, and numbers as one-hot rows.
#include <reel/autograd/host_data.hpp>

#include "ops/index/index_kernels.hpp"
#include "ops/shape/shape_util.hpp"

#include <cmath>
#include <set>

#include "op/dispatch.hpp"
#include "tensor/checked_size.hpp"

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// Scales the rows of `weight` that `at` (int64, in range) names down to a norm of at most `max_norm`, in place.
void renormalise_rows(const Tensor& weight, const Tensor& at, double max_norm, double norm_type) {
    require_host(weight, "embedding");
    const NoGradGuard off;
    const Tensor flat = contiguous_raw(at);
    const std::int64_t* p = host_data<std::int64_t>(flat, "embedding");
    const std::set<std::int64_t> rows(p, p + flat.numel());
    dispatch_floating(weight.scalar_type(), "embedding", [&]<class T>() {
        const std::int64_t n = weight.size(1), step = weight.stride(1);
        for (const std::int64_t r : rows) {
            T* row = host_data<T>(weight, "embedding") + r * weight.stride(0);
            double norm = 0;
            for (std::int64_t j = 0; j < n; ++j) {
                const double v = std::abs(double(row[j * step]));
                norm = std::isinf(norm_type) ? std::max(norm, v) : norm + std::pow(v, norm_type);
            }
            if (!std::isinf(norm_type)) norm = std::pow(norm, 1 / norm_type);
            if (norm <= max_norm) continue;
            const double scale = max_norm / (norm + 1e-7);
            for (std::int64_t j = 0; j < n; ++j) row[j * step] = T(double(row[j * step]) * scale);
        }
    });
    weight.impl()->bump_version();
}
} // namespace

/// The rows of `weight` that `input` names. `padding_idx`: a row that gets no gradient (negative: from the end).
/// `max_norm`: rows that are used are first scaled down, in place, to that p-norm (p = `norm_type`).
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
    REEL_CHECK_NOT_IMPLEMENTED(!sparse || !needs_recording(weight),
                               "embedding: sparse gradients are not supported; use sparse=false");
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
           [before = Dims(weight.sizes()), pad, scale_grad_by_freq](RuleContext& c) -> GradList {
               const Tensor i = c.saved(0);
               Tensor g = c.grad().reshape({i.numel(), before[1]});
               if (pad >= 0) g = g.masked_fill(i.eq(Scalar(pad)).unsqueeze(1), Scalar(0));
               if (scale_grad_by_freq) {
                   const Tensor ones = zeros_raw({i.numel()}, g), times = zeros_raw({before[0]}, g);
                   fill_raw(ones, Scalar(1));
                   scatter_raw(ScatterMode::Add, times, 0, i, ones);
                   g = g.div(gather_raw(times, 0, i).unsqueeze(1));
               }
               return {g.new_zeros(before).index_add(0, i, g)};
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
    const Tensor at = contiguous_raw(input).to(kCPU);
    const std::int64_t* p = host_data<std::int64_t>(at, "one_hot");
    std::int64_t greatest = -1;
    for (std::int64_t i = 0; i < at.numel(); ++i) {
        REEL_CHECK(p[i] >= 0, "one_hot: class numbers must not be negative, got ", p[i]);
        greatest = std::max(greatest, p[i]);
    }
    REEL_CHECK(at.numel() > 0 || num_classes > 0,
               "one_hot: num_classes cannot be told from an empty input; give a positive one");
    REEL_CHECK(num_classes == -1 || num_classes > greatest, "one_hot: class number ", greatest,
               " is out of range for num_classes ", num_classes);
    const std::int64_t n = num_classes == -1 ? checked_add("one_hot", "num_classes", greatest, 1) : num_classes;
    Dims sizes(input.sizes());
    sizes.push_back(n);
    check_sizes("one_hot", sizes, kLong);
    const Tensor out = empty_raw(sizes, kLong);
    fill_raw(out, Scalar(0));
    std::int64_t* o = host_data<std::int64_t>(out, "one_hot");
    for (std::int64_t i = 0; i < at.numel(); ++i) o[i * n + p[i]] = 1;
    return out.to(input.device());
}

} // namespace reel
