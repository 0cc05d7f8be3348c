// Sums, means and maxima of bags of embedding rows.
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "op/dispatch.hpp"
#include "ops/shape_util.hpp"
#include "tensor/make.hpp"

namespace reel {

using namespace detail;

namespace {

/// Which bag each index belongs to, which indices count, and how many count per bag.
struct Bags {
    std::int64_t count = 0;
    std::vector<std::int64_t> of;    ///< bag of each index
    std::vector<char> counts;        ///< false for padding
    std::vector<std::int64_t> sizes; ///< counting indices per bag
};
Tensor longs(const std::vector<std::int64_t>& v) {
    Tensor t = empty_raw({std::int64_t(v.size())}, kLong);
    std::copy(v.begin(), v.end(), t.data_ptr<std::int64_t>());
    return t;
}
Tensor doubles(const std::vector<double>& v, ScalarType dtype) {
    Tensor t = empty_raw({std::int64_t(v.size())}, kDouble);
    std::copy(v.begin(), v.end(), t.data_ptr<double>());
    return cast_raw(t, dtype);
}
Bags bags_of(const Tensor& indices, const Tensor& offsets, bool include_last_offset,
             std::optional<std::int64_t> padding) {
    Bags b;
    const Tensor flat = contiguous_raw(cast_raw(indices, kLong));
    const auto* i = flat.data_ptr<std::int64_t>();
    const std::int64_t n = flat.numel();
    if (indices.dim() == 2) {
        REEL_CHECK_VALUE(!offsets.defined(), "embedding_bag: offsets must not be given for indices of shape ",
                         indices.sizes());
        b.count = indices.size(0);
        for (std::int64_t k = 0; k < n; ++k) b.of.push_back(k / indices.size(1));
    } else {
        REEL_CHECK_VALUE(indices.dim() == 1, "embedding_bag: indices have shape ", indices.sizes(),
                         "; expected one or two dimensions");
        REEL_CHECK_VALUE(offsets.defined() && offsets.dim() == 1,
                         "embedding_bag: one-dimensional indices need one-dimensional offsets");
        const Tensor start = contiguous_raw(cast_raw(offsets, kLong));
        const auto* o = start.data_ptr<std::int64_t>();
        REEL_CHECK(start.numel() > 0 || !include_last_offset, "embedding_bag: offsets are empty");
        b.count = start.numel() - (include_last_offset ? 1 : 0);
        REEL_CHECK_VALUE(start.numel() == 0 || o[0] == 0, "embedding_bag: offsets must start with 0, got ",
                         start.numel() ? o[0] : 0);
        for (std::int64_t k = 0; k < start.numel(); ++k)
            REEL_CHECK_VALUE(o[k] <= n && (k == 0 || o[k] >= o[k - 1]),
                             "embedding_bag: offsets must not decrease nor exceed the ", n, " indices, got ", o[k]);
        std::int64_t bag = -1;
        for (std::int64_t k = 0; k < n; ++k) {
            while (bag + 1 < b.count && o[bag + 1] <= k) ++bag;
            b.of.push_back(bag);
        }
    }
    b.sizes.assign(static_cast<std::size_t>(b.count), 0);
    for (std::int64_t k = 0; k < n; ++k) {
        b.counts.push_back(!padding || i[k] != *padding);
        if (b.counts.back()) ++b.sizes[std::size_t(b.of[std::size_t(k)])];
    }
    return b;
}

} // namespace

/// For each bag of indices (a row of 2-D ones, or from one offset to the next) the sum, mean or maximum of its rows of
/// weight; sums may be weighted per index. Indices equal to `padding_idx` do not count; an empty bag gives zeros.
REEL_OP("nn.functional.embedding_bag(Tensor weight, Tensor indices, Tensor? offsets=None, float? max_norm=None, float "
        "norm_type=2., bool scale_grad_by_freq=False, "
        "str mode='mean', bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int? "
        "padding_idx=None) -> Tensor")
Tensor embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& offsets, std::optional<double> max_norm,
                     double norm_type, bool scale_grad_by_freq, std::string_view mode, bool,
                     const Tensor& per_sample_weights, bool include_last_offset,
                     std::optional<std::int64_t> padding_idx) {
    REEL_CHECK(weight.dim() == 2, "embedding_bag: weight has shape ", weight.sizes(), "; expected a matrix");
    REEL_CHECK_VALUE(mode == "sum" || mode == "mean" || mode == "max", "embedding_bag: mode is '", mode,
                     "'; expected 'sum', 'mean' or 'max'");
    REEL_CHECK_NOT_IMPLEMENTED(!per_sample_weights.defined() || mode == "sum",
                               "embedding_bag: per_sample_weights go with mode 'sum' only, got '", mode, "'");
    REEL_CHECK_VALUE(!per_sample_weights.defined() || per_sample_weights.sizes().equals(indices.sizes()),
                     "embedding_bag: per_sample_weights must have the shape of indices ", indices.sizes());
    std::optional<std::int64_t> padding = padding_idx;
    if (padding) {
        REEL_CHECK(*padding >= -weight.size(0) && *padding < weight.size(0), "embedding_bag: padding_idx ", *padding,
                   " is out of range for ", weight.size(0), " rows");
        if (*padding < 0) *padding += weight.size(0);
    }
    const Bags b = bags_of(indices, offsets, include_last_offset, padding);
    Tensor rows =
        embedding(weight, reshape(indices, {indices.numel()}), std::nullopt, max_norm, norm_type, scale_grad_by_freq);
    const ScalarType t = rows.scalar_type();
    const std::int64_t width = weight.size(1);
    if (mode == "max") {
        // The place of each maximum, then one gather.
        const Tensor values = contiguous_raw(cast_raw(rows, kDouble));
        Tensor best = empty_raw({b.count, width}, kLong);
        fill_raw(best, -1);
        auto* at = best.data_ptr<std::int64_t>();
        const auto* v = values.data_ptr<double>();
        for (std::size_t k = 0; k < b.of.size(); ++k)
            for (std::int64_t c = 0; b.counts[k] && c < width; ++c) {
                std::int64_t& a = at[b.of[k] * width + c];
                if (a < 0 || v[std::int64_t(k) * width + c] > v[a * width + c]) a = std::int64_t(k);
            }
        const Tensor none = best < Scalar(0);
        if (b.of.empty()) return zeros({b.count, width}, weight.options().requires_grad(false));
        return masked_fill(gather(rows, 0, where(none, Scalar(0), best)), none, 0);
    }
    std::vector<double> factor;
    for (std::size_t k = 0; k < b.of.size(); ++k)
        factor.push_back(!b.counts[k] ? 0 : mode == "mean" ? 1 / double(b.sizes[std::size_t(b.of[k])]) : 1);
    const bool half = t == kHalf || t == kBFloat16;
    const ScalarType wide = half ? kFloat : t;
    rows = rows.to(wide);
    if (per_sample_weights.defined()) rows = rows * reshape(per_sample_weights.to(wide), {-1, 1});
    if (mode == "mean" || padding) rows = rows * reshape(doubles(factor, wide), {-1, 1});
    const Tensor out = zeros({b.count, width}, weight.options().requires_grad(false).dtype(wide));
    return index_add(out, 0, longs(b.of), rows).to(t);
}

} // namespace reel
