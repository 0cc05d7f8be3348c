// What the interpreter of scripts adds to the ops that it calls.
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/script/module.hpp>

#include "bench.hpp"

namespace bench {

using namespace reel;

namespace {
constexpr int adds = 1000;
constexpr const char* text = "def forward(self, x: Tensor, y: Tensor, n: int):\n"
                             "    for i in range(n):\n"
                             "        x = x + y\n"
                             "    return x\n"
                             "def count(self, n: int):\n"
                             "    k = 0\n"
                             "    for i in range(n):\n"
                             "        k = (k * 3 + i) % 1001\n"
                             "    return k\n";
} // namespace

void scripts() {
    const jit::Module module("Chain");
    module.define(text);
    const Tensor x = randn({8}), y = randn({8});
    const NoGradGuard no_grad;
    const double in_script = median_us([&] { module.run_method("forward", x, y, adds); }, 20, 101, 1);
    const double in_cpp = median_us(
        [&] {
            Tensor z = x;
            for (int i = 0; i < adds; ++i) z = z + y;
        },
        20, 101, 1);
    row("script_1000_adds_of_8", in_script);
    row("script_1000_adds_of_8_in_cpp", in_cpp);
    // a trip is the op and the loop's own node
    figure("script_over_the_op_per_node", (in_script - in_cpp) * 1000 / adds, "ns");
    row("script_3000_sums_of_ints", median_us([&] { module.run_method("count", adds); }, 20, 101, 1));
}

} // namespace bench
