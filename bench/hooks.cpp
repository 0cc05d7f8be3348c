// What only Reel has in C++: module calls, full backward hooks.
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/nn/modules/linear.hpp>

#include "bench.hpp"

namespace bench {

using namespace reel;

void hooks() {
    if (wanted("module_call_overhead")) {
        const NoGradGuard no_grad;
        nn::Identity identity;
        const Tensor x = randn({8});
        const double direct = median_us([&] { Tensor y = identity->forward(x); }, 1000, 31, 20000);
        const double call = median_us([&] { Tensor y = identity(x); }, 1000, 31, 20000);
        figure("module_call_overhead", (call - direct) * 1000, "ns");
    }
    if (wanted("full_backward_hook")) {
        // The same pass with and without a hook that looks at both tuples.
        const Tensor x = randn({8}).requires_grad_();
        const auto pass = [&](nn::Linear& m) {
            m(x).backward(Tensor(), std::nullopt, false);
            x.mutable_grad() = Tensor();
        };
        nn::Linear plain(8, 1), hooked(8, 1);
        int fired = 0;
        hooked->register_full_backward_hook(
            [&](nn::Module&, const std::vector<Tensor>& grad_input, const std::vector<Tensor>& grad_output) {
                fired += grad_input.size() == 1 && grad_output[0].defined();
            });
        const double without = median_us([&] { pass(plain); }, 1000, 31, 1000);
        const double with = median_us([&] { pass(hooked); }, 1000, 31, 1000);
        if (fired) row("full_backward_hook", with - without);
    }
}

} // namespace bench
