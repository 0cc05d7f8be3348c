// Attention and resampling.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>

#include <reel/autograd/forward_ad.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;
using autograd::variable_list;

namespace {
Tensor leaf(IntArrayRef size) { return (rand(size).to(kDouble) - 0.5).detach().requires_grad_(); }
double largest(const Tensor& t) { return t.abs().max().item<double>(); }
} // namespace

BOOST_AUTO_TEST_SUITE(attention)

BOOST_AUTO_TEST_CASE(weights_by_hand_and_gradients) {
    const Tensor q = leaf({2, 3, 4}), k = leaf({2, 5, 4}), v = leaf({2, 5, 2});
    const Tensor want = softmax(q.matmul(k.transpose(1, 2)) / 2, -1).matmul(v);
    BOOST_TEST(largest(scaled_dot_product_attention(q, k, v) - want) < 1e-14);
    const auto f = [](const variable_list& x) { return scaled_dot_product_attention(x[0], x[1], x[2], {}, 0, true); };
    BOOST_TEST(autograd::gradcheck(f, {q, k, v}));
    BOOST_TEST(autograd::gradgradcheck(f, {q, k, v}));
}
BOOST_AUTO_TEST_CASE(causal_rows_see_no_later_position) {
    const Tensor q = leaf({1, 4, 2}).detach(), k = leaf({1, 4, 2}).detach(), v = leaf({1, 4, 3}).detach();
    Tensor later = v.clone();
    later.select(1, 3).fill_(100);
    const Tensor a = scaled_dot_product_attention(q, k, v, {}, 0, true),
                 b = scaled_dot_product_attention(q, k, later, {}, 0, true);
    BOOST_TEST(largest((a - b).slice(1, 0, 3)) == 0);
    BOOST_TEST(largest(a.select(1, 0) - v.select(1, 0)) < 1e-14);
}
BOOST_AUTO_TEST_CASE(a_row_that_sees_nothing_gives_zeros) {
    const Tensor mask = tensor({{true, false}, {false, false}});
    const Tensor y = scaled_dot_product_attention(leaf({2, 3}), leaf({2, 3}), ones({2, 3}, kDouble), mask);
    BOOST_TEST(largest(y.select(0, 0) - 1) < 1e-14);
    BOOST_TEST(largest(y.select(0, 1)) == 0);
}
BOOST_AUTO_TEST_CASE(derivatives_of_a_row_that_sees_nothing_are_zeros) {
    const Tensor q = leaf({2, 3}), k = leaf({2, 3}), v = leaf({2, 3});
    const Tensor of_bools = tensor({{true, false}, {false, false}});
    const Tensor added =
        where(of_bools, zeros({}, kDouble), full({}, -std::numeric_limits<double>::infinity(), kDouble));
    for (const Tensor& mask : {of_bools, added}) {
        const auto f = [&](const variable_list& x) { return scaled_dot_product_attention(x[0], x[1], x[2], mask); };
        BOOST_TEST(autograd::gradcheck(f, {q, k, v}));
        BOOST_TEST(autograd::gradgradcheck(f, {q, k, v}));
        const autograd::forward_ad::DualLevel level;
        const Tensor dual = autograd::forward_ad::make_dual(q.detach(), ones({2, 3}, kDouble));
        const Tensor tangent = autograd::forward_ad::unpack_dual(f({dual, k.detach(), v.detach()})).tangent;
        BOOST_TEST(isfinite(tangent).all().item<bool>());
        BOOST_TEST(largest(tangent.select(0, 1)) == 0);
    }
}
BOOST_AUTO_TEST_CASE(tiles_give_what_all_scores_at_once_do) {
    manual_seed(3);
    // Several blocks of queries and of keys, the last ones not full.
    const std::int64_t heads = 4, queries = 150, keys = 300, size = 10, width = 37;
    const Tensor q = leaf({2, heads, queries, size}), k = leaf({2, heads, keys, size}),
                 v = leaf({2, heads, keys, width});
    const Tensor weight = leaf({2, heads, queries, width}).detach();
    const Tensor seen = rand({2, 1, queries, keys}) > 0.3, bias = leaf({heads, 1, keys}).detach() * 5,
                 causal = ones({queries, keys}, kBool).tril();
    const auto all_scores = [&](const Tensor& mask) {
        Tensor scores = q.matmul(k.transpose(2, 3)) * 0.7;
        if (mask.defined())
            scores = mask.scalar_type() == kBool
                         ? scores.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity())
                         : scores + mask;
        return softmax(scores, -1).matmul(v);
    };
    const auto compare = [&](const Tensor& mask, bool is_causal) {
        const Tensor want = all_scores(is_causal ? causal : mask),
                     got = scaled_dot_product_attention(q, k, v, mask, 0, is_causal, 0.7);
        BOOST_TEST(largest(want - got) < 1e-13);
        const variable_list a = autograd::grad({want}, {q, k, v}, {weight}),
                            b = autograd::grad({got}, {q, k, v}, {weight}),
                            c = autograd::grad({scaled_dot_product_attention(q, k, v, mask, 0, is_causal, 0.7)},
                                               {q, k, v}, {weight}, true, true);
        for (std::size_t i = 0; i < 3; ++i) {
            BOOST_TEST(largest(a[i] - b[i]) < 1e-12);
            BOOST_TEST(largest(a[i] - c[i]) < 1e-12); // what higher orders go through
        }
    };
    compare({}, false);
    compare({}, true);
    compare(seen, false);
    compare(bias, false);
}
BOOST_AUTO_TEST_CASE(heads_of_key_may_be_shared) {
    const Tensor q = leaf({2, 6, 70, 4}), k = leaf({2, 2, 110, 4}), v = leaf({2, 2, 110, 5});
    const Tensor got = scaled_dot_product_attention(q, k, v, {}, 0, false, std::nullopt, true),
                 want = scaled_dot_product_attention(q, k.repeat_interleave(3, 1), v.repeat_interleave(3, 1));
    BOOST_TEST(largest(got - want) < 1e-14);
    const variable_list a = autograd::grad({got.sum()}, {q, k, v}), b = autograd::grad({want.sum()}, {q, k, v});
    for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(largest(a[i] - b[i]) < 1e-13);
}
BOOST_AUTO_TEST_CASE(attention_of_16_bits_is_rounded_once) {
    const Tensor q = leaf({3, 60, 8}).detach(), k = leaf({3, 60, 8}).detach(), v = leaf({3, 60, 8}).detach();
    for (const ScalarType t : {kHalf, kBFloat16}) {
        const Tensor a = q.to(t).requires_grad_(), b = k.to(t).requires_grad_(), c = v.to(t).requires_grad_();
        const Tensor wide = scaled_dot_product_attention(a.to(kFloat), b.to(kFloat), c.to(kFloat), {}, 0, true);
        const Tensor y = scaled_dot_product_attention(a, b, c, {}, 0, true);
        BOOST_TEST(y.equal(wide.to(t)));
        y.backward(ones_like(y));
        BOOST_TEST((a.grad().scalar_type() == t && c.grad().sizes().equals(c.sizes())));
    }
}
BOOST_AUTO_TEST_CASE(resampling_is_linear_with_matching_gradients) {
    const Tensor line = arange(4, TensorOptions(kDouble)).reshape({1, 1, 4});
    const Tensor up = interpolate(line, {7}, std::nullopt, "linear", true);
    BOOST_TEST(largest(up - arange(7, TensorOptions(kDouble)).reshape({1, 1, 7}) / 2) < 1e-14);
    BOOST_TEST(largest(interpolate(line, {8}) - line.repeat_interleave(2, 2)) == 0);
    for (const char* mode : {"bilinear", "bicubic", "nearest", "area"}) {
        const auto f = [&](const Tensor& x) { return interpolate(x, {5, 3}, std::nullopt, mode); };
        BOOST_TEST(autograd::gradcheck(f, {leaf({1, 2, 3, 4})}));
    }
    // Lines that are no multiple of a vector, longer than what is turned at once, and back.
    const Tensor wide = leaf({3, 7, 5, 70}), twice = interpolate(wide, std::nullopt, ArrayRef<double>{2.0});
    BOOST_TEST(largest(twice - wide.repeat_interleave(2, 2).repeat_interleave(2, 3)) == 0);
    BOOST_TEST(largest(autograd::grad({twice}, {wide}, {ones_like(twice)})[0] - 4) == 0);
    const Tensor signs = interpolate(full({1, 1, 3}, -0.0), {6});
    BOOST_TEST(signbit(signs).all().item<bool>());
    BOOST_CHECK_THROW(interpolate(line), ValueError);
    BOOST_CHECK_THROW(interpolate(line, {3}, std::nullopt, "bilinear"), Error);
}

BOOST_AUTO_TEST_CASE(bilinear_samples_by_hand) {
    manual_seed(5);
    const Tensor image = leaf({2, 3, 5, 4}), grid = leaf({2, 20, 17, 2}); // more than one block of places
    const Tensor wide = (grid * 3).detach().requires_grad_();             // many of them outside
    for (const bool align : {false, true}) {
        const Tensor x = align ? (wide.select(3, 0) + 1) * 1.5 : ((wide.select(3, 0) + 1) * 4 - 1) / 2,
                     y = align ? (wide.select(3, 1) + 1) * 2 : ((wide.select(3, 1) + 1) * 5 - 1) / 2;
        Tensor want = zeros({2, 3, 20, 17}, kDouble); // every element weighs by its distance
        for (std::int64_t i = 0; i < 5; ++i)
            for (std::int64_t j = 0; j < 4; ++j) {
                const Tensor weight = clamp_min(1 - (x - double(j)).abs(), 0) * clamp_min(1 - (y - double(i)).abs(), 0);
                want = want + weight.unsqueeze(1) * image.select(2, i).select(2, j).unsqueeze(2).unsqueeze(3);
            }
        const Tensor got = grid_sample(image, wide, "bilinear", "zeros", align), slope = rand_like(got);
        BOOST_TEST(largest(got - want) < 1e-13);
        const variable_list a = autograd::grad({want}, {image, wide}, {slope}),
                            b = autograd::grad({got}, {image, wide}, {slope}, true, true),
                            c = autograd::grad({got}, {image, wide}, {slope});
        for (std::size_t i = 0; i < 2; ++i) {
            BOOST_TEST(largest(a[i] - c[i]) < 1e-12);
            BOOST_TEST(largest(b[i] - c[i]) < 1e-12);
        }
    }
    const auto f = [](const variable_list& v) { return grid_sample(v[0], v[1], "bilinear", "zeros", false); };
    BOOST_TEST(autograd::gradcheck(f, {leaf({1, 2, 3, 4}), leaf({1, 2, 3, 2})}));
    BOOST_TEST(autograd::gradgradcheck(f, {leaf({1, 2, 3, 4}), leaf({1, 2, 3, 2})}));
    const double none = std::numeric_limits<double>::quiet_NaN(), beyond = std::numeric_limits<double>::infinity();
    const Tensor odd = tensor({none, 0., 0., beyond}, kDouble).reshape({1, 1, 2, 2});
    const Tensor at = grid_sample(ones({1, 1, 3, 3}, kDouble), odd);
    BOOST_TEST(std::isnan(at.select(3, 0).item<double>())); // what is no place has no value
    BOOST_TEST(at.select(3, 1).item<double>() == 0);        // far outside
}

BOOST_AUTO_TEST_CASE(bilinear_samples_of_any_number_of_places) {
    manual_seed(6);
    const int before = get_num_threads();
    for (const ScalarType t : {kFloat, kDouble})
        for (const std::int64_t places : {1, 7, 8, 9, 16, 17, 31, 255, 256, 257, 300}) {
            const Tensor image = randn({2, 9, 6, 7}, t).requires_grad_(),
                         grid = (reel::rand({2, 1, places, 2}, t) * 3 - 1.5).requires_grad_();
            const auto run = [&](const Tensor& x, const Tensor& at, int threads) {
                set_num_threads(threads);
                const Tensor y = grid_sample(x, at);
                variable_list all = autograd::grad({y}, {x, at}, {ones_like(y)});
                all.push_back(y);
                return all;
            };
            const auto wide = [](const Tensor& v) { return v.detach().to(kDouble).requires_grad_(); };
            const variable_list one = run(image, grid, 1), two = run(image, grid, 2),
                                exact = run(wide(image), wide(grid), 1);
            for (std::size_t i = 0; i < one.size(); ++i) {
                BOOST_TEST(two[i].equal(one[i]));
                BOOST_TEST(largest(one[i].to(kDouble) - exact[i]) < (t == kFloat ? 3e-4 : 1e-12));
            }
            // each place alone, which no vector holds
            std::vector<Tensor> alone;
            for (std::int64_t p = 0; p < places; ++p) alone.push_back(grid_sample(image, grid.narrow(2, p, 1)));
            BOOST_TEST(largest(cat(alone, 3) - one[2]) < (t == kFloat ? 1e-5 : 1e-14));
        }
    set_num_threads(before);
    Tensor image = full({1, 1, 3, 40}, 2., kFloat);
    image[0][0][1] = INFINITY; // between rows that are met exactly: it weighs nothing
    Tensor grid = stack({linspace(-1, 1, 40), full({40}, -1.)}, 1).reshape({1, 1, 40, 2});
    BOOST_TEST(grid_sample(image, grid, "bilinear", "zeros", true).isfinite().all().item<bool>());
    grid.select(3, 0).fill_(std::nan(""));
    BOOST_TEST(grid_sample(image, grid, "bilinear", "zeros", true).isnan().all().item<bool>());
}

BOOST_AUTO_TEST_SUITE_END()
