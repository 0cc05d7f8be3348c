// Vector loops of rules over operands of any strides, bit for bit what one element after the other gives, and nothing
// written in between.
#include <reel/autograd/pointwise/loop.hpp>

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstring>
#include <vector>

#include <reel/autograd/pointwise/arithmetic.hpp>
#include <reel/autograd/pointwise/clamp.hpp>
#include <reel/autograd/pointwise/comparison.hpp>

using namespace reel;

namespace {

constexpr std::int64_t longest = 600, spread = 3;
constexpr unsigned char untouched = 0xa5;

/// Elements at steps of this many, backwards too; 0 is one element again and again.
template <std::size_t n> using Steps = std::array<std::int64_t, n>;

/// Where an operand of T begins whose elements stand `step` elements apart.
template <class T> char* start(std::vector<unsigned char>& memory, std::int64_t step, std::int64_t n) {
    return reinterpret_cast<char*>(memory.data()) + (step < 0 ? -step * (n - 1) * std::int64_t(sizeof(T)) : 0);
}
template <class T> std::vector<unsigned char> operand(int seed) {
    std::vector<unsigned char> memory(std::size_t(longest * spread) * sizeof(T));
    for (std::size_t i = 0; i < memory.size() / sizeof(T); ++i) {
        const T value = T(float(int((i * 37 + std::size_t(seed) * 11) % 101) - 50) * 0.25f);
        std::memcpy(memory.data() + i * sizeof(T), &value, sizeof(T));
    }
    return memory;
}

template <class Op, class T, std::size_t count> void compare(const Op& op, std::int64_t n, const Steps<count>& steps) {
    using R = pointwise::result_of<Op, T>;
    std::vector<unsigned char> operands[] = {operand<T>(1), operand<T>(2), operand<T>(3)};
    std::vector<unsigned char> got(std::size_t(longest * spread) * sizeof(R), untouched), wanted = got;
    char *to[count] = {start<R>(got, steps[0], n)}, *expected[count] = {start<R>(wanted, steps[0], n)};
    std::int64_t bytes[count] = {steps[0] * std::int64_t(sizeof(R))};
    for (std::size_t a = 1; a < count; ++a) {
        to[a] = expected[a] = start<T>(operands[a - 1], steps[a], n);
        bytes[a] = steps[a] * std::int64_t(sizeof(T));
    }
    pointwise::loop_table<Op>.forward[int(dtype_of<T>)](to, bytes, n, &op);
    pointwise::one_by_one<Op, T>(expected, bytes, n, &op);
    BOOST_TEST_CONTEXT(dtype_name(dtype_of<T>) << ", " << n << " elements, steps of the result " << steps[0]
                                               << ", of the operands from " << steps[1] << " to " << steps[count - 1])
    BOOST_TEST((got == wanted));
}
template <class Op, std::size_t count> void compare_dtypes(const Op& op, std::int64_t n, const Steps<count>& steps) {
    compare<Op, float>(op, n, steps);
    compare<Op, double>(op, n, steps);
    compare<Op, Half>(op, n, steps);
    compare<Op, BFloat16>(op, n, steps);
}
/// Every mixture of dense, repeated, spread and backward operands and lengths around vectors and blocks.
template <class Op> void compare_everywhere(const Op& op) {
    constexpr std::size_t count = std::size_t(Op::operands) + 1;
    for (const std::int64_t n : {1, 2, 3, 5, 8, 15, 16, 17, 32, 33, 47, 255, 256, 257, 512, 600})
        for (const std::int64_t out : {1, 3, -2})
            for (int mixture = 0; mixture < 1 << (2 * Op::operands); ++mixture) {
                Steps<count> steps{out};
                for (std::size_t a = 1; a < count; ++a)
                    steps[a] = std::array<std::int64_t, 4>{1, 0, 3, -1}[std::size_t(mixture >> (2 * (a - 1))) & 3];
                compare_dtypes(op, n, steps);
            }
}

} // namespace

BOOST_AUTO_TEST_SUITE(strided_loops)

BOOST_AUTO_TEST_CASE(one_operand) { compare_everywhere(pointwise::neg_op{}); }
BOOST_AUTO_TEST_CASE(two_operands) { compare_everywhere(pointwise::mul_op{}); }
BOOST_AUTO_TEST_CASE(two_operands_whose_result_is_a_bool) { compare_everywhere(pointwise::lt_op{}); }
BOOST_AUTO_TEST_CASE(three_operands) { compare_everywhere(pointwise::clamp_op{}); }

BOOST_AUTO_TEST_CASE(the_result_in_the_place_of_an_operand) {
    for (const std::int64_t step : {1, 3, -1})
        for (const std::int64_t n : {1, 7, 16, 33, 300}) {
            std::vector<unsigned char> x = operand<float>(1), y = operand<float>(2), result = x;
            const std::int64_t bytes[] = {step * 4, step * 4, 4};
            char* const apart[] = {start<float>(result, step, n), start<float>(x, step, n), start<float>(y, 1, n)};
            const pointwise::mul_op op{};
            pointwise::one_by_one<pointwise::mul_op, float>(apart, bytes, n, &op);
            char* const in_place[] = {apart[1], apart[1], apart[2]};
            pointwise::loop_table<pointwise::mul_op>.forward[int(kFloat)](in_place, bytes, n, &op);
            BOOST_TEST((x == result));
        }
}

BOOST_AUTO_TEST_SUITE_END()
