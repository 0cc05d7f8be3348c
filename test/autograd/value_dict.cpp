// Ordered dictionaries of values: small ones are searched, large ones are indexed, and nobody can tell.
#include <reel/autograd/value.hpp>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

#include <reel/autograd/ops.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(value_dict)

BOOST_AUTO_TEST_CASE(any_sequence_of_changes_gives_what_a_plain_list_gives) {
    std::mt19937 random(7);
    const Tensor tensor = reel::ones({2});
    const Value list = Value::list({Value(1)});
    for (const unsigned names : {20u, 60u, 500u}) {
        ValueDict d;
        std::vector<std::pair<Value, int>> plain;
        const auto key = [&](unsigned n) -> Value {
            if (n == 0) return Value();
            if (n == 1) return Value(tensor);
            if (n == 2) return list;
            switch (n % 5) {
            case 0:
                return Value(int(n));
            case 1:
                return Value(double(n));
            default:
                return Value("key " + std::to_string(n));
            }
        };
        const auto position = [&](const Value& k) {
            return std::find_if(plain.begin(), plain.end(), [&](const auto& i) { return i.first.is(k); });
        };
        for (int step = 0; step < 4000; ++step) {
            const Value k = key(unsigned(random()) % names);
            const auto at = position(k);
            if (random() % 4 || !k.isString()) {
                d.set(k, step);
                if (at == plain.end()) plain.emplace_back(k, step);
                else at->second = step;
            } else {
                BOOST_TEST(d.erase(k.toStringRef()) == (at != plain.end()));
                if (at != plain.end()) plain.erase(at);
            }
            if (step % 1000 == 999) d = ValueDict(d); // a copy goes on as the original
            if (step == 2500) d.clear(), plain.clear();
            const Value other = key(unsigned(random()) % names);
            const Value* found = d.find(other);
            const auto expected = position(other);
            BOOST_REQUIRE((found != nullptr) == (expected != plain.end()));
            if (found) BOOST_REQUIRE_EQUAL(found->toInt(), expected->second);
        }
        BOOST_REQUIRE_EQUAL(d.size(), plain.size());
        for (std::size_t i = 0; i < plain.size(); ++i) {
            BOOST_TEST(d.begin()[i].first.is(plain[i].first)); // the order of insertion
            BOOST_TEST(d.begin()[i].second.toInt() == plain[i].second);
        }
    }
}
BOOST_AUTO_TEST_CASE(equal_numbers_are_one_key_and_kinds_are_told_apart) {
    ValueDict d;
    for (int i = 0; i < 100; ++i) d.set(i, i);
    d.set(0.0, "zero");
    d.set(-0.0, "minus zero");
    d.set(true, "true");
    d.set(1, "one");
    BOOST_TEST(d.size() == 102u);
    BOOST_TEST(d.find(Value(0.0))->toStringRef() == "minus zero");
    BOOST_TEST(d.find(Value(1))->toStringRef() == "one");
    BOOST_TEST(d.find(Value(true))->toStringRef() == "true");
    BOOST_TEST(!d.contains("1"));
}
BOOST_AUTO_TEST_CASE(large_dicts_find_their_keys) { // one after the other it would take minutes
    ValueDict d;
    constexpr int n = 200'000;
    for (int i = 0; i < n; ++i) d.set("layers." + std::to_string(i) + ".weight", i);
    for (int i = 0; i < n; ++i) BOOST_REQUIRE_EQUAL(d.at("layers." + std::to_string(i) + ".weight").toInt(), i);
    BOOST_TEST(d.size() == std::size_t(n));
}
BOOST_AUTO_TEST_CASE(attributes_go_with_copies_and_stay_when_the_items_go) {
    ValueDict d{{"w", 1}};
    BOOST_TEST(d.attributes().empty());
    BOOST_TEST(!d.attribute("_metadata"));
    d.set_attribute("_metadata", ValueDict{{"", 2}});
    ValueDict copy = d;
    copy.set_attribute("_metadata", 3);
    d.clear();
    BOOST_TEST(d.attribute("_metadata")->toGenericDict().at("").toInt() == 2);
    BOOST_TEST(copy.attribute("_metadata")->toInt() == 3);
    BOOST_TEST(copy.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
