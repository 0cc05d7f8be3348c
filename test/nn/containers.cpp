// Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict as Python has them.
#include "nn/testing.hpp"

#include <boost/test/unit_test.hpp>

using namespace reel;
using namespace reel::testing;
using nn::Module;
using nn::ModulePtr;

BOOST_AUTO_TEST_SUITE(containers)

namespace {
using names = std::vector<std::string>;
template <class C> std::string kinds(const C& c) {
    std::string r;
    for (const ModulePtr& m : c) r += m->repr_name() + " ";
    return r;
}
} // namespace

BOOST_AUTO_TEST_CASE(M_52_sequential_by_index) {
    nn::Sequential s{{"a", nn::ReLU()}, {"b", nn::Tanh()}, {"c", nn::Sigmoid()}};
    s->assign(-1, nn::Softsign().ptr()); // keeps the key
    BOOST_TEST(s->named_children().keys() == (names{"a", "b", "c"}));
    BOOST_TEST(kinds(*s) == "ReLU Tanh Softsign ");
    const auto part = s->slice(1);
    BOOST_TEST(part->named_children().keys() == (names{"b", "c"}));
    BOOST_TEST((part->ptr(0) == s->ptr(1))); // the same modules
    BOOST_TEST(kinds(*s->slice(std::nullopt, -1)) == "ReLU Tanh ");
    BOOST_TEST(kinds(*s->slice(-2, 99)) == "Tanh Softsign ");
    BOOST_TEST(kinds(*s->slice(std::nullopt, std::nullopt, -1)) == "Softsign Tanh ReLU ");
    BOOST_TEST((s->pop(0)->repr() == "ReLU()"));
    BOOST_TEST(s->named_children().keys() == (names{"0", "1"})); // numbered anew
    s->insert(-1, nn::ReLU());
    BOOST_TEST(kinds(*s) == "Tanh ReLU Softsign ");
    s->erase(1);
    BOOST_TEST(kinds(*s) == "Tanh Softsign ");
    for (const std::int64_t i : {2, -3}) {
        BOOST_TEST(has(message_of<IndexError>([&] { s->ptr(i); }), {"Sequential", "out of range for 2"}));
        BOOST_TEST(has(message_of<IndexError>([&] { s->pop(i); }), "Sequential"));
    }
    BOOST_TEST(has(message_of<IndexError>([&] { s->insert(3, nn::ReLU()); }), "inserting among 2"));
}

BOOST_AUTO_TEST_CASE(M_52_sequential_arithmetic) {
    nn::Sequential a{nn::ReLU()}, b{nn::Tanh(), nn::Sigmoid()};
    BOOST_TEST(kinds(*(a + b)) == "ReLU Tanh Sigmoid ");
    BOOST_TEST(((a + b)->ptr(0) == a->ptr(0)));
    BOOST_TEST(kinds(*(b * 2)) == "Tanh Sigmoid Tanh Sigmoid ");
    BOOST_TEST(kinds(*(2 * a)) == "ReLU ReLU ");
    *a += *b;
    *a *= 2;
    BOOST_TEST(a->size() == 6u);
    for (const std::int64_t n : {0, -1}) BOOST_TEST(has(message_of<ValueError>([&] { b* n; }), "Sequential"));
}

BOOST_AUTO_TEST_CASE(M_52_sequential_calls) {
    BOOST_TEST(number(nn::Sequential()(full({}, 4.0))) == 4); // an empty one returns its input
    nn::Sequential s(Scale(2.0), Scale(3.0));
    BOOST_TEST(number(s(ones({}))) == 6);
    BOOST_TEST(has(message_of<TypeError>([&] {
                       s->call_values({Value(ones({})), Value(ones({}))});
                   }),
                   {"Sequential", "exactly one argument, got 2"}));
    // typed calls have any signature
    struct PairImpl : Module {
        std::tuple<Tensor, Tensor> forward(const Tensor& a, const Tensor& b) { return {a + b, a * b}; }
    };
    REEL_MODULE_IMPL(Pair, PairImpl);
    nn::Sequential p{Pair(std::make_shared<PairImpl>())};
    int fired = 0;
    p->ptr(0)->register_forward_hook([&](Module&, const Args&, const Value&) { ++fired; });
    const auto r = p->forward<std::tuple<Tensor, Tensor>>(full({}, 2.0), full({}, 3.0));
    BOOST_TEST(number(std::get<0>(r)) == 5);
    BOOST_TEST(number(std::get<1>(r)) == 6);
    BOOST_TEST(fired == 1);
}

BOOST_AUTO_TEST_CASE(M_53_module_lists) {
    nn::ModuleList list{nn::ReLU(), nn::Tanh(), nn::Sigmoid()};
    const auto part = list->slice(1);
    BOOST_TEST(part->named_children().keys() == (names{"0", "1"})); // numbered anew
    BOOST_TEST((part->ptr(0) == list->ptr(1)));
    const nn::ModuleList sum = list + std::vector<ModulePtr>{nn::Softsign().ptr()};
    BOOST_TEST(kinds(*sum) == "ReLU Tanh Sigmoid Softsign ");
    BOOST_TEST((list + list)->size() == 6u);
    list->assign(-1, nn::ReLU());
    BOOST_TEST((list->pop(1)->repr() == "Tanh()"));
    BOOST_TEST(kinds(*list) == "ReLU ReLU ");
    list->insert(-1, nn::Tanh());
    BOOST_TEST(kinds(*list) == "ReLU Tanh ReLU ");
    BOOST_TEST(
        has(message_of<IndexError>([&] { list->insert(-4, nn::Tanh()); }), {"ModuleList", "out of range for 3"}));
    BOOST_TEST(has(message_of<NotImplementedError>([&] { list->call_values({}); }), "ModuleList"));
}

BOOST_AUTO_TEST_CASE(M_53_module_dictionaries) {
    nn::ModuleDict d;
    d->update({{"b", nn::ReLU().ptr()}, {"a", nn::Tanh().ptr()}});
    d->insert("b", nn::Sigmoid()); // keeps the place
    BOOST_TEST(d->keys() == (names{"b", "a"}));
    BOOST_TEST(((*d)["b"]->repr() == "Sigmoid()"));
    BOOST_TEST(has(message_of<KeyError>([&] { (*d)["nothing"]; }), {"ModuleDict", "'nothing'"}));
    BOOST_TEST(has(message_of<KeyError>([&] { d->insert("keys", nn::ReLU()); }), {"ModuleDict", "'keys'"}));
    OrderedDict<std::string, ModulePtr> more;
    more.insert("c", nn::ReLU().ptr());
    d->update(more);
    BOOST_TEST(d->size() == 3u);
    BOOST_TEST(has(message_of<NotImplementedError>([&] { d->call_values({}); }), "ModuleDict"));
}

BOOST_AUTO_TEST_CASE(M_54_parameter_lists) {
    nn::ParameterList list(std::vector<Tensor>{ones({2}), zeros({3, 1})});
    list->append(Value("text"));
    BOOST_TEST(list->size() == 3u);
    BOOST_TEST(nn::Parameter::is((*list)[0]));
    BOOST_TEST((*list)[0].requires_grad());
    const nn::Parameter p(ones({}), false);
    list->append(Value(p));
    BOOST_TEST((*list)[-1].is_same(p)); // a Parameter is taken as it is
    BOOST_TEST(list->named_parameters().keys() == (names{"0", "1", "3"}));
    BOOST_TEST(list->at(2).toStringRef() == "text");
    BOOST_TEST(list->repr() == "ParameterList(\n"
                               "    (0): Parameter containing: [torch.float32 of size 2]\n"
                               "    (1): Parameter containing: [torch.float32 of size 3x1]\n"
                               "    (2): Object of type: str\n"
                               "    (3): Parameter containing: [torch.float32 of size ]\n"
                               ")");
    list->assign(0, Value(full({2}, 5.0)));
    BOOST_TEST(list->named_parameters().keys() == (names{"0", "1", "3"}));
    BOOST_TEST((*list)[0][0].item<double>() == 5);
    BOOST_TEST(has(message_of<IndexError>([&] { list->at(4); }), {"ParameterList", "out of range for 4"}));
    BOOST_TEST(has(message_of([&] { list->call_values({}); }), {"ParameterList", "cannot be called"}));
    const auto copy = std::dynamic_pointer_cast<nn::ParameterListImpl>(list->clone());
    BOOST_TEST(copy->size() == 4u);
    BOOST_TEST(!(*copy)[0].is_same((*list)[0]));
    list->extend(*copy);
    BOOST_TEST(list->size() == 8u);
}

BOOST_AUTO_TEST_CASE(M_54_parameter_dictionaries) {
    nn::ParameterDict d(std::vector<std::pair<std::string, Tensor>>{{"b", ones({2})}, {"a", zeros({1})}});
    d->insert("n", Value(3));
    BOOST_TEST(d->keys() == (names{"b", "a", "n"}));
    BOOST_TEST(d->named_parameters().keys() == (names{"b", "a"}));
    BOOST_TEST(nn::Parameter::is((*d)["a"]));
    BOOST_TEST(d->get("n").toInt() == 3);
    BOOST_TEST(d->get("none", Value(7)).toInt() == 7);
    d->insert("b", Value(zeros({2}))); // in place
    BOOST_TEST(d->keys() == (names{"b", "a", "n"}));
    BOOST_TEST(has(message_of<KeyError>([&] { d->at("none"); }), {"ParameterDict", "'none'"}));
    BOOST_TEST(has(message_of<TypeError>([&] { (*d)["n"]; }), {"ParameterDict", "'n'", "int"}));
    BOOST_TEST(has(message_of([&] { d->call_values({}); }), {"ParameterDict", "cannot be called"}));
    BOOST_TEST(d->pop("n").toInt() == 3);
    BOOST_TEST(d->repr() == "ParameterDict(\n"
                            "    (b): Parameter containing: [torch.FloatTensor of size 2]\n"
                            "    (a): Parameter containing: [torch.FloatTensor of size 1]\n"
                            ")");
    BOOST_TEST(std::dynamic_pointer_cast<nn::ParameterDictImpl>(d->clone())->keys() == (names{"b", "a"}));
    d->clear();
    BOOST_TEST(d->empty());
    BOOST_TEST(d->parameters().empty());
}

BOOST_AUTO_TEST_CASE(parameter_dicts_do_what_pythons_dicts_do) {
    const Tensor a = ones({2}), b = zeros({3});
    nn::ParameterDict d(std::vector<std::pair<std::string, Tensor>>{{"z", a}, {"a", b}});
    BOOST_TEST((names(d->begin(), d->end()) == names{"z", "a"}));
    BOOST_TEST((names(d->rbegin(), d->rend()) == names{"a", "z"}));
    const nn::ParameterDict copied(d->copy());
    BOOST_TEST((*copied)["z"].is_same((*d)["z"]));

    BOOST_TEST(equal(d->setdefault("z", Value(zeros({9}))), a));
    BOOST_TEST(nn::Parameter::is(d->setdefault("new", Value(zeros({1})))));
    BOOST_TEST(d->setdefault("none").isNone());
    BOOST_TEST(d->keys() == (names{"z", "a", "new", "none"}));
    BOOST_TEST(d->popitem().first == "none");
    const auto [key, last] = d->popitem();
    BOOST_TEST((key == "new" && last.isTensor()));
    BOOST_TEST(!d->contains("new"));
    BOOST_TEST(copied->keys() == (names{"z", "a"}));

    nn::ParameterDict more(std::vector<std::pair<std::string, Tensor>>{{"q", b}, {"z", full({1}, 5.0)}});
    const nn::ParameterDict both = d | more;
    BOOST_TEST(both->keys() == (names{"z", "a", "q"}));
    BOOST_TEST(both->at("z").toTensor().item<double>() == 5);
    BOOST_TEST(d->keys() == (names{"z", "a"}));
    *d |= *more;
    BOOST_TEST(d->keys() == (names{"z", "a", "q"}));
    ValueDict entries;
    entries.set("n", 3);
    entries.set("a", Value(ones({1})));
    d->update(entries);
    BOOST_TEST(d->keys() == (names{"z", "a", "q", "n"}));
    BOOST_TEST(d->at("a").toTensor().numel() == 1);
    d->erase("z");
    BOOST_TEST(d->keys() == (names{"a", "q", "n"}));
    ValueDict wrong;
    wrong.set("fine", 1);
    wrong.set(std::int64_t(5), 2);
    BOOST_TEST(has(message_of<TypeError>([&] { d->update(wrong); }), {"ParameterDict", "update", "5"}));
    BOOST_TEST(!d->contains("fine"));
    const nn::ParameterDict same(nn::ParameterDictImpl::fromkeys({"x", "y"}, Value(a)));
    BOOST_TEST(!(*same)["x"].is_same((*same)["y"]));
    BOOST_TEST((*same)["x"].is_alias_of((*same)["y"]));
    BOOST_TEST(nn::ParameterDictImpl::fromkeys({"x"})->at("x").isNone());
    BOOST_TEST(
        has(message_of<KeyError>([] { nn::ParameterDict()->popitem(); }), {"ParameterDict", "popitem", "empty"}));
}

BOOST_AUTO_TEST_CASE(parameter_lists_are_sliced) {
    nn::ParameterList list(ones({1}), zeros({2}), ones({3}));
    const nn::ParameterList tail((*list)[indexing::Slice(1)]);
    BOOST_TEST(tail->size() == 2u);
    BOOST_TEST((*tail)[0].is_same((*list)[1]));
    BOOST_TEST((*list->slice(-1, std::nullopt))[0].size(0) == 3);
    *list += std::vector<Tensor>{full({4}, 2.0)};
    BOOST_TEST((nn::Parameter::is((*list)[3]) && (*list)[3].size(0) == 4));
}

BOOST_AUTO_TEST_CASE(parameter_containers_read_as_tensors) {
    const Tensor a = ones({2}), b = zeros({3});
    nn::ParameterList list(a, b), more(b);
    *list += *more;
    BOOST_TEST(list->size() == 3u);
    const Tensor first = list->at(0);
    BOOST_TEST(equal(first, a));
    names keys;
    for (const auto& item : *list) {
        keys.push_back(item.key());
        BOOST_TEST(nn::Parameter::is(item.value()));
    }
    BOOST_TEST(keys == (names{"0", "1", "2"}));
    nn::ParameterDict d, other;
    d->insert("a", Value(a));
    other->insert("a", Value(a + 1));
    other->insert("b", Value(b));
    d->update(*other);
    BOOST_TEST(d->keys() == (names{"a", "b"}));
    const Tensor got = d->get("a"), taken = d->pop("b");
    BOOST_TEST(equal(got, a + 1));
    BOOST_TEST(equal(taken, b));
    const std::vector<Tensor> values = d->values();
    BOOST_TEST((values.size() == 1 && equal(values[0], a + 1)));
    d->insert("n", Value(3));
    BOOST_TEST(!message_of<TypeError>([&] { const Tensor t = d->at("n"); }).empty());
    BOOST_CHECK_THROW(const std::vector<Tensor> none = d->values(), TypeError);
}
BOOST_AUTO_TEST_CASE(a_module_dictionary_takes_what_another_holds) {
    nn::ModuleDict d, other;
    d->insert("a", nn::ReLU());
    other->insert("a", nn::Tanh());
    other->insert("b", nn::Sigmoid());
    d->update(*other);
    BOOST_TEST(d->keys() == (names{"a", "b"}));
    BOOST_TEST(((*d)["a"] == (*other)["a"]));
    d->update(*d); // itself: nothing changes
    BOOST_TEST(d->size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
