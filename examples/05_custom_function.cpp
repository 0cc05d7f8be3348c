// A function with a gradient of one's own: rounding that lets gradients through.
#include <cstdio>

#include <reel/autograd.hpp>
#include <reel/autograd/function.hpp>

using reel::Tensor;
using reel::autograd::AutogradContext;
using reel::autograd::variable_list;

/// Rounds forward; backward it passes the gradient where the input lay within [-1, 1], and stops it elsewhere.
struct StraightThrough : reel::autograd::Function<StraightThrough> {
    static Tensor forward(AutogradContext* ctx, const Tensor& x, double step) {
        ctx->save_for_backward({x});
        return reel::round(x / step) * step;
    }
    static variable_list backward(AutogradContext* ctx, variable_list grad) {
        const Tensor x = ctx->get_saved_variables()[0];
        return {grad[0] * (x.abs() <= 1).to(x.scalar_type()), Tensor()}; // one entry per argument; a number has none
    }
};

int main() {
    const Tensor x = reel::linspace(-1.5, 1.5, 7).requires_grad_();
    const Tensor y = StraightThrough::apply(x, 0.25);
    y.sum().backward();
    for (std::int64_t i = 0; i < x.numel(); ++i)
        std::printf("x %5.2f -> %5.2f   gradient %.0f\n", x[i].item<double>(), y[i].item<double>(),
                    x.grad()[i].item<double>());
    return x.grad().sum().item<double>() == 5 ? 0 : 1;
}
