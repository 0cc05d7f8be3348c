// Layer, group and RMS normalisation.
#include <reel/nn/modules/normalization.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>

using namespace reel;
using autograd::variable_list;

namespace {
Tensor leaf(IntArrayRef size) { return (rand(size).to(kDouble) + 0.1).detach().requires_grad_(); }
double largest(const Tensor& t) { return t.abs().max().item<double>(); }
} // namespace

BOOST_AUTO_TEST_SUITE(normalization)

BOOST_AUTO_TEST_CASE(layer_norm_over_trailing_dimensions) {
    nn::LayerNorm m(nn::LayerNormOptions({4, 5}));
    const Tensor y = m(randn({3, 4, 5}) * 2 + 7);
    BOOST_TEST(largest(y.mean({1, 2})) < 1e-5);
    BOOST_TEST(largest(y.var({1, 2}, false) - 1) < 1e-3);
    const auto f = [](const variable_list& v) { return layer_norm(v[0], {3, 2}, v[1], v[2], 1e-3); };
    const variable_list in{leaf({2, 3, 2}), leaf({3, 2}), leaf({3, 2})};
    BOOST_TEST(autograd::gradcheck(f, in));
    BOOST_TEST(autograd::gradgradcheck(f, in));
}
BOOST_AUTO_TEST_CASE(layer_norm_of_long_rows_keeps_its_precision) {
    const Tensor x = randn({2, 10000}) + 1000;
    const Tensor want = layer_norm(x.to(kDouble), {10000});
    BOOST_TEST(largest(layer_norm(x, {10000}) - want) < 1e-3);
    BOOST_TEST(largest(layer_norm(x, {10000}).mean({1})) < 1e-4);
}
BOOST_AUTO_TEST_CASE(fused_and_recorded_backward_agree) {
    const Tensor x = leaf({70, 33}), w = leaf({33}), b = leaf({33}), g = leaf({70, 33}).detach(),
                 y = layer_norm(x, {33}, w, b);
    const auto fused = autograd::grad({y}, {x, w, b}, {g}, true, false),
               recorded = autograd::grad({y}, {x, w, b}, {g}, true, true);
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(largest(fused[i] - recorded[i]) < 1e-11);
}
// The same bits however many threads there are: with more than there are partial sums the input's gradient goes apart.
BOOST_AUTO_TEST_CASE(layer_norm_of_16_bits_is_that_of_float32_rounded) {
    const int before = get_num_threads();
    for (const ScalarType t : {kHalf, kBFloat16})
        for (const auto& [rows, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{
                 {3, 1}, {5, 15}, {200, 16}, {70, 33}, {3, 5000}, {300, 1000}, {0, 4}, {4, 0}}) {
            const auto leaf_of = [t = t](IntArrayRef sizes) { return (randn(sizes) * 3 + 1).to(t).requires_grad_(); };
            const Tensor across = leaf_of({n, rows}), w = leaf_of({n}), b = leaf_of({n}), g = randn({rows, n}).to(t);
            for (const Tensor& x : {across.detach().t().contiguous().requires_grad_(), across.t()})
                for (const bool affine : {false, true}) {
                    const auto run = [&, n = n](const Tensor& in, const Tensor& scale, const Tensor& shift,
                                                const Tensor& grad, int threads) {
                        set_num_threads(threads);
                        const Tensor y = affine ? layer_norm(in, {n}, scale, shift) : layer_norm(in, {n});
                        variable_list all = affine ? autograd::grad({y}, {in, scale, shift}, {grad})
                                                   : autograd::grad({y}, {in}, {grad});
                        all.push_back(y);
                        return all;
                    };
                    const auto wide = [](const Tensor& v) { return v.detach().to(kFloat).requires_grad_(); };
                    const auto want = run(wide(x), wide(w), wide(b), g.to(kFloat), 1);
                    for (const int threads : {1, 2, 20}) {
                        const auto got = run(x, w, b, g, threads);
                        for (std::size_t i = 0; i < got.size(); ++i) BOOST_TEST(got[i].equal(want[i].to(t)));
                    }
                }
        }
    set_num_threads(before);
}
BOOST_AUTO_TEST_CASE(layer_norm_in_16_bits_keeps_what_is_not_finite) {
    for (const ScalarType t : {kHalf, kBFloat16})
        for (const double odd : {double(INFINITY), double(NAN)}) {
            Tensor x = randn({3, 40}).to(t);
            x[1][39] = odd;
            const Tensor y = layer_norm(x, {40});
            BOOST_TEST(isnan(y[1]).all().item<bool>());
            BOOST_TEST(isnan(y).sum().item<std::int64_t>() == 40);
        }
}
BOOST_AUTO_TEST_CASE(group_norm) {
    nn::GroupNorm m(2, 4);
    const Tensor y = m(randn({3, 4, 6}) * 3);
    BOOST_TEST(largest(y.reshape({3, 2, 12}).mean({2})) < 1e-5);
    const auto f = [](const variable_list& v) { return reel::group_norm(v[0], 2, v[1], v[2], 1e-3); };
    const variable_list in{leaf({2, 4, 3}), leaf({4}), leaf({4})};
    BOOST_TEST(autograd::gradcheck(f, in));
    BOOST_TEST(autograd::gradgradcheck(f, in));
    BOOST_CHECK_THROW(nn::GroupNorm(3, 4), ValueError);
}
// Groups that are done at once and, with too few for the threads or too large ones, step by step.
BOOST_AUTO_TEST_CASE(norms_of_channels_have_the_same_bits_for_any_number_of_threads) {
    const int before = get_num_threads();
    for (const ScalarType t : {kFloat, kDouble, kHalf})
        for (const auto& [sizes, groups] : std::vector<std::pair<std::vector<std::int64_t>, std::int64_t>>{
                 {{3, 6, 7, 5}, 2}, {{1, 4, 33}, 1}, {{2, 4, 70000}, 2}, {{5, 4}, 2}, {{2, 3, 400, 500}, 1}}) {
            const std::int64_t n = sizes[0], c = sizes[1];
            const auto leaf_of = [t = t](IntArrayRef s) { return (randn(s) + 2).to(t).requires_grad_(); };
            const Tensor x = leaf_of(sizes), w = leaf_of({c}), b = leaf_of({c}), g = randn(sizes).to(t);
            const auto by_groups = [&, groups = groups](const Tensor& in) {
                return reel::group_norm(in, groups, w, b);
            };
            const auto by_channels = [&](const Tensor& in) {
                return reel::batch_norm(in, w, b, {}, {}, true, 0.1, 1e-5, false);
            };
            const auto run = [&](const auto& norm, int threads) {
                set_num_threads(threads);
                const Tensor y = norm(x);
                variable_list all = autograd::grad({y}, {x, w, b}, {g});
                all.push_back(y);
                return all;
            };
            const auto check = [&](const auto& norm) {
                const variable_list one = run(norm, 1);
                for (const int threads : {2, 7}) {
                    const variable_list several = run(norm, threads);
                    for (std::size_t i = 0; i < one.size(); ++i) BOOST_TEST(several[i].equal(one[i]));
                }
                return one;
            };
            const Tensor y = check(by_groups).back().detach().to(kDouble);
            check(by_channels);
            const Tensor rows = x.detach().to(kDouble).reshape({n, groups, -1}), mean = rows.mean({2}, true),
                         centred = rows - mean, hat = centred / sqrt((centred * centred).mean({2}, true) + 1e-5);
            std::vector<std::int64_t> one(sizes.size(), 1);
            one[1] = c;
            const Tensor want =
                hat.reshape(sizes) * w.detach().to(kDouble).reshape(one) + b.detach().to(kDouble).reshape(one);
            BOOST_TEST(largest(y - want) < (t == kHalf ? 2e-2 : t == kFloat ? 1e-5 : 1e-12));
        }
    set_num_threads(before);
}
BOOST_AUTO_TEST_CASE(rms_norm) {
    const Tensor x = leaf({2, 4});
    const Tensor y = nn::RMSNorm(nn::RMSNormOptions({4}).eps(0))(x.to(kFloat));
    BOOST_TEST(largest((y * y).mean({1}) - 1) < 1e-5);
    BOOST_TEST(
        autograd::gradcheck([](const variable_list& v) { return reel::rms_norm(v[0], {4}, v[1]); }, {x, leaf({4})}));
}
BOOST_AUTO_TEST_CASE(printing_and_refusals) { // M-29
    BOOST_TEST(nn::LayerNorm(nn::LayerNormOptions({5}))->repr() ==
               "LayerNorm((5,), eps=1e-05, elementwise_affine=True, bias=True)");
    BOOST_TEST(nn::GroupNorm(2, 4)->repr() == "GroupNorm(2, 4, eps=1e-05, affine=True, bias=True)");
    BOOST_CHECK_THROW(layer_norm(rand({2, 3}), {4}), Error);
    BOOST_CHECK_THROW(layer_norm(rand({2, 3}), {3}, rand({2})), Error);
}

BOOST_AUTO_TEST_SUITE_END()
