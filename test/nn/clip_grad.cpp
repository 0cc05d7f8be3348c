// Limits on gradients, and parameters as one vector.
#include <reel/nn/utils/clip_grad.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/nn/utils/convert_parameters.hpp>

using namespace reel;
using namespace reel::nn::utils;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
Tensor vector_of(std::initializer_list<double> values) {
    Tensor t = reel::empty({std::int64_t(values.size())}, kDouble);
    std::copy(values.begin(), values.end(), t.data_ptr<double>());
    return t;
}
Tensor with_gradient(std::initializer_list<double> gradient) {
    const Tensor p = vector_of(gradient).requires_grad_();
    p.mutable_grad() = vector_of(gradient);
    return p;
}
std::vector<double> list(const Tensor& t) {
    const Tensor c = t.detach().contiguous();
    return {c.data_ptr<double>(), c.data_ptr<double>() + c.numel()};
}
using V = std::vector<double>;
} // namespace

BOOST_AUTO_TEST_SUITE(clip_grad)

BOOST_AUTO_TEST_CASE(gradients_are_scaled_together_and_the_norm_before_is_returned) {
    const Tensor a = with_gradient({3, 0}), b = with_gradient({4}), none = vector_of({1}).requires_grad_();
    BOOST_TEST(clip_grad_norm_({a, b, none}, 1) == 5.0);
    const double factor = 1 / (5 + 1e-6);
    BOOST_TEST(list(a.grad()) == (V{3 * factor, 0}), boost::test_tools::per_element());
    BOOST_TEST(list(b.grad())[0] == 4 * factor);
    BOOST_TEST(!none.grad().defined());
}
BOOST_AUTO_TEST_CASE(gradients_below_the_limit_keep_every_bit) {
    const Tensor a = with_gradient({0.1, -0.3});
    clip_grad_norm_(a, 10);
    BOOST_TEST(list(a.grad()) == (V{0.1, -0.3}), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(other_norms) {
    const std::vector<Tensor> t{vector_of({-3, 0}), vector_of({4, 1})};
    BOOST_TEST(get_total_norm(t, 1) == 8.0);
    BOOST_TEST(get_total_norm(t, inf) == 4.0);
    BOOST_TEST(get_total_norm(t, 0) == 3.0);
    BOOST_TEST(std::abs(get_total_norm(t, 3) - std::cbrt(27.0 + 64 + 1)) < 1e-12);
    BOOST_TEST(get_total_norm({}, 2) == 0.0);
}
BOOST_AUTO_TEST_CASE(norms_that_are_not_finite_can_be_refused) {
    const Tensor a = with_gradient({std::nan(""), 1});
    BOOST_CHECK_THROW(clip_grad_norm_(a, 1, 2, true), Error);
    BOOST_TEST(list(a.grad())[1] == 1.0);
    BOOST_TEST(std::isnan(clip_grad_norm_(a, 1)));
    BOOST_TEST(std::isnan(list(a.grad())[1]));
    BOOST_TEST(std::isnan(get_total_norm({vector_of({1, std::nan(""), 3})}, inf)));
}
BOOST_AUTO_TEST_CASE(values_are_limited_one_by_one) {
    const Tensor a = with_gradient({-3, 0.25, 2});
    clip_grad_value_(a, 0.5);
    BOOST_TEST(list(a.grad()) == (V{-0.5, 0.25, 0.5}), boost::test_tools::per_element());
    BOOST_CHECK_THROW(clip_grad_value_(a, -1), ValueError);
}
BOOST_AUTO_TEST_CASE(parameters_go_into_one_vector_and_back_and_stay_themselves) {
    const Tensor a = with_gradient({1, 2}), b = with_gradient({3});
    BOOST_TEST(list(parameters_to_vector({a, b})) == (V{1, 2, 3}), boost::test_tools::per_element());
    TensorImpl* before = a.unsafeGetTensorImpl();
    vector_to_parameters(vector_of({4, 5, 6}), {a, b});
    BOOST_TEST(list(a) == (V{4, 5}), boost::test_tools::per_element());
    BOOST_TEST(list(b)[0] == 6.0);
    BOOST_TEST((a.unsafeGetTensorImpl() == before && a.requires_grad() && a.is_leaf()));
    BOOST_CHECK_THROW(vector_to_parameters(vector_of({1, 2}), {a, b}), ValueError);
}

BOOST_AUTO_TEST_CASE(norms_of_negative_order) {
    const Tensor a = tensor({1., -2.}, kDouble), b = tensor({4.}, kDouble), nothing = empty({0}, kDouble);
    BOOST_TEST(nn::utils::get_total_norm({a, b, nothing}, -1) == 1 / (1 + 0.5 + 0.25),
               boost::test_tools::tolerance(1e-15));
    BOOST_TEST(nn::utils::get_total_norm({b, a, nothing}, -std::numeric_limits<double>::infinity()) == 1);
    BOOST_TEST(nn::utils::get_total_norm({nothing}, -2) == 0);
    BOOST_CHECK_THROW(nn::utils::get_total_norm({a}, std::nan("")), ValueError);
}

BOOST_AUTO_TEST_SUITE_END()
