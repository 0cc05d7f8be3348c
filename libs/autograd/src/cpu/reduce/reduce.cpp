// Reductions along rows.
#include <reel/autograd/kernels/reduce.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <reel/autograd/pointwise/scalar_math.hpp>

#include "cpu/index/row_order.hpp"
#include "cpu/reduce/columns.hpp"
#include "cpu/reduce/kth_place.hpp"
#include "cpu/reduce/row_kernels.hpp"
#include "cpu/rows.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

void prod(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    dispatch_all(out.scalar_type(), "prod", [&]<class T>() {
        const auto kernel = [](const T* p, std::int64_t count, std::int64_t n, T* products) {
            if constexpr (std::is_same_v<T, bool> || complex_v<T>)
                for (std::int64_t r = 0; r < count; ++r, p += n) {
                    if constexpr (complex_v<T>) products[r] = std::accumulate(p, p + n, T(1), std::multiplies<>());
                    else products[r] = std::find(p, p + n, false) == p + n;
                }
            else row_kernels<T>.products(p, count, n, products);
        };
        for_rows_in_blocks<T>("prod", out, rows, inner, kernel, [](const T& a, const T& b) -> T {
            if constexpr (std::is_same_v<T, bool>) return a && b;
            else return T(math::wrapping(a) * math::wrapping(b));
        });
    });
}

void all(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    for_rows<bool, bool>("all", out, rows, inner,
                         [](const bool* p, std::int64_t n) { return std::find(p, p + n, false) == p + n; });
}
void any(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    for_rows<bool, bool>("any", out, rows, inner,
                         [](const bool* p, std::int64_t n) { return std::find(p, p + n, true) != p + n; });
}
void count_nonzero(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    for_rows<bool, std::int64_t>("count_nonzero", out, rows, inner, [](const bool* row, std::int64_t length) {
        const auto block = [](const bool* p, std::int64_t n) {
            return std::int64_t(row_kernels<bool>.whole_sum(p, n));
        };
        return in_blocks(row, length, block, std::plus<>());
    });
}

namespace {

/// Place of the first extremum of a row; the first NaN wins.
template <bool Max, class T> std::int64_t best_place(const T* p, std::int64_t n) {
    return Max ? row_kernels<T>.largest(p, n) : row_kernels<T>.smallest(p, n);
}
template <class T> std::int64_t place_of_median(const T* p, std::int64_t n, bool ignore_nan) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::int64_t numbers = n;
    for (std::int64_t i = 0; i < n; ++i)
        if (is_nan(Wide<T>(p[i]))) {
            if (!ignore_nan) return i;
            --numbers;
        }
    const std::int64_t k = std::max<std::int64_t>(numbers - 1, 0) / 2;
    std::nth_element(order.begin(), order.begin() + k, order.end(), [p](std::int64_t i, std::int64_t j) {
        const Wide<T> a(p[i]), b(p[j]);
        if (a < b || (!is_nan(a) && is_nan(b))) return true;
        return !(b < a) && is_nan(a) == is_nan(b) && i < j; // equal ones in their order
    });
    return order[std::size_t(k)];
}
template <class T> std::int64_t place_of_mode(const T* p, std::int64_t n) {
    std::vector<std::pair<T, std::int64_t>> elements;
    elements.reserve(std::size_t(n));
    for (std::int64_t i = 0; i < n; ++i) elements.emplace_back(p[i], i);
    std::sort(elements.begin(), elements.end(), [](const auto& a, const auto& b) {
        const Wide<T> x(a.first), o(b.first);
        return x < o || (!is_nan(x) && is_nan(o));
    });
    std::int64_t place = 0, most = 0, run = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        ++run;
        if (i == n - 1 || Wide<T>(elements[std::size_t(i)].first) != Wide<T>(elements[std::size_t(i + 1)].first)) {
            if (run > most) {
                most = run;
                place = elements[std::size_t(i)].second;
            }
            run = 0;
        }
    }
    return place;
}

} // namespace

void extremum(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, bool largest) {
    dispatch_real(rows.scalar_type(), op, [&]<class T>() {
        const auto run = [&]<bool Max>() {
            const auto values = Max ? row_kernels<T>.largest_values : row_kernels<T>.smallest_values;
            const auto kernel = [values](const T* p, std::int64_t count, std::int64_t n, T* best) {
                if (values) return values(p, count, n, best);
                for (std::int64_t r = 0; r < count; ++r, p += n) best[r] = p[best_place<Max>(p, n)];
            };
            for_rows_in_blocks<T>(op, out, rows, inner, kernel, [](const T& a, const T& b) {
                const T both[] = {a, b};
                return both[best_place<Max>(both, 2)];
            });
        };
        largest ? run.template operator()<true>() : run.template operator()<false>();
    });
}
void extremum_of_columns(const char* op, const Tensor& out, const Tensor& operand, std::int64_t rows, bool largest) {
    dispatch_real(operand.scalar_type(), op, [&]<class T>() {
        for_columns<T>(op, out, operand, rows,
                       largest ? row_kernels<T>.largest_of_columns : row_kernels<T>.smallest_of_columns);
    });
}
void extremum_place(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, bool largest) {
    dispatch_real(rows.scalar_type(), op, [&]<class T>() {
        const auto run = [&]<bool Max>() {
            for_rows<T, std::int64_t>(op, out, rows, inner,
                                      [](const T* p, std::int64_t n) { return best_place<Max>(p, n); });
        };
        largest ? run.template operator()<true>() : run.template operator()<false>();
    });
}
namespace {
/// The same for elements that have a key of 32 bits.
template <class T> std::int64_t place_of_median(const T* p, std::int64_t n, bool ignore_nan, KthPlace& kth) {
    std::int64_t numbers = n;
    for (std::int64_t i = 0; i < n; ++i) {
        numbers -= is_nan(Wide<T>(p[i]));
        kth.keys()[std::size_t(i)] = std::uint32_t(order_key(p[i])) << (32 - 8 * sizeof(T));
    }
    if (!ignore_nan && numbers < n)
        for (std::int64_t i = 0;; ++i)
            if (is_nan(Wide<T>(p[i]))) return i;
    return kth(std::max<std::int64_t>(numbers - 1, 0) / 2);
}
} // namespace

void median_place(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, bool ignore_nan) {
    dispatch_real(rows.scalar_type(), op, [&]<class T>() {
        if constexpr (sizeof(T) <= 4)
            if (inner >= 64 && inner < std::int64_t(1) << 32) { // fewer are not worth the count
                std::int64_t* const places = host_data<std::int64_t>(out, op);
                const T* const p = host_data<T>(rows, op);
                parallel_for(0, out.numel(), row_grain(inner), [&](std::int64_t b, std::int64_t e) {
                    KthPlace kth(inner);
                    for (std::int64_t i = b; i < e; ++i)
                        places[i] = place_of_median(p + i * inner, inner, ignore_nan, kth);
                });
                return;
            }
        for_rows<T, std::int64_t>(op, out, rows, inner, [ignore_nan](const T* p, std::int64_t n) {
            return place_of_median(p, n, ignore_nan);
        });
    });
}
void mode_place(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    dispatch_real(rows.scalar_type(), "mode", [&]<class T>() {
        for_rows<T, std::int64_t>("mode", out, rows, inner,
                                  [](const T* p, std::int64_t n) { return place_of_mode(p, n); });
    });
}

namespace {
/// Rows of T in, their results, which `f` computes in float64, out in the real type of T.
template <class T, class F>
void real_rows(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, F f) {
    if constexpr (complex_v<T>) {
        using P = typename T::value_type;
        for_rows<T, P>(op, out, rows, inner, [f](const T* p, std::int64_t n) { return P(f(p, n)); });
    } else for_rows<T, T>(op, out, rows, inner, [f](const T* p, std::int64_t n) { return T(Wide<T>(f(p, n))); });
}

template <class T> double spread_of(const T* row, std::int64_t n) {
    const double mean = in_blocks(row, n, row_kernels<T>.wide_sum, std::plus<>()) / double(n);
    const auto block = [mean](const T* p, std::int64_t some) { return row_kernels<T>.spread(p, some, mean); };
    return in_blocks(row, n, block, std::plus<>());
}
/// |v|^p summed over a block; the greatest or least |v| where p is infinite.
template <class T> double powers(const T* v, std::int64_t n, double p) {
    const auto size = [](const T& x) -> double {
        if constexpr (complex_v<T>) return std::abs(std::complex<double>(x));
        else return std::abs(double(Wide<T>(x)));
    };
    const auto sum = [&](auto f) {
        double r = 0;
        for (std::int64_t i = 0; i < n; ++i) r += f(size(v[i]));
        return r;
    };
    if (std::isinf(p)) {
        double r = p > 0 ? 0 : p * -1;
        for (std::int64_t i = 0; i < n; ++i) {
            const double a = size(v[i]);
            if (a != a) return a; // max and min pass over a NaN
            r = p > 0 ? std::max(r, a) : std::min(r, a);
        }
        return r;
    }
    if (p == 0) return sum([](double a) { return double(a != 0); });
    if (p == 1) {
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) return row_kernels<T>.magnitudes(v, n);
        return sum([](double a) { return a; });
    }
    if (p == 2) {
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) return row_kernels<T>.squares(v, n);
        return sum([](double a) { return a * a; });
    }
    return sum([p](double a) { return std::pow(a, p); });
}
} // namespace

// Two passes, in float64 throughout: the mean, then the squared distances from it. The sum of squares less the square
// of the sum would cancel where the mean is large.
void variance(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, double correction, bool root) {
    dispatch_floating_complex(rows.scalar_type(), op, [&]<class T>() {
        using W = std::conditional_t<complex_v<T>, std::complex<double>, double>;
        const auto wide = [](const T& v) -> W {
            if constexpr (complex_v<T>) return W(v);
            else return W(Wide<T>(v));
        };
        real_rows<T>(op, out, rows, inner, [=](const T* p, std::int64_t n) {
            const auto finished = [=](double s) {
                s /= std::max(0.0, double(n) - correction);
                return root ? std::sqrt(s) : s;
            };
            if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) return finished(spread_of(p, n));
            W mean{};
            for (std::int64_t i = 0; i < n; ++i) mean += wide(p[i]);
            mean /= double(n);
            double s = 0;
            for (std::int64_t i = 0; i < n; ++i) s += std::norm(wide(p[i]) - mean);
            return finished(s);
        });
    });
}

void vector_norm(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, double p) {
    dispatch_floating_complex(rows.scalar_type(), op, [&]<class T>() {
        real_rows<T>(op, out, rows, inner, [=](const T* row, std::int64_t length) -> double {
            const auto block = [p](const T* v, std::int64_t n) { return powers(v, n, p); };
            const double r = in_blocks(row, length, block, [p](double a, double b) {
                if (!std::isinf(p)) return a + b;
                if (a != a || b != b) return a + b;
                return p > 0 ? std::max(a, b) : std::min(a, b);
            });
            if (p == 2) return std::sqrt(r);
            return std::isinf(p) || p == 0 || p == 1 ? r : std::pow(r, 1 / p);
        });
    });
}

void logsumexp(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    dispatch_floating_complex(rows.scalar_type(), "logsumexp", [&]<class T>() {
        using W = Wide<T>;
        for_rows<T, T>("logsumexp", out, rows, inner, [](const T* p, std::int64_t n) {
            using R = decltype(std::abs(W()));
            R best = -std::numeric_limits<R>::infinity();
            if constexpr (!complex_v<T>) best = n > 0 ? R(p[row_kernels<T>.largest(p, n)]) : best;
            else
                for (std::int64_t i = 0; i < n; ++i) {
                    const R v = std::real(W(p[i]));
                    if (v != v || v > best) best = v;
                    if (v != v) break;
                }
            // The largest exponent becomes 0, so that nothing overflows; an infinite one must not meet itself, as
            // inf - inf is NaN: exp gives 0 or infinity there without help.
            const R shift = std::isinf(best) ? R(0) : best;
            W s(0);
            if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
                s = row_kernels<T>.exponentials(p, n, shift);
            else
                for (std::int64_t i = 0; i < n; ++i) s += std::exp(W(p[i]) - shift);
            return T(std::log(s) + shift);
        });
    });
}

} // namespace reel::cpu
