// The loss that has its linear layer inside. Expected numbers are PyTorch's.
#include <reel/nn/modules/linear_cross_entropy.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/nn/factory.hpp>

#include "nn/testing.hpp"

using namespace reel;
using namespace reel::testing;

BOOST_AUTO_TEST_SUITE(linear_cross_entropy)

namespace {
Tensor input() { return cos(arange(6, kDouble)).reshape({2, 3}); }
/// Parameters that are sin(1), sin(2), ...
nn::LinearCrossEntropyLoss made(nn::LinearCrossEntropyLossOptions o) {
    nn::LinearCrossEntropyLoss m(o);
    m->to(kDouble);
    const NoGradGuard guard;
    for (Tensor& p : m->parameters()) p.copy_(sin(arange(p.numel(), kDouble) + 1).reshape(p.sizes()));
    return m;
}
nn::LinearCrossEntropyLossOptions options() { return {3, 4}; }
} // namespace

BOOST_AUTO_TEST_CASE(value_and_gradients) {
    const Tensor x = input().requires_grad_();
    const auto m = made(options().bias(true).weight(tensor({.5, 1., 2., 1.5}, kDouble)).label_smoothing(.1));
    const Tensor loss = m(x, tensor({2, 0}, kLong));
    BOOST_TEST(std::abs(loss.item<double>() - 1.7535746486442152) < 1e-12);
    loss.backward();
    BOOST_TEST(allclose(
        x.grad(),
        tensor({0.042973199478, -0.109457391610, -0.161253361641, -0.292496662160, -0.349146285311, -0.084792423918},
               kDouble)
            .reshape({2, 3}),
        0, 1e-11));
    BOOST_TEST(allclose(m->linear->weight.grad().sum(1),
                        tensor({0.805934028083, -0.193969204432, -0.592662197553, -0.019302626098}, kDouble), 0,
                        1e-11));
}
BOOST_AUTO_TEST_CASE(further_dimensions_single_examples_and_probabilities) {
    const auto wide = made(options().out_features({2}).reduction(kSum).ignore_index(1).bias(true));
    const Tensor classes = tensor({2, 1, 3, 0}, kLong).reshape({2, 2});
    BOOST_TEST(std::abs(wide(input(), classes).item<double>() - 4.17438792885016) < 1e-12);
    const Tensor single = made(options().reduction(kNone))(input().select(0, 0), tensor(3, kLong));
    BOOST_TEST(single.dim() == 0);
    BOOST_TEST(std::abs(single.item<double>() - 2.8190343190176703) < 1e-12);
    const Tensor p = softmax(arange(8, kDouble).reshape({2, 4}) / 3, 1);
    BOOST_TEST(std::abs(made(options())(input(), p).item<double>() - 1.9370806594853816) < 1e-12);
    // the layer inside is what the loss is made of
    const auto m = made(options().bias(true));
    const Tensor target = tensor({2, 0}, kLong);
    BOOST_TEST(allclose(m(input(), target), nn::CrossEntropyLoss()(m->linear(input()), target), 0, 1e-14));
}
BOOST_AUTO_TEST_CASE(by_name_printed_saved_and_copied) {
    const auto m = nn::make_module("LinearCrossEntropyLoss", {3, 4},
                                   {{"out_features", std::vector<std::int64_t>{2}}, {"reduction", "sum"}});
    BOOST_TEST(m->repr() == "LinearCrossEntropyLoss(\n"
                            "  in_features=3, num_classes=4, out_features=(2,), bias=False, reduction=sum, "
                            "ignore_index=None, label_smoothing=0.0, options=None\n"
                            "  (linear): Linear(in_features=3, out_features=8, bias=False)\n"
                            ")");
    const auto full = made(options().bias(true).weight(ones({4}, kDouble)));
    std::string keys;
    for (const auto& item : full->state_dict()) keys += item.key() + " ";
    BOOST_TEST(keys == "weight linear.weight linear.bias ");
    const auto copy = std::dynamic_pointer_cast<nn::LinearCrossEntropyLossImpl>(full->clone());
    const Tensor target = tensor({2, 0}, kLong);
    BOOST_TEST(equal(copy->forward(input(), target), full(input(), target)));
    BOOST_TEST(!copy->linear->weight.is_same(full->linear->weight));
}
BOOST_AUTO_TEST_CASE(refused) {
    BOOST_TEST(has(message_of([] { made(options().weight(ones({3}))); }),
                   {"LinearCrossEntropyLoss: weight has shape [3]; expected [4]"}));
    BOOST_TEST(has(message_of([] { made(options().label_smoothing(1.5)); }), {"label_smoothing is 1.5", "0 and 1"}));
    BOOST_TEST(has(message_of([] {
                       made(options().ignore_index(1))(input(), ones({2, 4}, kDouble));
                   }),
                   {"LinearCrossEntropyLoss: ignore_index is 1", "[2, 4]", "probabilities"}));
    BOOST_TEST(has(message_of<TypeError>([] {
                       nn::make_module("LinearCrossEntropyLoss", {3, 4, std::vector<std::int64_t>{2}});
                   }),
                   {"LinearCrossEntropyLoss: the constructor takes 2 arguments by position", "got 3"}));
    BOOST_TEST(has(message_of<NotImplementedError>([] {
                       nn::make_module("LinearCrossEntropyLoss", {3, 4}, {{"options", 1}});
                   }),
                   {"LinearCrossEntropyLoss", "chunks", "leave options out"}));
}

BOOST_AUTO_TEST_SUITE_END()
