// Convolutions of 3 x 3 by Winograd's F(4x4, 3x3): near float64 in every map, the same bits however they are run, and
// off by a switch.
#include "cpu/nn/winograd.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/context.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

namespace {

struct WithoutWinograd {
    WithoutWinograd() { globalContext().setUserEnabledWinograd(false); }
    ~WithoutWinograd() { globalContext().setUserEnabledWinograd(true); }
};
struct Shape {
    Dims x, w;
    Dims padding;
};
/// Whole images and rows of them as units; channels that fill vectors and that do not; tiles cut off below and to the
/// right; borders wider than the kernel's reach and none.
const Shape shapes[] = {
    {{9, 16, 32, 32}, {16, 16, 3, 3}, {1, 1}},         {{3, 24, 57, 61}, {20, 24, 3, 3}, {1, 0}},
    {{2, 40, 56, 56}, {33, 40, 3, 3}, {0, 2}},         {{37, 33, 8, 8}, {70, 33, 3, 3}, {1, 1}},
    {{5, 12, 3, 14}, {13, 12, 3, 3}, {2, 0}},          {{8, 64, 1, 2}, {12, 64, 3, 3}, {1, 1}},
    {{2, 15, 7, 150}, {31, 15, 3, 3}, {1, 1}},         {{2, 16, 6, 12, 9}, {20, 16, 3, 3, 3}, {1, 1, 1}},
    {{3, 19, 5, 7, 10}, {33, 19, 2, 3, 3}, {0, 1, 2}}, {{2, 13, 1, 9, 9}, {12, 13, 4, 3, 3}, {3, 0, 1}},
    {{3, 12, 3, 9, 9}, {12, 12, 1, 3, 3}, {0, 1, 1}}};

/// Result and gradients of input, weight and bias, as seen by `g` on the result.
std::array<Tensor, 4> maps(const Shape& s, const Tensor& x, const Tensor& w, const Tensor& b, const Tensor& g) {
    const Tensor a = x.detach().requires_grad_(), k = w.detach().requires_grad_(), c = b.detach().requires_grad_();
    const Tensor y = s.padding.size() == 2 ? conv2d(a, k, c, 1, s.padding) : conv3d(a, k, c, 1, s.padding);
    y.backward(g);
    return {y.detach(), a.grad(), k.grad(), c.grad()};
}
struct Operands {
    Tensor x, w, b, g;
    explicit Operands(const Shape& s) : x(randn(s.x)), w(randn(s.w)), b(randn({s.w[0]})) {
        Dims size{s.x[0], s.w[0]};
        for (std::size_t d = 0; d < s.padding.size(); ++d)
            size.push_back(s.x[d + 2] + 2 * s.padding[d] - s.w[d + 2] + 1);
        g = randn(size);
    }
};
Tensor whole(IntArrayRef size) { return randint(-3, 4, size).to(kFloat); }
double rms(const Tensor& t) { return std::sqrt((t * t).mean().item<double>()); }

} // namespace

BOOST_AUTO_TEST_SUITE(winograd)

BOOST_AUTO_TEST_CASE(every_map_is_near_the_sum_in_float64) {
    manual_seed(3);
    for (const Shape& s : shapes) {
        const Operands o(s);
        const auto wide = [](const Tensor& t) { return t.to(kDouble); };
        const auto want = maps(s, wide(o.x), wide(o.w), wide(o.b), wide(o.g)), got = maps(s, o.x, o.w, o.b, o.g);
        const WithoutWinograd plain_sums;
        const auto plain = maps(s, o.x, o.w, o.b, o.g);
        for (std::size_t i = 0; i < 3; ++i) {
            const Tensor error = wide(got[i]) - want[i];
            BOOST_TEST(error.abs().max().item<double>() < 3e-5 * rms(want[i]), "map " << i << " of " << s.x << s.w);
            BOOST_TEST(rms(error) < 2e-6 * rms(want[i]), "map " << i << " of " << s.x << s.w);
            BOOST_TEST(!equal(got[i], plain[i]), "map " << i << " of " << s.x << s.w << " went another way");
        }
    }
}
BOOST_AUTO_TEST_CASE(same_bits_for_any_number_of_threads) {
    const int before = get_num_threads();
    for (const Shape& s : shapes) {
        const Operands o(s);
        set_num_threads(1);
        const auto one = maps(s, o.x, o.w, o.b, o.g);
        for (const int threads : {2, 5}) {
            set_num_threads(threads);
            const auto many = maps(s, o.x, o.w, o.b, o.g);
            for (std::size_t i = 0; i < 4; ++i) BOOST_TEST(equal(one[i], many[i]), "map " << i << " of " << s.x);
        }
        set_num_threads(before);
    }
}
BOOST_AUTO_TEST_CASE(same_bits_for_any_layout) {
    for (const Shape& s : shapes) {
        const Operands o(s);
        const auto dense = maps(s, o.x, o.w, o.b, o.g);
        const auto last = [](const Tensor& t) { return t.movedim(1, -1).contiguous().movedim(-1, 1); };
        const auto other = maps(s, last(o.x), last(o.w), o.b, last(o.g));
        for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(equal(dense[i], other[i]), "map " << i << " of " << s.x);
    }
}
BOOST_AUTO_TEST_CASE(sixteen_bit_maps_are_those_of_float32_rounded_once) {
    for (const Shape& s : shapes)
        for (const ScalarType t : {kBFloat16, kHalf}) {
            const Operands o(s);
            const auto narrow = [t](const Tensor& v) { return v.to(t); };
            const auto wide = [t](const Tensor& v) { return v.to(t).to(kFloat); };
            const auto got = maps(s, narrow(o.x), narrow(o.w), narrow(o.b), narrow(o.g)),
                       want = maps(s, wide(o.x), wide(o.w), wide(o.b), wide(o.g));
            for (std::size_t i = 0; i < 3; ++i)
                BOOST_TEST(equal(got[i], want[i].to(t)), "map " << i << " of " << s.x << " in " << t);
        }
}
BOOST_AUTO_TEST_CASE(transposed_convolutions_go_the_same_way) {
    manual_seed(4);
    const Tensor y = randn({4, 20, 13, 11}), w = randn({20, 17, 3, 3}), b = randn({17});
    const Tensor want = conv_transpose2d(y.to(kDouble), w.to(kDouble), b.to(kDouble), 1, 1);
    BOOST_TEST((conv_transpose2d(y, w, b, 1, 1).to(kDouble) - want).abs().max().item<double>() < 3e-5 * rms(want));
}
BOOST_AUTO_TEST_CASE(the_switch_makes_sums_of_integers_exact) {
    const Tensor x = whole({4, 32, 20, 20}), w = whole({32, 32, 3, 3});
    const Tensor want = conv2d(x.to(kDouble), w.to(kDouble), {}, 1, 1);
    BOOST_TEST(!equal(conv2d(x, w, {}, 1, 1).to(kDouble), want));
    const WithoutWinograd exact;
    BOOST_TEST(equal(conv2d(x, w, {}, 1, 1).to(kDouble), want));
}
BOOST_AUTO_TEST_CASE(zeros_stay_zeros) {
    const Tensor x = zeros({2, 16, 16, 16}), w = randn({16, 16, 3, 3});
    BOOST_TEST(equal(conv2d(x, w, {}, 1, 1), zeros({2, 16, 16, 16})));
}
BOOST_AUTO_TEST_CASE(what_is_too_small_or_of_another_shape_goes_the_exact_way) {
    const auto exact = [](const Dims& xs, const Dims& ws, int stride, int padding, int dilation, int groups) {
        const Tensor x = whole(xs), w = whole(ws);
        return equal(conv2d(x, w, {}, stride, padding, dilation, groups).to(kDouble),
                     conv2d(x.to(kDouble), w.to(kDouble), {}, stride, padding, dilation, groups));
    };
    BOOST_TEST(exact({8, 11, 16, 16}, {16, 11, 3, 3}, 1, 1, 1, 1)); // few channels
    BOOST_TEST(exact({8, 16, 16, 16}, {11, 16, 3, 3}, 1, 1, 1, 1));
    BOOST_TEST(exact({7, 16, 4, 4}, {16, 16, 3, 3}, 1, 1, 1, 1)); // few tiles
    BOOST_TEST(exact({8, 16, 16, 16}, {16, 16, 3, 3}, 2, 1, 1, 1));
    BOOST_TEST(exact({8, 16, 16, 16}, {16, 16, 3, 3}, 1, 3, 1, 1));
    BOOST_TEST(exact({8, 16, 16, 16}, {16, 16, 3, 3}, 1, 1, 2, 1));
    BOOST_TEST(exact({8, 32, 16, 16}, {32, 16, 3, 3}, 1, 1, 1, 2));
    BOOST_TEST(exact({8, 16, 16, 16}, {16, 16, 5, 3}, 1, 1, 1, 1));
}

BOOST_AUTO_TEST_SUITE_END()
