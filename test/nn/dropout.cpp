// Dropout layers.
#include <reel/nn/modules/dropout.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(dropout)

BOOST_AUTO_TEST_CASE(elements_are_zero_or_scaled) {
    manual_seed(1);
    nn::Dropout m(0.25);
    const Tensor y = m(ones({10000}));
    const double kept = (y != 0).to(kFloat).mean().item<double>();
    BOOST_TEST(kept > 0.72);
    BOOST_TEST(kept < 0.78);
    BOOST_TEST(y.max().item<float>() == 1 / 0.75f);
}
BOOST_AUTO_TEST_CASE(evaluation_returns_the_input) {
    nn::Dropout m(0.5);
    m->eval();
    const Tensor x = rand({5});
    BOOST_TEST(m(x).is_same(x));
}
BOOST_AUTO_TEST_CASE(the_mask_is_one_double_uniform_per_element) { // oracle.md, random
    manual_seed(9);
    const Tensor y = reel::dropout(ones({64}), 0.4, true);
    manual_seed(9);
    const Tensor u = rand({64}, TensorOptions(kDouble));
    BOOST_TEST(((y != 0) == (u < 0.6)).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(the_gradient_passes_where_elements_stayed) {
    const Tensor x = rand({100}).requires_grad_();
    const Tensor y = reel::dropout(x, 0.5, true);
    y.sum().backward();
    BOOST_TEST(((x.grad() != 0) == (y != 0)).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(whole_channels) {
    const Tensor y = nn::Dropout2d(0.5)(ones({8, 8, 3, 3})), per = y.sum({2, 3});
    BOOST_TEST(reel::logical_or(per == 0, per == 18).all().item<bool>());
    const Tensor z = nn::Dropout1d(0.5)(ones({6, 4})); // one example without batch
    BOOST_TEST(z.sizes() == IntArrayRef({6, 4}));
    BOOST_TEST(reel::logical_or(z.sum({1}) == 0, z.sum({1}) == 8).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(alpha_dropout_keeps_mean_and_variance) {
    manual_seed(2);
    const Tensor y = nn::AlphaDropout(0.3)(randn({40000}));
    BOOST_TEST(std::abs(y.mean().item<double>()) < 0.03);
    BOOST_TEST(std::abs(y.var(0, true).item<double>() - 1) < 0.05);
}
BOOST_AUTO_TEST_CASE(everything_dropped_gives_zeros) {
    const Tensor x = rand({4}).requires_grad_(), y = reel::dropout(x, 1, true);
    BOOST_TEST(y.abs().sum().item<double>() == 0);
    y.sum().backward();
    BOOST_TEST(x.grad().abs().sum().item<double>() == 0);
}
BOOST_AUTO_TEST_CASE(in_place_and_refusals) {
    const Tensor x = ones({50});
    nn::Dropout m(nn::DropoutOptions(0.5).inplace(true));
    BOOST_TEST(m(x).is_same(x));
    BOOST_TEST((x == 0).any().item<bool>());
    BOOST_CHECK_THROW(nn::Dropout(1.5), ValueError);
    BOOST_TEST(nn::Dropout(0.5)->repr() == "Dropout(p=0.5, inplace=False)"); // M-29
}

BOOST_AUTO_TEST_SUITE_END()
