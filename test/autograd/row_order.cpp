// Rows are ordered by keys: every dtype, NaN, zeros of both signs, equal elements, rows of every length.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <boost/test/unit_test.hpp>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace reel;

BOOST_AUTO_TEST_SUITE(row_order)

namespace {

/// Where the elements of `x` stand in order, equal ones as they stood; by comparing.
std::vector<std::int64_t> expected_order(const Tensor& x, bool descending) {
    const Tensor wide = x.to(x.is_floating_point() ? kDouble : kLong);
    std::vector<std::int64_t> order(static_cast<std::size_t>(x.numel()));
    std::iota(order.begin(), order.end(), 0);
    const auto sort_by = [&](auto p) {
        const auto less = [&](auto a, auto b) { return a < b || (a == a && b != b); };
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
            return descending ? less(p[j], p[i]) : less(p[i], p[j]);
        });
    };
    if (x.is_floating_point()) sort_by(wide.data_ptr<double>());
    else sort_by(wide.data_ptr<std::int64_t>());
    return order;
}
/// Numbers of both signs with many equal ones among them; for floats also NaN, infinities and zeros of both signs.
Tensor row_of(ScalarType dtype, std::int64_t n) {
    Tensor x = randint(-60, 60, {n}).to(dtype);
    if (!isFloatingType(dtype)) return x;
    x = x * 0.37;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double special[] = {std::nan(""), infinity, -infinity, 0., -0.};
    for (std::int64_t i = 0; i < n; i += 7) x[i].fill_(special[(i / 7) % 5]);
    return x;
}

} // namespace

BOOST_AUTO_TEST_CASE(stable_sort_is_the_order_by_comparison) {
    manual_seed(1);
    for (const ScalarType dtype : {kBool, kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble})
        for (const std::int64_t n : {1, 2, 100, 129, 1000, 9000})
            for (const bool descending : {false, true}) {
                const Tensor x = row_of(dtype, n);
                const auto [values, places] = sort(x, -1, descending, /*stable=*/true);
                BOOST_TEST(places.equal(tensor(expected_order(x, descending))), dtype << " " << n);
                const Tensor expected = x.index_select(0, places);
                BOOST_TEST((values.equal(expected) || nan_to_num(values, 1e4).equal(nan_to_num(expected, 1e4))));
            }
}

BOOST_AUTO_TEST_CASE(whole_numbers_far_apart) {
    const Tensor x = tensor({std::numeric_limits<std::int64_t>::max(), std::int64_t(-1), std::int64_t(0),
                             std::numeric_limits<std::int64_t>::min(), std::int64_t(1) << 40});
    const Tensor many = x.repeat({100});
    BOOST_TEST(std::get<0>(sort(many)).slice(0, 0, 500, 100).equal(std::get<0>(sort(x))));
    BOOST_TEST(std::get<1>(sort(x)).equal(tensor({3, 1, 2, 4, 0})));
}

BOOST_AUTO_TEST_CASE(distinct_rows_and_quantiles_use_it) {
    const Tensor x = tensor({3., std::nan(""), -0., 0., 3., std::nan("")}, kDouble);
    const Tensor distinct = std::get<0>(unique(x));
    BOOST_TEST(distinct.numel() == 4); // each NaN is its own
    BOOST_TEST(distinct[0].item<double>() == 0);
    BOOST_TEST(nanquantile(x, 0.5).item<double>() == 1.5);
    BOOST_TEST(std::isnan(quantile(x, 0.5).item<double>()));
}

BOOST_AUTO_TEST_SUITE_END()
