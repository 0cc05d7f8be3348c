// Sequential: naming, access, chaining, cloning.
#include <reel/nn/modules/sequential.hpp>

#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn.hpp>

using namespace reel;
using namespace reel::testing;

BOOST_AUTO_TEST_SUITE(sequential)

BOOST_AUTO_TEST_CASE(modules_run_in_order_under_numbers_or_names) { // M-52
    nn::Sequential numbered(nn::Linear(2, 3), nn::ReLU(), nn::Linear(3, 1));
    BOOST_TEST(numbered(rand({4, 2})).sizes() == IntArrayRef({4, 1}));
    BOOST_TEST(numbered->named_parameters().contains("2.bias"));
    nn::Sequential named{{"in", nn::Linear(2, 3)}, {"act", nn::ReLU()}};
    BOOST_TEST(named->named_parameters().contains("in.weight"));
    BOOST_CHECK_THROW(named->push_back("in", nn::ReLU()), KeyError);
}
BOOST_AUTO_TEST_CASE(access_by_index_from_both_ends) {
    nn::Sequential s(nn::Linear(2, 3), nn::ReLU());
    BOOST_TEST(s->ptr(-1) == s->ptr(1));
    BOOST_TEST(s->at<nn::LinearImpl>(0).options.out_features() == 3);
    BOOST_CHECK_THROW(s->at<nn::LinearImpl>(1), Error);
    BOOST_CHECK_THROW(s->ptr(2), IndexError);
    std::size_t n = 0;
    for (const nn::ModulePtr& m : *s) n += bool(m);
    BOOST_TEST(n == 2U);
}
BOOST_AUTO_TEST_CASE(sequences_nest_and_extend) {
    nn::Sequential inner(nn::Linear(2, 2), nn::Tanh()), outer(nn::Linear(2, 2), inner);
    BOOST_TEST(outer->named_parameters().contains("1.0.weight"));
    BOOST_TEST(outer(rand({3, 2})).sizes() == IntArrayRef({3, 2}));
    nn::Sequential longer;
    longer->extend(*inner);
    longer->extend(*inner);
    BOOST_TEST(longer->size() == 4U);
    BOOST_TEST(longer->ptr(0) == longer->ptr(2));
}
BOOST_AUTO_TEST_CASE(a_clone_has_modules_of_its_own) { // M-50
    nn::Sequential s(nn::Linear(2, 2), nn::BatchNorm1d(2));
    const auto copy = s->clone();
    BOOST_TEST(copy->parameters().size() == 4U);
    const Tensor before = copy->parameters()[0].detach().clone();
    nn::init::zeros_(s->parameters()[0]);
    BOOST_TEST((copy->parameters()[0] == before).all().item<bool>());
    BOOST_TEST(copy->repr() == s->repr());
    nn::ModuleList list(nn::Linear(1, 1), s);
    BOOST_TEST(list->clone()->parameters().size() == 6U);
}
BOOST_AUTO_TEST_CASE(freezing_a_part_leaves_the_rest_training) { // M-13
    nn::Sequential s(nn::Conv2d(nn::Conv2dOptions(1, 2, 3)), nn::BatchNorm2d(2), nn::Flatten(), nn::Linear(2 * 36, 3));
    s->ptr(0)->requires_grad_(false);
    s->ptr(1)->requires_grad_(false);
    s(rand({2, 1, 8, 8})).sum().backward();
    BOOST_TEST(!s->at<nn::Conv2dImpl>(0).weight.grad().defined());
    BOOST_TEST(s->at<nn::LinearImpl>(3).weight.grad().defined());
}

BOOST_AUTO_TEST_CASE(a_Sequential_from_ordered_modules) {
    OrderedDict<std::string, nn::AnyModule> modules;
    modules.insert("twice", nn::AnyModule(Scale(2.0)));
    modules.insert("relu", nn::AnyModule(nn::ReLU()));
    const nn::Sequential s(modules);
    BOOST_TEST(s->named_children().keys() == (std::vector<std::string>{"twice", "relu"}));
    BOOST_TEST(number(s->forward<Tensor>(full({}, 4.0))) == 8);
    OrderedDict<std::string, nn::ModulePtr> pointers = s->named_children();
    BOOST_TEST(nn::Sequential(pointers)->size() == 2);
}

BOOST_AUTO_TEST_CASE(containers_give_references_to_their_modules) {
    const nn::Sequential s(Scale(2.0), nn::ReLU());
    const nn::ModuleList list(s[0], s[1]);
    std::size_t seen = 0;
    for (auto& m : *s) seen += &*m == s[std::int64_t(seen)].get();
    for (auto& m : *list) seen += m->name().empty() ? 0 : 1;
    BOOST_TEST(seen == 4);
}

BOOST_AUTO_TEST_CASE(layers_in_braces_draw_first_to_last_and_others_are_warned_about) {
    const auto first_weight = [](const nn::Sequential& net) { return net->ptr(0)->parameters()[0]; };
    manual_seed(1);
    const Tensor expected = nn::Linear(2, 3)->weight;
    WarningLog log;
    manual_seed(1);
    BOOST_TEST(equal(first_weight(nn::Sequential{nn::Linear(2, 3), nn::ReLU(), nn::Linear(3, 1)}), expected));
    BOOST_TEST(log.texts.size() == 0u);
    manual_seed(1);
    const nn::Sequential net(nn::Linear(2, 3), nn::ReLU(), nn::Linear(3, 1));
    if (equal(first_weight(net), expected)) { // clang
        BOOST_TEST(log.texts.size() == 0u);
    } else {
        BOOST_REQUIRE(log.texts.size() == 1u);
        BOOST_TEST(log.texts[0] ==
                   "Sequential(a, b, ...): the compiler made these modules last to first, which is also the order "
                   "in which they drew their initial numbers; PyTorch draws first to last. Braces do, too: "
                   "Sequential{a, b, ...}");
    }
}

BOOST_AUTO_TEST_CASE(the_order_is_nobodys_business_where_one_layer_draws_or_the_modules_are_named) {
    const WarningLog log;
    nn::Linear behind(3, 1), front(2, 3);
    nn::Sequential(front, behind); // made in another order, and meant so
    nn::Sequential(nn::Linear(2, 3), nn::BatchNorm1d(3), nn::ReLU());
    BOOST_TEST(log.texts.size() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
