#include <reel/nn/any_value.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/nn/modules/any_module.hpp>

#include "nn/testing.hpp"

using namespace reel;
using namespace reel::testing;
using nn::AnyValue;

BOOST_AUTO_TEST_SUITE(any_value)

BOOST_AUTO_TEST_CASE(it_remembers_the_type_that_it_was_made_of) {
    AnyValue five(5);
    BOOST_TEST(*five.try_get<int>() == 5);
    BOOST_TEST(five.get<int>() == 5);
    BOOST_TEST(!five.try_get<long>());
    BOOST_TEST(!five.try_get<double>());
    BOOST_TEST((five.type_info() == typeid(int)));
    BOOST_TEST(five.toInt() == 5); // and stays the value that it is
    five = AnyValue(std::string("six"));
    BOOST_TEST(five.get<std::string>() == "six");
    BOOST_TEST(!five.try_get<int>());
    BOOST_TEST(std::string(AnyValue("seven").get<const char*>()) == "seven");
    int eight = 8;
    BOOST_TEST(*AnyValue(&eight).get<int*>() == 8);
    const Tensor t = ones({2});
    BOOST_TEST(AnyValue(t).get<Tensor>().is_same(t));
    BOOST_TEST(!AnyValue().try_get<int>());
}
BOOST_AUTO_TEST_CASE(another_type_is_refused_by_name) {
    BOOST_TEST(message_of<TypeError>([] { AnyValue(5).get<float>(); }) ==
               "AnyValue: holds int, asked for float; get gives the type that it was made of");
}
BOOST_AUTO_TEST_CASE(one_made_of_a_value_converts_as_results_do) {
    const AnyValue from = Value(3);
    BOOST_TEST(from.get<int>() == 3);
    BOOST_TEST(from.get<double>() == 3.0);
    BOOST_TEST((from.type_info() == typeid(std::int64_t)));
    const Tensor t = ones({2});
    const AnyValue tensor = Value(t);
    BOOST_TEST(tensor.try_get<Tensor>()->is_same(t));
    BOOST_TEST(!tensor.try_get<int>());
    BOOST_CHECK_THROW(tensor.get<double>(), TypeError);
}
BOOST_AUTO_TEST_CASE(what_any_forward_returns) {
    struct Count : nn::Module {
        int forward(const Tensor& x) { return int(x.numel()); }
    };
    const nn::AnyModule any(Count{});
    BOOST_TEST(any.any_forward(ones({2, 3})).get<int>() == 6);
}

BOOST_AUTO_TEST_SUITE_END()
