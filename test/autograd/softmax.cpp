// Softmax, its logarithm, and reductions under a mask.
#include <reel/autograd/kernels/softmax.hpp>

#include "shape_helpers.hpp"

#include <cmath>

#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

BOOST_AUTO_TEST_SUITE(softmax_)

BOOST_AUTO_TEST_CASE(rows_sum_to_one) {
    const Tensor x = numbers({3, 5});
    for (const std::int64_t dim : {0, 1, -1}) {
        BOOST_TEST(allclose(softmax(x, dim).sum(dim), ones({dim == 0 ? 5 : 3}, kDouble)));
        BOOST_TEST(allclose(exp(log_softmax(x, dim)), softmax(x, dim)));
        BOOST_TEST(allclose(softmin(x, dim), softmax(-x, dim)));
        check_gradients([dim](const Tensor& t) { return softmax(t, dim) * log_softmax(t, dim); }, {leaf({2, 3})});
    }
    REEL_TEST_LIST(softmax(tensor({1000., 1000.}, kDouble), 0), 0.5, 0.5); // no overflow
    BOOST_TEST((softmax(ones({2}, kLong), 0, kDouble).scalar_type() == kDouble));
    BOOST_TEST(message<NotImplementedError>([] { softmax(ones({2}, kLong), 0); }).find("softmax") == 0u);
    BOOST_TEST(message<IndexError>([&] { softmax(x, 2); }).find("softmax") == 0u);
}

BOOST_AUTO_TEST_CASE(any_dimension_is_as_the_last) {
    for (const ScalarType t : {kFloat, kDouble, kBFloat16})
        for (const std::int64_t inner : {3, 64, 131}) { // less than a strip, one, and a rest
            const Tensor x = (numbers({2, 9, inner}) * 3).to(t), g = numbers({2, 9, inner}).cos().to(t);
            for (const bool logarithm : {false, true}) {
                const auto f = [&](const Tensor& a, std::int64_t d) {
                    return logarithm ? log_softmax(a, d) : softmax(a, d);
                };
                const auto both = [&](const Tensor& a, const Tensor& slope, std::int64_t d) {
                    const Tensor leaf = a.detach().requires_grad_(), y = f(leaf, d);
                    return std::vector<Tensor>{y.detach(), autograd::grad({y}, {leaf}, {slope})[0]};
                };
                const std::vector<Tensor> middle = both(x, g, 1), last = both(x.transpose(1, 2), g.transpose(1, 2), 2);
                const double close = t == kDouble ? 1e-12 : t == kFloat ? 1e-5 : 0.03;
                for (std::size_t i = 0; i < 2; ++i)
                    BOOST_TEST(allclose(middle[i].to(kDouble), last[i].transpose(1, 2).to(kDouble), close, close));
            }
        }
    check_gradients([](const Tensor& t) { return softmax(t, 1) + log_softmax(t, 0); }, {leaf({2, 3, 2})});
}

BOOST_AUTO_TEST_CASE(masks_leave_elements_out) {
    const Tensor x = tensor({1., 2., 4.}, kDouble), mask = tensor({true, false, true});
    REEL_TEST_LIST(masked_sum(x, std::nullopt, false, std::nullopt, mask), 5);
    REEL_TEST_LIST(masked_mean(x, std::nullopt, false, std::nullopt, mask), 2.5);
    REEL_TEST_LIST(masked_amin(tensor({3, 1, 2}), std::nullopt, false, std::nullopt, mask), 2);
    REEL_TEST_LIST(masked_var(x, std::nullopt, false, std::nullopt, false, std::nullopt, mask), 2.25);
    BOOST_TEST(masked_softmax(x, 0, std::nullopt, mask).select(0, 1).item<double>() == 0);
    check_gradients([&](const Tensor& t) { return masked_log_softmax(t, 0, std::nullopt, mask).masked_select(mask); },
                    {leaf({3})});
    BOOST_TEST(message([&] { masked_sum(x, std::nullopt, false, std::nullopt, x); }).find("expected bool") !=
               std::string::npos);
    BOOST_TEST(message([&] {
                   masked_sum(x, std::nullopt, false, std::nullopt, tensor({true, true}));
               }).find("masked.sum") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
