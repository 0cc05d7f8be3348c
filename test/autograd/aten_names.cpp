// Functions that C++ calls by ATen's names: one mode and rank each, where Python's take both as arguments.
#include "shape_helpers.hpp"

#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

BOOST_AUTO_TEST_SUITE(aten_names)

BOOST_AUTO_TEST_CASE(upsampling_is_interpolation_to_a_size) {
    const Tensor one = leaf({2, 3, 4}), two = leaf({1, 2, 3, 4}), three = leaf({1, 2, 2, 3, 4});
    const auto to = [](const Tensor& x, IntArrayRef size, const char* mode, std::optional<bool> align = std::nullopt) {
        return interpolate(x, size, std::nullopt, mode, align);
    };
    BOOST_TEST(equal(upsample_nearest1d(one, {7}), to(one, {7}, "nearest")));
    BOOST_TEST(equal(upsample_nearest2d(two, {5, 2}), to(two, {5, 2}, "nearest")));
    BOOST_TEST(equal(upsample_nearest3d(three, {3, 5, 2}), to(three, {3, 5, 2}, "nearest")));
    for (const bool align : {false, true}) {
        BOOST_TEST(equal(upsample_linear1d(one, {7}, align), to(one, {7}, "linear", align)));
        BOOST_TEST(equal(upsample_bilinear2d(two, {5, 6}, align), to(two, {5, 6}, "bilinear", align)));
        BOOST_TEST(equal(upsample_bicubic2d(two, {5, 6}, align), to(two, {5, 6}, "bicubic", align)));
        BOOST_TEST(equal(upsample_trilinear3d(three, {3, 4, 5}, align), to(three, {3, 4, 5}, "trilinear", align)));
    }
    upsample_bilinear2d(two, {6, 8}, false).sum().backward();
    BOOST_TEST(allclose(two.grad(), full_like(two.detach(), 4)));
    BOOST_TEST(message<Error>([&] {
                   upsample_nearest2d(one, {5, 2});
               }) == "upsample_nearest2d: input must have 4 dimensions, got sizes [2, 3, 4]");
}

BOOST_AUTO_TEST_CASE(padding_by_reflection_and_by_the_edge) {
    const Tensor one = numbers({2, 4}), two = numbers({2, 4, 5}), three = numbers({1, 2, 3, 4, 5});
    BOOST_TEST(equal(reflection_pad1d(one, {1, 2}), pad(one, {1, 2}, "reflect")));
    BOOST_TEST(equal(reflection_pad2d(two, {1, 2, 3, 0}), pad(two, {1, 2, 3, 0}, "reflect")));
    BOOST_TEST(equal(reflection_pad3d(three, {1, 2, 3, 0, 1, 1}), pad(three, {1, 2, 3, 0, 1, 1}, "reflect")));
    BOOST_TEST(equal(replication_pad1d(one, {1, 2}), pad(one, {1, 2}, "replicate")));
    BOOST_TEST(equal(replication_pad2d(two, {1, 2, 3, 0}), pad(two, {1, 2, 3, 0}, "replicate")));
    BOOST_TEST(equal(replication_pad3d(three, {1, 2, 3, 0, 1, 1}), pad(three, {1, 2, 3, 0, 1, 1}, "replicate")));
    BOOST_TEST(message<Error>([&] {
                   reflection_pad2d(two, {1, 2});
               }) == "reflection_pad2d: padding must have 4 numbers, got [1, 2]");
}

BOOST_AUTO_TEST_CASE(a_tensor_of_one_number_fills_and_gets_the_sum_of_the_gradient) {
    const Tensor x = leaf({2, 3}), v = leaf({});
    const Tensor y = x * 1;
    y.fill_(v);
    BOOST_TEST(equal(y, fill(x, v)));
    BOOST_TEST((y == v).all().item<bool>());
    (y * 2).sum().backward();
    BOOST_TEST(v.grad().item<double>() == 12);
    BOOST_TEST((x.grad() == 0).all().item<bool>());
    v.mutable_grad() = Tensor();
    fill(x, v).sum().backward();
    BOOST_TEST(v.grad().item<double>() == 6);
    BOOST_TEST((x.grad() == 0).all().item<bool>());
    check_gradients([](const auto& t) { return fill(t[0], t[1].square()); }, {leaf({2, 3}), leaf({})});
    BOOST_TEST(zeros({2}, kLong).fill_(tensor(3.0)).sum().item<std::int64_t>() == 6); // takes the dtype of input
    BOOST_TEST(message<Error>([&] { zeros({2}).fill_(ones({1})); }) ==
               "fill: value must be a number or a 0-dim tensor, got one of sizes [1]");
}

BOOST_AUTO_TEST_SUITE_END()
