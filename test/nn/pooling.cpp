// Power pooling.
#include <reel/nn/modules/pooling.hpp>

#include <boost/test/unit_test.hpp>

#include <limits>

#include <reel/autograd/gradcheck.hpp>
#include <reel/nn/factory.hpp>

#include "testing.hpp"

using namespace reel;
using namespace reel::testing;
namespace F = reel::nn::functional;

namespace {
double apart(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }
} // namespace

BOOST_AUTO_TEST_SUITE(pooling)

BOOST_AUTO_TEST_CASE(power_pooling_is_the_norm_of_each_window) {
    const Tensor x = rand({2, 3, 7}, TensorOptions(kDouble)) + 0.1;
    const Tensor want = x.unfold(2, 3, 2).pow(3.).sum(-1).pow(1 / 3.);
    BOOST_TEST(apart(nn::LPPool1d(nn::LPPool1dOptions(3, 3).stride(2))(x), want) < 1e-12);
    BOOST_TEST(apart(F::lp_pool1d(x, F::LPPool1dFuncOptions(3, 3).stride(2)), want) < 1e-12);
    const Tensor image = rand({2, 3, 6, 8}, TensorOptions(kDouble));
    const Tensor squares = image.unfold(2, 2, 2).unfold(3, 4, 4).pow(2).sum({-1, -2}).sqrt();
    BOOST_TEST(apart(nn::LPPool2d(2, ExpandingArray<2>({2, 4}))(image), squares) < 1e-12);
    const Tensor sums = nn::LPPool3d(1, 2)(image);
    BOOST_TEST(sums.sizes() == IntArrayRef({2, 1, 3, 4}));
    BOOST_TEST(std::abs(sums.sum().item<double>() - image.narrow(1, 0, 2).sum().item<double>()) < 1e-10);
}
BOOST_AUTO_TEST_CASE(power_pooling_has_derivatives) {
    const auto fn = [](const Tensor& x) { return reel::lp_pool2d(x, 3., {2, 2}, IntArrayRef({1, 2})); };
    const Tensor x = (rand({1, 2, 3, 4}, TensorOptions(kDouble)) + 0.5).requires_grad_();
    BOOST_TEST(autograd::gradcheck(fn, {x}));
    BOOST_TEST(autograd::gradgradcheck(fn, {x}));
}
BOOST_AUTO_TEST_CASE(printing) {
    BOOST_TEST(nn::LPPool1d(nn::LPPool1dOptions(2, 3).stride(2))->repr() ==
               "LPPool1d(norm_type=2, kernel_size=3, stride=2, ceil_mode=False)");
    BOOST_TEST(nn::LPPool2d(nn::LPPool2dOptions(1.2, {3, 2}).stride({2, 1}).ceil_mode(true))->repr() ==
               "LPPool2d(norm_type=1.2, kernel_size=(3, 2), stride=(2, 1), ceil_mode=True)");
    BOOST_TEST(nn::LPPool3d(2, 3)->repr() == "LPPool3d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)");
}

BOOST_AUTO_TEST_CASE(unpooling_puts_maxima_back) {
    const Tensor x = reel::arange(16, TensorOptions(kDouble)).reshape({1, 1, 4, 4}).requires_grad_();
    nn::MaxPool2d pool(2);
    const auto [y, places] = pool->forward_with_indices(x);
    nn::MaxUnpool2d back(2);
    const Tensor z = back(y, places);
    BOOST_TEST(z.sizes() == IntArrayRef({1, 1, 4, 4}));
    BOOST_TEST(z.sum().item<double>() == 5 + 7 + 13 + 15);
    BOOST_TEST(z.select(2, 3).select(2, 1).item<double>() == 13);
    z.sum().backward();
    BOOST_TEST(x.grad().sum().item<double>() == 4);
    BOOST_TEST(back(y, places, std::vector<std::int64_t>{5, 4}).sizes() == IntArrayRef({1, 1, 5, 4}));
    const Value named =
        back->call_values({y}, {{"indices", places}, {"output_size", Value::list({Value(5), Value(4)})}});
    BOOST_TEST(named.toTensor().sizes() == IntArrayRef({1, 1, 5, 4}));
    BOOST_TEST(has(message_of<nn::ArgumentError>([&] { back->call_values({y}); }),
                   {"MaxUnpool2d", "argument 1 (indices) is missing"}));
    BOOST_TEST(back->repr() == "MaxUnpool2d(kernel_size=(2, 2), stride=(2, 2), padding=(0, 0))");
    BOOST_TEST(nn::make_module("MaxUnpool1d", {Value(3)}, {{"stride", 2}, {"padding", 1}})->repr() ==
               "MaxUnpool1d(kernel_size=(3,), stride=(2,), padding=(1,))");
}
BOOST_AUTO_TEST_CASE(infinite_power_means_are_maxima) {
    const double inf = std::numeric_limits<double>::infinity();
    const Tensor x = tensor({{1., -3., 2., 0.5}}).requires_grad_();
    const Tensor y = nn::LPPool1d(inf, 2)(x);
    BOOST_TEST(equal(y.detach(), tensor({{3., 2.}})));
    y.sum().backward();
    BOOST_TEST(equal(x.grad(), tensor({{0., -1., 1., 0.}})));
    BOOST_TEST(equal(nn::LPPool1d(-inf, 2)(x).detach(), tensor({{1., 0.5}})));
    const std::string text = message_of<ValueError>([&] { nn::LPPool1d(0, 2)(x); });
    BOOST_TEST(has(text, {"lp_pool1d", "norm_type must be a non-zero value"}), text);
}

BOOST_AUTO_TEST_SUITE_END()
