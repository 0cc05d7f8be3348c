// Normalisation of rows; the inner loops are in kernels/norm.cpp. Rows of 16-bit floats are widened one at a time.
#include <algorithm>
#include <cmath>
#include <vector>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/kernels/norm.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/nn/norm.hpp"
#include "cpu/rows.hpp"
#include "cpu/scratch.hpp"
#include "cpu/shape/convert.hpp"

namespace reel::cpu {

namespace {

/// Rows of a tensor as the kernels of C read and write them: where they lie, or copies of 16-bit ones.
template <class C> class WideRows {
public:
    WideRows(ScalarType t, std::int64_t n, int copies)
        : n_(n), apart_((n + 15) / 16 * 16), widen_(t == dtype_of<C> ? nullptr : convert_kernel(kFloat, t)),
          round_(widen_ ? convert_kernel(t, kFloat) : nullptr),
          copies_(widen_ ? std::size_t(copies * apart_) * sizeof(C) : 0) {}
    const C* read(const void* rows, std::int64_t r, int copy) const {
        if (!widen_) return static_cast<const C*>(rows) + r * n_;
        widen_(place(copy), static_cast<const char*>(rows) + 2 * r * n_, n_);
        return place(copy);
    }
    /// Where to write what becomes row `r` by `finish`.
    C* fresh(void* rows, std::int64_t r, int copy) const {
        return widen_ ? place(copy) : static_cast<C*>(rows) + r * n_;
    }
    void finish(void* rows, std::int64_t r, int copy) const {
        if (widen_) round_(static_cast<char*>(rows) + 2 * r * n_, place(copy), n_);
    }

private:
    C* place(int copy) const { return copies_.template as<C>() + copy * apart_; }
    std::int64_t n_, apart_;
    ConvertFn widen_, round_;
    Scratch copies_;
};

/// By the type that rows are computed in.
template <class F> void dispatch_rows(const Tensor& mean, F f) {
    mean.scalar_type() == kDouble ? f.template operator()<double>() : f.template operator()<float>();
}

template <class C> struct Gradients {
    const void *gy, *x;
    void* gx;
    ScalarType rows_are;
    C *gw, *gb;
    const C *mean, *rstd, *weight;
    std::int64_t inner, rows;
    const NormKernels<C>& k = norm_kernels<C>;

    WideRows<C> copies() const { return {rows_are, inner, 3}; }
    void input_row(std::int64_t r, const C* g, const C* in, const WideRows<C>& wide) const {
        double s[2];
        k.dots_row(g, in, weight, inner, mean[r], s);
        const double d = double(rstd[r]), n = double(inner);
        k.combine_row(g, in, weight, wide.fresh(gx, r, 2), inner, mean[r], C(d), C(-d * d * d * s[1] / n),
                      C(-d * s[0] / n));
        wide.finish(gx, r, 2);
    }
    void of_input() const {
        parallel_for(0, rows, row_grain(inner), [&](std::int64_t begin, std::int64_t end) {
            const WideRows<C> wide = copies();
            for (std::int64_t r = begin; r < end; ++r) input_row(r, wide.read(gy, r, 0), wide.read(x, r, 1), wide);
        });
    }
    /// Partial sums over a number of row blocks that depends on the shape alone; `with_input`: rows are read once for
    /// all gradients.
    void of_affine(std::int64_t parts, bool with_input) const {
        const std::int64_t step = (rows + parts - 1) / parts;
        std::vector<C> partial(std::size_t(2 * parts * inner), C(0));
        parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
            const WideRows<C> wide = copies();
            for (std::int64_t p = begin; p < end; ++p) {
                C* const a = partial.data() + 2 * p * inner;
                for (std::int64_t r = p * step; r < std::min(rows, (p + 1) * step); ++r) {
                    const C *g = wide.read(gy, r, 0), *in = wide.read(x, r, 1);
                    if (with_input) input_row(r, g, in, wide);
                    k.accumulate_row(g, in, inner, mean[r], rstd[r], gw ? a : nullptr, gb ? a + inner : nullptr);
                }
            }
        });
        const auto reduce = [&](C* out, const C* from) {
            if (!out) return;
            std::fill_n(out, inner, C(0));
            for (std::int64_t p = 0; p < parts; ++p, from += 2 * inner)
                for (std::int64_t i = 0; i < inner; ++i) out[i] += from[i];
        };
        reduce(gw, partial.data());
        reduce(gb, partial.data() + inner);
    }
    void operator()() const {
        const std::int64_t parts = std::clamp<std::int64_t>(rows * inner / 65536, 1, 16);
        const bool affine = gw || gb, together = gx && affine && parts >= get_num_threads();
        if (gx && !together) of_input();
        if (affine) of_affine(parts, together);
    }
};

} // namespace

void layer_norm(const char* op, const Tensor& y_, const Tensor& mean_, const Tensor& rstd_, const Tensor& x_,
                const Tensor& weight, const Tensor& bias, std::int64_t inner, double eps) {
    const std::int64_t rows = inner == 0 ? 0 : x_.numel() / inner;
    const void* const x = host_data(x_, op);
    void* const y = host_data(y_, op);
    dispatch_rows(mean_, [&]<class C>() {
        const auto& k = norm_kernels<C>;
        const C *w = host_data_or_null<C>(weight, op), *b = host_data_or_null<C>(bias, op);
        C *mean = host_data<C>(mean_, op), *rstd = host_data<C>(rstd_, op);
        parallel_for(0, rows, row_grain(inner), [&](std::int64_t begin, std::int64_t end) {
            const WideRows<C> wide(x_.scalar_type(), inner, 2);
            for (std::int64_t r = begin; r < end; ++r) {
                const C* in = wide.read(x, r, 0);
                const double m = k.sum(in, inner) / double(inner), off = m - double(C(m));
                const double v = k.squares(in, inner, C(m)) / double(inner);
                const C rs = C(1 / std::sqrt(std::max(0.0, v - off * off) + 0 * v + eps));
                mean[r] = C(m);
                rstd[r] = rs;
                k.affine_row(in, wide.fresh(y, r, 1), inner, C(m), rs, w, b);
                wide.finish(y, r, 1);
            }
        });
    });
}

void layer_norm_backward(const char* op, const Tensor& gy, const Tensor& x, const Tensor& mean, const Tensor& rstd,
                         const Tensor& weight, std::int64_t inner, const Tensor& gx, const Tensor& gw,
                         const Tensor& gb) {
    const std::int64_t rows = inner == 0 ? 0 : x.numel() / inner;
    dispatch_rows(mean, [&]<class C>() {
        const auto data = [op](const Tensor& t) { return host_data_or_null<C>(t, op); };
        Gradients<C>{host_data(gy, op),
                     host_data(x, op),
                     gx.defined() ? host_data(gx, op) : nullptr,
                     x.scalar_type(),
                     data(gw),
                     data(gb),
                     data(mean),
                     data(rstd),
                     data(weight),
                     inner,
                     rows}();
    });
}

} // namespace reel::cpu
