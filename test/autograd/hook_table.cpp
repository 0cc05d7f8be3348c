// Tables of hooks: their order, their snapshots, and that many hooks cost no more each than few.
#include <reel/autograd/hook_table.hpp>

#include <cstdint>
#include <vector>

#include <boost/test/unit_test.hpp>

using namespace reel;

namespace {
/// Stands for a hook; counts how often hooks were copied, and how often they were moved.
struct Hook {
    int number = 0;
    static inline int copies = 0;
    static inline std::int64_t moves = 0;
    explicit Hook(int n) : number(n) {}
    Hook(const Hook& o) : number(o.number) { ++copies; }
    Hook(Hook&& o) noexcept : number(o.number) { ++moves; }
    Hook& operator=(Hook&& o) noexcept {
        number = o.number;
        ++moves;
        return *this;
    }
};
using Table = HookTable<Hook>;

std::vector<int> numbers(const Table& t) {
    std::vector<int> r;
    if (const auto s = t.snapshot())
        for (const auto& record : *s) r.push_back(record.fn.number);
    return r;
}
using Numbers = std::vector<int>;
} // namespace

BOOST_AUTO_TEST_SUITE(hook_table)

BOOST_AUTO_TEST_CASE(C16_prepended_hooks_come_first_the_last_one_foremost) {
    Table t;
    t.add(Hook(1));
    t.add(Hook(2), true);
    t.add(Hook(3));
    t.add(Hook(4), true);
    BOOST_TEST(numbers(t) == (Numbers{4, 2, 1, 3}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(hooks_are_removed_wherever_they_stand) {
    for (int which = 0; which < 5; ++which) {
        Table t;
        std::vector<std::uint64_t> ids;
        for (int i = 0; i < 5; ++i) ids.push_back(t.add(Hook(i), i == 1 || i == 3));
        Numbers expected{3, 1, 0, 2, 4};
        std::erase(expected, which);
        t.remove(ids[std::size_t(which)]);
        BOOST_TEST(numbers(t) == expected, boost::test_tools::per_element());
        t.remove(ids[std::size_t(which)]); // once is enough
        t.remove(next_hook_id());          // nobody's
        BOOST_TEST(numbers(t) == expected, boost::test_tools::per_element());
        for (const std::uint64_t id : ids) t.remove(id);
        BOOST_TEST(t.empty());
        BOOST_TEST(!t.snapshot());
        t.add(Hook(7)); // nothing of the old order is left
        t.add(Hook(8), true);
        BOOST_TEST(numbers(t) == (Numbers{8, 7}), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(C22_a_snapshot_sees_nothing_of_later_changes) {
    Table t;
    const std::uint64_t first = t.add(Hook(1));
    t.add(Hook(2));
    const auto before = t.snapshot();
    t.remove(first);
    t.add(Hook(3));
    const auto between = t.snapshot();
    t.clear();
    BOOST_TEST(before->size() == 2u);
    BOOST_TEST(before->front().fn.number == 1);
    BOOST_TEST(between->size() == 2u);
    BOOST_TEST(between->back().fn.number == 3);
    BOOST_TEST(t.empty());
}

BOOST_AUTO_TEST_CASE(many_hooks_are_added_and_removed_without_copying_them) {
    Table t;
    std::vector<std::uint64_t> ids;
    Hook::copies = 0;
    for (int i = 0; i < 1000; ++i) ids.push_back(t.add(Hook(i), i % 2 == 0));
    BOOST_TEST(Hook::copies == 0);
    (void)t.snapshot();
    for (int i = 0; i < 1000; ++i) ids.push_back(t.add(Hook(i)));
    BOOST_TEST(Hook::copies == 1000); // once for the snapshot
    (void)t.snapshot();
    Hook::copies = 0;
    for (const std::uint64_t id : ids) t.remove(id);
    BOOST_TEST(Hook::copies == 2000); // once for the snapshot
    BOOST_TEST(t.empty());
}

BOOST_AUTO_TEST_CASE(many_hooks_come_and_go_at_the_front_without_moving_the_others) {
    Table t;
    const int n = 20000;
    std::vector<std::uint64_t> ids;
    Hook::copies = 0;
    Hook::moves = 0;
    for (int i = 0; i < n; ++i) ids.push_back(t.add(Hook(i), true));
    for (int i = 0; i < n; ++i) ids.push_back(t.add(Hook(n + i)));
    for (std::size_t i = 0; i < std::size_t(n) - 1; ++i) t.remove(ids[i]); // of the prepended ones, the hindmost first
    for (std::size_t i = 0; i < std::size_t(n) - 1; ++i) t.remove(ids[std::size_t(n) + i]);
    BOOST_TEST(numbers(t) == (Numbers{n - 1, 2 * n - 1}), boost::test_tools::per_element());
    BOOST_TEST(Hook::copies == 0);
    BOOST_TEST(Hook::moves < 10 * 2 * n); // a few for each; moving the others up at each would be n for each
}

BOOST_AUTO_TEST_CASE(gaps_and_waiting_hooks_are_seen_by_nobody) {
    Table t;
    std::vector<std::uint64_t> ids;
    for (int i = 0; i < 40; ++i) ids.push_back(t.add(Hook(i), i % 2 == 0));
    const auto before = t.snapshot();
    for (int i = 40; i < 80; ++i) ids.push_back(t.add(Hook(i), i % 2 == 0));
    Numbers expected;
    for (int i = 78; i >= 0; i -= 2) expected.push_back(i);
    for (int i = 1; i < 80; i += 2) expected.push_back(i);
    for (const int gone : {0, 78, 40, 1, 79, 41, 38, 39, 20}) {
        t.remove(ids[std::size_t(gone)]);
        t.remove(ids[std::size_t(gone)]); // a gap is no hook
        std::erase(expected, gone);
        if (gone == 79 || gone == 20) BOOST_TEST(numbers(t) == expected, boost::test_tools::per_element());
    }
    BOOST_TEST(before->size() == 40u);
    BOOST_TEST(before->front().fn.number == 38);
    t.add(Hook(100), true);
    t.clear();
    BOOST_TEST(t.empty());
    BOOST_TEST(!t.snapshot());
    const std::uint64_t only = t.add(Hook(7), true);
    BOOST_TEST(!t.empty());
    t.remove(only);
    BOOST_TEST(t.empty());
    BOOST_TEST(!t.snapshot());
}

BOOST_AUTO_TEST_CASE(M50_a_copied_table_goes_its_own_way) {
    Table a, b;
    const std::uint64_t one = a.add(Hook(1));
    a.add(Hook(2), true);
    b.add(Hook(9));
    b.copy_from(a);
    b.copy_from(b);
    a.remove(one);
    b.add(Hook(3), true);
    BOOST_TEST(numbers(a) == (Numbers{2}), boost::test_tools::per_element());
    BOOST_TEST(numbers(b) == (Numbers{3, 2, 1}), boost::test_tools::per_element());
    b.remove(one);
    BOOST_TEST(numbers(b) == (Numbers{3, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
