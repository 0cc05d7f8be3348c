// Linear recurrences of first order as scans of the maps x -> factor x + term.
#include <reel/autograd/kernels/scan.hpp>

#include "scan.cuh"

namespace reel::cuda {

namespace {

template <class R> struct AffineMap {
    R factor, term;
    std::int64_t some; ///< zero: the identity, which must not meet infinite factors
};

template <class T> struct Recurrence {
    using R = wider_t<T>;
    using State = AffineMap<R>;
    Elements<T> out, in, factors;
    bool backwards;

    __device__ std::int64_t place(std::int64_t row, std::int64_t i, std::int64_t length) const {
        return row * length + (backwards ? length - 1 - i : i);
    }
    __device__ State nothing() const { return {R(1), R(0), 0}; }
    __device__ State at(std::int64_t row, std::int64_t i, std::int64_t length) const {
        const std::int64_t p = place(row, i, length);
        return {i == 0 ? R(0) : R(factors[p]), R(in[p]), 1};
    }
    __device__ State join(const State& a, const State& b) const {
        if (!a.some) return b;
        if (!b.some) return a;
        return {a.factor * b.factor, b.term + b.factor * a.term, 1};
    }
    __device__ void put(std::int64_t row, std::int64_t i, const State& s, std::int64_t length) const {
        out.put(place(row, i, length), s.term);
    }
};

void recurrence(const Tensor& out, const Tensor& rows, const Tensor& factors, bool backwards) {
    for_dtype<floats | halves | complexes>("recurrence", out, [&]<class T>() {
        const Recurrence<T> rule{Elements<T>(out), Elements<T>(rows), Elements<T>(factors), backwards};
        scan_rows("recurrence", out, rule, line_count(rows), line_length(rows));
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::recurrence.set(kCUDA, &recurrence);
    return true;
}();

} // namespace

} // namespace reel::cuda
