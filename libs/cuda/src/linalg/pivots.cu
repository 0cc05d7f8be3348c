// Where rows stand after the exchanges of a factorization.
#include <reel/autograd/kernels/linalg.hpp>

#include "for_each.cuh"

namespace reel::cuda {

namespace {

/// A matrix for each thread: exchanges follow one another.
struct Exchange {
    std::int64_t* order;
    const std::int32_t* pivots;
    std::int64_t rows, count;
    __device__ void operator()(std::int64_t matrix) const {
        std::int64_t* const own = order + matrix * rows;
        for (std::int64_t r = 0; r < rows; ++r) own[r] = r;
        for (std::int64_t r = 0; r < count; ++r) {
            const std::int64_t other = pivots[matrix * count + r] - 1, stood = own[r];
            own[r] = own[other];
            own[other] = stood;
        }
    }
};
void lu_order(const char* op, const Tensor& order, const Tensor& pivots) {
    if (order.numel() == 0) return;
    const std::int64_t rows = order.size(-1);
    for_each(op, order.device().index(), order.numel() / rows,
             Exchange{data<std::int64_t>(order), data<const std::int32_t>(pivots), rows, pivots.size(-1)});
}

[[maybe_unused]] const bool attached = (kernels::lu_order.set(kCUDA, &lu_order), true);

} // namespace

} // namespace reel::cuda
