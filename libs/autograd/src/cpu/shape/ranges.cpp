// Evenly spaced numbers.
#include <reel/autograd/kernels/ranges.hpp>

#include <reel/autograd/host_data.hpp>
#include <reel/autograd/parallel.hpp>

#include "cpu/shape/row_updates.hpp"

namespace reel::cpu {

void count(const Tensor& out, std::int64_t start, std::int64_t step) {
    std::int64_t* const to = host_data<std::int64_t>(out, "arange");
    parallel_for(0, out.numel(), 1 << 15, [&](std::int64_t begin, std::int64_t end) {
        row_updates<std::int64_t>.count(to + begin, start, step, begin, end - begin);
    });
}

} // namespace reel::cpu
