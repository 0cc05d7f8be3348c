// Attention and resampling.
#include <boost/test/unit_test.hpp>

#include <limits>

#include <reel/autograd/forward_ad.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using autograd::variable_list;

namespace {
Tensor leaf(IntArrayRef size) { return (rand(size).to(kDouble) - 0.5).detach().requires_grad_(); }
double largest(const Tensor& t) { return t.abs().max().item<double>(); }
} // namespace

BOOST_AUTO_TEST_SUITE(attention)

BOOST_AUTO_TEST_CASE(weights_by_hand_and_gradients) {
    const Tensor q = leaf({2, 3, 4}), k = leaf({2, 5, 4}), v = leaf({2, 5, 2});
    const Tensor want = softmax(q.matmul(k.transpose(1, 2)) / 2, -1).matmul(v);
    BOOST_TEST(largest(scaled_dot_product_attention(q, k, v) - want) < 1e-14);
    const auto f = [](const variable_list& x) { return scaled_dot_product_attention(x[0], x[1], x[2], {}, 0, true); };
    BOOST_TEST(autograd::gradcheck(f, {q, k, v}));
    BOOST_TEST(autograd::gradgradcheck(f, {q, k, v}));
}
BOOST_AUTO_TEST_CASE(causal_rows_see_no_later_position) {
    const Tensor q = leaf({1, 4, 2}).detach(), k = leaf({1, 4, 2}).detach(), v = leaf({1, 4, 3}).detach();
    Tensor later = v.clone();
    later.select(1, 3).fill_(100);
    const Tensor a = scaled_dot_product_attention(q, k, v, {}, 0, true),
                 b = scaled_dot_product_attention(q, k, later, {}, 0, true);
    BOOST_TEST(largest((a - b).slice(1, 0, 3)) == 0);
    BOOST_TEST(largest(a.select(1, 0) - v.select(1, 0)) < 1e-14);
}
BOOST_AUTO_TEST_CASE(a_row_that_sees_nothing_gives_zeros) {
    const Tensor mask = tensor({{true, false}, {false, false}});
    const Tensor y = scaled_dot_product_attention(leaf({2, 3}), leaf({2, 3}), ones({2, 3}, kDouble), mask);
    BOOST_TEST(largest(y.select(0, 0) - 1) < 1e-14);
    BOOST_TEST(largest(y.select(0, 1)) == 0);
}
BOOST_AUTO_TEST_CASE(derivatives_of_a_row_that_sees_nothing_are_zeros) {
    const Tensor q = leaf({2, 3}), k = leaf({2, 3}), v = leaf({2, 3});
    const Tensor of_bools = tensor({{true, false}, {false, false}});
    const Tensor added =
        where(of_bools, zeros({}, kDouble), full({}, -std::numeric_limits<double>::infinity(), kDouble));
    for (const Tensor& mask : {of_bools, added}) {
        const auto f = [&](const variable_list& x) { return scaled_dot_product_attention(x[0], x[1], x[2], mask); };
        BOOST_TEST(autograd::gradcheck(f, {q, k, v}));
        BOOST_TEST(autograd::gradgradcheck(f, {q, k, v}));
        const autograd::forward_ad::DualLevel level;
        const Tensor dual = autograd::forward_ad::make_dual(q.detach(), ones({2, 3}, kDouble));
        const Tensor tangent = autograd::forward_ad::unpack_dual(f({dual, k.detach(), v.detach()})).tangent;
        BOOST_TEST(isfinite(tangent).all().item<bool>());
        BOOST_TEST(largest(tangent.select(0, 1)) == 0);
    }
}
BOOST_AUTO_TEST_CASE(resampling_is_linear_with_matching_gradients) {
    const Tensor line = arange(4, TensorOptions(kDouble)).reshape({1, 1, 4});
    const Tensor up = interpolate(line, {7}, std::nullopt, "linear", true);
    BOOST_TEST(largest(up - arange(7, TensorOptions(kDouble)).reshape({1, 1, 7}) / 2) < 1e-14);
    BOOST_TEST(largest(interpolate(line, {8}) - line.repeat_interleave(2, 2)) == 0);
    for (const char* mode : {"bilinear", "bicubic", "nearest", "area"}) {
        const auto f = [&](const Tensor& x) { return interpolate(x, {5, 3}, std::nullopt, mode); };
        BOOST_TEST(autograd::gradcheck(f, {leaf({1, 2, 3, 4})}));
    }
    BOOST_CHECK_THROW(interpolate(line), ValueError);
    BOOST_CHECK_THROW(interpolate(line, {3}, std::nullopt, "bilinear"), Error);
}

BOOST_AUTO_TEST_SUITE_END()
