#include <reel/autograd/ordered_dict.hpp>

#include <boost/test/unit_test.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(ordered_dict)

BOOST_AUTO_TEST_CASE(entries_come_apart_in_loops) {
    OrderedDict<std::string, int> d{{"b", 1}, {"a", 2}};
    std::string order;
    for (auto& [name, value] : d) {
        static_assert(std::is_const_v<std::remove_reference_t<decltype(name)>>);
        order += name;
        value *= 10;
    }
    BOOST_TEST(order == "ba");
    BOOST_TEST((d["b"] == 10 && d["a"] == 20));
    int sum = 0;
    for (const auto& [name, value] : std::as_const(d)) sum += int(name.size()) * value;
    BOOST_TEST(sum == 30);
    auto [name, value] = d.front(); // a copy
    value = 7;
    BOOST_TEST((name == "b" && d["b"] == 10));
}
BOOST_AUTO_TEST_CASE(a_temporary_dict_lives_as_long_as_the_loop) {
    const auto made = [] { return OrderedDict<std::string, int>{{"x", 1}, {"y", 2}}; };
    std::string names;
    for (const auto& [name, value] : made()) names += name + std::to_string(value);
    BOOST_TEST(names == "x1y2");
}
BOOST_AUTO_TEST_CASE(entries_as_before) {
    OrderedDict<std::string, int> d{{"b", 1}};
    for (auto& item : d) {
        *item += 1;
        BOOST_TEST(item.key() == "b");
        BOOST_TEST(item.value() == 2);
        BOOST_TEST((item.pair() == std::pair<std::string, int>("b", 2)));
    }
    BOOST_CHECK_EXCEPTION(d["c"], KeyError, [](const Error& e) {
        return std::string(e.what()).find("Key 'c' is not defined") != std::string::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
