// Sums, means and maxima of bags of embedding rows.
#include <reel/autograd/kernels/embedding.hpp>
#include <reel/autograd/ops/index/gather.hpp>
#include <reel/autograd/ops/index/scatter.hpp>
#include <reel/autograd/ops/nn/embedding.hpp>
#include <reel/autograd/ops/nn/embedding_bag.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/masked_fill.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "op/kept_for.hpp"
#include "ops/index/index_kernels.hpp"
#include "ops/nn/rows_gradient.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

struct Bags : EmbeddingBags {
    bool by_frequency = false; ///< gradients of a row are divided by how often it occurs
    bool sparse = false;       ///< the table's gradient is sparse

    /// For a rule: the rows are saved beside it, as every tensor that a rule reads.
    Bags without_rows() const {
        Bags b = *this;
        b.rows = Tensor();
        return b;
    }
    Bags with_rows(const Tensor& saved) const {
        Bags b = *this;
        b.rows = saved;
        return b;
    }
    /// What each place's gradient is multiplied by.
    std::vector<double> factors() const {
        const HostValues<std::int64_t> row(rows, "embedding_bag");
        std::vector<double> f(std::size_t(places()), 0.0);
        std::vector<std::int64_t> times;
        if (by_frequency) {
            times.assign(std::size_t(table), 0);
            for (const std::int64_t r : row) ++times[std::size_t(r)];
        }
        for (std::size_t b = 0; b + 1 < start.size(); ++b)
            for (std::int64_t k = start[b]; k < start[b + 1]; ++k) {
                if (row[k] == padding) continue;
                double& factor = f[std::size_t(k)];
                factor = mean ? 1 / double(sizes[b]) : 1;
                if (by_frequency) factor /= double(times[std::size_t(row[k])]);
            }
        return f;
    }
    std::vector<std::int64_t> bag_of_each() const {
        std::vector<std::int64_t> of(std::size_t(places()), 0);
        for (std::size_t b = 0; b + 1 < start.size(); ++b)
            std::fill(of.begin() + start[b], of.begin() + start[b + 1], std::int64_t(b));
        return of;
    }
};
Bags bags_of(const Tensor& indices, const Tensor& offsets, bool include_last_offset,
             std::optional<std::int64_t> padding, const Tensor& weight) {
    Bags b;
    b.table = weight.size(0);
    b.width = weight.size(1);
    const Tensor flat = contiguous_raw(
        shape::checked_index("embedding_bag", shape::index_as_long("embedding_bag", indices, "indices"), b.table));
    const std::int64_t n = flat.numel();
    b.rows = alias_raw(flat, {n}, {1}, flat.storage_offset());
    b.padding = padding.value_or(-1);
    if (indices.dim() == 2) {
        REEL_CHECK_VALUE(!offsets.defined(),
                         "embedding_bag: if input is 2D, then offsets has to be None, as input is treated is a "
                         "mini-batch of fixed length sequences. However, found offsets of shape ",
                         offsets.sizes());
        for (std::int64_t k = 0; k <= indices.size(0); ++k) b.start.push_back(k * indices.size(1));
    } else {
        REEL_CHECK_VALUE(indices.dim() == 1,
                         "embedding_bag: input has to be 1D or 2D Tensor, but got Tensor of dimension ", indices.dim());
        REEL_CHECK_VALUE(offsets.defined(), "embedding_bag: offsets has to be a 1D Tensor but got None");
        REEL_CHECK_VALUE(offsets.dim() == 1, "embedding_bag: offsets has to be a 1D Tensor, got ", offsets.sizes());
        const HostValues<std::int64_t> o(shape::index_as_long("embedding_bag", offsets, "offsets"), "embedding_bag");
        const std::int64_t m = o.size();
        REEL_CHECK(m > 0 || !include_last_offset,
                   "embedding_bag: include_last_offset: number of offsets should be at least 1");
        REEL_CHECK(
            m == 0 || o[0] == 0,
            "embedding_bag: offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            "position 0. However, got ",
            m ? o[0] : 0);
        REEL_CHECK(m == 0 || o[m - 1] <= n, "embedding_bag: offsets[-1] can not be greater than input's length(", n,
                   ") but got offsets[-1] of ", m ? o[m - 1] : 0);
        for (std::int64_t k = 1; k < m; ++k)
            REEL_CHECK(o[k] >= o[k - 1] && o[k] <= n, "embedding_bag: offsets must not decrease, got ", o[k], " after ",
                       o[k - 1]);
        b.start.assign(o.begin(), o.end());
        if (!include_last_offset || m == 1) b.start.push_back(n);
        if (include_last_offset && m == 1) b.start.pop_back(); // no bag at all
    }
    const HostValues<std::int64_t> row(b.rows, "embedding_bag");
    for (std::size_t k = 0; k + 1 < b.start.size(); ++k)
        b.sizes.push_back(std::count_if(row.begin() + b.start[k], row.begin() + b.start[k + 1],
                                        [&](std::int64_t r) { return r != b.padding; }));
    return b;
}
/// 16-bit tables are summed in float32.
ScalarType wide(ScalarType t) { return t == kHalf || t == kBFloat16 ? kFloat : t; }

/// Sums or means; `scale` [places] in the wide dtype, or undefined.
Tensor sums(const Bags& b, const Tensor& weight, const Tensor& scale) {
    Tensor out = empty_raw({b.count(), b.width}, weight);
    kernels::embedding_bag(b, out, contiguous_raw(weight), scale);
    return out;
}
/// The table's gradient: each place's share of its bag's gradient.
Tensor table_gradient(const Bags& b, const Tensor& grad, const Tensor& scale) {
    const Tensor out = empty_raw({b.table, b.width}, wide(grad.scalar_type()), grad.device());
    kernels::embedding_bag_backward(b, out, contiguous_raw(grad), b.factors(), scale);
    return cast_raw(out, grad.scalar_type());
}
/// The gradient of the weights of single places: the bag's gradient along the row.
Tensor scale_gradient(const Bags& b, const Tensor& grad, const Tensor& weight) {
    Tensor out = empty_raw({b.places()}, grad);
    kernels::embedding_bag_scale_backward(b, out, contiguous_raw(grad), contiguous_raw(weight));
    return out;
}
/// Both gradients in ops that record themselves.
GradList gradients_in_ops(const Bags& b, const Tensor& grad, const Tensor& weight, const Tensor& scale, bool want_table,
                          bool want_scale) {
    const ScalarType t = grad.scalar_type();
    GradList r{Tensor(), Tensor()};
    if (b.count() == 0) return r;
    const Tensor of = tensor_of(b.bag_of_each()).to(grad.device()), each = index_select(grad, 0, of);
    if (want_table) {
        Tensor f = tensor_of(b.factors()).to(grad.device(), t);
        if (scale.defined()) f = f * reshape(scale.to(t), {-1});
        const Tensor shares = each * unsqueeze(f, 1);
        r[0] = b.sparse ? rows_gradient({b.table, b.width}, b.rows, shares, b.padding)
                        : index_add(grad.new_zeros({b.table, b.width}), 0, b.rows, shares);
    }
    if (want_scale)
        r[1] = reshape(sum(each * index_select(weight, 0, b.rows), 1) * ne(b.rows, Scalar(b.padding)).to(t),
                       scale.sizes());
    return r;
}
Tensor sum_of_bags(const Bags& all, const Tensor& weight, const Tensor& scale) {
    const ScalarType t = wide(weight.scalar_type());
    const auto flat = [t](const Tensor& s) {
        return s.defined() ? contiguous_raw(reshape(cast_raw(s.detach(), t), {-1})) : s;
    };
    const Tensor out = sums(all, weight, flat(scale));
    record("embedding_bag", {weight, scale}, out, {kept_for(scale, weight), scale, all.rows},
           [kept = all.without_rows(), flat](RuleContext& c) -> GradList {
               const Bags b = kept.with_rows(c.saved(2));
               const Tensor w = c.saved(0), s = c.saved(1), &g = c.grad();
               if (GradMode::is_enabled() || b.sparse)
                   return gradients_in_ops(b, g, w, s, c.needs(0), s.defined() && c.needs(1));
               GradList r{Tensor(), Tensor()};
               if (c.needs(0)) r[0] = table_gradient(b, g, flat(s));
               if (s.defined() && c.needs(1)) r[1] = reshape(scale_gradient(b, g, w), s.sizes()).to(s.scalar_type());
               return r;
           });
    return out;
}
/// The maxima, and the rows that they are in: -1 for none.
std::pair<Tensor, Tensor> maxima_of_bags(const Bags& b, const Tensor& weight) {
    const Tensor out = empty_raw({b.count(), b.width}, weight),
                 best = empty_raw({b.count(), b.width}, kLong, weight.device());
    kernels::embedding_bag_max(b, out, best, contiguous_raw(weight));
    record("embedding_bag", {weight}, out, {best}, [table = b.table, width = b.width](RuleContext& c) -> GradList {
        const Tensor best = c.saved(0), none = best < Scalar(0), &g = c.grad();
        return {scatter_add(g.new_zeros({table, width}), 0, masked_fill(best, none, 0), masked_fill(g, none, 0))};
    });
    return {out, best};
}

/// The bags of checked arguments.
Bags checked_bags(const Tensor& input, const Tensor& weight, const Tensor& offsets, bool scale_grad_by_freq,
                  std::string_view mode, bool sparse, const Tensor& per_sample_weights, bool include_last_offset,
                  std::optional<std::int64_t> padding_idx) {
    REEL_CHECK_VALUE(weight.dim() == 2, "embedding_bag: weight has to be a 2D Tensor, but got Tensor of dimension ",
                     weight.dim());
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(weight.scalar_type()), "embedding_bag: weight is ",
                               dtype_name(weight.scalar_type()), "; expected a floating dtype");
    kernels::embedding_bag.require("embedding_bag", weight);
    if (per_sample_weights.defined()) kernels::embedding_bag.require("embedding_bag", per_sample_weights);
    REEL_CHECK_VALUE(mode == "sum" || mode == "mean" || mode == "max",
                     "embedding_bag: mode has to be one of sum, mean or max, got '", mode, "'");
    REEL_CHECK_VALUE(mode != "max" || !scale_grad_by_freq,
                     "embedding_bag: max mode does not support scaling the gradient by the frequency");
    REEL_CHECK_VALUE(mode != "max" || !sparse, "embedding_bag: max mode does not support sparse weights");
    REEL_CHECK(!sparse || !scale_grad_by_freq,
               "embedding_bag: scale_grad_by_freq is not supported with sparse gradients; use sparse=false");
    REEL_CHECK_VALUE(!per_sample_weights.defined() || per_sample_weights.sizes().equals(input.sizes()),
                     "embedding_bag: If per_sample_weights (", per_sample_weights.sizes(),
                     ") is not None, then it must have the same shape as the input (", input.sizes(), ")");
    REEL_CHECK_NOT_IMPLEMENTED(!per_sample_weights.defined() || mode == "sum",
                               "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
                               "for mode='sum' (got mode='",
                               mode, "')");
    REEL_CHECK(!per_sample_weights.defined() || per_sample_weights.scalar_type() == weight.scalar_type(),
               "embedding_bag: expected per_sample_weights to have the same type as weight, ",
               dtype_name(weight.scalar_type()), ", got ", dtype_name(per_sample_weights.scalar_type()));
    std::optional<std::int64_t> padding = padding_idx;
    if (padding) {
        REEL_CHECK(*padding >= -weight.size(0) && *padding < weight.size(0),
                   "embedding_bag: padding_idx must be within the number of embeddings, -", weight.size(0), " through ",
                   weight.size(0) - 1, " but got ", *padding);
        if (*padding < 0) *padding += weight.size(0);
    }
    Bags b = bags_of(input, offsets, include_last_offset, padding, weight);
    b.mean = mode == "mean";
    b.by_frequency = scale_grad_by_freq;
    b.sparse = sparse;
    return b;
}

} // namespace

/// For each bag of indices (a row of 2-D ones, or from one offset to the next) the sum, mean or maximum of its rows of
/// weight; sums may be weighted per index. `sparse`: weight gets a sparse gradient, of the rows that were used. Indices
/// equal to `padding_idx` do not count; an empty bag gives zeros.
REEL_OP("nn.functional.embedding_bag(Tensor input, Tensor weight, Tensor? offsets=None, float? max_norm=None, "
        "float norm_type=2.0, bool scale_grad_by_freq=False, str mode='mean', bool sparse=False, "
        "Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None) -> Tensor",
        rule, cpp("functional_embedding_bag"),
        samples(call(longs({0, 2, 2}), numbers({4, 3}), longs({0, 1})).with("mode", "sum"),
                call(longs({0, 2, 2}), numbers({4, 3}), longs({0, 1})).with("mode", "mean"),
                call(longs({0, 2, 2}), numbers({4, 3}), longs({0, 1})).with("mode", "max"),
                call(longs({0, 2, 2}), numbers({4, 3}), longs({0, 1}))
                    .with("mode", "sum")
                    .with("per_sample_weights", numbers({3})),
                call(longs({0, 2, 2}), numbers({4, 3}), longs({0, 1}))
                    .with("scale_grad_by_freq", true)
                    .with("padding_idx", 0)
                    .by_convention()))
Tensor functional_embedding_bag(const Tensor& input, const Tensor& weight, const Tensor& offsets,
                                std::optional<double> max_norm, double norm_type, bool scale_grad_by_freq,
                                std::string_view mode, bool sparse, const Tensor& per_sample_weights,
                                bool include_last_offset, std::optional<std::int64_t> padding_idx) {
    const Bags b = checked_bags(input, weight, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights,
                                include_last_offset, padding_idx);
    if (max_norm) functional_embedding(input, weight.detach(), std::nullopt, max_norm, norm_type); // for its effect
    return mode == "max" ? maxima_of_bags(b, weight).first : sum_of_bags(b, weight, per_sample_weights);
}

/// The same in the order of `torch.embedding_bag`, with `mode` 0 for sums, 1 for means and 2 for maxima. Returns the
/// bags [bags, dim], the bag of each index, how many indices of each bag count, and for maxima the row that each is in
/// (0 for an empty bag); for sums and means the counts stand there again.
REEL_OP("embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, "
        "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int? padding_idx=None) "
        "-> (Tensor, Tensor, Tensor, Tensor)",
        rule,
        samples(call(numbers({4, 3}), longs({0, 2, 2}), longs({0, 1})),
                call(numbers({4, 3}), longs({0, 2, 2}), longs({0, 1})).with("mode", 1),
                call(numbers({4, 3}), longs({0, 2, 2}), longs({0, 1})).with("mode", 2),
                call(numbers({4, 3}), longs({0, 2, 2}), longs({0, 1})).with("per_sample_weights", numbers({3}))))
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(const Tensor& weight, const Tensor& indices,
                                                         const Tensor& offsets, bool scale_grad_by_freq,
                                                         std::int64_t mode, bool sparse,
                                                         const Tensor& per_sample_weights, bool include_last_offset,
                                                         std::optional<std::int64_t> padding_idx) {
    REEL_CHECK_VALUE(mode >= 0 && mode <= 2, "embedding_bag: mode is ", mode,
                     "; expected 0 for sums, 1 for means or 2 for maxima");
    constexpr std::string_view names[] = {"sum", "mean", "max"};
    const Bags b = checked_bags(indices, weight, offsets, scale_grad_by_freq, names[mode], sparse, per_sample_weights,
                                include_last_offset, padding_idx);
    const Device device = weight.device();
    const Tensor of_each = tensor_of(b.bag_of_each()).to(device), counts = tensor_of(b.sizes).to(device);
    if (mode < 2) return {sum_of_bags(b, weight, per_sample_weights), of_each, counts, counts};
    const auto [maxima, rows] = maxima_of_bags(b, weight);
    return {maxima, of_each, counts, clamp_min(rows, Scalar(0))};
}

} // namespace reel
