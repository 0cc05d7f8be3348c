// Operators between tensors and numbers, and the dtype they compute in.
#include "../message.hpp"
#include "tape_helpers.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/type_promotion.hpp>

using namespace reel;
using namespace tape_test;

BOOST_AUTO_TEST_SUITE(operators)

BOOST_AUTO_TEST_CASE(remainders_and_bits) {
    const Tensor a = tensor({7, -7, 6}), b = tensor({4, 4, 3});
    BOOST_TEST((a % b).equal(tensor({3, 1, 0})));
    BOOST_TEST((a % 4).equal(tensor({3, 1, 2})));
    BOOST_TEST((7 % b).equal(tensor({3, 3, 1})));
    BOOST_TEST((a & b).equal(tensor({4, 0, 2})));
    BOOST_TEST((a | b).equal(tensor({7, -3, 7})));
    BOOST_TEST((a ^ b).equal(tensor({3, -3, 5})));
    BOOST_TEST((a & 3).equal(tensor({3, 1, 2})));
    BOOST_TEST((3 | b).equal(tensor({7, 7, 3})));
    BOOST_TEST((1 ^ b).equal(tensor({5, 5, 2})));
}

BOOST_AUTO_TEST_CASE(numbers_on_the_left_of_comparisons) {
    const Tensor t = tensor({1, 2, 3});
    BOOST_TEST((2 < t).equal(tensor({false, false, true})));
    BOOST_TEST((2 <= t).equal(tensor({false, true, true})));
    BOOST_TEST((2 > t).equal(tensor({true, false, false})));
    BOOST_TEST((2 >= t).equal(tensor({true, true, false})));
    BOOST_TEST((2 == t).equal(tensor({false, true, false})));
    BOOST_TEST((2 != t).equal(tensor({true, false, true})));
}

BOOST_AUTO_TEST_CASE(choosing_as_a_method) {
    const Tensor t = tensor({1., -2.}).requires_grad_();
    const Tensor y = t.where(t > 0, zeros({2}));
    y.sum().backward();
    BOOST_TEST(y.detach().equal(tensor({1., 0.})));
    BOOST_TEST(t.grad().equal(tensor({1., 0.})));
    BOOST_TEST(t.detach().where(t > 0, 7).equal(tensor({1., 7.})));
}

BOOST_AUTO_TEST_CASE(equality_of_tensors_that_may_be_undefined) {
    const Tensor none, t = ones({2});
    BOOST_TEST(equal_if_defined(none, Tensor()));
    BOOST_TEST(!equal_if_defined(none, t));
    BOOST_TEST(!equal_if_defined(t, none));
    BOOST_TEST(equal_if_defined(t, ones({2})));
    BOOST_TEST(!equal_if_defined(t, zeros({2})));
}

BOOST_AUTO_TEST_CASE(result_types) {
    const Tensor f = ones({2}), i = ones({2}, kInt), d0 = ones({}, kDouble);
    BOOST_TEST((result_type(f, i) == kFloat));
    BOOST_TEST((result_type(f, d0) == kFloat)); // a 0-dim tensor does not raise the dtype within its category
    BOOST_TEST((result_type(i, d0) == kDouble));
    BOOST_TEST((result_type(i, Scalar(1.5)) == kFloat));
    BOOST_TEST((result_type(Scalar(3), f) == kFloat));
    BOOST_TEST((result_type(Scalar(3), Scalar(true)) == kLong));
    const std::vector<Tensor> all{f, i, d0};
    BOOST_TEST((result_type(all) == kFloat));
    BOOST_TEST((result_type(TensorList()) == ScalarType::Undefined));
}

BOOST_AUTO_TEST_CASE(hooks_are_removed_by_their_number) {
    const Tensor leaf = ones({2}).requires_grad_();
    const Tensor y = leaf * 2;
    int fired = 0;
    const unsigned on_leaf = leaf.register_hook([&](const Tensor&) { ++fired; });
    const unsigned on_y = y.register_hook([&](const Tensor&) { ++fired; });
    y.sum().backward({}, true);
    BOOST_TEST(fired == 2);
    leaf.remove_hook(on_leaf);
    leaf.remove_hook(on_leaf);
    y.remove_hook(on_y);
    y.sum().backward();
    BOOST_TEST(fired == 2);
    for (const unsigned nobodys : {0u, 3u, ~0u}) // the first one's place, say, instead of its number
        BOOST_TEST(reel::testing::message([&] { y.remove_hook(nobodys); }) ==
                   str("remove_hook: Invalid index ", nobodys,
                       ": no hook has had this number; pass what register_hook returned"));
}

BOOST_AUTO_TEST_CASE(names_of_tensors) {
    const Tensor t = ones({2});
    BOOST_TEST(t.name().empty());
    autograd::impl::set_name(t, "weights");
    BOOST_TEST(t.name() == "weights");
}

BOOST_AUTO_TEST_CASE(elu_with_scales) {
    const Tensor x = tensor({-1.0, 2.0}, kDouble).requires_grad_();
    const Tensor y = elu(x, 0.5, 2.0, 3.0);
    BOOST_TEST(y[0].item<double>() == 2 * 0.5 * std::expm1(-3.0), boost::test_tools::tolerance(1e-14));
    BOOST_TEST(y[1].item<double>() == 4.0);
    y.sum().backward();
    BOOST_TEST(x.grad()[0].item<double>() == 2 * 0.5 * 3 * std::exp(-3.0), boost::test_tools::tolerance(1e-14));
    BOOST_CHECK_EXCEPTION(elu(x, 1, 1, 0), ValueError, says("input_scale is 0"));
}

BOOST_AUTO_TEST_SUITE_END()
