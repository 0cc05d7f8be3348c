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
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// Rows of `t` as the kernels read and write them: where they lie, 16-bit ones as copies in float32.
template <class T> class WideRows {
public:
    using C = Wide<T>;
    WideRows(ScalarType t, std::int64_t n, int copies)
        : n_(n), apart_((n + 15) / 16 * 16), copies_(narrow ? std::size_t(copies * apart_) * sizeof(C) : 0) {
        if constexpr (narrow) {
            widen_ = convert_kernel(kFloat, t);
            round_ = convert_kernel(t, kFloat);
        }
    }
    const C* read(const T* row, int copy) const {
        if constexpr (!narrow) return row;
        else {
            widen_(place(copy), row, n_);
            return place(copy);
        }
    }
    /// Where to write what becomes `row` by `finish`.
    C* fresh(T* row, int copy) const {
        if constexpr (!narrow) return row;
        else return place(copy);
    }
    void finish(T* row, int copy) const {
        if constexpr (narrow) round_(row, place(copy), n_);
    }

private:
    static constexpr bool narrow = sizeof(T) == 2;
    C* place(int copy) const { return copies_.template as<C>() + copy * apart_; }
    std::int64_t n_, apart_;
    Scratch copies_;
    ConvertFn widen_ = nullptr, round_ = nullptr;
};

template <class F> void dispatch_rows(const char* op, const Tensor& x, F f) {
    if (x.scalar_type() == kHalf) f.template operator()<Half>();
    else if (x.scalar_type() == kBFloat16) f.template operator()<BFloat16>();
    else detail::dispatch<detail::Floats>(x.scalar_type(), op, f);
}

template <class T> struct Gradients {
    using C = Wide<T>;
    const char* op;
    const Tensor &gy_, &x_, &gx_, &gw_, &gb_;
    const C *mean, *rstd, *weight;
    std::int64_t inner, rows;
    const NormKernels<C>& k = norm_kernels<C>;
    const T *gy = host_data<T>(gy_, op), *x = host_data<T>(x_, op);
    T* gx = host_data_or_null<T>(gx_, op);
    C *gw = host_data_or_null<C>(gw_, op), *gb = host_data_or_null<C>(gb_, op);

    WideRows<T> copies() const { return {x_.scalar_type(), inner, 3}; }
    void input_row(std::int64_t r, const C* g, const C* in, const WideRows<T>& wide) const {
        double s[2];
        k.dots_row(g, in, weight, inner, mean[r], s);
        const double d = double(rstd[r]), n = double(inner);
        k.combine_row(g, in, weight, wide.fresh(gx + r * inner, 2), inner, mean[r], C(d), C(-d * d * d * s[1] / n),
                      C(-d * s[0] / n));
        wide.finish(gx + r * inner, 2);
    }
    void of_input() const {
        parallel_for(0, rows, row_grain(inner), [&](std::int64_t begin, std::int64_t end) {
            const WideRows<T> wide = copies();
            for (std::int64_t r = begin; r < end; ++r)
                input_row(r, wide.read(gy + r * inner, 0), wide.read(x + r * inner, 1), wide);
        });
    }
    /// Partial sums over a number of row blocks that depends on the shape alone; `with_input`: rows are read once for
    /// all gradients.
    void of_affine(std::int64_t parts, bool with_input) const {
        const std::int64_t step = (rows + parts - 1) / parts;
        std::vector<C> partial(std::size_t(2 * parts * inner), C(0));
        parallel_for(0, parts, 1, [&](std::int64_t begin, std::int64_t end) {
            const WideRows<T> wide = copies();
            for (std::int64_t p = begin; p < end; ++p) {
                C* const a = partial.data() + 2 * p * inner;
                for (std::int64_t r = p * step; r < std::min(rows, (p + 1) * step); ++r) {
                    const C *g = wide.read(gy + r * inner, 0), *in = wide.read(x + r * inner, 1);
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
    dispatch_rows(op, x_, [&]<class T>() {
        using C = Wide<T>;
        const auto& k = norm_kernels<C>;
        const T* const x = host_data<T>(x_, op);
        T* const y = host_data<T>(y_, op);
        const C *w = host_data_or_null<C>(weight, op), *b = host_data_or_null<C>(bias, op);
        C *mean = host_data<C>(mean_, op), *rstd = host_data<C>(rstd_, op);
        parallel_for(0, rows, row_grain(inner), [&](std::int64_t begin, std::int64_t end) {
            const WideRows<T> wide(x_.scalar_type(), inner, 2);
            for (std::int64_t r = begin; r < end; ++r) {
                const C* in = wide.read(x + r * inner, 0);
                const double m = k.sum(in, inner) / double(inner), off = m - double(C(m));
                const double v = k.squares(in, inner, C(m)) / double(inner);
                const C rs = C(1 / std::sqrt(std::max(0.0, v - off * off) + 0 * v + eps));
                mean[r] = C(m);
                rstd[r] = rs;
                k.affine_row(in, wide.fresh(y + r * inner, 1), inner, C(m), rs, w, b);
                wide.finish(y + r * inner, 1);
            }
        });
    });
}

void layer_norm_backward(const char* op, const Tensor& gy, const Tensor& x, const Tensor& mean, const Tensor& rstd,
                         const Tensor& weight, std::int64_t inner, const Tensor& gx, const Tensor& gw,
                         const Tensor& gb) {
    const std::int64_t rows = inner == 0 ? 0 : x.numel() / inner;
    dispatch_rows(op, x, [&]<class T>() {
        using C = Wide<T>;
        Gradients<T>{
            op,    gy,  x, gx, gw, gb, host_data<C>(mean, op), host_data<C>(rstd, op), host_data_or_null<C>(weight, op),
            inner, rows}();
    });
}

} // namespace reel::cpu
