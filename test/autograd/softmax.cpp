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
