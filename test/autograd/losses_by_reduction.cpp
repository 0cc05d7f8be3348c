#include <reel/autograd/losses_by_reduction.hpp>

#include "shape_helpers.hpp"

using namespace reel;

BOOST_AUTO_TEST_SUITE(losses_by_reduction)

BOOST_AUTO_TEST_CASE(the_reduction_stands_where_libtorch_has_it) {
    manual_seed(0);
    const Tensor scores = log_softmax(randn({4, 3}), 1), target = tensor({0, 2, 1, 2}), weight = tensor({1., 2., 0.5});
    BOOST_TEST(nll_loss(scores, target, weight, Reduction::Sum, 2).equal(nll_loss(scores, target, weight, 2, "sum")));
    BOOST_TEST(nll_loss(scores, target, {}, Reduction::None).equal(nll_loss(scores, target, {}, -100, "none")));
    BOOST_TEST(cross_entropy_loss(scores, target).equal(cross_entropy(scores, target)));
    BOOST_TEST(cross_entropy_loss(scores, target, weight, Reduction::Sum, 1, 0.25)
                   .equal(cross_entropy(scores, target, weight, 1, "sum", 0.25)));
    const Tensor x = randn({4}), y = rand({4}), w = rand({4}), p = rand({4});
    BOOST_TEST(binary_cross_entropy_with_logits(x, y, w, p, Reduction::Sum)
                   .equal(binary_cross_entropy_with_logits(x, y, w, "sum", p)));
    BOOST_TEST(
        binary_cross_entropy_with_logits(x, y, w, p).equal(binary_cross_entropy_with_logits(x, y, w, "mean", p)));
}

BOOST_AUTO_TEST_SUITE_END()
