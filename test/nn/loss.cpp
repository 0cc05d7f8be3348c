// Losses over classes and squared error.
#include <reel/nn/modules/loss.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>

#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>

#include "nn/testing.hpp"

using namespace reel;
using autograd::variable_list;
using reel::testing::WarningLog;

namespace {
Tensor leaf(IntArrayRef size) { return (rand(size).to(kDouble) + 0.1).detach().requires_grad_(); }
} // namespace

BOOST_AUTO_TEST_SUITE(loss)

BOOST_AUTO_TEST_CASE(cross_entropy_by_hand) {
    const Tensor x = tensor({{1., 2., 0.}, {0., 0., 0.}}).to(kDouble), t = tensor({1, 2});
    const double first = std::log(std::exp(1.) + std::exp(2.) + 1) - 2, second = std::log(3.);
    BOOST_TEST(reel::cross_entropy(x, t).item<double>() == (first + second) / 2, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(nn::CrossEntropyLoss(nn::CrossEntropyLossOptions().reduction(kSum))(x, t).item<double>() ==
                   first + second,
               boost::test_tools::tolerance(1e-12));
}
BOOST_AUTO_TEST_CASE(weights_and_ignored_targets_change_the_mean) {
    const Tensor x = leaf({4, 3}).detach(), t = tensor({0, 2, 1, 2}), w = tensor({1., 2., 4.}).to(kDouble);
    const Tensor logp = reel::log_softmax(x, 1);
    const auto at = [&](int n, int c) { return logp.select(0, n).select(0, c).item<double>(); };
    BOOST_TEST(reel::cross_entropy(x, t, w, 1).item<double>() == -(at(0, 0) + 4 * at(1, 2) + 4 * at(3, 2)) / 9,
               boost::test_tools::tolerance(1e-12));
    BOOST_TEST(std::isnan(reel::nll_loss(logp, t.mul(0), {}, 0).item<double>())); // nothing counts: 0 / 0
}
BOOST_AUTO_TEST_CASE(probabilities_that_are_one_hot_equal_indices) {
    const Tensor x = leaf({5, 4, 2}).detach(), t = randint(0, 4, {5, 2});
    const Tensor p = reel::one_hot(t, 4).permute({0, 2, 1}).to(kDouble);
    for (const double smoothing : {0.0, 0.3})
        BOOST_TEST(reel::cross_entropy(x, t, {}, -100, "sum", smoothing).item<double>() ==
                       reel::cross_entropy(x, p, {}, -100, "sum", smoothing).item<double>(),
                   boost::test_tools::tolerance(1e-12));
}
BOOST_AUTO_TEST_CASE(gradients_of_first_and_second_order) {
    const Tensor t = tensor({{0, 2}, {1, 1}}), w = tensor({1., 2., 4.}).to(kDouble);
    for (const char* reduction : {"none", "mean", "sum"}) {
        const auto f = [&](const Tensor& x) { return reel::cross_entropy(x, t, w, -100, reduction, 0.1); };
        BOOST_TEST(autograd::gradcheck(f, {leaf({2, 3, 2})}));
        BOOST_TEST(autograd::gradgradcheck(f, {leaf({2, 3, 2})}));
    }
    const auto mse = [](const variable_list& v) { return reel::mse_loss(v[0], v[1], "mean"); };
    BOOST_TEST(autograd::gradcheck(mse, {leaf({3, 2}), leaf({3, 2})}));
    BOOST_TEST(autograd::gradgradcheck(mse, {leaf({3, 2}), leaf({3, 2})}));
}
BOOST_AUTO_TEST_CASE(class_weights_are_a_buffer_of_the_module) {
    nn::CrossEntropyLoss m(nn::CrossEntropyLossOptions().weight(ones({3})));
    BOOST_TEST(m->state_dict().contains("weight"));
    BOOST_TEST(!nn::CrossEntropyLoss()->state_dict().contains("weight"));
}
BOOST_AUTO_TEST_CASE(targets_that_do_not_fit_are_refused) {
    const Tensor x = rand({2, 3});
    BOOST_CHECK_THROW(reel::cross_entropy(x, tensor({0, 3})), IndexError);
    BOOST_CHECK_THROW(reel::cross_entropy(x, tensor({0, 1, 2})), Error);
    BOOST_CHECK_THROW(reel::cross_entropy(x, tensor({0.f, 1.f})), Error);
    BOOST_CHECK_THROW(reel::cross_entropy(x, tensor({0, 1}), ones({2})), Error);
    BOOST_CHECK_THROW(reel::mse_loss(x, x, "average"), ValueError);
}
BOOST_AUTO_TEST_CASE(ctc_counts_every_alignment) {
    // Two steps, one label: "a-", "-a", "aa".
    const Tensor p = tensor({{0.75, 0.25}, {0.5, 0.5}}).to(kDouble).unsqueeze(1);
    const double sum = 0.25 * 0.5 + 0.75 * 0.5 + 0.25 * 0.5;
    BOOST_TEST(reel::ctc_loss(p.log(), tensor({{1}}), tensor({2}), tensor({1}), 0, "sum").item<double>() ==
                   -std::log(sum),
               boost::test_tools::tolerance(1e-12));
    const Tensor t = tensor({{1, 1, 2}, {2, 1, 1}});
    const auto f = [&](const Tensor& x) { return reel::ctc_loss(reel::log_softmax(x, 2), t, {6, 5}, {3, 2}); };
    BOOST_TEST(autograd::gradcheck(f, {leaf({6, 2, 4})}));
}

namespace {
/// The probability of `labels` under p [T, C], by sums over alignments of probabilities themselves.
double probability_of(const Tensor& p, const std::vector<std::int64_t>& labels) {
    std::vector<std::int64_t> path{0};
    for (const std::int64_t l : labels) path.insert(path.end(), {l, 0});
    std::vector<double> sums(path.size());
    for (std::int64_t t = 0; t < p.size(0); ++t) {
        const std::vector<double> before = sums;
        for (std::size_t s = 0; s < path.size(); ++s) {
            double sum = before[s] + (s > 0 ? before[s - 1] : 0);
            if (s > 1 && path[s] != path[s - 2]) sum += before[s - 2];
            if (t == 0) sum = s < 2;
            sums[s] = sum * p[t][path[s]].item<double>();
        }
    }
    return sums.back() + (sums.size() > 1 ? sums[sums.size() - 2] : 0);
}
} // namespace

BOOST_AUTO_TEST_CASE(ctc_of_labels_of_every_length) {
    const std::vector<std::int64_t> all{1, 2, 2, 3, 1, 1, 2, 3, 3, 1, 2, 1};
    const std::int64_t steps = 17, batch = std::int64_t(all.size()) + 1;
    const Tensor p = reel::softmax(leaf({steps, batch, 4}).detach(), 2), logs = p.log();
    const Tensor targets = tensor(all).unsqueeze(0).expand({batch, std::int64_t(all.size())});
    std::vector<std::int64_t> in(std::size_t(batch), steps), lengths;
    for (std::int64_t n = 0; n < batch; ++n) lengths.push_back(n);
    const Tensor each = reel::ctc_loss(logs, targets, in, lengths, 0, "none");
    for (std::int64_t n = 0; n < batch; ++n) {
        const double want = probability_of(p.select(1, n), {all.begin(), all.begin() + n});
        BOOST_TEST(each[n].item<double>() == -std::log(want), boost::test_tools::tolerance(1e-12));
    }
    const auto f = [&](const Tensor& x) {
        return reel::ctc_loss(reel::log_softmax(x, 2), targets.slice(0, 0, 2), {14, 13}, {9, 0}, 0, "sum");
    };
    BOOST_TEST(autograd::gradcheck(f, {leaf({14, 2, 4})}));
    BOOST_TEST(autograd::gradgradcheck(f, {leaf({14, 2, 4})}));
}
BOOST_AUTO_TEST_CASE(ctc_where_a_class_is_impossible) {
    Tensor logs = reel::log_softmax(leaf({6, 1, 4}).detach(), 2);
    logs.select(2, 3).fill_(-INFINITY);
    const Tensor t = tensor({{1, 2}});
    BOOST_TEST(std::isfinite(reel::ctc_loss(logs, t, {6}, {2}, 0, "sum").item<double>()));
    BOOST_TEST(reel::ctc_loss(logs, tensor({{1, 3}}), {6}, {2}, 0, "sum").item<double>() == INFINITY);
    BOOST_TEST(reel::ctc_loss(logs, tensor({{1, 3}}), {6}, {2}, 0, "sum", true).item<double>() == 0);
    logs[2].fill_(NAN);
    BOOST_TEST(std::isnan(reel::ctc_loss(logs, t, {6}, {2}, 0, "sum").item<double>()));
}

BOOST_AUTO_TEST_CASE(losses_from_their_reduction) {
    const Tensor x = tensor({1., 2.}), y = tensor({0., 0.});
    BOOST_TEST(nn::MSELoss(kSum)(x, y).item<float>() == 5);
    BOOST_TEST(nn::L1Loss(kNone)(x, y).equal(x));
    BOOST_TEST(nn::SoftMarginLoss(kSum)(x, y).item<float>() == 2 * std::log(2.f), boost::test_tools::tolerance(1e-6f));
    BOOST_TEST((nn::MultiLabelMarginLoss(kNone)->options.reduction() == kNone));
    BOOST_TEST((nn::MSELossOptions().reduction() == kMean));
}

BOOST_AUTO_TEST_CASE(options_from_a_reduction_alone) {
    const Tensor x = ones({3}), y = zeros({3});
    BOOST_TEST(nn::SmoothL1Loss(kNone)(x, y).dim() == 1);
    BOOST_TEST(nn::HuberLoss(kSum)(x, y).item<double>() == 1.5);
    BOOST_TEST(nn::Softshrink(0.25)(x).sum().item<double>() == 2.25);
}
BOOST_AUTO_TEST_CASE(losses_that_broadcast_say_so) {
    const Tensor input = ones({4, 1}), target = ones({4});
    const auto warned = [&](auto loss) {
        WarningLog log;
        loss(input, ones({4, 1}));
        BOOST_TEST(log.texts.empty());
        BOOST_TEST(loss(input, target).numel() == 1);
        return log.texts;
    };
    const std::string text =
        ": input has shape [4, 1] and target [4]: every element of one meets several of the other, "
        "which is seldom meant; give both the same shape";
    const auto is = [&](const std::vector<std::string>& texts, const char* op) {
        BOOST_TEST(texts == std::vector<std::string>{op + text}, boost::test_tools::per_element());
    };
    is(warned([](const Tensor& a, const Tensor& b) { return mse_loss(a, b); }), "mse_loss");
    is(warned([](const Tensor& a, const Tensor& b) { return l1_loss(a, b); }), "l1_loss");
    is(warned([](const Tensor& a, const Tensor& b) { return smooth_l1_loss(a, b); }), "smooth_l1_loss");
    is(warned([](const Tensor& a, const Tensor& b) { return huber_loss(a, b); }), "huber_loss");
}

BOOST_AUTO_TEST_SUITE_END()
