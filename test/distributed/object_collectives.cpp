// Values of any kind between ranks.
#include <reel/distributed/object_collectives.hpp>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/ops.hpp>
#include <reel/distributed/collectives.hpp>

#include "distributed/on_ranks.hpp"
#include "message.hpp"

using namespace reel;
using namespace reel::testing;
namespace dist = reel::distributed;

namespace {
/// Another one on each rank, and of another length.
Value object_of(std::int64_t rank) {
    return ValueDict{{"rank", rank},
                     {"name", std::string(std::size_t(rank * 1000), 'x')},
                     {"tensor", arange(rank * 3, kDouble)},
                     {"list", Value::list({0.5, true, Value()})}};
}
void expect(const Value& got, std::int64_t rank) {
    const ValueDict& d = got.toGenericDict();
    const bool good = d.at("rank").toInt() == rank && d.at("name").toStringRef().size() == std::size_t(rank * 1000) &&
                      equal(d.at("tensor").toTensor(), arange(rank * 3, kDouble)) &&
                      d.at("list").elements()[0].toDouble() == 0.5 && d.at("list").elements()[1].toBool() &&
                      d.at("list").elements()[2].isNone();
    if (!good) throw std::runtime_error(str("the object of rank ", rank, " came otherwise"));
}
struct Handle {
    int n = 7;
};
Value unwritable() { return Value::box(Handle{}); }
} // namespace

BOOST_AUTO_TEST_SUITE(object_collectives, *boost::unit_test::label("threads"))

BOOST_AUTO_TEST_CASE(all_have_what_each_rank_gave) {
    for (const std::int64_t n : {1, 2, 3, 5})
        dist::spawn(n, [n](std::int64_t rank) {
            std::vector<Value> all{Value(1)};
            dist::all_gather_object(all, object_of(rank));
            if (std::int64_t(all.size()) != n) throw std::runtime_error("the list's length");
            for (std::int64_t r = 0; r < n; ++r) expect(all[std::size_t(r)], r);
        });
}

BOOST_AUTO_TEST_CASE(the_root_alone_has_what_is_gathered) {
    for (const std::int64_t n : {1, 2, 3, 5})
        dist::spawn(n, [n](std::int64_t rank) {
            for (std::int64_t root = 0; root < n; ++root) {
                std::vector<Value> all{Value(1)};
                dist::gather_object(object_of(rank), all, root);
                if (std::int64_t(all.size()) != (rank == root ? n : 1)) throw std::runtime_error("the list's length");
                for (std::int64_t r = 0; rank == root && r < n; ++r) expect(all[std::size_t(r)], r);
            }
        });
}

BOOST_AUTO_TEST_CASE(lists_go_from_the_root_to_all) {
    for (const std::int64_t n : {1, 2, 3, 5})
        dist::spawn(n, [n](std::int64_t rank) {
            for (std::int64_t root = 0; root < n; ++root) {
                std::vector<Value> list{Value(1), Value(2)};
                if (rank == root) list = {object_of(root), object_of(root + 1), Value("last")};
                dist::broadcast_object_list(list, root);
                if (list.size() != 3 || list[2].toStringRef() != "last") throw std::runtime_error("the list");
                expect(list[0], root);
                expect(list[1], root + 1);
                if (rank == root) list.clear();
                dist::broadcast_object_list(list, root);
                if (!list.empty()) throw std::runtime_error("an empty list");
            }
        });
}

BOOST_AUTO_TEST_CASE(each_rank_gets_its_own_of_the_root) {
    for (const std::int64_t n : {1, 2, 3, 5})
        dist::spawn(n, [n](std::int64_t rank) {
            for (std::int64_t root = 0; root < n; ++root) {
                std::vector<Value> list;
                for (std::int64_t r = 0; rank == root && r < n; ++r) list.push_back(object_of(r + root));
                Value mine;
                dist::scatter_object_list(mine, list, root);
                expect(mine, rank + root);
            }
        });
}

BOOST_AUTO_TEST_CASE(two_ranks_exchange_lists_by_tag) {
    dist::spawn(3, [](std::int64_t rank) {
        if (rank == 0) {
            dist::send_object_list({object_of(2), Value(5)}, 2, 7);
            dist::send_object_list({object_of(1)}, 2);
        }
        if (rank != 2) return;
        std::vector<Value> zero, seven;
        dist::recv_object_list(zero, 0);
        dist::recv_object_list(seven, 0, 7);
        expect(zero.at(0), 1);
        expect(seven.at(0), 2);
        if (zero.size() != 1 || seven.size() != 2 || seven[1].toInt() != 5) throw std::runtime_error("the lists");
    });
}

BOOST_AUTO_TEST_CASE(groups_take_part_by_themselves) {
    dist::spawn(4, [](std::int64_t rank) {
        const dist::ProcessGroup last = dist::new_group({3, 1});
        if (rank % 2 == 0) return;
        std::vector<Value> all, list{Value(rank)};
        dist::all_gather_object(all, Value(rank), last);
        if (all.size() != 2 || all[0].toInt() != 3 || all[1].toInt() != 1)
            throw std::runtime_error("all_gather_object");
        dist::gather_object(Value(10 * rank), all, 1, last);
        if (rank == 1 && (all[0].toInt() != 30 || all[1].toInt() != 10)) throw std::runtime_error("gather_object");
        dist::broadcast_object_list(list, 3, last);
        if (list[0].toInt() != 3) throw std::runtime_error("broadcast_object_list");
        Value mine;
        dist::scatter_object_list(mine, rank == 1 ? std::vector<Value>{Value(33), Value(11)} : std::vector<Value>{}, 1,
                                  last);
        if (mine.toInt() != 11 * rank) throw std::runtime_error("scatter_object_list");
    });
}

// D-5, D-41
BOOST_AUTO_TEST_CASE(what_one_rank_cannot_write_all_refuse_and_the_group_goes_on) {
    const auto refused = [](const std::function<void(std::int64_t)>& call) {
        return errors_on_ranks(3, [&](std::int64_t rank) {
            std::string first;
            try {
                call(rank);
            } catch (const Error& e) {
                first = e.msg();
            }
            std::vector<Value> all;
            dist::all_gather_object(all, Value(rank));
            if (all.size() != 3 || all[2].toInt() != 2) throw std::runtime_error("the group does not go on");
            throw DistError(first);
        });
    };
    const auto by = [](const std::vector<std::string>& errors, std::size_t rank, const char* what) {
        for (std::size_t r = 0; r < errors.size(); ++r) {
            BOOST_TEST(has(errors[r], what), errors[r]);
            if (r != rank) BOOST_TEST(has(errors[r], str("rank ", rank, " refused").c_str()), errors[r]);
        }
    };
    by(refused([](std::int64_t rank) {
           std::vector<Value> all;
           dist::all_gather_object(all, rank == 1 ? unwritable() : Value(rank));
       }),
       1, "cannot");
    by(refused([](std::int64_t rank) {
           std::vector<Value> all;
           dist::gather_object(rank == 2 ? unwritable() : Value(rank), all, 1);
       }),
       2, "cannot");
    by(refused([](std::int64_t rank) {
           std::vector<Value> list{rank == 1 ? unwritable() : Value(rank)};
           dist::broadcast_object_list(list, 1);
       }),
       1, "cannot");
    by(refused([](std::int64_t) {
           Value mine;
           dist::scatter_object_list(mine, {Value(1), Value(2)}, 0);
       }),
       0, "scatter_object_list: objects has 2 elements; expected one for each of the group's 3 ranks");
    for (const std::string& e : refused([](std::int64_t) {
             std::vector<Value> list;
             dist::broadcast_object_list(list, 3);
         }))
        BOOST_TEST(has(e, "broadcast_object_list: root 3 is no member of group 'default'"), e);
}

BOOST_AUTO_TEST_SUITE_END()
