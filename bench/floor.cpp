// What a row cannot fall below: its bytes at the measured speed of a copy, its products at the measured speed of a
// large one.
#include <algorithm>
#include <cstring>
#include <memory>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>

#include "bench.hpp"

namespace bench {

namespace {

/// Bytes a microsecond, read and written ones alike: the faster of the C library's copy and Reel's, `bytes` large. What
/// fits into the caches moves faster.
double copy_speed(std::int64_t bytes) {
    const reel::NoGradGuard no_grad;
    const reel::Tensor from = reel::ones({bytes / 4}), to = reel::zeros({bytes / 4});
    const double plain = median_us([&] { std::memcpy(to.data_ptr(), from.data_ptr(), std::size_t(bytes)); }, 1, 9, 1),
                 own = median_us([&] { to.copy_(from); }, 1, 9, 1);
    return 2 * double(bytes) / std::min(plain, own);
}
/// Floating operations a microsecond in a product of float32 matrices.
double product_speed() {
    const reel::NoGradGuard no_grad;
    const std::int64_t n = 1024;
    const reel::Tensor a = reel::randn({n, n}), b = reel::randn({n, n});
    return 2 * double(n * n * n) / median_us([&] { reel::mm(a, b); }, 1, 5, 1);
}

} // namespace

double floor_us(const Work& work) {
    static const double products = product_speed();
    // as much memory as the row walks over, but at most what no cache holds
    const double moved = work.bytes > 0 ? copy_speed(std::clamp<std::int64_t>(work.bytes / 2, 1 << 20, 1 << 26)) : 1;
    return std::max(work.bytes / moved, work.flops / products);
}
void row(const char* name, double us, const Work& work) {
    row(name, us);
    row((std::string(name) + ".floor").c_str(), floor_us(work));
}

} // namespace bench
