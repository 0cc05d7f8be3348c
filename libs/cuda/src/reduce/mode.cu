// Modes: rows are sorted, runs of equal elements are measured, and the longest is taken.
#include <reel/autograd/kernels/reduce.hpp>
#include <reel/autograd/kernels/sort.hpp>

#include "scan.cuh"

namespace reel::cuda {

namespace {

/// To each element of a sorted row the length of its run up to it.
template <class T> struct RunLengths {
    using State = std::int64_t; ///< where the run begins
    Elements<T> values;
    std::int64_t* lengths;

    __device__ State nothing() const { return -1; }
    __device__ State at(std::int64_t row, std::int64_t i, std::int64_t n) const {
        return i == 0 || !(values[row * n + i] == values[row * n + i - 1]) ? i : -1;
    }
    __device__ State join(State a, State b) const { return a > b ? a : b; }
    __device__ void put(std::int64_t row, std::int64_t i, State begin, std::int64_t n) const {
        lengths[row * n + i] = i - begin + 1;
    }
};
__global__ void pick_kernel(std::int64_t* places, const std::int64_t* order, std::int64_t count, std::int64_t n) {
    for (std::int64_t row = first_place(); row < count; row += place_step()) places[row] = order[row * n + places[row]];
}

void mode_place(const Tensor& out, const Tensor& rows, std::int64_t inner) {
    const std::int64_t count = out.numel();
    if (count == 0) return;
    const Tensor values = rows.new_empty({count, inner}), order = rows.new_empty({count, inner}, kLong),
                 lengths = rows.new_empty({count, inner}, kLong);
    kernels::sort("mode", values, order, rows.view({count, inner}), false, true);
    for_dtype<floats | halves | whole>("mode", rows, [&]<class T>() {
        scan_rows("mode", rows, RunLengths<T>{Elements<T>(values), Elements<std::int64_t>(lengths).data}, count, inner);
    });
    // the first of the longest: of the least element; sorted stably, its run ends with the last place of the row
    kernels::extremum_place("mode", out, lengths, inner, true);
    const OnDevice on(out);
    launch("mode", pick_kernel, on.over(count), Elements<std::int64_t>(out).data, Elements<std::int64_t>(order).data,
           count, inner);
}

[[maybe_unused]] const bool attached = [] {
    kernels::mode_place.set(kCUDA, &mode_place);
    return true;
}();

} // namespace

} // namespace reel::cuda
