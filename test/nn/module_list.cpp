// ModuleList and ModuleDict.
#include <reel/nn/modules/module_list.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/nn.hpp>

#include "message.hpp"

using namespace reel;
using reel::testing::message;

BOOST_AUTO_TEST_SUITE(module_list)

BOOST_AUTO_TEST_CASE(a_list_registers_what_it_holds) { // M-53
    nn::ModuleList list(nn::Linear(2, 3), nn::ReLU());
    list->push_back(nn::Linear(3, 1));
    BOOST_TEST(list->size() == 3U);
    BOOST_TEST(list->parameters().size() == 4U);
    BOOST_TEST(list->named_parameters().contains("2.weight"));
    BOOST_TEST(list->at<nn::LinearImpl>(-1).options.in_features() == 3);
    BOOST_CHECK_THROW(list->at<nn::LinearImpl>(1), Error);
    BOOST_CHECK_THROW(list->ptr(3), IndexError);
}
BOOST_AUTO_TEST_CASE(inserting_shifts_the_names) { // M-53
    nn::ModuleList list(nn::Linear(1, 1), nn::Linear(2, 2));
    list->insert(1, nn::Linear(5, 5));
    BOOST_TEST(list->at<nn::LinearImpl>(1).options.in_features() == 5);
    BOOST_TEST(list->named_parameters()["2.weight"].size(0) == 2);
    nn::ModuleList other;
    other->extend(*list);
    BOOST_TEST(other->size() == 3U);
    std::size_t n = 0;
    for (const nn::ModulePtr& m : *other) n += m == list->ptr(std::int64_t(n));
    BOOST_TEST(n == 3U);
}
template <class Container> void check_slices(const Container& five) {
    const auto widths = [](const auto& modules) {
        std::vector<std::int64_t> r;
        for (const auto& item : modules->named_children())
            r.push_back(item.value()->template as<nn::LinearImpl>()->options.out_features());
        return r;
    };
    const auto names = [](const auto& modules) { return modules->named_children().keys(); };
    using widths_t = std::vector<std::int64_t>;
    BOOST_TEST((widths((*five)[indexing::Slice(1, 3)]) == widths_t{2, 3}));
    BOOST_TEST((widths((*five)[indexing::Slice(-2, std::nullopt)]) == widths_t{4, 5}));
    five->erase(1, 4, 2);
    BOOST_TEST((widths(five) == widths_t{1, 3, 5}));
    BOOST_TEST((names(five) == std::vector<std::string>{"0", "1", "2"}));
    five->erase(2, std::nullopt);
    BOOST_TEST((widths(five) == widths_t{1, 3}));
    five->erase(7, 9); // nothing is there, as in Python
    BOOST_TEST(five->size() == 2u);
    BOOST_CHECK_THROW(five->erase(0, 2, 0), ValueError);
    *five += *five;
    BOOST_TEST((five->size() == 4u && five->ptr(2) == five->ptr(0) && five->ptr(3) == five->ptr(1)));
    five->erase(std::nullopt, std::nullopt, -1);
    BOOST_TEST(five->is_empty());
}
BOOST_AUTO_TEST_CASE(slices_are_taken_and_deleted) { // M-52, M-53
    check_slices(
        nn::ModuleList{nn::Linear(1, 1), nn::Linear(1, 2), nn::Linear(1, 3), nn::Linear(1, 4), nn::Linear(1, 5)});
    check_slices(
        nn::Sequential{nn::Linear(1, 1), nn::Linear(1, 2), nn::Linear(1, 3), nn::Linear(1, 4), nn::Linear(1, 5)});
    nn::ModuleDict dict(std::vector<nn::ModuleDictImpl::Item>{{"a", nn::ReLU().ptr()}, {"b", nn::ReLU().ptr()}});
    dict->erase("a");
    BOOST_TEST((dict->keys() == std::vector<std::string>{"b"}));
    BOOST_CHECK_THROW(dict->erase("a"), KeyError);
}
BOOST_AUTO_TEST_CASE(a_module_of_another_class_is_named_as_it_prints) {
    nn::ModuleList list{nn::Linear(1, 1)};
    nn::Sequential sequence{nn::Linear(1, 1)};
    BOOST_TEST(message([&] { list->at<nn::ReLUImpl>(0); }) == "ModuleList: module 0 is a Linear, not a ReLU");
    BOOST_TEST(message([&] { sequence->at<nn::ReLUImpl>(0); }) == "Sequential: module 0 is a Linear, not a ReLU");
}
BOOST_AUTO_TEST_CASE(equal_neighbours_print_as_one) { // M-30
    nn::ModuleList list{nn::ReLU(), nn::ReLU(), nn::Sigmoid()};
    BOOST_TEST(list->repr() == "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Sigmoid()\n)");
    BOOST_TEST(nn::ModuleList()->repr() == "ModuleList()");
}
BOOST_AUTO_TEST_CASE(a_dict_keeps_order_and_replaces_in_place) { // M-53
    nn::ModuleDict dict;
    dict->insert("a", nn::Linear(1, 1));
    dict->insert("b", nn::ReLU());
    dict->insert("a", nn::Sigmoid());
    BOOST_TEST(dict->keys() == (std::vector<std::string>{"a", "b"}));
    BOOST_TEST(dict->at<nn::SigmoidImpl>("a").repr() == "Sigmoid()");
    BOOST_TEST(dict->pop("a")->repr() == "Sigmoid()");
    BOOST_TEST(!dict->contains("a"));
    BOOST_CHECK_THROW(dict->pop("a"), KeyError);
    dict->clear();
    BOOST_TEST(dict->empty());
}

BOOST_AUTO_TEST_SUITE_END()
