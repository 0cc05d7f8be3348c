// Norms of rows.
#include <reel/autograd/kernels/reduce.hpp>

#include <limits>

#include "reduction.cuh"

namespace reel::cuda {

namespace {

enum class Norm { greatest, least, nonzero, sum, euclid, power };
Norm norm_of(double p) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return p == infinity    ? Norm::greatest
           : p == -infinity ? Norm::least
           : p == 0         ? Norm::nonzero
           : p == 1         ? Norm::sum
           : p == 2         ? Norm::euclid
                            : Norm::power;
}

template <class T> struct VectorNorm : DenseRows<T, VectorNorm<T>> {
    using State = double;
    Elements<real_t<T>> out;
    double p;
    Norm norm;

    __device__ State nothing() const { return norm == Norm::least ? std::numeric_limits<double>::infinity() : 0.0; }
    __device__ void take(State& s, number_t<T> v, std::int64_t) const {
        double size;
        if constexpr (is_complex_number<T>) size = modulus(Complex<double>(v));
        else size = std::abs(double(v));
        s = join(s, norm == Norm::nonzero  ? double(size != 0)
                    : norm == Norm::euclid ? size * size
                    : norm == Norm::power  ? std::pow(size, p)
                                           : size);
    }
    __device__ State join(State a, State b) const {
        if (norm != Norm::greatest && norm != Norm::least) return a + b;
        return is_nan(a) || (norm == Norm::greatest ? a > b : a < b) ? a : b;
    }
    __device__ void finish(std::int64_t row, State s, std::int64_t) const {
        out.put(row, norm == Norm::euclid ? std::sqrt(s) : norm == Norm::power ? std::pow(s, 1 / p) : s);
    }
};

void vector_norm(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, double p) {
    for_dtype<floats | halves | complexes>(op, rows, [&]<class T>() {
        const Elements<real_t<T>> to(out);
        reduce_rows(op, out, VectorNorm<T>{{rows, inner}, to, p, norm_of(p)}, out.numel(), inner);
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::vector_norm.set(kCUDA, &vector_norm);
    return true;
}();

} // namespace

} // namespace reel::cuda
