// Optional arguments of ops by name.
#include <reel/autograd/keywords.hpp>

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <reel/autograd.hpp>

#include "message.hpp"

using namespace reel;
using reel::testing::message;

BOOST_AUTO_TEST_SUITE(keywords)

BOOST_AUTO_TEST_CASE(names_say_what_positions_say) {
    const Tensor x = arange(12.).reshape({3, 4}).sin(), y = arange(8.).reshape({4, 2}), z = ones({3, 2});
    const auto same = [](const Tensor& a, const Tensor& b) { return a.sizes().equals(b.sizes()) && equal(a, b); };
    BOOST_TEST(same(std::get<0>(topk(x, 2, kw::topk{.largest = false})), std::get<0>(topk(x, 2, -1, false))));
    BOOST_TEST(same(std::get<1>(topk(x, 2, kw::topk{})), std::get<1>(topk(x, 2))));
    BOOST_TEST(same(addmm(z, x, y, kw::addmm{.alpha = 0.5}), addmm(z, x, y, 1, 0.5)));
    BOOST_TEST(same(reel::std(x, kw::std{.dim = 1, .keepdim = true}), x.std(IntArrayRef{1}, std::nullopt, true)));
    BOOST_TEST(same(reel::std(x, kw::std{.dim = {0, 1}, .correction = 0}), x.std(IntArrayRef{0, 1}, Scalar(0))));
    BOOST_TEST(same(reel::std(x, kw::std{.correction = 0}), x.std(std::nullopt, Scalar(0))));
}
BOOST_AUTO_TEST_CASE(lists_are_held_by_value) {
    const Tensor image = arange(72.).reshape({1, 2, 6, 6}), weight = ones({3, 2, 3, 3});
    const kw::conv2d kept{.stride = {2, 1}, .padding = 1};
    BOOST_TEST(equal(conv2d(image, weight, kept), conv2d(image, weight, {}, {2, 1}, IntArrayRef{1, 1})));
    const Tensor twice = interpolate(image, kw::interpolate{.scale_factor = 2, .mode = "bilinear"});
    BOOST_TEST(twice.size(3) == 12);
    BOOST_TEST(equal(twice, interpolate(image, kw::interpolate{.size = {12, 12}, .mode = "bilinear"})));
}
BOOST_AUTO_TEST_CASE(gradients_and_errors_are_the_ops_own) {
    const Tensor x = ones({2, 3}).requires_grad_();
    linalg_norm(x, kw::linalg_norm{.dim = 1}).sum().backward();
    BOOST_TEST(allclose(x.grad(), full({2, 3}, 1 / std::sqrt(3.))));
    BOOST_TEST(message([&] { topk(x, 2, kw::topk{.dim = 7}); }) == message([&] { topk(x, 2, 7); }));
    static_assert(requires { kw::cross_entropy{.label_smoothing = 0.1}; });
}

BOOST_AUTO_TEST_SUITE_END()
