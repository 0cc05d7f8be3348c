// Pruning; masks are PyTorch 2.15's for the same seeds.
#include <reel/nn/utils/prune.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/reel.hpp>

using namespace reel;
using namespace reel::testing;
namespace prune = reel::nn::utils::prune;

namespace {
bool mask_is(nn::Module& m, std::vector<double> expected) {
    return equal(m.get_buffer("weight_mask").reshape({-1}), tensor(expected, kFloat));
}
std::vector<std::string> keys(nn::Module& m) {
    std::vector<std::string> r;
    for (const auto& item : m.state_dict()) r.push_back(item.key());
    return r;
}
/// A method of a user: the largest entries go.
struct Largest : prune::BasePruningMethod {
    prune::PruningType type() const override { return prune::PruningType::unstructured; }
    Tensor compute_mask(const Tensor& t, const Tensor& mask) const override {
        return mask * lt(t, t.max()).to(mask.scalar_type());
    }
};
} // namespace

BOOST_AUTO_TEST_SUITE(prune_)

BOOST_AUTO_TEST_CASE(masks_one_after_the_other) {
    manual_seed(3);
    nn::Linear net = prune::l1_unstructured(nn::Linear(4, 3), "weight", .3);
    BOOST_CHECK(mask_is(*net, {1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1}));
    BOOST_TEST((keys(*net) == std::vector<std::string>{"bias", "weight_orig", "weight_mask"}));
    prune::ln_structured(net, "weight", 1, 2, 1);
    BOOST_CHECK(mask_is(*net, {1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
    prune::random_unstructured(net, "weight", 2);
    BOOST_CHECK(mask_is(*net, {1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1}));
    prune::random_structured(net, "weight", 1, 0);
    BOOST_CHECK(mask_is(*net, {1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1}));
    prune::apply(net, "weight", Largest());
    BOOST_CHECK(mask_is(*net, {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
    const Tensor original = net->get_parameter("weight_orig");
    BOOST_CHECK(equal(net->weight, original * net->get_buffer("weight_mask")));
}

BOOST_AUTO_TEST_CASE(forward_and_backward_see_the_mask) {
    nn::Linear net(2, 2);
    const Tensor parameter = net->weight;
    optim::SGD sgd(net->parameters(), optim::SGDOptions(.1));
    prune::custom_from_mask(net, "weight", tensor({1, 0, 0, 1}).view({2, 2}));
    BOOST_CHECK(net->get_parameter("weight_orig").is_same(parameter));
    BOOST_TEST(prune::is_pruned(net));
    const Tensor x = randn({3, 2}), y = net(x);
    BOOST_CHECK(allclose(y, x * parameter.diagonal() + net->bias));
    y.sum().backward();
    BOOST_TEST(parameter.grad()[0][1].item<double>() == 0.);
    sgd.step();
    BOOST_CHECK(allclose(net(x), x * parameter.diagonal() + net->bias));
    const auto copy = std::dynamic_pointer_cast<nn::LinearImpl>(net->clone());
    BOOST_CHECK(equal(nn::call(*copy, x), net(x)));
    BOOST_TEST(prune::is_pruned(copy));

    prune::remove(net, "weight");
    BOOST_CHECK(net->weight.is_same(parameter));
    BOOST_TEST(parameter[1][0].item<double>() == 0.);
    BOOST_TEST((keys(*net) == std::vector<std::string>{"bias", "weight"}));
    BOOST_TEST(!prune::is_pruned(net));
    BOOST_TEST(prune::is_pruned(copy));
}

BOOST_AUTO_TEST_CASE(files_of_pruned_modules_go_to_pruned_modules) {
    nn::Sequential a(nn::Linear(3, 3), nn::Linear(3, 1)), b(nn::Linear(3, 3), nn::Linear(3, 1));
    prune::l1_unstructured(a[0], "weight", 4);
    prune::identity(b[0], "weight");
    b->load_state_dict(a->state_dict());
    const Tensor x = randn({2, 3});
    BOOST_CHECK(equal(a(x), b(x)));
    BOOST_TEST(prune::is_pruned(a));
    BOOST_TEST(b[0]->get_buffer("weight_mask").sum().item<double>() == 5.);
}

BOOST_AUTO_TEST_CASE(over_several_parameters_at_once) {
    manual_seed(4);
    nn::Linear a(3, 3), b(3, 2);
    prune::global_unstructured({{a, "weight"}, {b, "weight"}}, prune::L1Unstructured(.4));
    BOOST_CHECK(mask_is(*a, {0, 0, 1, 1, 1, 1, 1, 1, 0}));
    BOOST_CHECK(mask_is(*b, {1, 0, 0, 1, 0, 1}));
    prune::global_unstructured({{a, "weight"}, {b, "weight"}}, prune::L1Unstructured(1), {ones({3, 3}), zeros({2, 3})});
    BOOST_TEST(a->get_buffer("weight_mask").sum().item<double>() == 6.);
    BOOST_TEST(b->get_buffer("weight_mask").sum().item<double>() == 2.);
    BOOST_TEST(has(message_of<TypeError>([&] {
                       prune::global_unstructured({{a, "weight"}}, prune::LnStructured(1, 2, 0));
                   }),
                   "unstructured methods only"));
}

BOOST_AUTO_TEST_CASE(scores_decide_where_they_are_given) {
    nn::Linear net(2, 1);
    prune::l1_unstructured(net, "weight", 1, tensor({5., 1.}).view({1, 2}));
    BOOST_CHECK(mask_is(*net, {1, 0}));
    const Tensor t = tensor({1., -3., 2.});
    BOOST_CHECK(equal(prune::L1Unstructured(1).prune(t), tensor({0., -3., 2.})));
    BOOST_CHECK(equal(prune::L1Unstructured(1).prune(t, {}, tensor({3., 2., 1.})), tensor({1., -3., 0.})));
    BOOST_TEST(
        has(message_of<ValueError>([&] { prune::l1_unstructured(net, "weight", 1, ones({2})); }), "[2] for [1, 2]"));
}

BOOST_AUTO_TEST_CASE(errors_change_nothing) {
    nn::Linear net(2, 2);
    const Tensor weight = net->weight;
    const auto says = [&](auto fn, const char* part) { BOOST_TEST(has(message_of<ValueError>(fn), part)); };
    says([&] { prune::l1_unstructured(net, "weight", 5); }, "amount is 5, but there are only 4 to prune");
    says([&] { prune::l1_unstructured(net, "weight", 1.5); }, "expected a fraction in [0, 1]");
    says([&] { prune::l1_unstructured(net, "weight", -1); }, "expected a non-negative number");
    says([&] { prune::ln_structured(net, "bias", 1, 2, 0); }, "more than one dimension");
    says([&] { prune::remove(net, "weight"); }, "has to be pruned before pruning can be removed");
    BOOST_TEST(
        has(message_of<IndexError>([&] { prune::ln_structured(net, "weight", 1, 2, 2); }), "invalid dimension 2"));
    BOOST_TEST(has(message_of<AttributeError>([&] { prune::identity(net, "foo"); }), "has no attribute 'foo'"));
    BOOST_CHECK(net->weight.is_same(weight));
    BOOST_TEST((keys(*net) == std::vector<std::string>{"weight", "bias"}));
    BOOST_TEST(!prune::is_pruned(net));
}

BOOST_AUTO_TEST_SUITE_END()
