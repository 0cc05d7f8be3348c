// Order, search, distinct elements, counts.
#include "shape_helpers.hpp"

#include <cmath>
#include <limits>

#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

BOOST_AUTO_TEST_SUITE(sort_)

BOOST_AUTO_TEST_CASE(sorting) {
    const Tensor x = tensor({{3., 1., 2.}, {5., 6., 4.}}, kDouble);
    const auto [v, i] = x.sort();
    REEL_TEST_LIST(v, 1, 2, 3, 4, 5, 6);
    REEL_TEST_LIST(i, 1, 2, 0, 2, 0, 1);
    REEL_TEST_LIST(std::get<0>(x.sort(0, true)), 5, 6, 4, 3, 1, 2);
    REEL_TEST_LIST(tensor({1, 0, 1, 0}).argsort(0, false, true), 1, 3, 0, 2); // equal elements keep their order
    const Tensor nan = std::get<1>(tensor({std::nan(""), 1., 2.}).sort());
    REEL_TEST_LIST(nan, 1, 2, 0);
    check_gradients([](const Tensor& t) { return std::get<0>(t.sort(0)) * std::get<0>(t.sort(1, true)); },
                    {leaf({3, 3})});
    BOOST_TEST(!message<NotImplementedError>([] { zeros({2}, kComplexDouble).sort(); }).empty());
}

BOOST_AUTO_TEST_CASE(largest_and_kth) {
    const Tensor x = numbers({2, 7});
    const auto all = std::get<0>(x.sort(1, true));
    for (const std::int64_t k : {0, 1, 4, 7})
        BOOST_TEST(list(std::get<0>(x.topk(k))) == list(all.slice(1, 0, k)), boost::test_tools::per_element());
    for (const std::int64_t k : {1, 4, 7})
        BOOST_TEST(list(std::get<0>(x.kthvalue(k))) == list(all.select(1, 7 - k)), boost::test_tools::per_element());
    REEL_TEST_SIZES(std::get<1>(x.kthvalue(2, 0, true)), 1, 7);
    check_gradients([](const Tensor& t) { return std::get<0>(t.topk(2, 1, false)) * 2.0; }, {leaf({2, 5})});
    check_gradients([](const Tensor& t) { return std::get<0>(t.kthvalue(2, 0)) * 2.0; }, {leaf({3, 2})});
    BOOST_TEST(message([&] { x.topk(8); }) == "topk: k is 8, dimension 1 of input [2, 7] has 7 elements");
    BOOST_TEST(message([&] { x.kthvalue(0); }) == "kthvalue: k is 0, dimension 1 of input [2, 7] has 7 elements");
}

BOOST_AUTO_TEST_CASE(few_of_many) {
    manual_seed(3);
    for (const ScalarType t : {kFloat, kDouble, kHalf, kInt, kByte})
        for (const std::int64_t n : {64, 100, 700}) {
            const Tensor x = (rand({5, n}) * 200).to(t);
            for (const bool largest : {true, false})
                for (const std::int64_t k : {std::int64_t(1), n / 64}) {
                    const auto [v, i] = x.topk(k, 1, largest);
                    BOOST_TEST(v.equal(std::get<0>(x.sort(1, largest)).narrow(1, 0, k)));
                    BOOST_TEST(x.gather(1, i).equal(v));
                }
        }
    Tensor x = arange(200).to(kFloat);
    x[150] = std::nan("");
    x[20] = std::nan("");
    BOOST_TEST(std::get<0>(x.topk(3)).isnan().sum().item<std::int64_t>() == 2);
    BOOST_TEST(std::get<0>(x.topk(3))[2].item<float>() == 199);
    REEL_TEST_LIST(std::get<0>(x.topk(3, 0, false)), 0, 1, 2);
    x.fill_(std::nan(""));
    x[199] = 7;
    REEL_TEST_LIST(std::get<1>(x.topk(1, 0, false)), 199);
}

BOOST_AUTO_TEST_CASE(searching) {
    const Tensor s = tensor({1., 3., 3., 5.}), v = tensor({0., 3., 6., std::nan("")});
    REEL_TEST_LIST(searchsorted(s, v), 0, 1, 4, 4);
    REEL_TEST_LIST(searchsorted(s, v, false, true), 0, 3, 4, 4);
    REEL_TEST_LIST(bucketize(v, s, true), 0, 1, 4, 4);
    BOOST_TEST(bucketize(v, s, true).scalar_type() == kInt);
    BOOST_TEST(searchsorted(s, 4.0).item<std::int64_t>() == 3);
    REEL_TEST_LIST(searchsorted(tensor({5., 1., 3.}), v, false, false, "left", tensor({1, 2, 0})), 0, 1, 3, 3);
    REEL_TEST_LIST(isin(tensor({1, 2, 3}), tensor({3, 1})), 1, 0, 1);
    REEL_TEST_LIST(isin(tensor({1, 2, 3}), 2, false, true), 1, 0, 1);
    BOOST_TEST(message([&] { searchsorted(s, v, false, true, "left"); }) ==
               "searchsorted: side 'left' contradicts right=true");
}

BOOST_AUTO_TEST_CASE(distinct_elements) {
    const Tensor x = tensor({{2, 1}, {2, 1}, {0, 3}, {2, 1}});
    const auto [v, inverse, counts] = unique(x);
    REEL_TEST_LIST(v, 0, 1, 2, 3);
    REEL_TEST_LIST(inverse, 2, 1, 2, 1, 0, 3, 2, 1);
    REEL_TEST_LIST(counts, 1, 3, 3, 1);
    const auto [rows, of_row, times] = unique_dim(x, 0);
    REEL_TEST_LIST(rows, 0, 3, 2, 1);
    REEL_TEST_LIST(of_row, 1, 1, 0, 1);
    REEL_TEST_LIST(times, 1, 3);
    const auto [runs, run, length] = x.unique_consecutive(false, false, 0);
    REEL_TEST_LIST(runs, 2, 1, 0, 3, 2, 1);
    REEL_TEST_LIST(run, 0, 0, 1, 2);
    REEL_TEST_LIST(length, 2, 1, 1);
    const auto at = unravel_index(tensor({5, -1}), {2, 3});
    REEL_TEST_LIST(at[0], 1, 1);
    REEL_TEST_LIST(at[1], 2, 2);
    // Coordinates are int64: a size may not fit into the dtype of the positions.
    const auto narrow_at = unravel_index(tensor({5, -1}).to(kChar), {2, 300});
    BOOST_TEST((narrow_at[1].scalar_type() == kLong));
    REEL_TEST_LIST(narrow_at[1], 5, 299);
}

BOOST_AUTO_TEST_CASE(distinct_numbers_close_together_and_far_apart) {
    manual_seed(4);
    for (const ScalarType t : {kByte, kChar, kShort, kInt, kLong}) {
        const Tensor x = randint(-60, 60, {900}).to(t), order = std::get<1>(x.to(kDouble).sort(0, false, true));
        const auto [v, inverse, counts] = unique(x);
        BOOST_TEST((v.scalar_type() == t));
        BOOST_TEST(v.to(kDouble).equal(std::get<0>(unique(x.to(kDouble))))); // numbers that are sorted
        BOOST_TEST(v.index({inverse}).equal(x));
        BOOST_TEST(counts.equal(std::get<2>(unique(x.to(kDouble)))));
        BOOST_TEST(std::get<0>(unique(x.index({order}))).equal(v));
    }
    for (const ScalarType t : {kInt, kLong}) { // some far apart, which digits sort
        const Tensor some = randint(-40'000'000, 40'000'000, {300}), x = some.index({randint(0, 300, {900})}).to(t);
        const auto [v, inverse, counts] = unique(x);
        const auto [w, places, times] = unique(x.to(kDouble));
        BOOST_TEST(v.to(kDouble).equal(w));
        BOOST_TEST(inverse.equal(places));
        BOOST_TEST(counts.equal(times));
    }
    const std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                       greatest = std::numeric_limits<std::int64_t>::max();
    BOOST_TEST(std::get<0>(unique(tensor({greatest, least, greatest}))).equal(tensor({least, greatest})));
    BOOST_TEST(std::get<0>(unique(tensor({least + 2, least, least + 2}))).equal(tensor({least, least + 2})));
    const auto [v, inverse, counts] = unique(tensor({true, false, true}));
    REEL_TEST_LIST(v, 0, 1);
    REEL_TEST_LIST(counts, 1, 2);
}

BOOST_AUTO_TEST_CASE(counts_of_many) {
    manual_seed(5);
    for (const std::int64_t bound : {3, 8192, 8193, 100000}) {
        const Tensor x = randint(0, bound, {70001}), n = x.bincount({}, 10);
        BOOST_TEST(n.sum().item<std::int64_t>() == 70001);
        BOOST_TEST(n.size(0) == std::max<std::int64_t>(10, x.max().item<std::int64_t>() + 1));
        BOOST_TEST(n.equal(zeros_like(n).scatter_add(0, x, ones_like(x))));
    }
    Tensor x = zeros({70000}, kInt);
    BOOST_TEST(x.bincount()[0].item<std::int64_t>() == 70000);
    x[69999] = -2;
    BOOST_TEST(message([&] { x.bincount(); }) == "bincount: input must not be negative, got -2");
}

BOOST_AUTO_TEST_CASE(counts) {
    REEL_TEST_LIST(tensor({1, 3, 1}).bincount({}, 5), 0, 2, 0, 1, 0);
    REEL_TEST_LIST(tensor({1, 0, 1}).bincount(tensor({0.5, 1., 2.})), 1, 2.5);
    REEL_TEST_LIST(tensor({1., 2., 1., 4.}).histc(4, 0, 4), 0, 2, 1, 1);
    // A position's numerator, the range and the bounds may leave the numbers of the dtype.
    const Tensor far = tensor(std::vector<double>{1e33, 9e32, 0}).to(kFloat).histc(1000000, 0, 1e33);
    BOOST_TEST(far[999999].item<double>() == 1);
    BOOST_TEST(far[899999].item<double>() + far[900000].item<double>() == 1);
    BOOST_TEST(far[0].item<double>() == 1);
    REEL_TEST_LIST(tensor(std::vector<double>{-3e38, -1e37, 3e38}).to(kFloat).histc(4, -3e38, 3e38), 1, 1, 0, 1);
    REEL_TEST_LIST(tensor(std::vector<double>{-6e4, 1., 6e4}).to(kHalf).histc(2, -7e4, 7e4), 1, 2);
    const auto [hist, edges] = histogram(tensor({1., 2., 2., 5.}), 2);
    REEL_TEST_LIST(hist, 3, 1);
    REEL_TEST_LIST(edges, 1, 3, 5);
    const auto [density, walls] = histogram(tensor({0.5, 1.5, 3.}), tensor({0., 1., 4.}), {}, true);
    BOOST_TEST(list(density)[0] == 1. / 3, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(list(density)[1] == 2. / 9, boost::test_tools::tolerance(1e-6));
    const auto [boxes, sides] = histogramdd(tensor({{0., 0.}, {1., 2.}}), {1, 2});
    REEL_TEST_LIST(boxes, 1, 1);
    BOOST_TEST(sides.size() == 2u);
    BOOST_TEST(message([] { tensor({-1, 2}).bincount(); }) == "bincount: input must not be negative, got -1");
}

BOOST_AUTO_TEST_SUITE_END()
