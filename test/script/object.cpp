// Objects, enum members and futures as values; `is`, `==` and `str` of scripts.
#include <reel/script/object.hpp>

#include <cmath>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/script/function.hpp>

#include "message.hpp"

using namespace reel;
using jit::equal;
using jit::same;
using jit::Type;
using reel::testing::message;

namespace {
std::string text(const IValue& v) { return jit::str(v); }
jit::ClassTypePtr counter() {
    auto type = std::make_shared<jit::ClassType>("__torch__.m.Counter", false, nullptr);
    type->add_attribute("n", Type::Int());
    type->add_attribute("name", Type::Optional(Type::String()));
    type->add_constant("limit", Type::Int(), 7);
    return type;
}
} // namespace

BOOST_AUTO_TEST_SUITE(script_object)

// SC-54
BOOST_AUTO_TEST_CASE(attributes_are_seen_by_every_holder) {
    const auto object = std::make_shared<jit::Object>(counter());
    const IValue a = jit::to_ivalue(object), b = a;
    jit::to_object(a)->setattr("n", 3);
    BOOST_TEST(jit::to_object(b)->attr("n").toInt() == 3);
    BOOST_TEST(object->attr("limit").toInt() == 7);
    BOOST_TEST(message([&] { object->attr("name"); }) == "__torch__.m.Counter: attribute 'name' was never set");
    BOOST_TEST(message([&] { object->attr("no"); }) == "__torch__.m.Counter has no attribute 'no'");
    BOOST_TEST(message([&] { object->setattr("limit", 8); }) ==
               "__torch__.m.Counter: a constant cannot be set: 'limit'");
    BOOST_TEST(message([&] { object->setattr("n", 1.5); }) == "__torch__.m.Counter.n: expected int, got 1.5");
    object->setattr("name", IValue());
    BOOST_TEST(object->attr("name").isNone());
}

// SC-43
BOOST_AUTO_TEST_CASE(is_compares_identity_and_equality_depth) {
    const IValue a = jit::to_ivalue(std::make_shared<jit::Object>(counter()));
    const IValue b = jit::to_ivalue(std::make_shared<jit::Object>(counter()));
    BOOST_TEST(same(a, jit::to_ivalue(jit::to_object(a))));
    BOOST_TEST(!same(a, b));
    const IValue x = IValue::list({1, IValue::list({2.0})}), y = IValue::list({1, IValue::list({2})});
    BOOST_TEST(!same(x, y));
    BOOST_TEST(equal(x, y));
    BOOST_TEST(same(IValue(3), IValue(3)));
    BOOST_TEST(!equal(IValue("a"), IValue(1)));
    BOOST_TEST(equal(ValueDict{{"k", 1}, {"l", 2}}, ValueDict{{"l", 2}, {"k", 1}}));
    BOOST_TEST(!equal(ValueDict{{"k", 1}}, ValueDict{{"k", 2}}));
    BOOST_TEST(equal(std::complex<double>(2, 0), 2));
    BOOST_TEST(!equal(std::nan(""), std::nan("")));
}

BOOST_AUTO_TEST_CASE(members_of_enums_are_equal_by_name) {
    const auto color = std::make_shared<const jit::EnumType>(
        "__torch__.m.Color", Type::Int(), std::vector<std::pair<std::string, IValue>>{{"RED", 1}, {"BLUE", 2}});
    const IValue red = jit::to_ivalue(jit::EnumMember{color, 0}), again = jit::to_ivalue(jit::EnumMember{color, 0});
    BOOST_TEST(same(red, again));
    BOOST_TEST(!equal(red, jit::to_ivalue(jit::EnumMember{color, 1})));
    BOOST_TEST(jit::to_enum(red).name() == "RED");
    BOOST_TEST(message([] { jit::to_enum(3); }) == "expected a member of an enum, got 3");
    BOOST_TEST(message([] { jit::to_object(3); }) == "expected an object of a script class, got 3");
}

// SC-49
BOOST_AUTO_TEST_CASE(texts_are_the_references) {
    const std::pair<double, const char*> floats[] = {{1, "1."},
                                                     {2.5, "2.5"},
                                                     {0.1, "0.10000000000000001"},
                                                     {1e10, "10000000000."},
                                                     {1e18, "1000000000000000000."},
                                                     {1e20, "1e+20"},
                                                     {-0.0, "-0."},
                                                     {INFINITY, "inf"},
                                                     {-INFINITY, "-inf"},
                                                     {NAN, "nan"}};
    for (const auto& [value, expected] : floats) BOOST_TEST(text(value) == expected);
    BOOST_TEST(text(9.3e18) == "9.3e+18");
    BOOST_TEST(text(IValue()) == "None");
    BOOST_TEST(text(true) == "True");
    BOOST_TEST(text(IValue::list({1, 2})) == "[1, 2]");
    BOOST_TEST(text(IValue::tuple({1, "x"})) == "(1, x)");
    BOOST_TEST(text(ValueDict{{"a", 1.0}}) == "{a: 1.}");
    BOOST_TEST(text(std::complex<double>(1, 2)) == "1.+2.j");
    const IValue loop = IValue::list({});
    loop.list_elements().push_back(loop);
    BOOST_TEST(text(loop).size() < 2000u); // ends
    loop.list_elements().clear();
}

BOOST_AUTO_TEST_SUITE_END()
