// Many tensors as one vector, and back.
#include <reel/autograd/utils.hpp>

#include "shape_helpers.hpp"

#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

BOOST_AUTO_TEST_SUITE(flatten_dense)

BOOST_AUTO_TEST_CASE(there_and_back) {
    const Tensor a = numbers({2, 3}), b = zeros({0}, kDouble), c = full({}, 5, kDouble);
    const Tensor flat = flatten_dense_tensors({a.t(), b, c});
    V expected = list(a.t());
    expected.push_back(5);
    BOOST_TEST(list(flat) == expected, boost::test_tools::per_element());
    const std::vector<Tensor> parts = unflatten_dense_tensors(flat, {a.t(), b, c});
    BOOST_REQUIRE(parts.size() == 3u);
    REEL_TEST_SIZES(parts[0], 3, 2);
    REEL_TEST_SIZES(parts[1], 0);
    BOOST_TEST(parts[2].dim() == 0);
    BOOST_TEST(list(parts[0]) == list(a.t()), boost::test_tools::per_element());
    BOOST_TEST(utils::unflatten_dense_tensors(utils::flatten_dense_tensors({a, c}), {a, c})[0].equal(a));
    parts[2].fill_(7); // they are views
    BOOST_TEST(flat[6].item<double>() == 7);
}
BOOST_AUTO_TEST_CASE(a_bucket_of_gradients) { // as ranks exchange them: one vector for many parameters
    const Tensor a = leaf({2, 2}), b = leaf({3});
    (a.square().sum() + b.sum()).backward();
    const Tensor bucket = flatten_dense_tensors({a.grad(), b.grad()}) / 2;
    const std::vector<Tensor> halves = unflatten_dense_tensors(bucket, {a, b});
    BOOST_TEST(list(halves[0]) == list(a), boost::test_tools::per_element());
    REEL_TEST_LIST(halves[1], 0.5, 0.5, 0.5);
}
BOOST_AUTO_TEST_CASE(gradients) {
    check_gradients([](const std::vector<Tensor>& x) { return flatten_dense_tensors(x).square(); },
                    {leaf({2, 2}), leaf({}), leaf({3})});
    check_gradients(
        [](const Tensor& t) {
            const std::vector<Tensor> p = unflatten_dense_tensors(t, {numbers({2, 2}), numbers({3})});
            return p[0].sum() * p[1].square();
        },
        {leaf({8})});
}
BOOST_AUTO_TEST_CASE(parts_without_elements_share_no_memory) {
    const Tensor flat = numbers({5});
    const std::vector<Tensor> parts =
        unflatten_dense_tensors(flat, {numbers({3}), numbers({0, 2}), numbers({0}), numbers({2})});
    REEL_TEST_SIZES(parts[1], 0, 2);
    BOOST_TEST(!parts[1].is_alias_of(flat));
    BOOST_TEST(parts[3].is_alias_of(flat));
    parts[1].resize_({1}).fill_(7);
    parts[2].resize_({1}).fill_(8);
    BOOST_TEST(parts[1].item<double>() == 7);
    BOOST_TEST(equal(flat, numbers({5})));
}
BOOST_AUTO_TEST_CASE(refusals) {
    const Tensor a = numbers({2, 3});
    BOOST_TEST(message([] { flatten_dense_tensors(std::vector<Tensor>{}); }) ==
               "flatten_dense_tensors: expected a non-empty list of tensors");
    BOOST_TEST(message([&] {
                   flatten_dense_tensors({a, Tensor()});
               }) == "flatten_dense_tensors: tensor 1 of the list is undefined");
    BOOST_TEST(message([&] {
                   unflatten_dense_tensors(numbers({8}), {a, numbers({3})});
               }) == "unflatten_dense_tensors: flat has 8 elements, but tensor 1 of sizes [3] ends at 9");
    BOOST_TEST(message([&] { unflatten_dense_tensors(a, {a}); }) ==
               "unflatten_dense_tensors: flat must have one dimension, got sizes [2, 3]");
}

BOOST_AUTO_TEST_SUITE_END()
