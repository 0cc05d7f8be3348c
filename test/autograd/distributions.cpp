// Streams of the Poisson, binomial, geometric, Cauchy and log-normal distributions: PyTorch 2.15's after the same seed.
#include "tape_helpers.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/random.hpp>

#include "message.hpp"

using namespace reel;
using namespace tape_test;

namespace {
/// What `draw` gives after the seed that all of these were drawn with.
template <class F> V seeded(F draw) {
    manual_seed(11);
    return list(draw());
}
bool near(const V& got, const V& want, double tolerance) {
    bool ok = got.size() == want.size();
    for (std::size_t i = 0; ok && i < got.size(); ++i) ok = std::abs(got[i] - want[i]) <= tolerance * std::abs(want[i]);
    if (!ok)
        for (const double v : got) BOOST_TEST_MESSAGE("got " << v);
    return ok;
}
} // namespace

BOOST_AUTO_TEST_SUITE(distributions)

BOOST_AUTO_TEST_CASE(poisson_stream) {
    BOOST_TEST((seeded([] { return poisson(vec({0, 0.5, 2, 3.5, 9.9, 1, 7, 4})); }) == V{0, 0, 4, 1, 9, 2, 11, 1}));
    BOOST_TEST((seeded([] { return poisson(vec({10, 12.5, 40, 100, 1e4, 30})); }) == V{7, 14, 41, 89, 10103, 34}));
    const Tensor rates = tensor({{0.5, 20., 3.}, {8., 11., 0.}});
    BOOST_TEST((seeded([&] { return poisson(rates); }) == V{0, 26, 3, 8, 18, 0}));
    BOOST_TEST((seeded([&] { return poisson(rates.t()); }) == V{0, 8, 23, 6, 3, 0}));
    const Tensor x = leaf({2, 3});
    poisson(x).sum().backward();
    BOOST_TEST((list(x.grad()) == V{0, 0}));
    BOOST_TEST(testing::message([] {
                   poisson(vec({1, -1}));
               }) == "poisson: input holds the rate -1; expected rates that are not negative");
    BOOST_CHECK_THROW(poisson(tensor({1})), NotImplementedError);
}

BOOST_AUTO_TEST_CASE(poisson_has_its_mean_and_variance) {
    manual_seed(1);
    for (const double rate : {0.3, 4., 9.9, 10., 60.}) {
        const Tensor y = poisson(full({40000}, rate, kDouble));
        BOOST_TEST(item(y.mean()) == rate, boost::test_tools::tolerance(0.03));
        BOOST_TEST(item(y.var()) == rate, boost::test_tools::tolerance(0.05));
    }
}

BOOST_AUTO_TEST_CASE(binomial_stream) {
    BOOST_TEST((seeded([] {
                    return binomial(vec({10, 20, 5, 100, 1000, 40, 3}), vec({0.3, 0.7, 0.5, 0.4, 0.25, 0.9, 1}));
                }) == V{4, 16, 4, 32, 246, 33, 3}));
    BOOST_TEST((seeded([] {
                    return binomial(full({2, 4}, 50.), tensor({0.1, 0.3, 0.6, 0.95}));
                }) == V{6, 17, 31, 50, 7, 16, 34, 47}));
    BOOST_TEST(binomial(ones({2}), ones({3, 2})).sizes().equals({3, 2}));
    BOOST_TEST(testing::message([] { binomial(vec({2}), vec({1.5})); }) ==
               "binomial: prob holds 1.5; expected probabilities");
    BOOST_TEST(testing::message([] { binomial(vec({2}), tensor({0.5})); }) ==
               "binomial: count is float64 and prob is float32; expected one dtype");
    BOOST_CHECK_THROW(binomial(leaf({2}), vec({0.5})).sum().backward(), NotImplementedError);
}

BOOST_AUTO_TEST_CASE(binomial_has_its_mean_and_variance) {
    manual_seed(2);
    for (const auto& [n, p] : {std::pair{12., 0.2}, std::pair{60., 0.4}, std::pair{60., 0.8}}) {
        const Tensor y = binomial(full({40000}, n, kDouble), full({40000}, p, kDouble));
        BOOST_TEST(item(y.mean()) == n * p, boost::test_tools::tolerance(0.02));
        BOOST_TEST(item(y.var()) == n * p * (1 - p), boost::test_tools::tolerance(0.05));
    }
}

BOOST_AUTO_TEST_CASE(geometric_stream) {
    for (const ScalarType t : {kFloat, kDouble, kLong})
        BOOST_TEST((seeded([t] { return empty({6}, t).geometric_(0.3); }) == V{5, 1, 2, 2, 2, 6}));
    BOOST_TEST(testing::message([] { empty({2}).geometric_(0); }) ==
               "geometric_: p is 0; expected a probability between 0 and 1, both excluded");
    BOOST_CHECK_THROW(empty({2}, kBool).geometric_(0.5), NotImplementedError);
}

BOOST_AUTO_TEST_CASE(cauchy_and_log_normal_streams) {
    const V cauchy{-1.896993294044302, 6.307584910997154, 2.195958643518326, 2.138112397654867, 1.4933425799928353};
    const V normal{2.8668735735928843, 7.09540126027487, 0.9756452742223138, 0.6208144493939876, 1.1219332897307392};
    for (const ScalarType t : {kDouble, kFloat}) {
        const double tolerance = t == kDouble ? 1e-14 : 1e-6;
        BOOST_TEST(near(seeded([t] { return empty({5}, t).cauchy_(1, 2); }), cauchy, tolerance));
        BOOST_TEST(near(seeded([t] { return empty({5}, t).log_normal_(0.5, 0.75); }), normal, tolerance));
    }
    BOOST_TEST(testing::message([] { empty({2}).cauchy_(0, 0); }) == "cauchy_: sigma is 0; expected a positive number");
    BOOST_TEST(testing::message([] { empty({2}, kLong).log_normal_(); }) ==
               "log_normal_: input is int64; expected a floating dtype");
}

BOOST_AUTO_TEST_CASE(fills_forget_the_history) {
    const Tensor x = leaf({1, 2}), m = x * 1;
    m.cauchy_();
    (m * 3 + x).sum().backward();
    BOOST_TEST((list(x.grad()) == V{1, 1})); // nothing by way of what was overwritten
    BOOST_CHECK_THROW(x.geometric_(0.5), Error);
}

BOOST_AUTO_TEST_CASE(integers_from_a_number_on) {
    manual_seed(11);
    const Tensor from = empty({4}, kLong).random_(5, std::optional<std::int64_t>());
    BOOST_TEST(from.equal(tensor({3325388913236545220, 359254775711865952, 8544873655684927420, 4149298557807026518})));
    manual_seed(11);
    const Tensor all =
        empty({2}, kLong).random_(std::numeric_limits<std::int64_t>::min(), std::optional<std::int64_t>());
    BOOST_TEST(all.equal(tensor({3325388913236545215, 359254775711865947})));
    BOOST_TEST(
        (seeded([] { return empty({4}, kChar).random_(5, std::optional<std::int64_t>()); }) == V{41, 20, 113, 16}));
}

BOOST_AUTO_TEST_CASE(bernoulli_with_probabilities_per_element) {
    const Tensor p = tensor({.2, .5, .9});
    BOOST_TEST((seeded([&] { return empty({2, 3}).bernoulli_(p); }) == V{1, 1, 0, 1, 0, 1}));
    BOOST_TEST((seeded([&] { return empty({2, 3}, kDouble).bernoulli_(vec({.2, .5, .9})); }) == V{1, 0, 1, 0, 0, 1}));
}

BOOST_AUTO_TEST_CASE(gumbel_softmax_stream_and_gradient) {
    const Tensor logits = tensor({{0., 1., 2.}, {0.5, 0.5, 0.}}, kDouble);
    BOOST_TEST(near(seeded([&] { return gumbel_softmax(logits, 0.7); }),
                    {0.35728343920771705, 0.05450147455304742, 0.5882150862392355, 0.10519029221252131,
                     0.14800916860368452, 0.7468005391837943},
                    1e-13));
    BOOST_TEST((seeded([&] { return gumbel_softmax(logits.to(kFloat), 0.7, true); }) == V{0, 0, 1, 0, 0, 1}));
    // one-hot forwards, the gradient of the soft sample backwards
    const Tensor a = logits.clone().requires_grad_(), b = logits.clone().requires_grad_();
    const Tensor weight = vec({1, 2, 4});
    manual_seed(11);
    (gumbel_softmax(a, 0.7, true) * weight).sum().backward();
    manual_seed(11);
    (gumbel_softmax(b, 0.7) * weight).sum().backward();
    BOOST_TEST(a.grad().allclose(b.grad()));
}

BOOST_AUTO_TEST_SUITE_END()
