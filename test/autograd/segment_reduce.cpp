// One reduction for each of many segments.
#include "shape_helpers.hpp"

#include <cmath>
#include <limits>

#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

namespace {
constexpr double inf = std::numeric_limits<double>::infinity();
Tensor longs(std::vector<std::int64_t> v) { return tensor(v, kLong); }
/// [[0, 1], [2, 3], ..., [10, 11]]
Tensor rows() { return arange(12, kDouble).view({6, 2}); }
Tensor of_lengths(const Tensor& data, std::string_view reduce, const Tensor& lengths,
                  std::optional<Scalar> initial = std::nullopt) {
    return segment_reduce(data, reduce, lengths, Tensor(), Tensor(), 0, false, initial);
}
Tensor of_offsets(const Tensor& data, std::string_view reduce, const Tensor& offsets, std::int64_t axis = 0) {
    return segment_reduce(data, reduce, Tensor(), Tensor(), offsets, axis);
}
} // namespace

BOOST_AUTO_TEST_SUITE(segments)

BOOST_AUTO_TEST_CASE(lengths_cut_the_first_dimension) { // numbers as PyTorch 2.15 gives them
    const Tensor lengths = longs({2, 0, 4});
    REEL_TEST_LIST(of_lengths(rows(), "sum", lengths), 2, 4, 0, 0, 28, 32);
    REEL_TEST_LIST(of_lengths(rows(), "max", lengths), 2, 3, -inf, -inf, 10, 11);
    REEL_TEST_LIST(of_lengths(rows(), "min", lengths), 0, 1, inf, inf, 4, 5);
    REEL_TEST_LIST(of_lengths(rows(), "prod", lengths), 0, 3, 1, 1, 1920, 3465);
    const V mean = list(of_lengths(rows(), "mean", lengths));
    BOOST_TEST((mean[0] == 1 && mean[1] == 2 && std::isnan(mean[2]) && mean[4] == 7 && mean[5] == 8));
}
BOOST_AUTO_TEST_CASE(initial_takes_part_in_each) {
    const Tensor lengths = longs({2, 0, 4});
    REEL_TEST_LIST(of_lengths(rows(), "sum", lengths, 3), 5, 7, 3, 3, 31, 35);
    REEL_TEST_LIST(of_lengths(rows(), "mean", lengths, 3), 2.5, 3.5, 3, 3, 7.75, 8.75);
    REEL_TEST_LIST(of_lengths(rows(), "max", lengths, 3), 3, 3, 3, 3, 10, 11);
    REEL_TEST_LIST(of_lengths(rows(), "min", lengths, 3), 0, 1, 3, 3, 3, 3);
    REEL_TEST_LIST(of_lengths(rows(), "prod", lengths, 3), 0, 9, 3, 3, 5760, 10395);
}
BOOST_AUTO_TEST_CASE(offsets_may_leave_elements_out) {
    REEL_TEST_LIST(of_offsets(rows(), "sum", longs({0, 2, 2, 5})), 2, 4, 0, 0, 18, 21);
    REEL_TEST_LIST(of_offsets(rows(), "sum", longs({1, 3})), 6, 8);
    REEL_TEST_LIST(segment_reduce(rows(), "sum", longs({2, 0, 3}), Tensor(), Tensor(), 0, true), 2, 4, 0, 0, 18, 21);
    // Offsets win over lengths.
    REEL_TEST_LIST(segment_reduce(rows(), "max", longs({6}), Tensor(), longs({0, 3, 6})), 4, 5, 10, 11);
}
BOOST_AUTO_TEST_CASE(each_line_has_segments_of_its_own) {
    const Tensor data = arange(12, kDouble).view({2, 3, 2}), lengths = longs({1, 2, 3, 0}).view({2, 2});
    const Tensor y = segment_reduce(data, "sum", lengths, Tensor(), Tensor(), 1);
    REEL_TEST_SIZES(y, 2, 2, 2);
    REEL_TEST_LIST(y, 0, 1, 6, 8, 24, 27, 0, 0);
    REEL_TEST_LIST(of_offsets(data, "sum", longs({0, 1, 3, 0, 3, 3}).view({2, 3}), -2) - y, 0, 0, 0, 0, 0, 0, 0, 0);
    REEL_TEST_LIST(of_lengths(data.transpose(0, 1), "max", longs({1, 2})), 0, 1, 6, 7, 4, 5, 10, 11);
}
BOOST_AUTO_TEST_CASE(gradients) {
    for (const char* reduce : {"sum", "mean", "max", "min", "prod"}) BOOST_TEST_CONTEXT(reduce) {
            check_gradients([&](const Tensor& t) { return of_lengths(t, reduce, longs({2, 1, 3})); }, {leaf({6, 2})});
            check_gradients(
                [&](const Tensor& t) {
                    return of_lengths(t, reduce, longs({0, 2, 4}), 0.5);
                },
                {leaf({6, 2})});
        }
    // Equal elements share; an equal `initial` takes nothing.
    const Tensor x = tensor({1., 1., 2., 5., 5., 5.}, kDouble).requires_grad_();
    of_lengths(x, "max", longs({3, 3})).sum().backward();
    REEL_TEST_LIST(x.grad(), 0, 0, 1, 1. / 3, 1. / 3, 1. / 3);
    const Tensor z = tensor({1., 1., 2.}, kDouble).requires_grad_();
    of_lengths(z, "max", longs({2, 1}), 1).sum().backward();
    REEL_TEST_LIST(z.grad(), 0.5, 0.5, 1);
    // What is left out has a gradient of zero.
    const Tensor r = rows().requires_grad_();
    of_offsets(r, "prod", longs({1, 2})).sum().backward();
    REEL_TEST_LIST(r.grad(), 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
}
BOOST_AUTO_TEST_CASE(refusals) {
    const auto text = [](auto f) { return message(f); };
    BOOST_TEST(text([] {
                   of_lengths(rows(), "sum", longs({2, 0, 3}));
               }) ==
               "segment_reduce: lengths sum to 5, data has 6 elements along axis; unsafe=True leaves the others out");
    BOOST_TEST(text([] {
                   of_lengths(rows(), "sum", longs({3, -1, 4}));
               }) == "segment_reduce: lengths has a negative value, -1 at segment 1");
    BOOST_TEST(text([] {
                   of_offsets(rows(), "sum", longs({0, 4, 2}));
               }) == "segment_reduce: offsets go down by -2 at segment 1");
    BOOST_TEST(text([] {
                   of_lengths(rows(), "sum", longs({2, 6}));
               }) == "segment_reduce: segment 1 of 6 elements from 2 on exceeds the 6 elements of data");
    BOOST_TEST(text([] { of_lengths(rows(), "median", longs({6})); }) ==
               "segment_reduce: reduce is 'median'; expected 'sum', 'mean', 'max', 'min' or 'prod'");
    BOOST_TEST(text([] { segment_reduce(rows(), "sum"); }) ==
               "segment_reduce: expected lengths or offsets, got neither");
    BOOST_TEST(text([] { segment_reduce(rows(), "sum", longs({6}), Tensor(), Tensor(), 1); }) ==
               "segment_reduce: axis must be the last dimension of lengths, got axis 1 and sizes [1]");
    BOOST_TEST(text([] { segment_reduce(rows(), "sum", Tensor(), longs({1})); }) ==
               "segment_reduce: indices are not supported; say lengths or offsets");
    BOOST_TEST(text([] { of_lengths(rows().to(kLong), "sum", longs({6})); }).find("segment_reduce") == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
