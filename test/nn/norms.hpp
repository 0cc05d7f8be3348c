// What the tests of the norm variants share.
#pragma once

#include <functional>

#include <reel/nn/factory.hpp>

#include "nn/testing.hpp"

namespace reel::testing {

inline double farthest(const Tensor& a, const Tensor& b) {
    return (a.to(kDouble) - b.to(kDouble)).abs().max().item<double>();
}
/// Is `t`'s gradient of sum(f() * cotangent) what central differences say?
inline void check_gradient(const std::function<Tensor()>& f, const Tensor& t, double tolerance = 1e-6) {
    const Tensor cotangent = randn(f().sizes(), kDouble);
    t.mutable_grad() = Tensor();
    (f() * cotangent).sum().backward();
    BOOST_REQUIRE(t.grad().defined());
    const Tensor flat = t.detach().view({-1}), grad = t.grad().reshape({-1});
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
        const double h = 1e-6, at = flat[i].item<double>();
        const auto value = [&](double v) {
            flat[i].fill_(v);
            return (f() * cotangent).sum().item<double>();
        };
        const double slope = (value(at + h) - value(at - h)) / (2 * h);
        flat[i].fill_(at);
        BOOST_TEST(std::abs(slope - grad[i].item<double>()) < tolerance * (1 + std::abs(slope)),
                   "element " << i << ": gradient " << grad[i].item<double>() << ", differences " << slope);
    }
}
/// Parameters other than ones and zeros.
inline void disturb(nn::Module& m) {
    const NoGradGuard no_grad;
    for (const Tensor& p : m.parameters()) p.add_(rand(p.sizes(), p.options()) + 0.2);
}

} // namespace reel::testing
