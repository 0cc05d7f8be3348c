// A program of a user: outside the tree, against an installed prefix.
#include <cstdio>

#include <reel/reel.hpp>

int main() {
    const reel::Tensor w = reel::ones({2, 3}).requires_grad_();
    (w * w).sum().backward();
    const double slope = w.grad().sum().item<double>();
    std::printf("%g\n", slope);
    return slope == 12 ? 0 : 1;
}
