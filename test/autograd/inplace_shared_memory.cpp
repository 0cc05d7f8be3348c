// In-place ops whose operands lie in the memory that is written: what is read is what was there before.
#include "tape_helpers.hpp"

#include <reel/autograd/range_factories.hpp>

using namespace tape_test;

namespace {

/// The results of `write(y, x)` on tensors with memory of their own, and on neighbours in one: y begins an element
/// after x.
template <class F> void compare_with_copies(const char* name, std::int64_t length, F write) {
    const Tensor all = arange(1, length + 2, kDouble), x = all.narrow(0, 0, length), y = all.narrow(0, 1, length);
    Tensor alone = y.clone(), shared = y;
    write(alone, x.clone());
    write(shared, x);
    BOOST_TEST(shared.equal(alone), name << " over " << length << " elements");
}

} // namespace

BOOST_AUTO_TEST_SUITE(inplace_shared_memory)

BOOST_AUTO_TEST_CASE(an_operand_that_begins_a_little_earlier) {
    const NoGradGuard guard;
    for (const std::int64_t length : {3, 40, 5000}) {
        compare_with_copies("add_", length, [](Tensor& y, const Tensor& x) { y.add_(x); });
        compare_with_copies("add_ with alpha", length, [](Tensor& y, const Tensor& x) { y.add_(x, 2); });
        compare_with_copies("sub_", length, [](Tensor& y, const Tensor& x) { y.sub_(x); });
        compare_with_copies("mul_", length, [](Tensor& y, const Tensor& x) { y.mul_(x); });
        compare_with_copies("div_", length, [](Tensor& y, const Tensor& x) { y.div_(x); });
        compare_with_copies("copy_", length, [](Tensor& y, const Tensor& x) { y.copy_(x); });
        compare_with_copies("+=", length, [](Tensor& y, const Tensor& x) { y += x; });
        compare_with_copies("addcmul_", length, [](Tensor& y, const Tensor& x) { y.addcmul_(x, x); });
    }
}

BOOST_AUTO_TEST_CASE(an_operand_that_begins_a_little_later) {
    const NoGradGuard guard;
    const Tensor all = arange(1, 6, kDouble);
    all.narrow(0, 0, 4).mul_(all.narrow(0, 1, 4));
    REEL_TEST_VALUES(all, 2, 6, 12, 20, 5);
}

BOOST_AUTO_TEST_CASE(an_operand_at_the_same_place) {
    const NoGradGuard guard;
    const Tensor x = arange(1, 4, kDouble);
    x.add_(x.view({3}));
    REEL_TEST_VALUES(x, 2, 4, 6);
    const Tensor square = tensor({{1., 2.}, {3., 4.}}, kDouble);
    square.mul_(square.t());
    REEL_TEST_VALUES(square.view({-1}), 1, 6, 6, 16);
}

BOOST_AUTO_TEST_SUITE_END()
