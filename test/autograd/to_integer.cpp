#include <reel/autograd/detail/to_integer.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/op.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>

using namespace reel;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t least64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t least32 = std::numeric_limits<std::int32_t>::min();

/// Numbers around every edge, and what PyTorch 2.15 gives for them on x86.
const std::vector<double> numbers = {0,           -0.9,        2.7,  300,         -1,           -300,
                                     2147483647., 2147483648., -3e9, -2147483648, -2147483649., 5e9 + 7,
                                     1e20,        -1e20,       inf,  -inf,        nan};

std::vector<std::int64_t> converted(ScalarType dtype, ScalarType from = kDouble) {
    const Tensor x = tensor(numbers, TensorOptions(kDouble)).to(from);
    // Long enough for loops over vectors, and a strided operand.
    const Tensor dense = cat({x, x, x, x}).to(dtype).to(kLong),
                 strided = stack({x, x}, 1).select(1, 1).to(dtype).to(kLong);
    const std::int64_t n = x.numel();
    BOOST_TEST(equal(dense.narrow(0, 3 * n, n), strided));
    return {strided.contiguous().data_ptr<std::int64_t>(), strided.contiguous().data_ptr<std::int64_t>() + n};
}

} // namespace

BOOST_AUTO_TEST_SUITE(to_integer)

BOOST_AUTO_TEST_CASE(is_defined_for_every_number) {
    const std::vector<std::int64_t> wide = {0,          0,          2,           300,         -1,          -300,
                                            2147483647, 2147483648, -3000000000, -2147483648, -2147483649, 5000000007,
                                            least64,    least64,    least64,     least64,     least64};
    BOOST_TEST(converted(kLong) == wide, boost::test_tools::per_element());
    std::vector<std::int64_t> narrow = wide;
    for (std::int64_t& v : narrow)
        if (v < least32 || v > 2147483647) v = least32;
    BOOST_TEST(converted(kInt) == narrow, boost::test_tools::per_element());
    std::vector<std::int64_t> bytes, shorts;
    for (const std::int64_t v : narrow) {
        bytes.push_back(std::uint8_t(v));
        shorts.push_back(std::int16_t(v));
    }
    BOOST_TEST(converted(kByte) == bytes, boost::test_tools::per_element());
    BOOST_TEST(converted(kShort) == shorts, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(is_the_same_from_shorter_floats) {
    for (const ScalarType from : {kFloat, kHalf, kBFloat16}) {
        const Tensor x = tensor(numbers, TensorOptions(kDouble)).to(from);
        for (const ScalarType to : {kLong, kInt, kShort, kChar, kByte})
            BOOST_TEST(equal(x.to(to), x.to(kDouble).to(to)), dtype_name(from) << " to " << dtype_name(to));
    }
}

BOOST_AUTO_TEST_CASE(of_many_numbers_that_int32_holds_or_does_not) {
    const Tensor whole = arange(300), more = whole.to(kDouble) + 0.25, large = whole * 4294967296;
    for (const ScalarType from : {kFloat, kDouble}) {
        BOOST_TEST(equal(more.to(from).to(kLong), whole));
        BOOST_TEST(equal((-more).to(from).to(kLong), -whole));
        BOOST_TEST(equal(cat({large, whole}).to(from).to(kLong), cat({large, whole})));
    }
}

BOOST_AUTO_TEST_CASE(is_what_scalars_do) {
    for (const double v : numbers) BOOST_TEST(Scalar(v).toLong() == detail::to_integer<std::int64_t>(v));
    static_assert(detail::to_integer<std::int64_t>(1e300) == least64);
    static_assert(detail::to_integer<std::uint8_t>(-1.5f) == 255);
}

BOOST_AUTO_TEST_SUITE_END()
