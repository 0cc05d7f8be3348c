// What counts as the derivative where there is none: the choices of the reference.
#include "derivative_helpers.hpp"

#include <limits>

using namespace derivative_test;

namespace {
const double nan_ = std::numeric_limits<double>::quiet_NaN();
}

BOOST_AUTO_TEST_SUITE(kink_conventions)

BOOST_AUTO_TEST_CASE(clamp_at_a_number_is_constant) {
    const Tensor x = point({-1, 0.5, 1, 2, nan_});
    const auto grad_of = [&](auto f) { return orders([&](const variable_list& v) { return f(v[0]); }, {x}).reverse; };
    REEL_TEST_NEAR(grad_of([](const Tensor& t) { return clamp(t, -1, 1); }), 0, 1, 0, 0, 0);
    REEL_TEST_NEAR(grad_of([](const Tensor& t) { return clamp_min(t, 1); }), 0, 0, 0, 1, 0);
    REEL_TEST_NEAR(grad_of([](const Tensor& t) { return clamp_max(t, 1); }), 1, 1, 0, 0, 0);
    REEL_TEST_NEAR(grad_of([](const Tensor& t) { return clamp(t, 2, 1); }), 0, 0, 0, 0, 0);
    const Tensor y = x * 1;
    y.clamp_(-1, 1);
    REEL_TEST_NEAR(list(autograd::grad({y.sum()}, {x})[0]), 0, 1, 0, 0, 0);
}
BOOST_AUTO_TEST_CASE(clamp_shares_with_tensors) {
    const Tensor x = point({-1, 0.5, 1, 2}), b = point({-1, -1, 1, 3});
    REEL_TEST_ORDERS(orders([](const variable_list& v) { return clamp_min(v[0], v[1]); }, {x, b}),
                     ({0.5, 1, 0.5, 0, 0.5, 0, 0.5, 1}), ({1, 1, 1, 1}), ({0, 0, 0, 0, 0, 0, 0, 0}));
    REEL_TEST_ORDERS(orders([](const variable_list& v) { return clamp_max(v[0], v[1]); }, {x, b}),
                     ({0.5, 0, 0.5, 1, 0.5, 1, 0.5, 0}), ({1, 1, 1, 1}), ({0, 0, 0, 0, 0, 0, 0, 0}));
    // Below, at either bound, above; bounds that meet, below, there and above; bounds that cross.
    const Tensor z = point({-2, -1, 1, 2, 0, 1, 2, 2}), low = point({-1, -1, -1, -1, 1, 1, 1, 3}),
                 high = point({1, 1, 1, 1, 1, 1, 1, 1});
    const Orders o = orders([](const variable_list& v) { return clamp(v[0], v[1], v[2]); }, {z, low, high});
    REEL_TEST_NEAR(o.reverse, 0, 0.5, 0.5, 0, 0, 1, 0, 0, 1, 0.5, 0, 0, 1, 0, 0, 0, 0, 0, 0.5, 1, 0, 0, 1, 1);
    REEL_TEST_NEAR(o.forward, 1, 1, 1, 1, 1, 1, 1, 1);
}
BOOST_AUTO_TEST_CASE(extrema_of_two_share_at_ties) {
    const Tensor x = point({-1, 0.5, 1, 2, nan_, nan_}), o = point({-1, 1, 1, nan_, -1, nan_});
    REEL_TEST_NEAR(orders([](const variable_list& v) { return fmax(v[0], v[1]); }, {x, o}).reverse, 0.5, 0, 0.5, 1, 0,
                   1, 0.5, 1, 0.5, 0, 1, 0);
    REEL_TEST_NEAR(orders([](const variable_list& v) { return fmin(v[0], v[1]); }, {x, o}).reverse, 0.5, 1, 0.5, 1, 0,
                   1, 0.5, 0, 0.5, 0, 1, 0);
}
BOOST_AUTO_TEST_CASE(losses_at_their_margin) {
    const Tensor one = ones({2}, kDouble);
    REEL_TEST_NEAR(orders([&](const variable_list& v) { return margin_ranking_loss(v[0], v[1], one, 0, "none"); },
                          {point({1, 0}), point({1, 1})})
                       .reverse,
                   0, -1, 0, 1);
    REEL_TEST_NEAR(
        orders([&](const variable_list& v) { return hinge_embedding_loss(v[0], -one, 1, "none"); }, {point({1, 0.5})})
            .reverse,
        0, -1);
}
BOOST_AUTO_TEST_CASE(second_derivatives_at_kinks_are_zero) {
    const Tensor x = point({0});
    REEL_TEST_ORDERS(orders([](const variable_list& v) { return elu(v[0]); }, {x}), ({1}), ({1}), ({0}));
    REEL_TEST_ORDERS(orders([](const variable_list& v) { return celu(v[0], 2); }, {x}), ({1}), ({1}), ({0}));
    const double slope = 1.6732632423543772848 * 1.0507009873554804934;
    REEL_TEST_ORDERS(orders([](const variable_list& v) { return selu(v[0]); }, {x}), ({slope}), ({slope}), ({0}));
    const double there = 1 / (1 + std::exp(-2));
    REEL_TEST_ORDERS(orders([](const variable_list& v) { return softplus(v[0], 1, 2); }, {point({2})}), ({there}),
                     ({there}), ({0}));
    REEL_TEST_ORDERS(orders([](const variable_list& v) { return prelu(v[0], v[1]); }, {point({0, -1}), point({0.25})}),
                     ({0.25, 0.25, -1}), ({0.25, -0.75}), ({0, 1, 1}));
    BOOST_TEST(
        std::isnan(orders([](const variable_list& v) { return softplus(v[0], 1, 2); }, {point({nan_})}).reverse[0]));
    check_gradients([](const Tensor& t) { return elu(t); }, {point({-1.5, 0.5})});
    check_gradients([](const Tensor& t) { return softplus(t, 2, 3); }, {point({-1.5, 0.5, 4})});
    check_gradients([](const variable_list& v) { return prelu(v[0], v[1]); }, {point({-1.5, 0.5}), point({0.25})});
}
BOOST_AUTO_TEST_CASE(the_angle_of_the_origin) {
    REEL_TEST_ORDERS(orders([](const variable_list& v) { return atan2(v[0], v[1]); }, {point({0}), point({0})}),
                     ({0, 0}), ({0}), ({0, 0}));
    check_gradients([](const variable_list& v) { return atan2(v[0], v[1]); }, {point({1, -2}), point({-1, 0.5})});
}
BOOST_AUTO_TEST_CASE(without_a_gap_shrinking_is_the_identity) {
    for (const double lambd : {0.0, 0.5}) {
        const V expected = lambd == 0 ? V{1, 1} : V{0, 1};
        BOOST_TEST(
            near(orders([=](const variable_list& v) { return hardshrink(v[0], lambd); }, {point({0, 1})}).reverse,
                 expected));
        BOOST_TEST(
            near(orders([=](const variable_list& v) { return softshrink(v[0], lambd); }, {point({0, 1})}).reverse,
                 expected));
    }
    REEL_TEST_NEAR(orders([](const variable_list& v) { return softshrink(v[0], 0.5); }, {point({0.5, -0.5})}).reverse,
                   0, 0);
}

BOOST_AUTO_TEST_SUITE_END()
