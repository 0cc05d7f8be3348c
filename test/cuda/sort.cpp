// Order on the device: sorting, searching, distinct rows, places of what is not zero.
#include <reel/autograd/kernels/search.hpp>
#include <reel/autograd/kernels/sort.hpp>

#include <boost/test/unit_test.hpp>

#include <limits>

#include "cuda/on_device.hpp"

using namespace reel;
using there::distance;
using there::put;

BOOST_AUTO_TEST_SUITE(cuda_sort, *boost::unit_test::precondition(needs::device))

BOOST_AUTO_TEST_CASE(stable_in_every_dtype_and_length) {
    manual_seed(1);
    for (const ScalarType type : {kBool, kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble})
        for (const std::vector<std::int64_t>& shape :
             {std::vector<std::int64_t>{5000}, {3, 1025}, {2, 1024}, {40, 7}, {2, 1}, {0}})
            for (const bool descending : {false, true}) {
                const Tensor x = randint(0, type == kBool ? 2 : 50, shape, kLong).to(type);
                const auto want = x.sort(-1, descending, true), got = put(x).sort(-1, descending, true);
                BOOST_TEST(distance(std::get<0>(got), std::get<0>(want)) == 0, type);
                BOOST_TEST(distance(std::get<1>(got), std::get<1>(want)) == 0, type);
            }
}

BOOST_AUTO_TEST_CASE(extremes_zeros_and_what_is_no_number) {
    constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    const Tensor x = tensor({0., -inf, nan, -0., 1e308, inf, -1e308, nan, 5e-324, -5e-324}, kDouble);
    const Tensor whole = tensor({std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(),
                                 std::int64_t(0), std::int64_t(-1)},
                                kLong);
    for (const bool descending : {false, true}) {
        BOOST_TEST(distance(std::get<1>(put(x).sort(0, descending, true)), std::get<1>(x.sort(0, descending, true))) ==
                   0);
        BOOST_TEST(distance(std::get<0>(put(whole).sort(0, descending, true)),
                            std::get<0>(whole.sort(0, descending, true))) == 0);
    }
    BOOST_TEST(distance(std::get<0>(put(x).topk(4)), std::get<0>(x.topk(4))) == 0);
    BOOST_TEST(distance(std::get<0>(put(x).kthvalue(3)), std::get<0>(x.kthvalue(3))) == 0);
    BOOST_TEST(distance(isin(put(whole), put(whole.slice(0, 0, 2))), isin(whole, whole.slice(0, 0, 2))) == 0);
    BOOST_TEST(distance(isin(put(x), put(x)), isin(x, x)) == 0); // a NaN is in nothing
}

BOOST_AUTO_TEST_CASE(searching) {
    manual_seed(2);
    const Tensor edges = std::get<0>(randint(0, 30, {4, 20}, kLong).to(kFloat).sort()),
                 v = randint(-2, 32, {4, 50}, kLong).to(kFloat);
    for (const bool right : {false, true})
        BOOST_TEST(distance(searchsorted(put(edges), put(v), false, right), searchsorted(edges, v, false, right)) == 0);
    BOOST_TEST(distance(bucketize(put(v), put(edges.select(0, 0))), bucketize(v, edges.select(0, 0))) == 0);
}

BOOST_AUTO_TEST_CASE(distinct_rows) {
    manual_seed(3);
    for (const ScalarType type : {kBool, kShort, kLong, kBFloat16, kDouble}) {
        const Tensor x = randint(0, type == kBool ? 2 : 9, {3000}, kLong).to(type);
        const auto want = unique(x, true, true, true), got = unique(put(x), true, true, true);
        BOOST_TEST(distance(std::get<0>(got), std::get<0>(want)) == 0, type);
        BOOST_TEST(distance(std::get<1>(got), std::get<1>(want)) == 0, type);
        BOOST_TEST(distance(std::get<2>(got), std::get<2>(want)) == 0, type);
    }
    const Tensor rows = randint(0, 3, {500, 4}, kLong);
    const auto want = unique_dim(rows, 0, true, true, true), got = unique_dim(put(rows), 0, true, true, true);
    BOOST_TEST(distance(std::get<0>(got), std::get<0>(want)) == 0);
    BOOST_TEST(distance(std::get<2>(got), std::get<2>(want)) == 0);
    const auto runs = unique_consecutive(put(rows.select(1, 0)), true, true);
    BOOST_TEST(distance(std::get<2>(runs), std::get<2>(unique_consecutive(rows.select(1, 0), true, true))) == 0);
}

BOOST_AUTO_TEST_CASE(places_of_what_is_not_zero) {
    manual_seed(4);
    const Tensor x = randint(0, 3, {70, 9, 11}, kLong);
    for (const ScalarType type : {kBool, kInt, kHalf, kComplexDouble})
        BOOST_TEST(distance(nonzero(put(x.to(type)).transpose(0, 2)), nonzero(x.to(type).transpose(0, 2))) == 0, type);
    BOOST_TEST(distance(nonzero(put(zeros({5}))), nonzero(zeros({5}))) == 0);
    BOOST_TEST(distance(nonzero(put(ones({}))), nonzero(ones({}))) == 0);
    BOOST_TEST(distance(put(x).reshape({-1}).bincount(), x.reshape({-1}).bincount()) == 0);
    BOOST_TEST(distance(histc(put(x.to(kDouble)), 4, 0, 2), histc(x.to(kDouble), 4, 0, 2)) == 0);
}

BOOST_AUTO_TEST_SUITE_END()
