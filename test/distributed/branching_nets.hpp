// Nets whose parameters are shared, or not all used: of the tests of data parallelism and of the reference's runs.
#pragma once

#include <cstdint>

#include <reel/autograd/ops/pointwise/trigonometric.hpp>
#include <reel/nn/modules/linear.hpp>

namespace reel::testing {

/// Two layers with one weight.
struct TiedImpl : nn::Module {
    TiedImpl() {
        a = register_module("a", nn::Linear(6, 6));
        b = register_module("b", nn::Linear(nn::LinearOptions(6, 6).bias(false)));
        c = register_module("c", nn::Linear(6, 3));
        b->weight = b->register_parameter("weight", a->weight);
    }
    Tensor forward(const Tensor& x) { return c(tanh(b(tanh(a(x))))); }
    nn::Linear a{nullptr}, b{nullptr}, c{nullptr};
};
REEL_MODULE(Tied);

/// Takes one of two ways, or none.
struct BranchImpl : nn::Module {
    BranchImpl() {
        trunk = register_module("trunk", nn::Linear(6, 5));
        left = register_module("left", nn::Linear(5, 5));
        right = register_module("right", nn::Linear(5, 5));
        head = register_module("head", nn::Linear(5, 3));
    }
    Tensor forward(const Tensor& x) {
        const Tensor h = tanh(trunk(x));
        return head(which == 0 ? tanh(left(h)) : which == 1 ? tanh(right(h)) : h);
    }
    nn::Linear trunk{nullptr}, left{nullptr}, right{nullptr}, head{nullptr};
    std::int64_t which = 0;
};
REEL_MODULE(Branch);

} // namespace reel::testing
