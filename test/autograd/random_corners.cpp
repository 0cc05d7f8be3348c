// Random numbers where the reference's streams change their way: wide ranges, 16 bits, complex parts. The numbers are
// PyTorch 2.15's after manual_seed(42).
#include <reel/autograd/random.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

namespace {

template <class F> Tensor drawn(F f) {
    manual_seed(42);
    return f();
}
double at(const Tensor& t, std::int64_t i) { return t.select(0, i).to(kDouble).item<double>(); }
std::int64_t integer(const Tensor& t, std::int64_t i) { return t.select(0, i).item<std::int64_t>(); }

} // namespace

BOOST_AUTO_TEST_SUITE(random_corners)

BOOST_AUTO_TEST_CASE(ranges_from_two_to_the_28_take_64_bits) {
    const Tensor below = drawn([] { return randint((std::int64_t(1) << 28) - 1, {1}); });
    BOOST_TEST(integer(below, 0) == 266460267);
    const Tensor first = drawn([] { return randint(std::int64_t(1) << 28, {2}); });
    BOOST_TEST(integer(first, 0) == 199900595);
    BOOST_TEST(integer(first, 1) == 250975502);
    const Tensor second = drawn([] { return randint(std::int64_t(1) << 31, {2}); });
    BOOST_TEST(integer(second, 0) == 1273642419);
    BOOST_TEST(integer(second, 1) == 787846414);
}
BOOST_AUTO_TEST_CASE(floats_never_round_up_to_the_bound) {
    const Tensor single = drawn([] { return zeros({2}).random_(0, std::int64_t(1) << 31); });
    BOOST_TEST(at(single, 0) == 768017472.);
    BOOST_TEST(at(single, 1) == 284812416.);
    const Tensor wide = drawn([] { return zeros({2}, TensorOptions(kDouble)).random_(0, std::int64_t(1) << 62); });
    BOOST_TEST(at(wide, 0) == 2.2973596190015652e+18);
    for (const ScalarType t : {kHalf, kBFloat16}) {
        const Tensor u = drawn([&] { return rand({257}, TensorOptions(t)); });
        BOOST_TEST(at(u, 110) == 0);
        BOOST_TEST((u < 1).all().item<bool>());
    }
}
BOOST_AUTO_TEST_CASE(normals_of_16_bits_are_drawn_sixteen_by_sixteen) {
    const Tensor half = drawn([] { return randn({17}, TensorOptions(kHalf)); });
    BOOST_TEST(at(half, 0) == 1.9267578125);
    BOOST_TEST(at(half, 1) == 1.642578125);
    BOOST_TEST(at(half, 16) == 0.85986328125);
    const Tensor brain = drawn([] { return randn({17}, TensorOptions(kBFloat16)); });
    BOOST_TEST(at(brain, 1) == 1.640625);
    const Tensor more = drawn([] { return randn({33}, TensorOptions(kHalf)); });
    BOOST_TEST(at(more, 17) == -1.384765625);
    BOOST_TEST(at(more, 32) == -0.48779296875);
}
BOOST_AUTO_TEST_CASE(complex_uniforms_are_two_real_ones) {
    const Tensor z = drawn([] { return rand({2}, TensorOptions(kComplexDouble)); });
    const Tensor parts = drawn([] { return rand({2, 2}, TensorOptions(kDouble)); });
    BOOST_TEST(view_as_real(z).equal(parts));
}
BOOST_AUTO_TEST_CASE(what_a_dtype_does_not_hold_is_not_drawn) {
    BOOST_CHECK_THROW(randint(5, {3}, TensorOptions(kComplexFloat)), Error);
    BOOST_CHECK_THROW(randperm(1000, TensorOptions(kByte)), Error);
    BOOST_CHECK_THROW(randperm(40000, TensorOptions(kShort)), Error);
    BOOST_TEST(randperm(256, TensorOptions(kByte)).to(kLong).sum().item<std::int64_t>() == 255 * 128);
}
BOOST_AUTO_TEST_CASE(dropout3d_without_a_batch) {
    const Tensor y = drawn([] { return dropout3d(ones({3, 40}), 0.5); });
    const Tensor first = y.select(1, 0).unsqueeze(1);
    BOOST_TEST((y == first).all().item<bool>());
}

BOOST_AUTO_TEST_SUITE_END()
