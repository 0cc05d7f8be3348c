// Initialisers: bounds, streams, structure.
#include <reel/nn/init.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/modules/linear.hpp>

using namespace reel;

namespace {
double largest(const Tensor& t) { return t.abs().max().item<double>(); }
double deviation(const Tensor& t) { return std::sqrt(t.var(0, true).item<double>()); }
} // namespace

BOOST_AUTO_TEST_SUITE(init)

BOOST_AUTO_TEST_CASE(gains) {
    BOOST_TEST(nn::init::calculate_gain(kReLU) == std::sqrt(2.0));
    BOOST_TEST(nn::init::calculate_gain(kTanh) == 5.0 / 3);
    BOOST_TEST(nn::init::calculate_gain(kLeakyReLU, 1) == 1);
    BOOST_TEST(nn::init::calculate_gain(kSigmoid) == 1);
}
BOOST_AUTO_TEST_CASE(uniform_bounds_follow_the_fans) {
    const Tensor t = empty({30, 20, 2, 2});
    BOOST_TEST((nn::init::_calculate_fan_in_and_fan_out(t) == std::pair<std::int64_t, std::int64_t>(80, 120)));
    nn::init::xavier_uniform_(t);
    BOOST_TEST(largest(t) <= std::sqrt(6.0 / 200));
    BOOST_TEST(largest(t) > 0.95 * std::sqrt(6.0 / 200));
    nn::init::kaiming_uniform_(t, 0, kFanOut, kReLU);
    BOOST_TEST(largest(t) <= std::sqrt(6.0 / 120));
    BOOST_TEST(largest(t) > 0.95 * std::sqrt(6.0 / 120));
}
BOOST_AUTO_TEST_CASE(normal_deviations_follow_the_fans) {
    const Tensor t = empty({300, 200});
    BOOST_TEST(deviation(nn::init::kaiming_normal_(t).reshape({-1})) == std::sqrt(2.0 / 200),
               boost::test_tools::tolerance(0.02));
    BOOST_TEST(deviation(nn::init::xavier_normal_(t, 2).reshape({-1})) == 2 * std::sqrt(2.0 / 500),
               boost::test_tools::tolerance(0.02));
}
BOOST_AUTO_TEST_CASE(truncated_normals_stay_within) {
    for (const auto& [a, b] : {std::pair{-2.0, 2.0}, {1.0, 2.0}, {-0.1, 0.1}}) {
        const Tensor t = nn::init::trunc_normal_(empty({50, 50}), 0, 1, a, b);
        BOOST_TEST(t.min().item<double>() >= a);
        BOOST_TEST(t.max().item<double>() <= b);
        BOOST_TEST(deviation(t.reshape({-1})) > 0.1 * (b - a));
    }
}
BOOST_AUTO_TEST_CASE(orthogonal_rows_or_columns) {
    for (const auto& size : {std::vector<std::int64_t>{6, 4}, {4, 6}, {5, 5}, {3, 2, 4}}) {
        const Tensor t = nn::init::orthogonal_(reel::empty(size)), m = t.reshape({size[0], -1});
        const Tensor product = m.size(0) <= m.size(1) ? m.mm(m.t()) : m.t().mm(m);
        BOOST_TEST(largest(product - eye(product.size(0))) < 1e-5);
    }
    // Of the drawn matrix it is the Q whose R has a positive diagonal; gain multiplies.
    manual_seed(3);
    const Tensor drawn = reel::normal_(empty({6, 4}), 0, 1);
    manual_seed(3);
    const Tensor q = nn::init::orthogonal_(empty({6, 4}), 2) / 2, r = q.t().mm(drawn);
    BOOST_TEST(largest(tril(r, -1)) < 1e-5);
    BOOST_TEST((diagonal(r) > 0).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(structured_ones) {
    BOOST_TEST(largest(nn::init::eye_(rand({3, 4})) - eye(3, 4)) == 0);
    const Tensor w = nn::init::dirac_(rand({3, 3, 3})), x = rand({2, 3, 5});
    BOOST_TEST(largest(conv1d(x, w, {}, 1, 1) - x) == 0);
    const Tensor s = nn::init::sparse_(empty({10, 4}), 0.3);
    BOOST_TEST(((s == 0).sum(0) == 3).all().item<bool>());
}
BOOST_AUTO_TEST_CASE(nothing_is_recorded_and_the_leaf_stays_a_leaf) {
    const Tensor t = empty({3, 3}).requires_grad_();
    nn::init::kaiming_uniform_(t);
    nn::init::orthogonal_(t);
    nn::init::trunc_normal_(t);
    BOOST_TEST(t.is_leaf());
    BOOST_TEST(t.requires_grad());
    BOOST_CHECK_THROW(nn::init::xavier_uniform_(empty({3})), ValueError);
}
BOOST_AUTO_TEST_CASE(a_generator_of_its_own_leaves_the_default_stream_alone) {
    manual_seed(5);
    const Tensor a = rand({3});
    manual_seed(5);
    nn::init::normal_(empty({100}), 0, 1, make_generator<CPUGeneratorImpl>(1));
    BOOST_TEST((rand({3}) == a).all().item<bool>());
}

BOOST_AUTO_TEST_SUITE_END()
