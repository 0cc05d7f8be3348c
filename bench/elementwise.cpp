// Bandwidth: elementwise maps, a sum, a softmax, a transposing copy.
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "bench.hpp"

namespace bench {

using namespace reel;

void elementwise() {
    const NoGradGuard no_grad;
    const auto timed = [](const char* name, std::int64_t numbers, const std::function<void()>& f) {
        if (wanted(name)) row(name, median_us(f, 3, 21, 1), Work{numbers * 4});
    };
    if (wanted("add_8_nograd")) {
        const Tensor a = randn({8}), b = randn({8});
        row("add_8_nograd", median_us([&] { Tensor c = a + b; }, 200, 31, 2000));
    }
    if (wanted("add_16M")) {
        const Tensor a = randn({1 << 24}), b = randn({1 << 24});
        timed("add_16M", 3 << 24, [&] { Tensor c = a + b; });
    }
    const Tensor a = randn({1 << 22}), b = randn({1 << 22}), m = a.view({4096, 1024});
    timed("add_4M", 3 << 22, [&] { Tensor c = a + b; });
    timed("exp_4M", 2 << 22, [&] { Tensor c = a.exp(); });
    timed("gelu_4M", 2 << 22, [&] { Tensor c = gelu(a); });
    timed("sum_4M", 1 << 22, [&] { Tensor c = a.sum(); });
    timed("softmax_4096x1024", 2 << 22, [&] { Tensor c = m.softmax(-1); });
    timed("transpose_copy_4096x1024", 2 << 22, [&] { Tensor c = m.t().contiguous(); });
}

} // namespace bench
