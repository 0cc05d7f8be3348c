// Products of groups of matrices.
#include <reel/autograd/kernels/grouped_mm.hpp>

#include "shape_helpers.hpp"

#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

namespace {
Tensor ends(std::vector<std::int64_t> v) { return tensor(v, kLong).to(kInt); }
} // namespace

BOOST_AUTO_TEST_SUITE(grouped_products)

BOOST_AUTO_TEST_CASE(rows_in_groups) {
    const Tensor a = numbers({6, 3}), b = numbers({3, 3, 2});
    const Tensor y = grouped_mm(a, b, ends({2, 2, 5}));
    const Tensor expected = cat({mm(a.narrow(0, 0, 2), b[0]), mm(a.narrow(0, 2, 3), b[2]), zeros({1, 2}, kDouble)}, 0);
    BOOST_TEST(list(y) == list(expected), boost::test_tools::per_element());
    // Weights of linear layers, [G, N, K], as they are; rows apart.
    const Tensor w = numbers({3, 2, 3});
    BOOST_TEST(list(grouped_mm(strided({6, 3}), w.transpose(1, 2), ends({1, 4, 6}))) ==
                   list(cat({mm(a.narrow(0, 0, 1), w[0].t()), mm(a.narrow(0, 1, 3), w[1].t()),
                             mm(a.narrow(0, 4, 2), w[2].t())},
                            0)),
               boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(columns_in_groups) {
    const Tensor a = numbers({2, 4, 3}), b = numbers({3, 5});
    const Tensor y = grouped_mm(a, b, ends({2, 4}));
    const Tensor expected = cat({mm(a[0], b.narrow(1, 0, 2)), mm(a[1], b.narrow(1, 2, 2)), zeros({4, 1}, kDouble)}, 1);
    BOOST_TEST(list(y) == list(expected), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(inner_dimension_in_groups) {
    const Tensor a = numbers({4, 5}), b = numbers({5, 2});
    const Tensor y = grouped_mm(a, b, ends({0, 3}));
    BOOST_TEST(list(y) == list(stack({zeros({4, 2}, kDouble), mm(a.narrow(1, 0, 3), b.narrow(0, 0, 3))}, 0)),
               boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(batches_need_no_offsets) {
    const Tensor a = numbers({2, 4, 3}), b = numbers({2, 3, 2});
    BOOST_TEST(list(grouped_mm(a, b)) == list(bmm(a, b)), boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(gradients) {
    for (const auto& [a, b] : std::vector<std::pair<S, S>>{{{5, 3}, {2, 3, 2}}, {{2, 4, 3}, {3, 5}}, {{4, 5}, {5, 2}}})
        check_gradients(
            [](const std::vector<Tensor>& x) {
                return grouped_mm(x[0], x[1], ends({2, 4}));
            },
            {leaf(a), leaf(b)});
    // An expert that nothing was sent to has a gradient of zeros, not of garbage.
    const Tensor w = leaf({2, 3, 2});
    grouped_mm(numbers({4, 3}), w, ends({4, 4})).sum().backward();
    BOOST_TEST(w.grad()[1].abs().sum().item<double>() == 0);
    BOOST_TEST(w.grad()[0].abs().sum().item<double>() > 0);
}
BOOST_AUTO_TEST_CASE(the_kernel_is_the_ops) {
    BOOST_TEST(kernels::grouped_mm.name() == "grouped_mm");
    const Tensor y =
        grouped_mm(empty({6, 3}, kMeta), empty({2, 3, 2}, kMeta), empty({2}, TensorOptions(kInt).device(kMeta)));
    REEL_TEST_SIZES(y, 6, 2);
}
BOOST_AUTO_TEST_CASE(refusals) {
    const Tensor a = numbers({6, 3}), b = numbers({2, 3, 2});
    BOOST_TEST(message([&] { grouped_mm(a, b); }) ==
               "grouped_mm: expected offs, which say where the groups of the 2-dimensional operand end; got sizes "
               "[6, 3] and [2, 3, 2]");
    BOOST_TEST(message([&] {
                   grouped_mm(b.transpose(1, 2), b, ends({1, 2}));
               }) ==
               "grouped_mm: offs cuts a dimension of a matrix, but mat_a and mat_b have 3 dimensions both; got sizes "
               "[2, 2, 3] and [2, 3, 2]");
    BOOST_TEST(message([&] {
                   grouped_mm(a, b, ends({4, 2}));
               }) ==
               "grouped_mm: offs[1] is 2; expected at least 4, where the group before it ends, and at most 6, the size "
               "of the dimension that is cut");
    BOOST_TEST(message([&] { grouped_mm(a, b, ends({4, 7})); }).find("offs[1] is 7") != std::string::npos);
    BOOST_TEST(message([&] {
                   grouped_mm(a, b, ends({2, 4, 6}));
               }) == "grouped_mm: mat_b has 2 matrices, offs has 3 elements; expected one for each group");
    BOOST_TEST(message<TypeError>([&] {
                   grouped_mm(a, b, tensor({2, 6}, kLong));
               }) == "grouped_mm: offs must be int32, got int64");
    BOOST_TEST(message([&] {
                   grouped_mm(a, numbers({2, 4, 2}), ends({2, 6}));
               }) == "grouped_mm: inner dimensions differ: mat_a is [6, 3], mat_b is [2, 4, 2]");
    BOOST_TEST(message([&] {
                   grouped_mm(a, b.to(kFloat), ends({2, 6}));
               }) == "grouped_mm: mat_a is float64 and mat_b is float32; both must have one dtype");
    BOOST_TEST(message([&] {
                   grouped_mm(a, b, ends({2, 6}), zeros({2}, kDouble));
               }) == "grouped_mm: bias is not supported; add it to the result");
    BOOST_TEST(message([&] {
                   grouped_mm(a, b, ends({2, 6}), Tensor(), kFloat);
               }) == "grouped_mm: out_dtype is float32; expected the operands' float64");
}

BOOST_AUTO_TEST_SUITE_END()
