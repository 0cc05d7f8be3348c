// Extrema and their places.
#include "extremum.cuh"

#include <reel/autograd/kernels/reduce.hpp>

#include "reduction.cuh"

namespace reel::cuda {

namespace {

/// Writes the value or the place.
template <class T> struct Extremum : DenseRows<T, Extremum<T>> {
    using State = Extreme<order_t<T>>;
    Elements<T> values;
    std::int64_t* places; ///< or null
    bool largest;

    __device__ State nothing() const { return {order_t<T>(0), -1}; }
    __device__ void take(State& s, number_t<T> v, std::int64_t i) const {
        s = better(s, State{order_t<T>(v), i}, largest);
    }
    __device__ State join(const State& a, const State& b) const { return better(a, b, largest); }
    __device__ void finish(std::int64_t row, const State& s, std::int64_t) const {
        if (places) places[row] = s.place;
        else values.put(row, number_t<T>(s.value));
    }
};

void run(const char* op, const Tensor& out, std::int64_t* places, const Tensor& rows, std::int64_t inner,
         bool largest) {
    for_dtype<floats | halves | whole>(op, rows, [&]<class T>() {
        reduce_rows(op, out, Extremum<T>{{rows, inner}, Elements<T>(out), places, largest}, out.numel(), inner);
    });
}
void extremum(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, bool largest) {
    run(op, out, nullptr, rows, inner, largest);
}
void extremum_place(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, bool largest) {
    run(op, out, Elements<std::int64_t>(out).data, rows, inner, largest);
}

[[maybe_unused]] const bool attached = [] {
    kernels::extremum.set(kCUDA, &extremum);
    kernels::extremum_place.set(kCUDA, &extremum_place);
    return true;
}();

} // namespace

} // namespace reel::cuda
