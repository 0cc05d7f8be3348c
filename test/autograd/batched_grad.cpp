// Gradients for many seeds at once.
#include <reel/autograd/batched_grad.hpp>

#include "tape_helpers.hpp"

using namespace tape_test;
using autograd::grad;
using autograd::grad_batched;

BOOST_AUTO_TEST_SUITE(batched_grad)

BOOST_AUTO_TEST_CASE(rows_of_a_jacobian) {
    const Tensor x = leaf({1, 2, 3});
    const Tensor y = x * x * x;
    const auto rows = grad_batched({y}, {x}, {eye(3, std::nullopt, kDouble)});
    BOOST_TEST(rows[0].sizes() == IntArrayRef({3, 3}));
    BOOST_TEST(list(rows[0]) == (V{3, 0, 0, 0, 12, 0, 0, 0, 27}), boost::test_tools::per_element());
    BOOST_CHECK_EXCEPTION(grad({y}, {x}, {ones({3}, kDouble)}), Error, says("a second time")); // released at the end
}

BOOST_AUTO_TEST_CASE(as_that_many_passes) {
    const Tensor x = leaf({1, 2}), w = leaf({3, 4}), unused = leaf({1});
    const Tensor a = x * w, b = x.sum();
    const Tensor seeds_a = rand({4, 2}, kDouble), seeds_b = rand({4}, kDouble);
    const auto all = grad_batched({a, b}, {x, w, unused}, {seeds_a, seeds_b}, true, true, true);
    BOOST_TEST(!all[2].defined());
    for (std::int64_t i = 0; i < 4; ++i) {
        const auto one = grad({a, b}, {x, w}, {seeds_a[i], seeds_b[i]}, true);
        BOOST_CHECK(allclose(all[0][i], one[0]));
        BOOST_CHECK(allclose(all[1][i], one[1]));
    }
    all[1].sum().backward(); // through the gradients, to x
    BOOST_CHECK(allclose(x.grad(), seeds_a.sum(0)));
    const auto zeros = grad_batched({a}, {unused}, {seeds_a}, true, false, std::nullopt, true);
    BOOST_TEST(list(zeros[0]) == (V{0, 0, 0, 0}), boost::test_tools::per_element());
    BOOST_TEST(grad_batched({a}, {x}, {empty({0, 2}, kDouble)}, true)[0].sizes() == IntArrayRef({0, 2}));
}

BOOST_AUTO_TEST_CASE(errors) {
    const Tensor x = leaf({1, 2});
    const Tensor y = x * 2.0, z = x.sum();
    BOOST_CHECK_EXCEPTION(grad_batched({y}, {x}, {ones({2}, kDouble)}), Error,
                          says("gradient 0 has shape [2]", "the shape [2] of output 0"));
    BOOST_CHECK_EXCEPTION(grad_batched({y, z}, {x}, {ones({3, 2}, kDouble), ones({2}, kDouble)}), Error,
                          says("gradient 1 is a batch of 2", "batches of 3"));
    BOOST_CHECK_EXCEPTION(grad_batched({y}, {x}, {}), Error, says("0 batches of gradients for 1 outputs"));
}

BOOST_AUTO_TEST_SUITE_END()
