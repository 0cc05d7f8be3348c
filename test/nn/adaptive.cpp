// Softmax with clusters of rare classes.
#include <reel/nn/modules/adaptive.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/gradcheck.hpp>

#include "testing.hpp"

using namespace reel;
using namespace reel::testing;

namespace {
nn::AdaptiveLogSoftmaxWithLoss exact() {
    nn::AdaptiveLogSoftmaxWithLoss m(
        nn::AdaptiveLogSoftmaxWithLossOptions(8, 12, {4, 8}).div_value(2.).head_bias(true));
    m->to(kDouble);
    return m;
}
Tensor classes(std::initializer_list<std::int64_t> c) { return tensor(std::vector<std::int64_t>(c)); }
} // namespace

BOOST_AUTO_TEST_SUITE(adaptive)

BOOST_AUTO_TEST_CASE(log_probabilities_are_those_of_a_distribution) {
    nn::AdaptiveLogSoftmaxWithLoss m = exact();
    const Tensor x = randn({5, 8}, TensorOptions(kDouble)), all = m->log_prob(x);
    BOOST_TEST(all.sizes() == IntArrayRef({5, 12}));
    BOOST_TEST((all.exp().sum(1) - 1).abs().max().item<double>() < 1e-12);
    const Tensor y = classes({0, 5, 11, 3, 8});
    const nn::ASMoutput r = m(x, y);
    BOOST_TEST((r.output - all.gather(1, y.unsqueeze(1)).squeeze(1)).abs().max().item<double>() < 1e-12);
    BOOST_TEST(std::abs(r.loss.item<double>() + r.output.mean().item<double>()) < 1e-12);
    BOOST_TEST((m->predict(x) == all.argmax(1)).all().item<bool>());
    const nn::ASMoutput one = m(x.select(0, 1), y.select(0, 1));
    BOOST_TEST(one.output.dim() == 0);
    BOOST_TEST(std::abs(number(one.output) - number(r.output.select(0, 1))) < 1e-12);
}
BOOST_AUTO_TEST_CASE(gradients) {
    nn::AdaptiveLogSoftmaxWithLoss m = exact();
    const Tensor y = classes({0, 5, 11});
    BOOST_TEST(autograd::gradcheck([&](const Tensor& x) { return m(x, y).loss; },
                                   {randn({3, 8}, TensorOptions(kDouble)).requires_grad_()}));
}
BOOST_AUTO_TEST_CASE(structure) {
    nn::AdaptiveLogSoftmaxWithLoss m = exact();
    std::string names;
    for (const auto& p : m->named_parameters()) names += p.key() + " ";
    BOOST_TEST(names == "head.weight head.bias tail.0.0.weight tail.0.1.weight tail.1.0.weight tail.1.1.weight ");
    BOOST_TEST(m->get_parameter("tail.1.0.weight").sizes() == IntArrayRef({2, 8}));
    BOOST_TEST(m->get_parameter("tail.1.1.weight").sizes() == IntArrayRef({4, 2}));
    const auto copy = std::dynamic_pointer_cast<nn::AdaptiveLogSoftmaxWithLossImpl>(m->clone());
    const Tensor x = randn({5, 8}, TensorOptions(kDouble));
    BOOST_TEST((copy->log_prob(x) == m->log_prob(x)).all().item<bool>());
    BOOST_TEST(!copy->head->weight.is_same(m->head->weight));
}
BOOST_AUTO_TEST_CASE(errors_are_pytorchs) {
    using Options = nn::AdaptiveLogSoftmaxWithLossOptions;
    BOOST_TEST(has(message_of<ValueError>([] { nn::AdaptiveLogSoftmaxWithLoss(Options(8, 12, {})); }),
                   "cutoffs should be a sequence of length larger than 0"));
    for (const std::vector<std::int64_t>& c : {std::vector<std::int64_t>{4, 4}, {8, 4}, {0, 4}, {4, 12}})
        BOOST_TEST(has(message_of<ValueError>([&] { nn::AdaptiveLogSoftmaxWithLoss(Options(8, 12, c)); }),
                       "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where "
                       "each value is between 1 and n_classes-1"));
    for (const double div_value : {0., -2., 1e-300})
        BOOST_TEST(
            has(message_of<ValueError>([&] {
                    nn::AdaptiveLogSoftmaxWithLoss(Options(8, 12, {4, 8}).div_value(div_value));
                }),
                str("AdaptiveLogSoftmaxWithLoss: div_value is ", div_value, ", which gives cluster 0 ").c_str()));
    nn::AdaptiveLogSoftmaxWithLoss m(8, 12, std::vector<std::int64_t>{4, 8});
    BOOST_TEST(has(message_of([&] {
                       m(randn({2, 8}), classes({1, 12}));
                   }),
                   "Target values should be in [0, 11], but values in range [1, 12] were found. "));
    BOOST_TEST(has(message_of([&] {
                       m(randn({3, 8}), classes({1, 2}));
                   }),
                   "Input and target should have the same size in the batch dimension."));
    BOOST_TEST(has(message_of([&] { m(randn({8}), classes({1})); }),
                   "1D target tensor expects 2D input tensors, but found inputs with size [8]"));
    BOOST_TEST(has(message_of([&] {
                       m(randn({1, 8}), classes({1}).select(0, 0));
                   }),
                   "0D target tensor expects 1D input tensors, but found inputs with size [1, 8]"));
    BOOST_TEST(has(message_of([&] {
                       m(randn({1, 8}), classes({1}).unsqueeze(0));
                   }),
                   "0D or 1D target tensor expected, multi-target not supported"));
}

BOOST_AUTO_TEST_SUITE_END()
