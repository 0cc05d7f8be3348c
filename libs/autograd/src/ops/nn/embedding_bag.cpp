// Sums, means and maxima of bags of embedding rows.
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "op/dispatch.hpp"
#include "ops/index/index_kernels.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

template <class V, class T> Tensor tensor_of(const std::vector<V>& v, ScalarType dtype) {
    Tensor t = empty_raw({std::int64_t(v.size())}, CppTypeToScalarType<T>::value);
    std::copy(v.begin(), v.end(), host_data<T>(t, "embedding_bag"));
    return cast_raw(t, dtype);
}

/// The rows that each bag takes from the table, bag after bag.
struct Bags {
    Tensor rows;                     ///< of the table, one for each place, dense
    std::vector<std::int64_t> start; ///< bag b has the places from start[b] up to start[b + 1]
    std::vector<std::int64_t> sizes; ///< places of each bag that count
    bool mean = false;
    bool by_frequency = false; ///< gradients of a row are divided by how often it occurs
    std::int64_t table = 0, width = 0;
    std::int64_t padding = -1; ///< the row that does not count, or -1

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
    std::int64_t places() const { return rows.numel(); }
    std::int64_t row(std::int64_t place) const { return host_data<std::int64_t>(rows, "embedding_bag")[place]; }
    bool counts(std::int64_t place) const { return row(place) != padding; }
    std::int64_t count() const { return std::int64_t(start.size()) - 1; }
    /// What each place's gradient is multiplied by.
    std::vector<double> factors() const {
        std::vector<double> f(std::size_t(places()), 0.0);
        std::vector<std::int64_t> times;
        if (by_frequency) {
            times.assign(std::size_t(table), 0);
            for (std::int64_t k = 0; k < places(); ++k) ++times[std::size_t(row(k))];
        }
        for (std::size_t b = 0; b + 1 < start.size(); ++b)
            for (std::int64_t k = start[b]; k < start[b + 1]; ++k) {
                if (!counts(k)) continue;
                double& factor = f[std::size_t(k)];
                factor = mean ? 1 / double(sizes[b]) : 1;
                if (by_frequency) factor /= double(times[std::size_t(row(k))]);
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
        const Tensor first = contiguous_raw(shape::index_as_long("embedding_bag", offsets, "offsets"));
        const auto* o = host_data<std::int64_t>(first, "embedding_bag");
        const std::int64_t m = first.numel();
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
        b.start.assign(o, o + m);
        if (!include_last_offset || m == 1) b.start.push_back(n);
        if (include_last_offset && m == 1) b.start.pop_back(); // no bag at all
    }
    for (std::size_t k = 0; k + 1 < b.start.size(); ++k) {
        b.sizes.push_back(0);
        for (std::int64_t place = b.start[k]; place < b.start[k + 1]; ++place) b.sizes.back() += b.counts(place);
    }
    return b;
}
std::int64_t grain_for(std::int64_t work) { return std::max<std::int64_t>(1, 32768 / std::max<std::int64_t>(work, 1)); }
/// 16-bit tables are summed in float32.
template <class T> using Wide = std::conditional_t<sizeof(T) == 2, float, T>;
ScalarType wide(ScalarType t) { return t == kHalf || t == kBFloat16 ? kFloat : t; }

/// Sums or means; `scale` [places] in the wide dtype, or undefined.
Tensor sums(const Bags& b, const Tensor& weight, const Tensor& scale) {
    const Tensor w = contiguous_raw(weight);
    Tensor out = empty_raw({b.count(), b.width}, w.scalar_type());
    dispatch_floating(w.scalar_type(), "embedding_bag", [&]<class T>() {
        using A = Wide<T>;
        const T* table = host_data<T>(w, "embedding_bag");
        const A* s = host_data_or_null<A>(scale, "embedding_bag");
        T* result = host_data<T>(out, "embedding_bag");
        const std::int64_t per_bag = b.width * (b.places() / std::max<std::int64_t>(b.count(), 1) + 1);
        parallel_for(0, b.count(), grain_for(per_bag), [&](std::int64_t begin, std::int64_t end) {
            std::vector<A> sum(std::size_t(b.width), A(0));
            for (std::int64_t bag = begin; bag < end; ++bag) {
                std::fill(sum.begin(), sum.end(), A(0));
                for (std::int64_t k = b.start[std::size_t(bag)]; k < b.start[std::size_t(bag) + 1]; ++k) {
                    if (!b.counts(k)) continue;
                    const T* row = table + b.row(k) * b.width;
                    const A f = s ? s[k] : A(1);
                    for (std::int64_t c = 0; c < b.width; ++c) sum[std::size_t(c)] += f * A(row[c]);
                }
                const A n = b.mean ? A(std::max<std::int64_t>(b.sizes[std::size_t(bag)], 1)) : A(1);
                for (std::int64_t c = 0; c < b.width; ++c) result[bag * b.width + c] = T(sum[std::size_t(c)] / n);
            }
        });
    });
    return out;
}
/// The table's gradient: each place's share of its bag's gradient.
Tensor table_gradient(const Bags& b, const Tensor& grad, const Tensor& scale) {
    const Tensor g = contiguous_raw(grad);
    Tensor out = empty_raw({b.table, b.width}, wide(g.scalar_type()));
    fill_raw(out, 0);
    const std::vector<double> factors = b.factors();
    dispatch_floating(g.scalar_type(), "embedding_bag", [&]<class T>() {
        using A = Wide<T>;
        const T* from = host_data<T>(g, "embedding_bag");
        const A* s = host_data_or_null<A>(scale, "embedding_bag");
        A* to = host_data<A>(out, "embedding_bag");
        // By columns: rows may occur in several bags.
        parallel_for(0, b.width, grain_for(b.places()), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t bag = 0; bag < b.count(); ++bag)
                for (std::int64_t k = b.start[std::size_t(bag)]; k < b.start[std::size_t(bag) + 1]; ++k) {
                    const A f = A(factors[std::size_t(k)]) * (s ? s[k] : A(1));
                    if (!b.counts(k)) continue;
                    A* row = to + b.row(k) * b.width;
                    for (std::int64_t c = begin; c < end; ++c) row[c] += f * A(from[bag * b.width + c]);
                }
        });
    });
    return cast_raw(out, g.scalar_type());
}
/// The gradient of the weights of single places: the bag's gradient along the row.
Tensor scale_gradient(const Bags& b, const Tensor& grad, const Tensor& weight) {
    const Tensor g = contiguous_raw(grad), w = contiguous_raw(weight);
    Tensor out = empty_raw({b.places()}, g.scalar_type());
    fill_raw(out, 0);
    dispatch_floating(g.scalar_type(), "embedding_bag", [&]<class T>() {
        using A = Wide<T>;
        for (std::int64_t bag = 0; bag < b.count(); ++bag)
            for (std::int64_t k = b.start[std::size_t(bag)]; k < b.start[std::size_t(bag) + 1]; ++k) {
                if (!b.counts(k)) continue;
                const T *x = host_data<T>(g, "embedding_bag") + bag * b.width,
                        *y = host_data<T>(w, "embedding_bag") + b.row(k) * b.width;
                A sum = 0;
                for (std::int64_t c = 0; c < b.width; ++c) sum += A(x[c]) * A(y[c]);
                host_data<T>(out, "embedding_bag")[k] = T(sum);
            }
    });
    return out;
}
/// Both gradients in ops that record themselves.
GradList gradients_in_ops(const Bags& b, const Tensor& grad, const Tensor& weight, const Tensor& scale, bool want_table,
                          bool want_scale) {
    const ScalarType t = grad.scalar_type();
    GradList r{Tensor(), Tensor()};
    if (b.count() == 0) return r;
    const Tensor of = tensor_of<std::int64_t, std::int64_t>(b.bag_of_each(), kLong), each = index_select(grad, 0, of);
    if (want_table) {
        Tensor f = tensor_of<double, double>(b.factors(), t);
        if (scale.defined()) f = f * reshape(scale.to(t), {-1});
        r[0] = index_add(zeros({b.table, b.width}, grad.options().requires_grad(false)), 0, b.rows,
                         each * unsqueeze(f, 1));
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
    static const Tensor absent;
    record("embedding_bag", {weight, scale}, out,
           {scale.defined() && scale.requires_grad() ? weight : absent, scale, all.rows},
           [kept = all.without_rows(), flat](RuleContext& c) -> GradList {
               const Bags b = kept.with_rows(c.saved(2));
               const Tensor w = c.saved(0), s = c.saved(1), &g = c.grad();
               if (GradMode::is_enabled()) return gradients_in_ops(b, g, w, s, c.needs(0), s.defined() && c.needs(1));
               GradList r{Tensor(), Tensor()};
               if (c.needs(0)) r[0] = table_gradient(b, g, flat(s));
               if (s.defined() && c.needs(1)) r[1] = reshape(scale_gradient(b, g, w), s.sizes()).to(s.scalar_type());
               return r;
           });
    return out;
}
Tensor maximum_of_bags(const Bags& b, const Tensor& weight) {
    const Tensor w = contiguous_raw(weight);
    Tensor out = empty_raw({b.count(), b.width}, w.scalar_type()), best = empty_raw({b.count(), b.width}, kLong);
    fill_raw(best, -1);
    fill_raw(out, 0);
    auto* at = host_data<std::int64_t>(best, "embedding_bag");
    dispatch_floating(w.scalar_type(), "embedding_bag", [&]<class T>() {
        const T* table = host_data<T>(w, "embedding_bag");
        T* result = host_data<T>(out, "embedding_bag");
        for (std::int64_t bag = 0; bag < b.count(); ++bag)
            for (std::int64_t k = b.start[std::size_t(bag)]; k < b.start[std::size_t(bag) + 1]; ++k) {
                if (!b.counts(k)) continue;
                const T* row = table + b.row(k) * b.width;
                for (std::int64_t c = bag * b.width; c < (bag + 1) * b.width; ++c) {
                    const T v = row[c - bag * b.width];
                    if (at[c] >= 0 && !(Wide<T>(v) > Wide<T>(result[c]))) continue;
                    at[c] = b.row(k);
                    result[c] = v;
                }
            }
    });
    record("embedding_bag", {weight}, out, {best}, [table = b.table, width = b.width](RuleContext& c) -> GradList {
        const Tensor best = c.saved(0), none = best < Scalar(0), &g = c.grad();
        return {scatter_add(zeros({table, width}, g.options().requires_grad(false)), 0, masked_fill(best, none, 0),
                            masked_fill(g, none, 0))};
    });
    return out;
}

} // namespace

/// For each bag of indices (a row of 2-D ones, or from one offset to the next) the sum, mean or maximum of its rows of
/// weight; sums may be weighted per index. Indices equal to `padding_idx` do not count; an empty bag gives zeros.
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
    REEL_CHECK_VALUE(weight.dim() == 2, "embedding_bag: weight has to be a 2D Tensor, but got Tensor of dimension ",
                     weight.dim());
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(weight.scalar_type()), "embedding_bag: weight is ",
                               dtype_name(weight.scalar_type()), "; expected a floating dtype");
    require_host(weight, "embedding_bag");
    if (per_sample_weights.defined()) require_host(per_sample_weights, "embedding_bag");
    REEL_CHECK_VALUE(mode == "sum" || mode == "mean" || mode == "max",
                     "embedding_bag: mode has to be one of sum, mean or max, got '", mode, "'");
    REEL_CHECK_VALUE(mode != "max" || !scale_grad_by_freq,
                     "embedding_bag: max mode does not support scaling the gradient by the frequency");
    REEL_CHECK_VALUE(mode != "max" || !sparse, "embedding_bag: max mode does not support sparse weights");
    REEL_CHECK_NOT_IMPLEMENTED(!sparse || !needs_recording(weight),
                               "embedding_bag: sparse gradients are not supported; use sparse=false");
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
    if (max_norm) functional_embedding(input, weight.detach(), std::nullopt, max_norm, norm_type); // for its effect
    return mode == "max" ? maximum_of_bags(b, weight) : sum_of_bags(b, weight, per_sample_weights);
}

} // namespace reel
