// Convolution layers: initialisation, padding, printing, refused options.
#include <reel/nn/modules/conv.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>
#include <reel/nn/factory.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(conv)

BOOST_AUTO_TEST_CASE(parameters_start_within_the_bounds_of_the_fan_in) {
    nn::Conv2d m(nn::Conv2dOptions(4, 6, 3));
    BOOST_TEST(m->weight.sizes() == IntArrayRef({6, 4, 3, 3}));
    BOOST_TEST(m->weight.requires_grad());
    const double bound = 1 / std::sqrt(36.0);
    BOOST_TEST(m->weight.abs().max().item<double>() <= bound);
    BOOST_TEST(m->bias.abs().max().item<double>() <= bound);
    BOOST_TEST(m->parameters().size() == 2U);
}
BOOST_AUTO_TEST_CASE(the_weight_is_drawn_before_the_bias) { // as PyTorch draws them
    manual_seed(3);
    nn::Conv2d m(nn::Conv2dOptions(1, 2, 2));
    manual_seed(3);
    const Tensor w = empty({2, 1, 2, 2}).uniform_(-0.5, 0.5), b = empty({2}).uniform_(-0.5, 0.5);
    BOOST_TEST((m->weight == w).all().item<bool>());
    BOOST_TEST((m->bias == b).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(same_padding_keeps_the_size_also_for_even_kernels) {
    const Tensor x = rand({2, 1, 6, 7});
    BOOST_TEST(nn::Conv2d(nn::Conv2dOptions(1, 3, {4, 3}).padding(kSame).dilation(2))(x).sizes() ==
               IntArrayRef({2, 3, 6, 7}));
    BOOST_TEST(nn::Conv2d(nn::Conv2dOptions(1, 3, 3).padding(kValid))(x).sizes() == IntArrayRef({2, 3, 4, 5}));
}
BOOST_AUTO_TEST_CASE(circular_padding_wraps_around) {
    nn::Conv1d m(nn::Conv1dOptions(1, 1, 3).padding(1).padding_mode(kCircular).bias(false));
    nn::init::ones_(m->weight);
    const Tensor y = m(arange(4, TensorOptions(kFloat)).reshape({1, 1, 4})); // 0 1 2 3
    BOOST_TEST(y.select(2, 0).item<double>() == 3 + 0 + 1);
    BOOST_TEST(y.select(2, 3).item<double>() == 2 + 3 + 0);
}
BOOST_AUTO_TEST_CASE(output_size_settles_a_transposed_convolution) {
    nn::ConvTranspose2d m(nn::ConvTranspose2dOptions(2, 3, 3).stride(2).padding(1));
    const Tensor x = rand({1, 2, 4, 4});
    BOOST_TEST(m(x).size(2) == 7);
    BOOST_TEST(m(x, std::vector<std::int64_t>{8, 7}).sizes() == IntArrayRef({1, 3, 8, 7}));
    BOOST_CHECK_THROW(m(x, std::vector<std::int64_t>{12, 7}), ValueError);
}
BOOST_AUTO_TEST_CASE(printing) { // M-29
    BOOST_TEST(nn::Conv2d(nn::Conv2dOptions(3, 8, 3).padding(1))->repr() ==
               "Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))");
    BOOST_TEST(nn::Conv1d(nn::Conv1dOptions(4, 8, 3).padding(kSame).groups(2).bias(false))->repr() ==
               "Conv1d(4, 8, kernel_size=(3,), stride=(1,), padding=same, groups=2, bias=False)");
}
BOOST_AUTO_TEST_CASE(by_name_from_python_arguments) {
    const auto m =
        nn::make_module("Conv2d", {Value(1), Value(16), Value(3)}, {{"padding", Value(1)}, {"bias", Value(false)}});
    BOOST_TEST(m->parameters().size() == 1U);
    BOOST_CHECK_THROW(nn::make_module("Conv2d", {Value(1), Value(16)}), TypeError);
    BOOST_CHECK_THROW(nn::make_module("Conv2d", {Value(1), Value(16), Value(3)}, {{"paddling", Value(1)}}), TypeError);
}
BOOST_AUTO_TEST_CASE(impossible_channel_counts_are_refused) {
    BOOST_CHECK_THROW(nn::Conv2d(nn::Conv2dOptions(3, 8, 3).groups(2)), ValueError);
    BOOST_CHECK_THROW(nn::Conv2d(nn::Conv2dOptions(0, 8, 3)), ValueError);
    BOOST_CHECK_THROW(nn::Conv2d(nn::Conv2dOptions(4, 8, 3).groups(0)), ValueError);
    BOOST_CHECK_THROW(nn::Conv2d(nn::Conv2dOptions(4, 8, 3).padding(kSame).stride(2)), ValueError);
}
BOOST_AUTO_TEST_CASE(a_clone_has_parameters_of_its_own) { // M-50
    nn::Conv2d m(nn::Conv2dOptions(1, 2, 3));
    const auto copy = std::dynamic_pointer_cast<nn::Conv2dImpl>(m->clone());
    BOOST_REQUIRE(copy);
    nn::init::zeros_(m->weight);
    BOOST_TEST(copy->weight.abs().max().item<double>() > 0);
    BOOST_TEST(copy->options.in_channels() == 1);
}

BOOST_AUTO_TEST_SUITE_END()
