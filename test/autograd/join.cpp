// Joining, repeating and rearranging.
#include "shape_helpers.hpp"

#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

BOOST_AUTO_TEST_SUITE(join)

BOOST_AUTO_TEST_CASE(cat_and_stack) {
    const Tensor a = tensor({{1., 2.}}, kDouble), b = tensor({{3., 4.}, {5., 6.}}, kDouble);
    REEL_TEST_LIST(cat({a, b}), 1, 2, 3, 4, 5, 6);
    REEL_TEST_LIST(cat({a.t(), b}, 1), 1, 3, 4, 2, 5, 6);
    REEL_TEST_LIST(stack({a.select(0, 0), b.select(0, 1)}, 1), 1, 5, 2, 6);
    BOOST_TEST(cat({a.to(kFloat), b.to(kLong)}).scalar_type() == kFloat);
    REEL_TEST_SIZES(cat({zeros({0}, kDouble), b}), 2, 2);
    const auto join = [](const autograd::variable_list& x) { return cat({x[0], x[1] * x[1]}, 1); };
    check_gradients(join, {leaf({2, 3}), strided({2, 2}).requires_grad_()});
    check_gradients(
        [](const autograd::variable_list& x) {
            return stack({x[0], x[1] * x[0]}, -1);
        },
        {leaf({2, 2}), leaf({2, 2})});
    BOOST_TEST(message([&] {
                   cat({a, zeros({2, 3}, kDouble)});
               }) == "cat: sizes must agree except in dimension 0, tensor 1 has [2, 3], the first [1, 2]");
    BOOST_TEST(message([&] {
                   stack({a, b});
               }) == "stack: all tensors must have the same sizes, tensor 1 has [2, 2], tensor 0 [1, 2]");
}

BOOST_AUTO_TEST_CASE(flip_roll_and_quarter_turns) {
    const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
    REEL_TEST_LIST(x.flip({0, 1}), 6, 5, 4, 3, 2, 1);
    REEL_TEST_LIST(x.fliplr(), 3, 2, 1, 6, 5, 4);
    REEL_TEST_LIST(x.roll({1}, {1}), 3, 1, 2, 6, 4, 5);
    REEL_TEST_LIST(x.roll({-1}), 2, 3, 4, 5, 6, 1);
    REEL_TEST_LIST(x.roll({1, 7}, {0, 1}), 6, 4, 5, 3, 1, 2);
    REEL_TEST_LIST(x.roll({1, 1}, {1, 1}), 2, 3, 1, 5, 6, 4); // a dimension may be named twice
    REEL_TEST_LIST(x.rot90(), 3, 6, 2, 5, 1, 4);
    REEL_TEST_LIST(x.rot90(-1), 4, 1, 5, 2, 6, 3);
    REEL_TEST_LIST(x.rot90(2), 6, 5, 4, 3, 2, 1);
    for (const ScalarType t : {kBool, kHalf, kFloat, kDouble, kComplexDouble}) {
        const Tensor y = (numbers({5, 3, 70}) > 0).to(t) + numbers({5, 3, 70}).to(t), wide = strided({5, 3, 70}).to(t);
        const Tensor back = arange(69, -1, -1);
        for (const Tensor& each : {y, y.transpose(0, 2).contiguous().transpose(0, 2), wide}) {
            BOOST_TEST(each.flip({2}).equal(each.index_select(2, back)));
            BOOST_TEST(each.flip({0, 2}).equal(each.index_select(2, back).index_select(0, tensor({4, 3, 2, 1, 0}))));
        }
    }
    REEL_TEST_SIZES(numbers({3, 0}).flip({0}), 3, 0);
    check_gradients([](const Tensor& t) { return t.flip({0}) * t.roll({1}, {1}) * t.rot90(2); }, {leaf({2, 3})});
    BOOST_TEST(message([&] { x.flip({0, -2}); }) == "flip: dimension 0 appears twice in [0, -2]");
    BOOST_TEST(message([&] { x.roll({1, 2}, {0}); }) == "roll: shifts [1, 2] and dims [0] differ in length");
}

BOOST_AUTO_TEST_CASE(repetition) {
    const Tensor x = tensor({{1, 2}});
    REEL_TEST_LIST(x.repeat({2, 2}), 1, 2, 1, 2, 1, 2, 1, 2);
    REEL_TEST_SIZES(x.repeat({3, 1, 0}), 3, 1, 0);
    REEL_TEST_LIST(x.tile({2}), 1, 2, 1, 2);
    REEL_TEST_LIST(x.repeat_interleave(2), 1, 1, 2, 2);
    REEL_TEST_LIST(x.repeat_interleave(tensor({2, 1}), 1), 1, 1, 2);
    BOOST_TEST(!x.repeat({1, 1}).is_alias_of(x));
    check_gradients([](const Tensor& t) { return t.repeat({2, 3}) * 2.0 + t.tile({2, 3}); }, {leaf({2, 2})});
    check_gradients([](const Tensor& t) { return t.repeat_interleave(tensor({0, 3}), 0) * 2.0; }, {leaf({2, 2})});
    BOOST_TEST(message([&] { x.repeat({2}); }) ==
               "repeat: 1 repeats [2] for a tensor of 2 dimensions [1, 2]; expected at least as many");
}

BOOST_AUTO_TEST_CASE(padding) {
    const Tensor x = tensor({{{1., 2., 3.}}}, kDouble);
    REEL_TEST_LIST(x.constant_pad_nd({1, 2}, 9), 9, 1, 2, 3, 9, 9);
    REEL_TEST_LIST(x.constant_pad_nd({-1, 1}), 2, 3, 0);
    REEL_TEST_LIST(pad(x, {2, 1}, "reflect"), 3, 2, 1, 2, 3, 2);
    REEL_TEST_LIST(pad(x, {2, 1}, "replicate"), 1, 1, 1, 2, 3, 3);
    REEL_TEST_LIST(pad(x, {2, 1}, "circular"), 2, 3, 1, 2, 3, 1);
    REEL_TEST_LIST(pad(x, {-1, 2}, "circular"), 2, 3, 2, 3); // wraps what is left
    for (const char* mode : {"constant", "reflect", "replicate", "circular"})
        check_gradients([mode](const Tensor& t) { return pad(t, {1, 2, 2, -1}, mode) * 2.0; }, {leaf({1, 2, 3, 4})});
    const Tensor row = tensor({{{1., 2., 3., 4., 5.}}}, kDouble); // borders thinner than what they are taken from
    REEL_TEST_LIST(pad(row, {2, 1}, "reflect"), 3, 2, 1, 2, 3, 4, 5, 4);
    REEL_TEST_LIST(pad(row, {0, 2}, "replicate"), 1, 2, 3, 4, 5, 5, 5);
    REEL_TEST_LIST(pad(row, {1, 2}, "circular"), 5, 1, 2, 3, 4, 5, 1, 2);
    for (const char* mode : {"reflect", "replicate", "circular"})
        check_gradients([mode](const Tensor& t) { return pad(t, {1, 2, 2, 0}, mode) * 2.0; }, {leaf({1, 2, 5, 6})});
    BOOST_TEST(message([&] {
                   pad(x, {3, 0}, "reflect");
               }) == "pad: reflect padding of 3 and 0 must be less than the size 3 of dimension 2; input [1, 1, 3]");
    BOOST_TEST(message<ValueError>([&] {
                   pad(x, {1, 1}, "mirror");
               }) == "pad: mode must be 'constant', 'reflect', 'replicate' or 'circular', got 'mirror'");
}

BOOST_AUTO_TEST_CASE(borders_of_every_dtype_and_layout) {
    const auto by_slices = [](Tensor x, IntArrayRef at) { // columns, then rows
        const Tensor places = tensor(std::vector<std::int64_t>(at.begin(), at.end()));
        return x.index_select(2, places).index_select(1, places);
    };
    for (const ScalarType dtype : {kBool, kHalf, kFloat, kDouble, kComplexDouble, kLong}) {
        const Tensor x = numbers({2, 12, 12}).mul(9).to(dtype);
        for (const Tensor& each : {x, x.transpose(1, 2)}) {
            BOOST_TEST(equal(pad(each, {1, 2, 1, 2}, "reflect"),
                             by_slices(each, {1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 10, 9})));
            BOOST_TEST(
                equal(pad(each, {1, -2, 1, -2}, "replicate"), by_slices(each, {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9})));
            BOOST_TEST(equal(pad(each, {2, 1, 2, 1}, "circular"),
                             by_slices(each, {10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0})));
        }
    }
    const Tensor narrow = ones({1, 1, 20}, kHalf).requires_grad_(); // sums of 16 bits are rounded once
    pad(narrow, {3, 0}, "replicate")
        .mul(tensor({0.1, 0.2, 0.3, 0.4}).to(kHalf).repeat({6}).slice(0, 0, 23))
        .sum()
        .backward();
    BOOST_TEST(narrow.grad()[0][0][0].item<float>() ==
               float(Half(float(Half(0.1f)) + float(Half(0.2f)) + float(Half(0.3f)) + float(Half(0.4f)))));
    check_gradients(
        [](const Tensor& t) {
            return pad(t, {1, 0, 0, 1, 1, 1}, "reflect").square();
        },
        {leaf({1, 2, 3, 3})});
}

BOOST_AUTO_TEST_CASE(long_rows_are_joined_side_by_side) {
    const Tensor a = numbers({300, 700}), b = numbers({300, 900}) + 1, none = zeros({300, 0});
    const Tensor joined = cat({a, none, b}, 1);
    BOOST_TEST(equal(joined.narrow(1, 0, 700), a));
    BOOST_TEST(equal(joined.narrow(1, 700, 900), b));
}

BOOST_AUTO_TEST_CASE(triangles_and_diagonals) {
    const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
    REEL_TEST_LIST(x.tril(), 1, 0, 0, 4, 5, 0, 7, 8, 9);
    REEL_TEST_LIST(x.triu(1), 0, 2, 3, 0, 0, 6, 0, 0, 0);
    REEL_TEST_LIST(x.transpose(0, 1).tril(-1), 0, 0, 0, 2, 0, 0, 3, 6, 0);
    REEL_TEST_LIST(tril_indices(3, 2), 0, 1, 1, 2, 2, 0, 0, 1, 0, 1);
    REEL_TEST_LIST(triu_indices(2, 3, 1), 0, 0, 1, 1, 2, 2);
    REEL_TEST_LIST(tensor({1, 2}).diag(-1), 0, 0, 0, 1, 0, 0, 0, 2, 0);
    REEL_TEST_LIST(x.diag(1), 2, 6);
    BOOST_TEST(x.trace().item<std::int64_t>() == 15);
    REEL_TEST_SIZES(x.diag_embed(1, 0, -1), 4, 3, 4);
    check_gradients([](const Tensor& t) { return t.tril(1) * t.triu() + t.diag_embed().sum(0); }, {leaf({3, 3})});
    check_gradients([](const Tensor& t) { return t.trace() * t.diag(1); }, {leaf({3, 3})});
    BOOST_TEST(message([&] { tensor({1, 2}).tril(); }) == "tril: expected at least 2 dimensions, got sizes [2]");
}

BOOST_AUTO_TEST_CASE(grids_and_products) {
    const Tensor a = tensor({1, 2}), b = tensor({3, 4, 5});
    const auto ij = meshgrid({a, b}, "ij"), xy = meshgrid({a, b}, "xy");
    REEL_TEST_LIST(ij[0], 1, 1, 1, 2, 2, 2);
    REEL_TEST_LIST(xy[0], 1, 2, 1, 2, 1, 2);
    REEL_TEST_LIST(xy[1], 3, 3, 4, 4, 5, 5);
    REEL_TEST_LIST(cartesian_prod({a, tensor({7, 8})}), 1, 7, 1, 8, 2, 7, 2, 8);
    REEL_TEST_LIST(combinations(b), 3, 4, 3, 5, 4, 5);
    REEL_TEST_LIST(combinations(a, 2, true), 1, 1, 1, 2, 2, 2);
    REEL_TEST_LIST(a.kron(tensor({{1, 10}})), 1, 10, 2, 20);
    REEL_TEST_LIST(vander(b, 3), 9, 3, 1, 16, 4, 1, 25, 5, 1);
    check_gradients([](const autograd::variable_list& x) { return kron(x[0], x[1]); }, {leaf({2, 2}), leaf({2, 3})});
    const Tensor p = rand({8, 5}), q = rand({7, 4}); // large enough for whole rows
    BOOST_TEST(equal(kron(p, q), (p.reshape({8, 1, 5, 1}) * q.reshape({1, 7, 1, 4})).reshape({56, 20})));
    check_gradients([](const autograd::variable_list& x) { return kron(x[0], x[1]); }, {leaf({4, 2}), leaf({5, 3})});
    check_gradients([](const Tensor& t) { return combinations(t, 3) * 2.0; }, {leaf({4})});
    check_gradients([](const Tensor& t) { return linalg::vander(t, 4); }, {leaf({3})});
}

BOOST_AUTO_TEST_CASE(channels_and_space) {
    const Tensor x = arange(8).reshape({1, 4, 1, 2});
    REEL_TEST_LIST(pixel_shuffle(x, 2), 0, 2, 1, 3, 4, 6, 5, 7);
    REEL_TEST_LIST(pixel_unshuffle(pixel_shuffle(x, 2), 2), 0, 1, 2, 3, 4, 5, 6, 7);
    REEL_TEST_LIST(channel_shuffle(x, 2), 0, 1, 4, 5, 2, 3, 6, 7);
    check_gradients([](const Tensor& t) { return pixel_shuffle(t, 2) * 2.0; }, {leaf({1, 4, 2, 2})});
    check_gradients([](const Tensor& t) { return pixel_unshuffle(t, 2) * 2.0; }, {leaf({1, 2, 2, 4})});
    check_gradients([](const Tensor& t) { return channel_shuffle(t, 2) * 2.0; },
                    {leaf({1, 6, 2}).detach().unsqueeze(3).requires_grad_()});
    check_gradients([](const Tensor& t) { return im2col(t, {2, 2}, 1, {1, 0}, {1, 2}); }, {leaf({1, 2, 3, 4})});
    check_gradients([](const Tensor& t) { return col2im(t, {3, 4}, {2, 2}, 1, {1, 0}, {1, 2}); }, {leaf({1, 8, 8})});
    BOOST_TEST(message([&] { pixel_shuffle(x, 3); }) ==
               "pixel_shuffle: 4 channels are not divisible by the square of upscale_factor 3");
}

BOOST_AUTO_TEST_CASE(ranges) {
    REEL_TEST_LIST(linspace(0, 1, 5), 0, 0.25, 0.5, 0.75, 1);
    REEL_TEST_LIST(linspace(0.9, 5.9, 3, kLong), 0, 2, 5);
    REEL_TEST_LIST(logspace(0, 2, 3), 1, 10, 100);
    REEL_TEST_SIZES(linspace(0, 1, 0), 0);
    const Tensor p = empty_permuted({2, 3, 4}, {0, 2, 1});
    BOOST_TEST(p.strides().vec() == (S{12, 1, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
