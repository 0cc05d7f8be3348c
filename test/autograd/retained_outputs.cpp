// The list of a node's outputs that keep their gradients: its order, and that many cost no more each than few (T-12).
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "tape/retained_outputs.hpp"

namespace {

/// Stands for the number of an output; counts what a search and a move of entries do.
struct Counted {
    std::uint32_t number = 0;
    static inline std::int64_t steps = 0;
    Counted(std::uint32_t n) : number(n) {}
    Counted(const Counted& o) : number(o.number) { ++steps; }
    Counted& operator=(const Counted& o) {
        number = o.number;
        ++steps;
        return *this;
    }
    friend bool operator<(const Counted& a, const Counted& b) { return ++steps, a.number < b.number; }
    friend bool operator==(const Counted& a, const Counted& b) { return ++steps, a.number == b.number; }
};
struct Kept {
    std::uint32_t output_nr;
};
using List = reel::autograd::RetainedList<Counted, Kept>;

std::vector<std::uint32_t> numbers(const List& list) {
    std::vector<std::uint32_t> r;
    list.each([&](const Counted& output_nr, const Kept& kept) {
        BOOST_TEST(kept.output_nr == output_nr.number);
        r.push_back(output_nr.number);
    });
    return r;
}
using Numbers = std::vector<std::uint32_t>;

} // namespace

BOOST_AUTO_TEST_SUITE(retained_outputs)

BOOST_AUTO_TEST_CASE(T12_they_stand_by_output_and_leave_in_any_order) { // T-12
    std::vector<Kept> kept;
    for (std::uint32_t i = 0; i < 6; ++i) kept.push_back({i});
    Kept twin{2};
    List list;
    for (const std::uint32_t i : {4u, 0u, 2u, 5u, 1u, 3u}) list.insert(i, &kept[i]);
    list.insert(2u, &twin);
    BOOST_TEST(numbers(list) == (Numbers{0, 1, 2, 2, 3, 4, 5}), boost::test_tools::per_element());
    list.erase(2u, &kept[2]);
    list.erase(2u, &kept[3]); // not there under that number
    BOOST_TEST(list.size() == 6u);
    for (const std::uint32_t i : {0u, 5u, 3u}) list.erase(i, &kept[i]);
    BOOST_TEST(numbers(list) == (Numbers{1, 2, 4}), boost::test_tools::per_element());
    list.insert(3u, &kept[3]);
    BOOST_TEST(numbers(list) == (Numbers{1, 2, 3, 4}), boost::test_tools::per_element());
    for (const std::uint32_t i : {4u, 1u, 3u}) list.erase(i, &kept[i]);
    list.erase(2u, &twin);
    BOOST_TEST(list.size() == 0u);
    BOOST_TEST(numbers(list).empty());
}

BOOST_AUTO_TEST_CASE(T12_many_come_and_go_without_a_walk_over_the_others) { // T-12
    const std::uint32_t n = 20000;
    std::vector<Kept> kept;
    for (std::uint32_t i = 0; i < n; ++i) kept.push_back({i});
    List list;
    Counted::steps = 0;
    for (std::uint32_t i = 0; i < n; ++i) list.insert(i, &kept[i]);
    for (std::uint32_t i = 0; i < n; ++i) list.erase(i, &kept[i]); // the first ones first
    BOOST_TEST(list.size() == 0u);
    BOOST_TEST(Counted::steps < 60 * std::int64_t(n)); // a search by halves each; a walk over the others takes n / 4
}

BOOST_AUTO_TEST_SUITE_END()
