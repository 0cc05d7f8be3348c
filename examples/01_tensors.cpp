// Tensors: making them, looking at parts, broadcasting, and the first gradient.
#include <iostream>

#include <reel/autograd.hpp>

using reel::Tensor;
using namespace reel::indexing;

int main() {
    const Tensor a = reel::arange(6).to(reel::kFloat).reshape({2, 3});
    std::cout << a << '\n';

    // A part is a view: writing to it writes to the whole.
    const Tensor column = a.index({Slice(), 1});
    column.fill_(10);
    std::cout << a << "\nshares memory: " << std::boolalpha << column.is_alias_of(a) << '\n';

    // Shapes broadcast, dtypes promote, as in PyTorch.
    const Tensor scaled = a * reel::ones({2, 1}) + 0.5;
    std::cout << scaled.sizes() << ' ' << scaled.mean(1) << '\n';

    // What happens to w is recorded; backward() walks it in reverse.
    const Tensor w = reel::ones({3}).requires_grad_();
    const Tensor loss = reel::matmul(a, w).square().sum();
    loss.backward();
    std::cout << "loss " << loss.item<float>() << ", gradient " << w.grad() << '\n';

    // The same by hand: d/dw |a w|^2 = 2 a^T (a w)
    const Tensor by_hand = 2 * reel::matmul(a.t(), reel::matmul(a, reel::ones({3})));
    return (w.grad() - by_hand).abs().max().item<float>() < 1e-3f ? 0 : 1;
}
