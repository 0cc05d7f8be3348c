// Typed handles on lists, dicts and tuples of values.
#include "tape_helpers.hpp"

#include <sstream>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/list.hpp>

using namespace reel;
using namespace tape_test;

BOOST_AUTO_TEST_SUITE(value_handles)

BOOST_AUTO_TEST_CASE(lists_share_their_elements) {
    List<std::int64_t> list{3, 4};
    const List<std::int64_t> same = list;
    same.push_back(5);
    BOOST_TEST(list.vec() == (std::vector<std::int64_t>{3, 4, 5}));
    const Value value = list;
    value.toList().set(0, Value(7));
    BOOST_TEST(list[0] == 7);
    BOOST_TEST((value.to<List<std::int64_t>>().is(list)));
    BOOST_TEST(!list.copy().is(list));
    list.append(list);
    BOOST_TEST(list.vec() == (std::vector<std::int64_t>{7, 4, 5, 7, 4, 5}));
    list.resize(2);
    list.pop_back();
    BOOST_TEST(list.vec() == std::vector<std::int64_t>{7});
    BOOST_TEST(list.extract(0) == 7);
    list.clear();
    BOOST_TEST(list.empty());
    BOOST_CHECK_EXCEPTION(list.get(0), IndexError, says("no element 0 in a list of 0"));
    BOOST_CHECK_THROW(list.pop_back(), IndexError);
}

BOOST_AUTO_TEST_CASE(lists_of_tensors_and_of_other_kinds) {
    const Tensor t = ones({2});
    const List<Tensor> tensors({t});
    BOOST_TEST(tensors.get(0).is_same(t));
    BOOST_TEST(Value(tensors).isTensorList());
    BOOST_CHECK_THROW(Value(3).toList(), TypeError);
    const List<std::string> texts = List<std::string>::from_value(Value(tensors));
    BOOST_CHECK_THROW(texts[0], TypeError);
}

BOOST_AUTO_TEST_CASE(dicts_keep_their_order) {
    const Dict<std::string, double> d;
    BOOST_TEST(d.insert("b", 1));
    BOOST_TEST(d.insert("a", 2));
    BOOST_TEST(!d.insert("b", 3));
    BOOST_TEST(d.at("b") == 1);
    d.insert_or_assign("b", 3);
    BOOST_TEST(d.at("b") == 3);
    BOOST_TEST(d.keys() == (std::vector<std::string>{"b", "a"}));
    BOOST_TEST(d.values() == (std::vector<double>{3, 2}));
    const Value v = d;
    BOOST_TEST((v.to<Dict<std::string, double>>().is(d)));
    BOOST_TEST(d.erase("b"));
    BOOST_TEST(!d.erase("b"));
    BOOST_TEST(d.size() == 1);
    BOOST_TEST((d.items()[0] == std::pair<std::string, double>{"a", 2}));
    BOOST_CHECK_EXCEPTION(d.at("b"), KeyError, says("there is no key 'b'"));
    const Dict<std::int64_t, bool> by_number;
    by_number.insert(4, true);
    BOOST_TEST(by_number.contains(4));
}

BOOST_AUTO_TEST_CASE(entries_have_libtorchs_names_and_values_print) {
    ValueDict d{{"a", 1}, {"b", "text"}};
    std::ostringstream out;
    for (const auto& item : d) out << item.key() << ": " << item.value() << ", ";
    for (auto& item : d) item.value() = 2;
    for (const auto& [key, value] : d) out << key.toStringRef() << value << ' ';
    BOOST_TEST(out.str() == "'a': 1, 'b': 'text', a2 b2 ");
    std::ostringstream tensors, whole;
    const Tensor t = tensor({1., 2.});
    tensors << Value(t);
    whole << t;
    BOOST_TEST(tensors.str() == whole.str());
    BOOST_TEST(Value(t.sizes()).toIntVector() == (std::vector<std::int64_t>{2}));
}

BOOST_AUTO_TEST_CASE(tuples) {
    const Value v = Value::tuple({Value(1), Value("two")});
    BOOST_TEST(v.toTuple()->elements().size() == 2);
    BOOST_TEST(v.toTuple()[1].toStringRef() == "two");
    BOOST_CHECK_EXCEPTION(Value(std::vector<std::int64_t>{1}).toTuple(), TypeError, says("expected tuple, got [1]"));
    BOOST_TEST(Value(Tuple(std::vector<Value>{Value(1)})).isTuple());
    BOOST_TEST(ivalue::Tuple::create({1, "two"})[1].toStringRef() == "two");
    BOOST_TEST(ivalue::Tuple::create(1, "two", 3.0)->size() == 3);
    BOOST_TEST(ivalue::Tuple::create({zeros({2})})->elements()[0].isTensor());
}

BOOST_AUTO_TEST_CASE(what_type_a_value_holds) {
    BOOST_TEST((Value().type_info() == typeid(void)));
    BOOST_TEST((Value(true).type_info() == typeid(bool)));
    BOOST_TEST((Value(1).type_info() == typeid(std::int64_t)));
    BOOST_TEST((Value(1.5f).type_info() == typeid(double)));
    BOOST_TEST((Value("x").type_info() == typeid(std::string)));
    BOOST_TEST((Value(ones({})).type_info() == typeid(Tensor)));
    BOOST_TEST((Value(kFloat).type_info() == typeid(ScalarType)));
    BOOST_TEST((Value(Device("cpu")).type_info() == typeid(Device)));
    BOOST_TEST((Value(std::complex<double>(1, 2)).type_info() == typeid(std::complex<double>)));
    BOOST_TEST((Value::tuple({}).type_info() == typeid(Tuple)));
    BOOST_TEST((Value::list({}).type_info() == typeid(List<Value>)));
    BOOST_TEST((Value(ValueDict()).type_info() == typeid(ValueDict)));
    BOOST_TEST((Value::box(std::pair<int, int>(1, 2)).type_info() == typeid(std::pair<int, int>)));
}

BOOST_AUTO_TEST_CASE(what_a_temporary_holds_comes_by_value) {
    const auto make = [] {
        return Value(
            ValueDict{{"list", Value::list({1, Value("text"), Value(ones({2}))})}, {"inner", ValueDict{{"a", 1}}}});
    };
    std::string keys;
    for (const auto& [key, value] : make().toGenericDict()) keys += key.toStringRef() + " ";
    BOOST_TEST(keys == "list inner ");
    std::size_t elements = 0;
    for (const Value& v : make().toGenericDict().at("list").elements()) elements += !v.isNone();
    BOOST_TEST(elements == 3);
    const std::string& text = Value("text").toStringRef();
    BOOST_TEST(text == "text");
    const Tensor& t = Value(ones({2})).toTensor();
    BOOST_TEST(t.numel() == 2);
    static_assert(std::is_const_v<decltype(make().toGenericDict())>, "a change of it would be lost");
}

BOOST_AUTO_TEST_CASE(a_temporary_handle_takes_nothing_from_who_shares_the_value) {
    const Value kept(ValueDict{{"a", 1}}), list = Value::list({1, 2});
    const auto handle = [](const Value& v) { return v; };
    BOOST_TEST(handle(kept).toGenericDict().size() == 1);
    BOOST_TEST(handle(list).elements().size() == 2);
    BOOST_TEST(kept.toGenericDict().size() == 1);
    BOOST_TEST(list.elements().size() == 2);
    kept.toGenericDict().set("b", 2); // of one that stays, the dict itself
    BOOST_TEST(kept.toGenericDict().size() == 2);
    BOOST_CHECK_THROW(handle(list).toGenericDict(), TypeError);
}

BOOST_AUTO_TEST_SUITE_END()
