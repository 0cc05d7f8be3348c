// Medians.
#include <reel/autograd/kernels/reduce.hpp>

#include "select.cuh"

namespace reel::cuda {

namespace {

template <class T> struct Median {
    Elements<T> in;
    std::int64_t* places;
    bool ignore_nan;

    __device__ void operator()(const BlockTeam& team, std::int64_t row, std::int64_t n, bool) const {
        const std::int64_t nan = count_nan(team, in, row * n, n), numbers = n - nan;
        // the first NaN follows all numbers
        const std::int64_t rank = nan > 0 && !ignore_nan ? numbers : (numbers > 0 ? numbers - 1 : 0) / 2;
        const std::int64_t place = place_of_rank(team, in, row * n, n, rank);
        if (team.me == 0) places[row] = place;
    }
};

void median_place(const char* op, const Tensor& out, const Tensor& rows, std::int64_t inner, bool ignore_nan) {
    for_dtype<floats | halves | whole>(op, rows, [&]<class T>() {
        const Median<T> program{Elements<T>(rows), Elements<std::int64_t>(out).data, ignore_nan};
        over_blocks(op, OnDevice(out), program, out.numel(), inner);
    });
}

[[maybe_unused]] const bool attached = [] {
    kernels::median_place.set(kCUDA, &median_place);
    return true;
}();

} // namespace

} // namespace reel::cuda
