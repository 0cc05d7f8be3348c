// Products of vectors, matrices and tensors.
#include "shape_helpers.hpp"

#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

BOOST_AUTO_TEST_SUITE(products)

BOOST_AUTO_TEST_CASE(matmul_broadcasts) {
    for (const auto& [a, b] : std::vector<std::pair<S, S>>{{{3}, {3}},
                                                           {{2, 3}, {3}},
                                                           {{3}, {3, 2}},
                                                           {{2, 3}, {3, 4}},
                                                           {{2, 1, 2, 3}, {3, 3, 2}},
                                                           {{3}, {2, 3, 2}},
                                                           {{2, 2, 3}, {3}}})
        check_gradients([](const std::vector<Tensor>& x) { return matmul(x[0], x[1]); }, {leaf(a), leaf(b)});
    REEL_TEST_SIZES(matmul(numbers({2, 0}), numbers({0, 3})), 2, 3);
    BOOST_TEST(message([] { matmul(numbers({2, 3}), numbers({2, 3})); }).find("[2, 3]") != std::string::npos);
    BOOST_TEST(!message([] { matmul(numbers({2, 3}), ones({3, 2}, kFloat)); }).empty());
}

BOOST_AUTO_TEST_CASE(blends) {
    const Tensor nan = full({2, 2}, NAN, kDouble), a = numbers({2, 3}), b = numbers({3, 2});
    BOOST_TEST(list(addmm(nan, a, b, 0)) == list(mm(a, b)),
               boost::test_tools::per_element()); // beta = 0 leaves input out
    check_gradients([](const std::vector<Tensor>& x) { return addmm(x[0], x[1], x[2], 0.5, 2); },
                    {leaf({2}), leaf({2, 3}), leaf({3, 2})});
    check_gradients([](const std::vector<Tensor>& x) { return baddbmm(x[0], x[1], x[2], 0.5, 2); },
                    {leaf({1, 2}), leaf({2, 1, 3}), leaf({2, 3, 2})});
    BOOST_TEST(message([&] { addmm(numbers({3, 3}), a, b); }).find("does not expand") != std::string::npos);
    BOOST_TEST(!message([] { addr(ones({2, 2}, kLong), ones({2}, kLong), ones({2}, kLong), 0.5); }).empty());
}

BOOST_AUTO_TEST_CASE(einstein_sums) {
    const Tensor a = numbers({2, 3}), b = numbers({3, 4});
    BOOST_TEST(list(einsum("ij,jk", {a, b})) == list(mm(a, b)), boost::test_tools::per_element());
    BOOST_TEST(list(einsum("ij->ji", {a})) == list(a.t()), boost::test_tools::per_element());
    BOOST_TEST(einsum("ii", {numbers({3, 3})}).item<double>() == numbers({3, 3}).trace().item<double>());
    check_gradients([](const std::vector<Tensor>& x) { return einsum("b...i, ij, bkk -> b...j", x); },
                    {leaf({2, 2, 3}), leaf({3, 2}), leaf({2, 2, 2})});
    BOOST_TEST(message([&] { einsum("ij,jk->il", {a, b}); }).find("no operand has") != std::string::npos);
    BOOST_TEST(message([&] { einsum("ij,ij->i", {a, b}); }).find("operand 1 has shape [3, 4]") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(other_products) {
    check_gradients(
        [](const std::vector<Tensor>& x) {
            return tensordot(x[0], x[1], {1, 0}, {0, 2});
        },
        {leaf({2, 3, 2}), leaf({3, 2, 2})});
    check_gradients([](const std::vector<Tensor>& x) { return linalg::multi_dot(x); },
                    {leaf({2}), leaf({2, 3}), leaf({3, 2}), leaf({2})});
    check_gradients([](const std::vector<Tensor>& x) { return cross(x[0], x[1]); }, {leaf({2, 3}), leaf({2, 3})});
    check_gradients([](const std::vector<Tensor>& x) { return bilinear(x[0], x[1], x[2], x[3]); },
                    {leaf({2, 3}), leaf({2, 2}), leaf({2, 3, 2}), leaf({2})});
    check_gradients([](const std::vector<Tensor>& x) { return linear(x[0], x[1], x[2]); },
                    {leaf({2, 3}), leaf({4, 3}), leaf({4})});
    BOOST_TEST(!message([] { cross(numbers({2, 2}), numbers({2, 2})); }).empty());
}

BOOST_AUTO_TEST_SUITE_END()
