// What recording and running backwards costs.
#include <malloc.h>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include "bench.hpp"

namespace bench {

using namespace reel;

void tape() {
    if (wanted("add_8_grad")) {
        const Tensor a = randn({8}).requires_grad_(), b = randn({8});
        row("add_8_grad", median_us([&] { Tensor c = a + b; }, 200, 31, 2000));
    }
    if (wanted("chain1000_mul_fwd+bwd")) {
        const Tensor a = randn({8}).requires_grad_();
        row("chain1000_mul_fwd+bwd", median_us(
                                         [&] {
                                             Tensor x = a;
                                             for (int i = 0; i < 1000; ++i) x = x * 1.0001;
                                             x.sum().backward();
                                             a.mutable_grad() = Tensor();
                                         },
                                         5, 31, 1));
    }
    if (wanted("bytes_per_node")) {
        // The chain keeps nothing but its nodes: their share of the heap.
        constexpr int n = 200000; // many, since the heap hands out slabs
        const Tensor a = randn({8}).requires_grad_();
        Tensor x = a * 1.0001;
        const std::size_t before = ::mallinfo2().uordblks;
        for (int i = 0; i < n; ++i) x = x * 1.0001;
        figure("bytes_per_node", double(::mallinfo2().uordblks - before) / n, "bytes");
    }
    if (wanted("small_linear_fwd+bwd(4x16x16)")) {
        const Tensor w = randn({16, 16}).requires_grad_(), x = randn({4, 16});
        row("small_linear_fwd+bwd(4x16x16)", median_us(
                                                 [&] {
                                                     linear(x, w).sum().backward();
                                                     w.mutable_grad() = Tensor();
                                                 },
                                                 100, 31, 200));
    }
}

} // namespace bench
