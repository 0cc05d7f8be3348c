// Evenly spaced numbers.
#include <reel/autograd/kernels/ranges.hpp>

#include "dispatch.cuh"
#include "for_each.cuh"

namespace reel::cuda {

namespace {

struct CountTo {
    std::int64_t* to;
    std::uint64_t start, step;
    __device__ void operator()(std::int64_t i) const { to[i] = std::int64_t(start + std::uint64_t(i) * step); }
};

void count(const Tensor& out, std::int64_t start, std::int64_t step) {
    for_each("arange", out.device().index(), out.numel(),
             CountTo{data<std::int64_t>(out), std::uint64_t(start), std::uint64_t(step)});
}

[[maybe_unused]] const bool attached = (kernels::count.set(kCUDA, &count), true);

} // namespace

} // namespace reel::cuda
