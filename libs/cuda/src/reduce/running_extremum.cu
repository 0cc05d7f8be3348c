// The greatest or least element so far.
#include <reel/autograd/kernels/scan.hpp>

#include "extremum.cuh"
#include "scan.cuh"

namespace reel::cuda {

namespace {

template <class T> struct RunningExtremum {
    using State = Extreme<order_t<T>>;
    Elements<T> values, in;
    std::int64_t* places;
    bool largest;

    __device__ State nothing() const { return {order_t<T>(0), -1}; }
    __device__ State at(std::int64_t row, std::int64_t i, std::int64_t length) const {
        return {order_t<T>(in[row * length + i]), i};
    }
    __device__ State join(const State& a, const State& b) const { return better(a, b, largest, true); }
    __device__ void put(std::int64_t row, std::int64_t i, const State& s, std::int64_t length) const {
        values.put(row * length + i, number_t<T>(s.value));
        places[row * length + i] = s.place;
    }
};

void running_extremum(const char* op, const Tensor& values, const Tensor& places, const Tensor& rows, bool largest) {
    for_dtype<floats | halves | whole>(op, values, [&]<class T>() {
        const RunningExtremum<T> rule{Elements<T>(values), Elements<T>(rows), Elements<std::int64_t>(places).data,
                                      largest};
        scan_rows(op, values, rule, line_count(rows), line_length(rows));
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::running_extremum.set(kCUDA, &running_extremum);
    return true;
}();

} // namespace

} // namespace reel::cuda
