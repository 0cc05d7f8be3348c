// Distances of many rows go through one product; they are those of the differences, for equal and close rows, too.
#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/generator.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(cdist)

namespace {

constexpr const char* by_differences = "donot_use_mm_for_euclid_dist";
double apart(const Tensor& a, const Tensor& b) {
    return (a.detach().to(kDouble) - b.detach().to(kDouble)).abs().max().item<double>();
}

} // namespace

BOOST_AUTO_TEST_CASE(many_rows_have_the_distances_of_their_differences) {
    manual_seed(1);
    for (const ScalarType dtype : {kFloat, kHalf, kBFloat16}) {
        const double near = dtype == kFloat ? 2e-6 : dtype == kHalf ? 2e-2 : 1.3e-1;
        const Tensor a = randn({40, 9}).to(dtype), b = randn({3, 33, 9}).to(dtype);
        BOOST_TEST(apart(reel::cdist(a, b), reel::cdist(a, b, 2, by_differences)) < near);
        BOOST_TEST((reel::cdist(a, b).sizes() == IntArrayRef{3, 40, 33}));
        const Tensor few = a.slice(0, 0, 2);
        BOOST_TEST(apart(reel::cdist(few, few, 2, "use_mm_for_euclid_dist"), reel::cdist(few, few)) < near);
    }
}

BOOST_AUTO_TEST_CASE(equal_rows_have_distance_zero_and_close_ones_their_own) {
    manual_seed(2);
    const Tensor a = randn({2, 50, 30}) * 100, b = a.clone();
    b.select(1, 7).select(1, 0).add_(1e-3);
    const Tensor d = reel::cdist(a, b);
    const Tensor diagonal = d.diagonal(0, 1, 2);
    BOOST_TEST((diagonal == 0).sum().item<std::int64_t>() == 98);
    BOOST_TEST(apart(diagonal.select(1, 7), (a.select(1, 7) - b.select(1, 7)).norm(2, {1})) < 1e-9);
    Tensor far = a[0].clone();
    far[3][4].fill_(std::numeric_limits<float>::infinity());
    const Tensor infinite = reel::cdist(far, a[0]);
    BOOST_TEST(isinf(infinite[3]).all().item<bool>());
    BOOST_TEST(isfinite(infinite[2]).all().item<bool>());
}

BOOST_AUTO_TEST_CASE(squares_that_float32_cannot_hold_are_no_limit) {
    manual_seed(4);
    const Tensor rows = randn({131, 50});
    for (const double size : {1e-30, 1e-15, 1., 1e15, 1e30}) {
        const Tensor a = rows * size, b = rows.flip({1}) * size;
        const Tensor exact = reel::cdist(a.to(kDouble), b.to(kDouble), 2, by_differences);
        BOOST_TEST((reel::cdist(a, b).to(kDouble) / exact - 1).abs().max().item<double>() < 3e-7);
    }
    const Tensor nan = full({30, 3}, std::nan(""));
    BOOST_TEST(isnan(reel::cdist(nan, rows.slice(1, 0, 3))).all().item<bool>());
}

BOOST_AUTO_TEST_CASE(gradients_are_those_of_the_differences) {
    manual_seed(3);
    const Tensor a = randn({30, 5}), b = cat({a.slice(0, 0, 4), randn({24, 5})});
    const auto gradients = [&](std::optional<std::string_view> mode, bool twice) {
        const Tensor x = a.clone().requires_grad_(), y = b.clone().requires_grad_();
        const Tensor d = reel::cdist(x, y, 2, mode);
        autograd::variable_list g = autograd::grad({(d * d.detach().sin()).sum()}, {x, y}, {}, true, twice);
        if (twice) g = autograd::grad({(g[0].square().sum() + g[1].sin().sum())}, {x, y});
        return g;
    };
    for (const bool twice : {false, true}) {
        const auto got = gradients({}, twice), expected = gradients(by_differences, twice);
        for (std::size_t i = 0; i < 2; ++i) BOOST_TEST(apart(got[i], expected[i]) < (twice ? 1e-3 : 1e-5));
    }
}

BOOST_AUTO_TEST_SUITE_END()
