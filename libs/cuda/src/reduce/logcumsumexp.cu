// Running logarithms of sums of exponentials.
#include <reel/autograd/kernels/scan.hpp>

#include <limits>

#include "scan.cuh"

namespace reel::cuda {

namespace {

/// log(e^a + e^b).
template <class R> __device__ R log_add_exp(const R& a, const R& b) {
    using P = real_t<R>;
    if (is_nan(a)) return a;
    if (is_nan(b)) return b;
    const bool less = real_part(a) < real_part(b);
    const R low = less ? a : b, high = less ? b : a;
    if (std::isinf(real_part(high))) return high;
    if (std::isinf(real_part(low))) return high;
    const R d = exponential(low - high);
    if constexpr (is_complex_number<R>) // log1p of a complex number: its modulus by log1p, its argument as it is
        return high + R(P(0.5) * std::log1p(d.re * (P(2) + d.re) + d.im * d.im), std::atan2(d.im, P(1) + d.re));
    else return std::log1p(d) + high;
}

template <class T> struct LogCumSumExp {
    using State = wider_t<T>;
    Elements<T> out, in;

    __device__ State nothing() const { return State(-std::numeric_limits<real_t<State>>::infinity()); }
    __device__ State at(std::int64_t row, std::int64_t i, std::int64_t length) const {
        return State(in[row * length + i]);
    }
    __device__ State join(const State& a, const State& b) const { return log_add_exp(a, b); }
    __device__ void put(std::int64_t row, std::int64_t i, const State& s, std::int64_t length) const {
        out.put(row * length + i, s);
    }
};

void logcumsumexp(const Tensor& out, const Tensor& rows) {
    for_dtype<floats | halves | complexes>("logcumsumexp", out, [&]<class T>() {
        scan_rows("logcumsumexp", out, LogCumSumExp<T>{Elements<T>(out), Elements<T>(rows)}, line_count(rows),
                  line_length(rows));
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::logcumsumexp.set(kCUDA, &logcumsumexp);
    return true;
}();

} // namespace

} // namespace reel::cuda
