// Layer, group and RMS normalisation.
#include <reel/nn/modules/normalization.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>

using namespace reel;
using autograd::variable_list;

namespace {
Tensor leaf(IntArrayRef size) { return (rand(size).to(kDouble) + 0.1).detach().requires_grad_(); }
double largest(const Tensor& t) { return t.abs().max().item<double>(); }
} // namespace

BOOST_AUTO_TEST_SUITE(normalization)

BOOST_AUTO_TEST_CASE(layer_norm_over_trailing_dimensions) {
    nn::LayerNorm m(nn::LayerNormOptions({4, 5}));
    const Tensor y = m(randn({3, 4, 5}) * 2 + 7);
    BOOST_TEST(largest(y.mean({1, 2})) < 1e-5);
    BOOST_TEST(largest(y.var({1, 2}, false) - 1) < 1e-3);
    const auto f = [](const variable_list& v) { return layer_norm(v[0], {3, 2}, v[1], v[2], 1e-3); };
    const variable_list in{leaf({2, 3, 2}), leaf({3, 2}), leaf({3, 2})};
    BOOST_TEST(autograd::gradcheck(f, in));
    BOOST_TEST(autograd::gradgradcheck(f, in));
}
BOOST_AUTO_TEST_CASE(layer_norm_of_long_rows_keeps_its_precision) {
    const Tensor x = randn({2, 10000}) + 1000;
    const Tensor want = layer_norm(x.to(kDouble), {10000});
    BOOST_TEST(largest(layer_norm(x, {10000}) - want) < 1e-3);
    BOOST_TEST(largest(layer_norm(x, {10000}).mean({1})) < 1e-4);
}
BOOST_AUTO_TEST_CASE(fused_and_recorded_backward_agree) {
    const Tensor x = leaf({70, 33}), w = leaf({33}), b = leaf({33}), g = leaf({70, 33}).detach(),
                 y = layer_norm(x, {33}, w, b);
    const auto fused = autograd::grad({y}, {x, w, b}, {g}, true, false),
               recorded = autograd::grad({y}, {x, w, b}, {g}, true, true);
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(largest(fused[i] - recorded[i]) < 1e-11);
}
BOOST_AUTO_TEST_CASE(group_norm) {
    nn::GroupNorm m(2, 4);
    const Tensor y = m(randn({3, 4, 6}) * 3);
    BOOST_TEST(largest(y.reshape({3, 2, 12}).mean({2})) < 1e-5);
    const auto f = [](const variable_list& v) { return reel::group_norm(v[0], 2, v[1], v[2], 1e-3); };
    const variable_list in{leaf({2, 4, 3}), leaf({4}), leaf({4})};
    BOOST_TEST(autograd::gradcheck(f, in));
    BOOST_TEST(autograd::gradgradcheck(f, in));
    BOOST_CHECK_THROW(nn::GroupNorm(3, 4), ValueError);
}
BOOST_AUTO_TEST_CASE(rms_norm) {
    const Tensor x = leaf({2, 4});
    const Tensor y = nn::RMSNorm(nn::RMSNormOptions({4}).eps(0))(x.to(kFloat));
    BOOST_TEST(largest((y * y).mean({1}) - 1) < 1e-5);
    BOOST_TEST(
        autograd::gradcheck([](const variable_list& v) { return reel::rms_norm(v[0], {4}, v[1]); }, {x, leaf({4})}));
}
BOOST_AUTO_TEST_CASE(printing_and_refusals) { // M-29
    BOOST_TEST(nn::LayerNorm(nn::LayerNormOptions({5}))->repr() ==
               "LayerNorm((5,), eps=1e-05, elementwise_affine=True, bias=True)");
    BOOST_TEST(nn::GroupNorm(2, 4)->repr() == "GroupNorm(2, 4, eps=1e-05, affine=True, bias=True)");
    BOOST_CHECK_THROW(layer_norm(rand({2, 3}), {4}), Error);
    BOOST_CHECK_THROW(layer_norm(rand({2, 3}), {3}, rand({2})), Error);
}

BOOST_AUTO_TEST_SUITE_END()
