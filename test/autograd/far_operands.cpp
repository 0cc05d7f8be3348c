// Operands at the ends of what a call takes: near overflow, infinite, no numbers, out of an image's reach.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(),
                 no_number = std::numeric_limits<double>::quiet_NaN();

Tensor doubles(const std::vector<double>& values) { return tensor(ArrayRef<double>(values), TensorOptions(kDouble)); }
/// Each element within a few roundings of what the C library says.
template <class F, class G> void check_values(F op, G exact, const std::vector<double>& points, ScalarType t) {
    for (const double p : points) {
        const Tensor x = full({37}, p, t);
        const double got = op(x).to(kDouble).select(0, 35).template item<double>();
        const double want = exact(x.to(kDouble).select(0, 0).template item<double>());
        BOOST_TEST(std::abs(got / want - 1) < (t == kFloat ? 1e-6 : 1e-14), p << ": " << got << ", expected " << want);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(far_operands)

BOOST_AUTO_TEST_CASE(hyperbolic_functions_up_to_their_own_overflow) {
    const auto sine = [](const Tensor& x) { return sinh(x); };
    const auto cosine = [](const Tensor& x) { return cosh(x); };
    const std::vector<double> points{88.5, 88.8, -89.2, 89.4}, wide{709.5, 709.9, -710.3, 710.47};
    check_values(
        sine, [](double x) { return std::sinh(x); }, points, kFloat);
    check_values(
        cosine, [](double x) { return std::cosh(x); }, points, kFloat);
    check_values(
        sine, [](double x) { return std::sinh(x); }, wide, kDouble);
    check_values(
        cosine, [](double x) { return std::cosh(x); }, wide, kDouble);
    BOOST_TEST(std::isinf(sinh(doubles({711.})).item<double>()));
    BOOST_TEST(std::isnan(cosh(tensor({no_number})).item<double>()));
}
BOOST_AUTO_TEST_CASE(log1p_of_the_largest_numbers) {
    const auto op = [](const Tensor& x) { return log1p(x); };
    const auto exact = [](double x) { return std::log1p(x); };
    check_values(op, exact, {1e17, 1e19, 1e30, 3.4e38}, kFloat);
    check_values(op, exact, {1e17, 1e19, 1e300, 1e308, std::numeric_limits<double>::max()}, kDouble);
    BOOST_TEST(std::isinf(log1p(tensor({infinity})).item<double>()));
}
BOOST_AUTO_TEST_CASE(running_sums_that_become_infinite_leave_earlier_gradients_alone) {
    const Tensor x = doubles({3., 0., infinity, 1.}).requires_grad_();
    logcumsumexp(x, 0).backward(doubles({1., 2., 3., 4.}));
    const double share = 1 / (1 + std::exp(-3.));
    BOOST_TEST(std::abs(x.grad().select(0, 0).item<double>() - (1 + 2 * share)) < 1e-12);
    BOOST_TEST(std::abs(x.grad().select(0, 1).item<double>() - 2 * (1 - share)) < 1e-12);
    BOOST_TEST(x.grad().select(0, 2).item<double>() == 7);
    BOOST_TEST(x.grad().select(0, 3).item<double>() == 0);
}
BOOST_AUTO_TEST_CASE(a_window_over_padding_alone_has_no_greatest_element) {
    // Places -1 and 1 of one element: both lie in the padding.
    const Tensor x = tensor({3., 5.}).reshape({2, 1, 1}).requires_grad_();
    const auto [y, at] = max_pool1d_with_indices(x, 2, 2, 1, 2);
    BOOST_TEST((y == -infinity).all().item<bool>());
    BOOST_TEST((at == -1).all().item<bool>());
    y.sum().backward();
    BOOST_TEST((x.grad() == 0).all().item<bool>());
    const Tensor whole = max_pool2d(tensor({7}).reshape({1, 1, 1, 1}), 2, 2, 1, 2);
    BOOST_TEST(whole.item<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
}
BOOST_AUTO_TEST_CASE(attention_with_a_negative_scale) {
    const Tensor q = doubles({1., 2., 0.5, -1.}).reshape({2, 2}), k = doubles({0.3, 1., -2., 0.1}).reshape({2, 2}),
                 v = eye(2).to(kDouble);
    const Tensor want = matmul(softmax(matmul(q, k.t()) * -0.7, -1), v);
    const Tensor got = scaled_dot_product_attention(q, k, v, {}, 0, false, -0.7);
    BOOST_TEST(allclose(got, want, 1e-12, 1e-12));
    const Tensor mask = tensor({{1, 0}, {1, 1}}).to(kBool);
    const Tensor masked = scaled_dot_product_attention(q, k, v, mask, 0, false, -0.7);
    BOOST_TEST(masked.select(0, 0).equal(doubles({1., 0.})));
}
BOOST_AUTO_TEST_CASE(places_of_a_grid_beyond_every_image) {
    const Tensor image = doubles({1., 2., 3., 4., 5., 6.}).reshape({1, 1, 2, 3});
    const Tensor grid = doubles({no_number, 0., infinity, 0., 0., -infinity, 1e300, 1e300}).reshape({1, 1, 4, 2});
    for (const Tensor& x : {image, image.unsqueeze(2)}) {
        const Tensor at = x.dim() == 4 ? grid : cat({grid, zeros_like(grid.slice(-1, 0, 1))}, -1).unsqueeze(1);
        for (const char* mode : {"bilinear", "nearest"})
            for (const char* padding : {"zeros", "border", "reflection"}) BOOST_TEST_CONTEXT(mode << ", " << padding) {
                    const Tensor y = grid_sample(x, at, mode, padding, true).reshape({-1});
                    const bool zeros_outside = std::string_view(padding) == "zeros";
                    BOOST_TEST(isnan(y).select(0, 0).item<bool>() ==
                               (zeros_outside && std::string_view(mode) == "bilinear"));
                    BOOST_TEST(isfinite(y.slice(0, 1)).all().item<bool>());
                    if (zeros_outside) BOOST_TEST((y.slice(0, 1) == 0).all().item<bool>());
                }
    }
    const Tensor border = grid_sample(image, grid, "nearest", "border", true);
    BOOST_TEST(border.equal(doubles({1., 3., 2., 6.}).reshape({1, 1, 1, 4})));
}
BOOST_AUTO_TEST_CASE(infinite_places_have_no_gradient) {
    const Tensor volume = doubles({1., 2., 3., 4.}).reshape({1, 1, 1, 2, 2});
    const Tensor places = doubles({0.3, infinity, 0.}).reshape({1, 1, 1, 1, 3}).requires_grad_();
    const Tensor y = grid_sample(volume, places, "bilinear", "zeros", false);
    BOOST_TEST(y.item<double>() == 0);
    y.backward();
    BOOST_TEST((places.grad() == 0).all().item<bool>());
    const Tensor middle = zeros({1, 1, 1, 2}).requires_grad_();
    BOOST_TEST(grid_sample(ones({1, 1, 1, 1}), middle, "bilinear", "reflection", true).requires_grad());
}
BOOST_AUTO_TEST_CASE(refusals_that_name_what_is_missing) {
    BOOST_CHECK_THROW(functional_instance_norm(ones({3, 2}), {}, {}, {}, {}, true), ValueError);
    BOOST_CHECK_THROW(linalg_lu_factor(zeros({2, 2})), LinAlgError);
    BOOST_CHECK_THROW(fft_rfft(ones({4}), -1), Error);
    BOOST_CHECK_THROW(fft_fft(ones({4}), 0), Error);
}
BOOST_AUTO_TEST_CASE(singular_and_empty_matrices) {
    const Tensor batch = stack({zeros({2, 2}, kDouble), eye(2).to(kDouble)});
    const Tensor c = linalg_cond(batch, "nuc");
    BOOST_TEST(std::isinf(c.select(0, 0).item<double>()));
    BOOST_TEST(std::abs(c.select(0, 1).item<double>() - 4) < 1e-12);
    BOOST_TEST((linalg_matrix_exp(empty({0, 2, 2})).scalar_type() == kFloat));
}

BOOST_AUTO_TEST_SUITE_END()
