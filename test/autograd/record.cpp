#include <reel/autograd/record.hpp>

#include "tape_helpers.hpp"

using namespace tape_test;

BOOST_AUTO_TEST_SUITE(recording)

namespace {
/// sum of i * x[i] over ten operands, recorded by hand.
Tensor weighted_sum(const std::vector<Tensor>& x) {
    Tensor out;
    {
        const NoGradGuard guard;
        out = zeros_like(x[0]);
        for (std::size_t i = 0; i < 10; ++i) out.add_(x[i] * double(i));
    }
    autograd::record("weighted_sum", {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]}, out,
                     {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9]},
                     [](autograd::RuleContext& c) -> autograd::GradList {
                         BOOST_TEST(c.num_saved() == 10u);
                         autograd::GradList grads;
                         for (std::size_t i = 0; i < 10; ++i) {
                             BOOST_TEST(c.saved(i).item<double>() == 100.0 + double(i));
                             grads.push_back(c.needs(i) ? c.grad() * double(i) : Tensor());
                         }
                         return grads;
                     });
    return out;
}
} // namespace

/// As many operands and saved tensors as a list has: there is no number that `record` stops at.
BOOST_AUTO_TEST_CASE(ten_operands_have_their_own_gradients) {
    std::vector<Tensor> x;
    for (int i = 0; i < 10; ++i) x.push_back(tensor({100.0 + i}, kDouble).requires_grad_(i != 4));
    const Tensor y = weighted_sum(x);
    BOOST_TEST(y.item<double>() == 45 * 100.0 + 285);
    y.backward();
    for (int i = 0; i < 10; ++i)
        if (i == 4) BOOST_TEST(!x[4].grad().defined());
        else BOOST_TEST(x[std::size_t(i)].grad().item<double>() == double(i));
}

BOOST_AUTO_TEST_SUITE_END()
