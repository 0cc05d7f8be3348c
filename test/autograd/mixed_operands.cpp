// Operands of several dtypes in one call: what is computed on the way has room for it.
#include <boost/test/unit_test.hpp>

#include <limits>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool same(const Tensor& got, const Tensor& want) { return got.scalar_type() == want.scalar_type() && got.equal(want); }

} // namespace

BOOST_AUTO_TEST_SUITE(mixed_operands)

BOOST_AUTO_TEST_CASE(alpha_meets_other_in_the_dtype_of_the_result) {
    const Tensor bytes = tensor({4, 200}).to(kByte), shorts = tensor({32766, -3}).to(kShort);
    const Tensor x = tensor({1., 2.}), h = tensor({1., 2.}).to(kBFloat16);
    BOOST_TEST(same(add(x, bytes, -1), tensor({-3., -198.})));
    BOOST_TEST(same(sub(x, bytes, 2), tensor({-7., -398.})));
    BOOST_TEST(same(add(x.to(kFloat), shorts, 2), tensor({65533.f, -4.f})));
    BOOST_TEST(same(add(h, tensor({2, 4}), 1.5), tensor({4., 8.}).to(kBFloat16)));
    BOOST_TEST(same(add(tensor({1, 2}), bytes.to(kChar), 3), tensor({13, -166})));
    BOOST_TEST(same(add(x.to(kComplexDouble), tensor({1, 2}), 0.5), tensor({1.5, 3.}).to(kComplexDouble)));
    const Tensor yes = tensor({1, 0}).to(kBool), no = tensor({0, 0}).to(kBool);
    BOOST_TEST(same(add(no, yes, 0), no));
    BOOST_TEST(same(add(no, yes, 2), yes));
    Tensor in_place = tensor({1., 2.});
    in_place.add_(bytes, -1);
    BOOST_TEST(same(in_place, tensor({-3., -198.})));
    in_place.sub_(shorts, 2);
    BOOST_TEST(same(in_place, tensor({-65535., -192.})));
    const Tensor w = tensor({1.f, 2.f}).requires_grad_();
    add(x, w, 0.1).sum().backward();
    BOOST_TEST(same(w.grad(), tensor({0.1f, 0.1f})));
}
BOOST_AUTO_TEST_CASE(a_bool_alpha_is_for_bools) {
    Tensor x = tensor({1., 2.});
    BOOST_CHECK_THROW(add(x, x, true), Error);
    BOOST_CHECK_THROW(sub(x, x, true), Error);
    BOOST_CHECK_THROW(x.add_(x, true), Error);
    BOOST_CHECK_THROW(x.sub_(x, true), Error);
    BOOST_CHECK_THROW(addr(eye(2), x.to(kFloat), x.to(kFloat), true), Error);
    const Tensor yes = tensor({1, 0}).to(kBool);
    BOOST_TEST(same(add(yes, yes, true), yes));
}
BOOST_AUTO_TEST_CASE(outer_products_are_added_in_the_common_dtype) {
    const Tensor got = addr(tensor({1.5, 2.5}), tensor({1, 2}), tensor({3.f, 4.f}), 2, 1);
    BOOST_TEST(same(got, tensor({{6., 9.}, {9., 13.}})));
    BOOST_TEST(same(addr(tensor({1, 2}).to(kShort), tensor({1, 2}), tensor({3, 4})), tensor({{4, 6}, {7, 10}})));
}
BOOST_AUTO_TEST_CASE(powers_of_two_beyond_the_dtype_of_the_exponent) {
    const Tensor bytes = tensor({254, 0}).to(kByte), x = tensor({100., 3.}).to(kDouble);
    BOOST_TEST(same(ldexp(x, bytes), tensor({0., 3.}).to(kDouble) + tensor({100., 0.}).to(kDouble) * 0x1p254));
    BOOST_TEST(same(ldexp(tensor({0., 1.}), tensor({2147483646, 2147483646})), tensor({0., infinity})));
    const Tensor least = full({1}, 5e-324, TensorOptions(kDouble)),
                 largest = full({1}, 0x1p1023, TensorOptions(kDouble));
    BOOST_TEST(same(ldexp(least, tensor({1074})), ones_like(least)));
    BOOST_TEST(same(ldexp(largest, tensor({-2097})), least));
    BOOST_TEST((ldexp(tensor({1.}).to(kComplexDouble), tensor({3})).scalar_type() == kComplexDouble));
    BOOST_TEST(same(ldexp(tensor({3, 0}), tensor({2, 2000})), tensor({12., 0.})));
    const Tensor none = zeros({1}, TensorOptions(kComplexDouble));
    BOOST_TEST(same(ldexp(none, full({1}, 100, TensorOptions(kHalf))), none));
    const Tensor y = x.clone().requires_grad_();
    ldexp(y, tensor({-1070})).sum().backward();
    BOOST_TEST((y.grad() == 0x1p-1070).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(a_zero_divides_nothing_without_complaint) {
    const Tensor none = empty({0}, kLong), zero = tensor({0});
    BOOST_TEST(floor_divide(none, zero).numel() == 0);
    BOOST_TEST(fmod(none, zero).numel() == 0);
    BOOST_TEST(div(none, 0, "trunc").numel() == 0);
    BOOST_CHECK_THROW(floor_divide(tensor({1}), zero), Error);
}
BOOST_AUTO_TEST_CASE(exponents_that_the_integers_do_not_hold) {
    BOOST_CHECK_THROW(pow(tensor({2, 3}).to(kChar), 300), Error);
    BOOST_CHECK_THROW(pow(tensor({2, 3}).to(kInt), std::int64_t(1) << 40), Error);
    BOOST_TEST(same(pow(tensor({2, 3}), 5), tensor({32, 243})));
}
BOOST_AUTO_TEST_CASE(a_bool_target_is_zero_or_one) {
    const Tensor x = tensor({0.5, 2.}).requires_grad_();
    const Tensor loss = mse_loss(x, tensor({0, 1}).to(kBool), "sum");
    BOOST_TEST(loss.item<double>() == 1.25);
    loss.backward();
    BOOST_TEST(same(x.grad(), tensor({1., 2.})));
}
BOOST_AUTO_TEST_CASE(means_are_no_integers) {
    BOOST_CHECK_THROW(nanmean(tensor({1., 2.}), std::nullopt, false, kByte), Error);
}

BOOST_AUTO_TEST_SUITE_END()
