// Scans along rows.
#include <reel/autograd/kernels/scan.hpp>

#include <cmath>
#include <limits>

#include "cpu/reduce/log_cumsum.hpp"
#include "cpu/reduce/running_extrema.hpp"
#include "cpu/reduce/running_sums.hpp"
#include "cpu/rows.hpp"
#include "cpu/scratch.hpp"
#include "cpu/shape/convert.hpp"
#include "op/dispatch.hpp"

namespace reel::cpu {

namespace {

/// Running results are kept wider than the elements: float32 for 16 bits, float64 for float32. Integers wrap, which
/// unsigned ones do.
template <class T> struct RunningOf { using type = Wide<T>; };
template <> struct RunningOf<float> { using type = double; };
template <> struct RunningOf<std::complex<float>> { using type = std::complex<double>; };
template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) struct RunningOf<T> {
    using type = std::uint64_t;
};
template <class T> using Running = typename RunningOf<T>::type;

} // namespace

namespace {

/// Runs along lines, from `begin(first element)` on: `f(so far, element, its place)`. A line waits for itself at every
/// step; four of them side by side do not wait for each other.
template <class T, class Begin, class F>
void for_running_lines(const char* op, const Tensor& out, const Tensor& rows, bool backwards, Begin begin, F f) {
    if (out.numel() == 0) return;
    using R = Running<T>;
    constexpr std::int64_t together = 4;
    const std::int64_t n = rows.sizes().back(), lines = rows.numel() / n;
    const T* const in = static_cast<const T*>(host_data(rows, op));
    T* const to = static_cast<T*>(host_data(out, op));
    const auto run = [=]<std::int64_t count>(std::int64_t line, std::integral_constant<std::int64_t, count>) {
        R r[count] = {};
        for (std::int64_t k = 0; k < n; ++k) {
            const std::int64_t i = line * n + (backwards ? n - 1 - k : k);
#pragma GCC unroll 4
            for (std::int64_t l = 0; l < count; ++l) {
                r[l] = k == 0 ? R(begin(R(in[i + l * n]))) : R(f(r[l], R(in[i + l * n]), i + l * n));
                to[i + l * n] = T(r[l]);
            }
        }
    };
    parallel_for(0, (lines + together - 1) / together, row_grain(n * together), [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t line = b * together; line < std::min(lines, e * together); ++line)
            if (line + together <= lines && line % together == 0) {
                run(line, std::integral_constant<std::int64_t, together>());
                line += together - 1;
            } else run(line, std::integral_constant<std::int64_t, 1>());
    });
}

/// 16-bit rows are widened and rounded as a whole, by vectors.
template <class T> void narrow_cumsum(const Tensor& out, const Tensor& rows, bool backwards) {
    const ConvertFn widen = convert_kernel(kFloat, dtype_of<T>), round = convert_kernel(dtype_of<T>, kFloat);
    if (out.numel() == 0) return;
    constexpr std::int64_t together = 4; // that do not wait for each other
    const std::int64_t n = rows.sizes().back(), lines = rows.numel() / n;
    const T* const in = static_cast<const T*>(host_data(rows, "cumsum"));
    T* const to = static_cast<T*>(host_data(out, "cumsum"));
    parallel_for(0, (lines + together - 1) / together, row_grain(n * together), [&](std::int64_t b, std::int64_t e) {
        const Scratch wide(std::size_t(n * together) * sizeof(float));
        float* const x = wide.as<float>();
        for (std::int64_t line = b * together; line < std::min(lines, e * together); line += together) {
            const std::int64_t some = std::min(together, lines - line);
            widen(x, in + line * n, some * n);
            if (some < together) std::fill_n(x + some * n, (together - some) * n, 0.f);
            float r[together] = {};
            for (std::int64_t k = 0; k < n; ++k)
#pragma GCC unroll 4
                for (std::int64_t l = 0; l < together; ++l) {
                    float& each = x[l * n + (backwards ? n - 1 - k : k)];
                    each = r[l] += each;
                }
            round(to + line * n, x, some * n);
        }
    });
}
} // namespace

void cumsum(const Tensor& out, const Tensor& rows, bool backwards) {
    if (out.scalar_type() == kHalf) return narrow_cumsum<Half>(out, rows, backwards);
    if (out.scalar_type() == kBFloat16) return narrow_cumsum<BFloat16>(out, rows, backwards);
    constexpr std::int64_t worth_vectors = 16;
    const auto by_vectors = backwards ? running_sums.backwards : running_sums.forwards;
    if (out.scalar_type() == kFloat && by_vectors && rows.sizes().back() >= worth_vectors)
        return for_lines<float, float>("cumsum", out, rows, by_vectors);
    dispatch_all(out.scalar_type(), "cumsum", [&]<class T>() {
        for_running_lines<T>(
            "cumsum", out, rows, backwards, [](const auto& x) { return Running<T>{} + x; },
            [](const auto& sum, const auto& x, std::int64_t) { return sum + x; });
    });
}

void cumprod(const Tensor& out, const Tensor& rows) {
    dispatch_all(out.scalar_type(), "cumprod", [&]<class T>() {
        for_running_lines<T>(
            "cumprod", out, rows, false, [](const auto& x) { return x; },
            [](const auto& product, const auto& x, std::int64_t) { return product * x; });
    });
}

namespace {
/// Extrema so far of `count` lines side by side, which do not wait for each other, and where they stand.
template <bool Max, bool nans, std::int64_t count, class T>
void extrema_of_lines(const T* in, T* values, std::int64_t* places, std::int64_t n) {
    using W = Wide<T>;
    W best[count];
    std::int64_t where[count] = {};
    for (std::int64_t l = 0; l < count; ++l) best[l] = W(in[l * n]);
    for (std::int64_t i = 0; i < n; ++i)
#pragma GCC unroll 4
        for (std::int64_t l = 0; l < count; ++l) {
            const W v(in[l * n + i]);
            // The last of equals; NaN before numbers.
            bool better = !(Max ? v < best[l] : v > best[l]);
            if constexpr (nans) better = better && (is_nan(v) || !is_nan(best[l]));
            best[l] = better ? v : best[l];
            where[l] = better ? i : where[l];
            values[l * n + i] = T(best[l]);
            places[l * n + i] = where[l];
        }
}
template <class T> bool any_nan(const T* p, std::int64_t n) {
    bool any = false;
    for (std::int64_t i = 0; i < n; ++i) any |= is_nan(p[i]);
    return any;
}
template <bool Max, std::int64_t count, class T>
void extrema_in(const T* in, T* values, std::int64_t* places, std::int64_t n) {
    if constexpr (std::is_integral_v<T>) return extrema_of_lines<Max, false, count>(in, values, places, n);
    if constexpr (std::is_floating_point_v<T>) { // 16 bits are not worth code of their own
        const bool by_vectors = n >= 32 && n < std::int64_t(1) << 31;
        const auto kernel = Max ? running_extrema<T>.largest : running_extrema<T>.smallest;
        for (std::int64_t l = 0; by_vectors && l < count; ++l, in += n, values += n, places += n)
            if (!kernel(in, values, places, n)) extrema_of_lines<Max, true, 1>(in, values, places, n);
        if (by_vectors) return;
        if (!any_nan(in, count * n)) return extrema_of_lines<Max, false, count>(in, values, places, n);
    }
    extrema_of_lines<Max, true, count>(in, values, places, n);
}
template <bool Max, class T>
void extrema(const char* op, const Tensor& values, const Tensor& places, const Tensor& rows) {
    if (values.numel() == 0) return;
    constexpr std::int64_t together = 2; // more, 4 KB apart and with their results, do not fit in one set of a cache
    const std::int64_t n = rows.sizes().back(), lines = rows.numel() / n;
    const T* const in = static_cast<const T*>(host_data(rows, op));
    T* const to = static_cast<T*>(host_data(values, op));
    std::int64_t* const where = host_data<std::int64_t>(places, op);
    parallel_for(0, (lines + together - 1) / together, row_grain(n * together), [&](std::int64_t b, std::int64_t e) {
        std::int64_t line = b * together;
        const std::int64_t last = std::min(lines, e * together);
        for (; line + together <= last; line += together)
            extrema_in<Max, together>(in + line * n, to + line * n, where + line * n, n);
        for (; line < last; ++line) extrema_in<Max, 1>(in + line * n, to + line * n, where + line * n, n);
    });
}
} // namespace

void running_extremum(const char* op, const Tensor& values, const Tensor& places, const Tensor& rows, bool largest) {
    dispatch_real(values.scalar_type(), op, [&]<class T>() {
        largest ? extrema<true, T>(op, values, places, rows) : extrema<false, T>(op, values, places, rows);
    });
}

namespace {
template <class R> R log_add_exp(const R& x, const R& o) {
    if constexpr (complex_v<R>) {
        using P = typename R::value_type;
        if (is_nan(x) || is_nan(o)) return R(std::numeric_limits<P>::quiet_NaN(), std::numeric_limits<P>::quiet_NaN());
        const bool less = x.real() < o.real();
        const R low = less ? x : o, high = less ? o : x;
        if (std::isinf(high.real())) return high.real() > 0 || low.real() == high.real() ? high : low;
        if (std::isinf(low.real())) return high;
        const R d = std::exp(low - high);
        // log1p of a complex number: its modulus by log1p, its argument as it is
        const P re = d.real(), im = d.imag();
        return high + R(P(0.5) * std::log1p(re * (P(2) + re) + im * im), std::atan2(im, P(1) + re));
    } else {
        if (is_nan(x) || is_nan(o)) return std::numeric_limits<R>::quiet_NaN();
        const R low = std::min(x, o), high = std::max(x, o);
        if (std::isinf(high)) return high;
        return std::log1p(std::exp(low - high)) + high;
    }
}
} // namespace

namespace {
/// A row one by one, going on from `r`, the result so far, where there is one.
template <class T> Running<T> log_cumsum_one_by_one(const T* p, T* o, std::int64_t n, Running<T> r, bool goes_on) {
    for (std::int64_t i = 0; i < n; ++i) {
        r = i == 0 && !goes_on ? Running<T>(p[0]) : log_add_exp(Running<T>(p[i]), r);
        o[i] = T(r);
    }
    return r;
}
/// Block by block: by vectors, where the numbers allow it.
void log_cumsum_blocks(const float* p, float* o, std::int64_t n) {
    double most = 0, sum = 0; // so far the sum is sum e^most
    for (std::int64_t first = 0; first < n; first += LogCumsum::block) {
        const std::int64_t m = std::min(LogCumsum::block, n - first);
        if (log_cumsum.go_on(p + first, o + first, m, most, sum)) continue;
        most = log_cumsum_one_by_one(p + first, o + first, m, std::log(sum) + most, first > 0);
        sum = 1;
    }
}
} // namespace

void logcumsumexp(const Tensor& out, const Tensor& rows) {
    dispatch_floating_complex(out.scalar_type(), "logcumsumexp", [&]<class T>() {
        for_lines<T, T>("logcumsumexp", out, rows, [](const T* p, T* o, std::int64_t n) {
            if constexpr (std::is_same_v<T, float>) log_cumsum_blocks(p, o, n);
            else log_cumsum_one_by_one(p, o, n, Running<T>{}, false);
        });
    });
}

void recurrence(const Tensor& out, const Tensor& rows, const Tensor& factors, bool backwards) {
    dispatch_floating_complex(out.scalar_type(), "recurrence", [&]<class T>() {
        const T* const factor = static_cast<const T*>(host_data(factors, "recurrence"));
        for_running_lines<T>(
            "recurrence", out, rows, backwards, [](const auto& x) { return x; },
            [factor](const auto& r, const auto& x, std::int64_t i) { return x + Running<T>(factor[i]) * r; });
    });
}

void reverse(const Tensor& out, const Tensor& rows) {
    dispatch_all(out.scalar_type(), "reverse", [&]<class T>() {
        for_lines<T, T>("reverse", out, rows, [](const T* p, T* o, std::int64_t n) { std::reverse_copy(p, p + n, o); });
    });
}

} // namespace reel::cpu
