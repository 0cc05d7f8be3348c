// Ops under their second names: functions, methods, in-place forms.
#include <reel/autograd/ops.hpp>

#include "shape_helpers.hpp"

#include <reel/autograd/node.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

BOOST_AUTO_TEST_SUITE(aliases)

BOOST_AUTO_TEST_CASE(functions_and_methods_are_those_of_the_op) {
    const Tensor x = tensor({-2., 0.25, 3.}), y = tensor({1., 2., -1.});
    BOOST_TEST(absolute(x).equal(abs(x)));
    BOOST_TEST(x.absolute().equal(x.abs()));
    BOOST_TEST(x.clip(-1, 1).equal(x.clamp(-1, 1)));
    BOOST_TEST(clip(x, y).equal(clamp(x, y)));
    BOOST_TEST(subtract(x, y, 2).equal(sub(x, y, 2)));
    BOOST_TEST(x.multiply(3).equal(x * 3));
    BOOST_TEST(divide(x, y, "floor").equal(div(x, y, "floor")));
    BOOST_TEST(x.greater_equal(y).equal(x >= y));
    BOOST_TEST(x.not_equal(3).equal(x != 3));
    BOOST_TEST(arctan2(x, y).equal(atan2(x, y)));
    BOOST_TEST(x.ger(y).equal(outer(x, y)));
    const Tensor m = tensor({{2., 1.}, {1., 3.}}), cube = arange(24).reshape({2, 3, 4});
    BOOST_TEST(m.det().equal(linalg_det(m)));
    BOOST_TEST(inverse(m).equal(linalg_inv(m)));
    BOOST_TEST(m.matrix_power(3).equal(linalg_matrix_power(m, 3)));
    BOOST_TEST(std::get<1>(m.slogdet()).equal(std::get<1>(linalg_slogdet(m))));
    BOOST_TEST(cube.swapaxes(0, 2).equal(cube.transpose(0, 2)));
    BOOST_TEST(moveaxis(cube, 0, -1).equal(movedim(cube, 0, -1)));
    BOOST_TEST(concat({x, y}).equal(cat({x, y})));
    BOOST_TEST(row_stack({x, y}).equal(vstack({x, y})));
}
BOOST_AUTO_TEST_CASE(functions_of_special) {
    const Tensor x = tensor({0.5, 2.});
    BOOST_TEST(special::psi(x).equal(digamma(x)));
    BOOST_TEST(special_psi(x).equal(digamma(x)));
    BOOST_TEST(special::expit(x).equal(sigmoid(x)));
    BOOST_TEST(special::gammainc(x, x).equal(igamma(x, x)));
    BOOST_TEST(special::log_softmax(x, 0).equal(log_softmax(x, 0)));
    BOOST_TEST(special::logsumexp(x, 0).equal(logsumexp(x, 0)));
}
BOOST_AUTO_TEST_CASE(in_place_they_write_and_record_as_the_op) {
    const Tensor x = tensor({-2., 3.});
    BOOST_TEST(x.clip_(-1, 1).is_same(x));
    REEL_TEST_LIST(x, -1, 1);
    multiply_(x, 4);
    REEL_TEST_LIST(x, -4, 4);
    const Tensor leaf = tensor({2.}, requires_grad());
    const Tensor y = subtract(leaf, 1).negative();
    BOOST_TEST(y.grad_fn()->name() == "NegBackward0");
    y.backward();
    BOOST_TEST(leaf.grad().item<double>() == -1);
}

BOOST_AUTO_TEST_SUITE_END()
