// The logarithm of a sum of exponentials, in one pass: sums are kept for the greatest exponent so far.
#include <reel/autograd/kernels/reduce.hpp>

#include <limits>

#include "reduction.cuh"

namespace reel::cuda {

namespace {

template <class W> struct ScaledSum {
    real_t<W> best;
    W sum; ///< of exp(x - shift)

    /// An infinite exponent must not meet itself, as inf - inf is NaN: exp gives 0 or infinity there without help.
    __device__ real_t<W> shift() const { return std::isinf(best) ? real_t<W>(0) : best; }
};

template <class T> struct LogSumExp : DenseRows<T, LogSumExp<T>> {
    using W = number_t<T>;
    using R = real_t<W>;
    using State = ScaledSum<W>;
    Elements<T> out;

    __device__ State nothing() const { return {-std::numeric_limits<R>::infinity(), W(0)}; }
    __device__ void take(State& s, W v, std::int64_t) const {
        const State one{real_part(v), W(0)};
        s = join(s, State{one.best, exponential(v - W(one.shift()))});
    }
    __device__ State join(const State& a, const State& b) const {
        constexpr R least = -std::numeric_limits<R>::infinity();
        const bool take_a = is_nan(a.best) || a.best > b.best;
        State r{take_a ? a.best : b.best, W(0)};
        // what lies at the least exponent adds nothing, and has no scale
        if (a.best != least) r.sum = r.sum + a.sum * std::exp(a.shift() - r.shift());
        if (b.best != least) r.sum = r.sum + b.sum * std::exp(b.shift() - r.shift());
        return r;
    }
    __device__ void finish(std::int64_t row, const State& s, std::int64_t) const {
        out.put(row, logarithm(s.sum) + W(s.shift()));
    }
};

void logsumexp(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    for_dtype<floats | halves | complexes>("logsumexp", out, [&]<class T>() {
        reduce_rows("logsumexp", out, LogSumExp<T>{{rows, inner}, Elements<T>(out)}, out.numel(), inner);
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::logsumexp.set(kCUDA, &logsumexp);
    return true;
}();

} // namespace

} // namespace reel::cuda
