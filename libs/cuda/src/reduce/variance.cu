// Variances and their roots.
#include <reel/autograd/kernels/reduce.hpp>

#include "moments.cuh"
#include "reduction.cuh"

namespace reel::cuda {

namespace {

template <class T> struct Variance {
    using M = std::conditional_t<is_complex_number<T>, Complex<double>, double>;
    using State = Moments<M>;
    static constexpr int per_pack = Elements<T>::per_pack;
    Elements<T> in;
    Elements<real_t<T>> out;
    std::int64_t length;
    double correction;
    bool root;

    __device__ State nothing() const { return State::none(); }
    __device__ void pack(State& s, std::int64_t row, std::int64_t i, std::int64_t end) const {
        M x[per_pack];
        int n = 0;
        in.pack(row * length + i, row * length + end, [&](number_t<T> v, std::int64_t) { x[n++] = M(v); });
        s = State::join(s, State::of(x, n));
    }
    __device__ State join(const State& a, const State& b) const { return State::join(a, b); }
    __device__ void finish(std::int64_t row, const State& s, std::int64_t n) const {
        const double by = double(n) - correction, v = s.squares / (by > 0 ? by : 0.0);
        out.put(row, root ? std::sqrt(v) : v);
    }
};

void variance(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, double correction, bool root) {
    for_dtype<floats | halves | complexes>(op, rows, [&]<class T>() {
        const Elements<real_t<T>> to(out);
        reduce_rows(op, out, Variance<T>{Elements<T>(rows), to, inner, correction, root}, out.numel(), inner);
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::variance.set(kCUDA, &variance);
    return true;
}();

} // namespace

} // namespace reel::cuda
