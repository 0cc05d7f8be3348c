// Random numbers of the device: what seeds and saves the generator does so for it, and they have their distributions.
#include <reel/autograd/kernels/random.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include "cuda/on_device.hpp"

using namespace reel;

namespace {
const TensorOptions wide = TensorOptions().dtype(kDouble).device(there::gpu);
double mean_of(const Tensor& t) { return t.to(kDouble).mean().item().toDouble(); }
double variance_of(const Tensor& t) { return t.to(kDouble).var().item().toDouble(); }
} // namespace

BOOST_AUTO_TEST_SUITE(cuda_random, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(a_seed_and_a_state_give_the_same_numbers_again) {
    manual_seed(11);
    const Tensor first = rand({1000}, wide), second = rand({1000}, wide);
    BOOST_TEST(!equal(first, second));
    manual_seed(11);
    BOOST_TEST(equal(rand({1000}, wide), first));
    const Tensor state = cuda::get_rng_state();
    BOOST_TEST(equal(rand({1000}, wide), second));
    cuda::set_rng_state(state);
    BOOST_TEST(equal(rand({1000}, wide), second));
    Generator own(there::gpu);
    own.manual_seed(11);
    Tensor again = empty({1000}, wide);
    again.uniform_(0, 1, own);
    BOOST_TEST(equal(again, first));
}

BOOST_AUTO_TEST_CASE(elements_are_counters_whatever_the_strides) {
    manual_seed(4);
    const Tensor dense = randn({37, 29}, wide);
    manual_seed(4);
    Tensor turned = empty({29, 37}, wide).t();
    turned.normal_();
    BOOST_TEST(equal(turned, dense));
}

BOOST_AUTO_TEST_CASE(distributions) {
    manual_seed(2);
    constexpr std::int64_t n = 100000;
    const auto drawn = [&](auto fill) {
        Tensor t = empty({n}, wide);
        fill(t);
        return t;
    };
    const Tensor u = drawn([](Tensor& t) { t.uniform_(-1, 3); });
    BOOST_TEST(std::abs(mean_of(u) - 1) < 0.02);
    BOOST_TEST(std::abs(variance_of(u) - 16. / 12) < 0.02);
    BOOST_TEST(u.min().item().toDouble() >= -1);
    BOOST_TEST(u.max().item().toDouble() < 3);
    const Tensor g = drawn([](Tensor& t) { t.normal_(2, 3); });
    BOOST_TEST(std::abs(mean_of(g) - 2) < 0.05);
    BOOST_TEST(std::abs(variance_of(g) - 9) < 0.2);
    // both numbers of a pair, and independent of each other
    const Tensor pairs = (g - 2) / 3, even = pairs.view({n / 2, 2}).select(1, 0),
                 odd = pairs.view({n / 2, 2}).select(1, 1);
    BOOST_TEST(std::abs(mean_of(even * odd)) < 0.02);
    BOOST_TEST(std::abs(mean_of(drawn([](Tensor& t) { t.exponential_(4); })) - 0.25) < 0.01);
    BOOST_TEST(std::abs(mean_of(drawn([](Tensor& t) { t.log_normal_(0, 0.5); })) - std::exp(0.125)) < 0.02);
    BOOST_TEST(std::abs(mean_of(drawn([](Tensor& t) { t.geometric_(0.25); })) - 4) < 0.1);
    BOOST_TEST(std::abs(drawn([](Tensor& t) { t.cauchy_(1, 2); }).median().item().toDouble() - 1) < 0.1);
    BOOST_TEST(std::abs(mean_of(drawn([](Tensor& t) { t.bernoulli_(0.3); })) - 0.3) < 0.01);
    const Tensor k = randint(-5, 12, {n}, TensorOptions().dtype(kLong).device(there::gpu));
    BOOST_TEST(k.min().item().toLong() == -5);
    BOOST_TEST(k.max().item().toLong() == 11);
    BOOST_TEST(std::abs(mean_of(k) - 3) < 0.1);
    for (const ScalarType type : {kFloat, kHalf, kBFloat16}) {
        const Tensor narrow = rand({n}, TensorOptions().dtype(type).device(there::gpu));
        BOOST_TEST(narrow.scalar_type() == type);
        BOOST_TEST(std::abs(mean_of(narrow) - 0.5) < 0.01);
    }
}

BOOST_AUTO_TEST_CASE(permutations_and_masks) {
    const Tensor p = randperm(5000, TensorOptions().dtype(kLong).device(there::gpu));
    BOOST_TEST(p.device() == there::gpu);
    BOOST_TEST(equal(std::get<0>(p.sort()).cpu(), arange(5000, kLong)));
    BOOST_TEST(!equal(p.cpu(), arange(5000, kLong)));
    const Tensor x = ones({20000}, wide), y = dropout(x, 0.25, true);
    BOOST_TEST(std::abs(mean_of(y) - 1) < 0.03);
    BOOST_TEST(std::abs(mean_of((y == 0).to(kDouble)) - 0.25) < 0.02);
    BOOST_TEST(dropout(x, 0, true).equal(x));
    BOOST_TEST(rand({0}, wide).numel() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
