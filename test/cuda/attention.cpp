// Attention in tiles on the device: masks, dropout and gradients of every float, without a matrix of all scores.
#include <reel/autograd/kernels/tiled_attention.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/cuda/graph.hpp>
#include <reel/cuda/memory.hpp>

#include "cuda/on_device.hpp"

using namespace reel;
using there::put;

namespace {

Tensor numbers(IntArrayRef sizes, double shift, ScalarType t = kDouble) {
    std::int64_t count = 1;
    for (const std::int64_t n : sizes) count *= n;
    return (arange(count, TensorOptions(kDouble)).pow(2) * 0.37 + shift).sin().view(sizes).to(t);
}
double most(ScalarType t) { return t == kDouble ? 1e-12 : t == kFloat ? 1e-5 : t == kHalf ? 4e-3 : 4e-2; }

struct Call {
    std::vector<std::int64_t> query, key, value; ///< sizes
    Tensor mask{};
    bool causal = false, shares_keys = false;
    std::optional<double> scale{};
};
/// The result and the gradients, on the device of the operands.
std::vector<Tensor> results(const Call& c, ScalarType t, Device device) {
    std::vector<Tensor> own;
    for (const auto& [sizes, shift] : {std::pair{c.query, 0.}, {c.key, 1.}, {c.value, 2.}})
        own.push_back(numbers(sizes, shift, t).to(device).requires_grad_());
    const Tensor mask = c.mask.defined() ? c.mask.to(device) : c.mask;
    const Tensor y = scaled_dot_product_attention(own[0], own[1], own[2], mask, 0.0, c.causal, c.scale, c.shares_keys);
    y.backward(numbers(y.sizes(), 3, t).to(device));
    std::vector<Tensor> all{y.detach()};
    for (const Tensor& p : own) all.push_back(p.grad());
    return all;
}
void same_as_here(const char* what, const Call& c, ScalarType t) {
    const std::vector<Tensor> want = results(c, t, kCPU), got = results(c, t, there::gpu);
    for (std::size_t i = 0; i < want.size(); ++i)
        BOOST_TEST(there::distance(got[i], want[i]) < most(t), what << " of " << dtype_name(t) << ", result " << i);
}

/// What a call with this seed multiplies its weights by, [batch, heads, queries, keys]: what it gives for values that
/// pick one key each, over what it gives without dropping.
Tensor factors_of(const Tensor& q, const Tensor& k, double p, bool causal) {
    const std::int64_t keys = k.size(2);
    const Tensor pick = eye(keys, q.options().requires_grad(false)).expand({k.size(0), k.size(1), keys, keys});
    const NoGradGuard guard;
    manual_seed(4);
    const Tensor kept = scaled_dot_product_attention(q, k, pick, {}, p, causal),
                 all = scaled_dot_product_attention(q, k, pick, {}, 0.0, causal);
    return where(all == 0, zeros_like(all), kept / all).cpu();
}

} // namespace

BOOST_AUTO_TEST_SUITE(cuda_attention, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(in_tiles_gives_what_the_cpu_gives) {
    const Tensor added = numbers({1, 3, 1, 7}, 5), keeps = numbers({2, 1, 5, 7}, 6) > -0.5;
    Tensor blind = ones({5, 7}, TensorOptions(kBool));
    blind.index_put_({2}, false); // a position that sees nothing
    for (const ScalarType t : {kFloat, kDouble, kHalf, kBFloat16}) {
        const Call plain{{2, 3, 5, 6}, {2, 3, 7, 6}, {2, 3, 7, 4}};
        const auto with = [&](auto change) {
            Call c = plain;
            change(c);
            return c;
        };
        same_as_here("plain", plain, t);
        same_as_here("a mask that is added", with([&](Call& c) { c.mask = added.to(t); }), t);
        same_as_here("a mask that keeps", with([&](Call& c) { c.mask = keeps; }), t);
        same_as_here("a position that sees nothing", with([&](Call& c) { c.mask = blind; }), t);
        same_as_here("looking back only", with([](Call& c) { c.causal = true; }), t);
        same_as_here("a scale", with([](Call& c) { c.scale = 0.7; }), t);
        same_as_here("heads that share keys", {{2, 4, 5, 6}, {2, 2, 7, 6}, {2, 2, 7, 6}, {}, true, true}, t);
        same_as_here("three dimensions", {{2, 5, 6}, {2, 7, 6}, {2, 7, 3}}, t);
    }
}

BOOST_AUTO_TEST_CASE(of_several_tiles_and_parts) {
    const Tensor keeps = numbers({70, 90}, 6) > -0.8;
    same_as_here("several tiles", {{1, 2, 70, 40}, {1, 2, 90, 40}, {1, 2, 90, 33}, keeps}, kFloat);
    same_as_here("several tiles, looking back", {{1, 1, 70, 5}, {1, 1, 90, 5}, {1, 1, 90, 5}, {}, true}, kFloat);
    same_as_here("several tiles, looking back", {{1, 1, 70, 5}, {1, 1, 50, 5}, {1, 1, 50, 5}, {}, true}, kDouble);
    same_as_here("wide heads", {{1, 1, 5, 140}, {1, 1, 6, 140}, {1, 1, 6, 150}}, kDouble);
}

BOOST_AUTO_TEST_CASE(numbers_that_are_none) {
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (const double x : {inf, -inf, nan}) {
        Tensor q = numbers({1, 1, 5, 6}, 0);
        q.index_put_({0, 0, 2, 1}, x);
        const Tensor k = numbers({1, 1, 7, 6}, 1), want = scaled_dot_product_attention(q, k, k);
        BOOST_TEST(there::distance(scaled_dot_product_attention(put(q), put(k), put(k)), want) < 1e-12, x);
    }
}

BOOST_AUTO_TEST_CASE(gradients_of_the_librarys_result_are_those_in_tiles) {
    // float32 forward is cuDNN's where it is there; there is no engine for the way back
    same_as_here("float32", {{2, 3, 9, 8}, {2, 3, 7, 8}, {2, 3, 7, 16}}, kFloat);
    same_as_here("heads that share keys", {{2, 4, 9, 8}, {2, 2, 7, 8}, {2, 2, 7, 8}, {}, true, true}, kBFloat16);
}

BOOST_AUTO_TEST_CASE(dropping_weights) {
    constexpr double p = 0.4;
    for (const ScalarType t : {kFloat, kDouble})
        for (const bool causal : {false, true}) {
            const std::vector<Tensor> here{numbers({2, 2, 37, 6}, 0, t), numbers({2, 2, 41, 6}, 1, t),
                                           numbers({2, 2, 41, 5}, 2, t)};
            const Tensor f = factors_of(put(here[0]), put(here[1]), p, causal);
            // each weight is dropped or grows
            const Tensor grown = f.detach() > 0.5;
            BOOST_TEST(((f - grown.to(t) / (1 - p)).abs().max().item().toDouble() < 1e-4));
            if (!causal) {
                const double kept = grown.to(kDouble).mean().item().toDouble();
                BOOST_TEST(std::abs(kept - (1 - p)) < 0.04); // of 6068
            }
            const auto moved = [&](Device d) {
                std::vector<Tensor> own;
                for (const Tensor& x : here) own.push_back(x.detach().to(d).requires_grad_());
                return own;
            };
            const std::vector<Tensor> a = moved(kCPU), b = moved(there::gpu);
            Tensor scores = matmul(a[0], a[1].mT()) / std::sqrt(6.);
            if (causal) scores = masked_fill(scores, ones({37, 41}, TensorOptions(kBool)).tril().logical_not(), -1e30);
            const Tensor want = matmul(softmax(scores, -1) * (grown.to(t) / (1 - p)), a[2]);
            manual_seed(4);
            const Tensor got = scaled_dot_product_attention(b[0], b[1], b[2], {}, p, causal);
            BOOST_TEST(there::distance(got, want) < most(t));
            const Tensor g = numbers(want.sizes(), 3, t);
            // the gradient, and the gradient of what it is made of
            const auto pulled = [](const Tensor& y, const std::vector<Tensor>& v, const Tensor& seed) {
                std::vector<Tensor> all = autograd::grad({y}, {v[0], v[1], v[2]}, {seed}, true, true);
                all.push_back(autograd::grad({(all[0] * all[0]).sum() + (all[1] * all[2].sum()).sum()}, {v[1]})[0]);
                return all;
            };
            const std::vector<Tensor> grads = pulled(want, a, g), moved_grads = pulled(got, b, put(g));
            for (std::size_t i = 0; i < grads.size(); ++i)
                BOOST_TEST(there::distance(moved_grads[i], grads[i]) < 10 * most(t), "gradient " << i);
            // without a tape for the gradient it is the kernel's
            const std::vector<Tensor> own = moved(there::gpu);
            manual_seed(4);
            scaled_dot_product_attention(own[0], own[1], own[2], {}, p, causal).backward(put(g));
            for (std::size_t i = 0; i < own.size(); ++i)
                BOOST_TEST(there::distance(own[i].grad(), grads[i]) < most(t), "gradient " << i);
        }
}

BOOST_AUTO_TEST_CASE(a_graph_drops_others_in_each_replay) {
    const Tensor q = put(numbers({1, 1, 20, 4}, 0, kFloat)),
                 v = put(eye(20, TensorOptions(kFloat)).view({1, 1, 20, 20}));
    scaled_dot_product_attention(q, q, v, {}, 0.5);
    Tensor y;
    cuda::Graph graph;
    {
        const cuda::CaptureGuard capture(graph);
        y = scaled_dot_product_attention(q, q, v, {}, 0.5);
    }
    graph.replay();
    const Tensor first = y.cpu();
    graph.replay();
    BOOST_TEST(!equal(first == 0, y.cpu() == 0));
    BOOST_TEST(((first == 0).to(kFloat).mean().item().toDouble() > 0.3));
}

BOOST_AUTO_TEST_CASE(no_matrix_of_all_scores_is_held) {
    constexpr std::int64_t n = 256;
    constexpr std::size_t all_scores = n * n * sizeof(float);
    for (const double p : {0.0, 0.3}) {
        const Tensor x = put(numbers({1, 1, n, 4}, 0, kFloat)).requires_grad_(),
                     mask = put(numbers({1, n}, 1) > 0).expand({n, n});
        cuda::synchronize();
        cuda::reset_peak_memory_stats();
        const std::size_t before = cuda::memory_allocated();
        scaled_dot_product_attention(x, x, x, mask, p).sum().backward();
        BOOST_TEST(cuda::max_memory_allocated() - before < all_scores / 2, "dropping " << p);
    }
}

BOOST_AUTO_TEST_CASE(other_chances_are_errors_or_none) {
    const Tensor x = put(numbers({1, 1, 3, 4}, 0));
    BOOST_TEST(
        there::distance(scaled_dot_product_attention(x, x, x, {}, 1.0), zeros({1, 1, 3, 4}, x.cpu().options())) == 0);
    const auto said = [](const Tensor& t) -> std::string {
        try {
            scaled_dot_product_attention(t, t, t, {}, 1.5);
            return "nothing";
        } catch (const Error& e) {
            return e.msg();
        }
    };
    BOOST_TEST(said(x) == said(x.cpu()));
    BOOST_TEST(said(x) != "nothing");
}

BOOST_AUTO_TEST_SUITE_END()
