// Rows of tables: their norms, and bags of them.
#include <reel/autograd/kernels/embedding.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "cpu/rows.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

void embedding_renorm(const Tensor& weight, const Tensor& index, double max_norm, double norm_type) {
    const std::int64_t* p = host_data<std::int64_t>(index, "embedding");
    const std::set<std::int64_t> rows(p, p + index.numel());
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
}

namespace {
/// Calls `f(place, row of the table)` for what counts in a bag.
template <class F> void each_place(const EmbeddingBags& b, const std::int64_t* rows, std::int64_t bag, F f) {
    for (std::int64_t k = b.start[std::size_t(bag)]; k < b.start[std::size_t(bag) + 1]; ++k)
        if (rows[k] != b.padding) f(k, rows[k]);
}
} // namespace

void embedding_bag(const EmbeddingBags& b, const Tensor& out, const Tensor& weight, const Tensor& scale) {
    const std::int64_t* const rows = host_data<std::int64_t>(b.rows, "embedding_bag");
    dispatch_floating(weight.scalar_type(), "embedding_bag", [&]<class T>() {
        using A = Wide<T>;
        const T* const table = host_data<T>(weight, "embedding_bag");
        const A* const s = host_data_or_null<A>(scale, "embedding_bag");
        T* const result = host_data<T>(out, "embedding_bag");
        const std::int64_t per_bag = b.width * (b.places() / std::max<std::int64_t>(b.count(), 1) + 1);
        parallel_for(0, b.count(), row_grain(per_bag), [&](std::int64_t begin, std::int64_t end) {
            std::vector<A> sum(std::size_t(b.width), A(0));
            for (std::int64_t bag = begin; bag < end; ++bag) {
                std::fill(sum.begin(), sum.end(), A(0));
                each_place(b, rows, bag, [&](std::int64_t k, std::int64_t r) {
                    const T* const row = table + r * b.width;
                    const A f = s ? s[k] : A(1);
                    for (std::int64_t c = 0; c < b.width; ++c) sum[std::size_t(c)] += f * A(row[c]);
                });
                const A n = b.mean ? A(std::max<std::int64_t>(b.sizes[std::size_t(bag)], 1)) : A(1);
                for (std::int64_t c = 0; c < b.width; ++c) result[bag * b.width + c] = T(sum[std::size_t(c)] / n);
            }
        });
    });
}

void embedding_bag_max(const EmbeddingBags& b, const Tensor& out, const Tensor& best, const Tensor& weight) {
    const std::int64_t* const rows = host_data<std::int64_t>(b.rows, "embedding_bag");
    std::int64_t* const at = host_data<std::int64_t>(best, "embedding_bag");
    std::fill_n(at, best.numel(), -1);
    dispatch_floating(weight.scalar_type(), "embedding_bag", [&]<class T>() {
        const T* const table = host_data<T>(weight, "embedding_bag");
        T* const result = host_data<T>(out, "embedding_bag");
        std::fill_n(result, out.numel(), T(0));
        for (std::int64_t bag = 0; bag < b.count(); ++bag)
            each_place(b, rows, bag, [&](std::int64_t, std::int64_t r) {
                const T* const row = table + r * b.width;
                for (std::int64_t c = bag * b.width; c < (bag + 1) * b.width; ++c) {
                    const T v = row[c - bag * b.width];
                    if (at[c] >= 0 && !(Wide<T>(v) > Wide<T>(result[c]))) continue;
                    at[c] = r;
                    result[c] = v;
                }
            });
    });
}

void embedding_bag_backward(const EmbeddingBags& b, const Tensor& grad_weight, const Tensor& grad,
                            const std::vector<double>& factors, const Tensor& scale) {
    const std::int64_t* const rows = host_data<std::int64_t>(b.rows, "embedding_bag");
    dispatch_floating(grad.scalar_type(), "embedding_bag", [&]<class T>() {
        using A = Wide<T>;
        const T* const from = host_data<T>(grad, "embedding_bag");
        const A* const s = host_data_or_null<A>(scale, "embedding_bag");
        A* const to = host_data<A>(grad_weight, "embedding_bag");
        std::fill_n(to, grad_weight.numel(), A(0));
        // By columns: rows may occur in several bags.
        parallel_for(0, b.width, row_grain(b.places()), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t bag = 0; bag < b.count(); ++bag)
                each_place(b, rows, bag, [&](std::int64_t k, std::int64_t r) {
                    const A f = A(factors[std::size_t(k)]) * (s ? s[k] : A(1));
                    A* const row = to + r * b.width;
                    for (std::int64_t c = begin; c < end; ++c) row[c] += f * A(from[bag * b.width + c]);
                });
        });
    });
}

void embedding_bag_scale_backward(const EmbeddingBags& b, const Tensor& grad_scale, const Tensor& grad,
                                  const Tensor& weight) {
    const std::int64_t* const rows = host_data<std::int64_t>(b.rows, "embedding_bag");
    dispatch_floating(grad.scalar_type(), "embedding_bag", [&]<class T>() {
        using A = Wide<T>;
        const T *const g = host_data<T>(grad, "embedding_bag"), *const table = host_data<T>(weight, "embedding_bag");
        T* const to = host_data<T>(grad_scale, "embedding_bag");
        std::fill_n(to, grad_scale.numel(), T(0));
        for (std::int64_t bag = 0; bag < b.count(); ++bag)
            each_place(b, rows, bag, [&](std::int64_t k, std::int64_t r) {
                const T *x = g + bag * b.width, *y = table + r * b.width;
                A sum = 0;
                for (std::int64_t c = 0; c < b.width; ++c) sum += A(x[c]) * A(y[c]);
                to[k] = T(sum);
            });
    });
}

} // namespace reel::cpu
