// Long loops that several threads share: what one thread computes, bit for bit, and right.
#include "shape_helpers.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

namespace {
constexpr float infinity = std::numeric_limits<float>::infinity(), nan_ = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t n = 200'003; // several blocks, the last one not whole

struct Threads {
    int before = get_num_threads();
    ~Threads() { set_num_threads(before); }
};
/// What `f` gives on one thread, after it was the same, byte for byte, on two and on three.
template <class F> std::vector<Tensor> on_any_number_of_threads(F f) {
    const Threads guard;
    set_num_threads(1);
    const std::vector<Tensor> one = f();
    for (const int threads : {2, 3}) {
        set_num_threads(threads);
        const std::vector<Tensor> some = f();
        BOOST_REQUIRE(some.size() == one.size());
        for (std::size_t i = 0; i < one.size(); ++i) {
            const Tensor a = one[i].contiguous(), b = some[i].contiguous();
            BOOST_TEST_CONTEXT("result " << i << " on " << threads) {
                BOOST_TEST(a.sizes() == b.sizes());
                BOOST_TEST(!std::memcmp(a.data_ptr(), b.data_ptr(), a.nbytes()));
            }
        }
    }
    return one;
}
std::vector<double> values_of(const Tensor& t) {
    const Tensor d = t.to(kDouble).contiguous();
    return {d.data_ptr<double>(), d.data_ptr<double>() + d.numel()};
}
void is_near(double got, double want, double within = 1e-6) {
    BOOST_TEST(std::abs(got - want) <= within * std::abs(want), got << " beside " << want);
}
} // namespace

BOOST_AUTO_TEST_SUITE(shared_loops)

BOOST_AUTO_TEST_CASE(reductions_of_one_long_row) {
    manual_seed(11);
    const Tensor x = randn({n}) + 3.0;
    const std::vector<double> v = values_of(x);
    double sum = 0, squares = 0, sizes = 0, cubes = 0, spread = 0, least = v[0], greatest = v[0];
    for (const double e : v) {
        sum += e, squares += e * e, sizes += std::abs(e), cubes += std::pow(std::abs(e), 3);
        least = std::min(least, std::abs(e)), greatest = std::max(greatest, std::abs(e));
    }
    for (const double e : v) spread += (e - sum / double(n)) * (e - sum / double(n));
    const auto r = on_any_number_of_threads([&]() -> std::vector<Tensor> {
        return {var(x),
                x.std(),
                norm(x, 2),
                norm(x, 1),
                norm(x, 3),
                norm(x, 0),
                norm(x, double(infinity)),
                norm(x, -double(infinity)),
                amax(x),
                amin(x),
                count_nonzero(x > 3.0),
                (x > -1e9).all(),
                (x > 1e9).any(),
                prod(x / x),
                (x.to(kLong) * 0 + 1).slice(0, 0, n).prod(),
                norm(complex(x, x), 2)};
    });
    is_near(r[0].item<double>(), spread / double(n - 1));
    is_near(r[1].item<double>(), std::sqrt(spread / double(n - 1)));
    is_near(r[2].item<double>(), std::sqrt(squares));
    is_near(r[3].item<double>(), sizes);
    is_near(r[4].item<double>(), std::cbrt(cubes));
    BOOST_TEST(r[5].item<double>() == double(n));
    is_near(r[6].item<double>(), greatest, 1e-7);
    is_near(r[7].item<double>(), least, 1e-7);
    BOOST_TEST(r[8].item<float>() == *std::max_element(v.begin(), v.end()));
    BOOST_TEST(r[9].item<float>() == *std::min_element(v.begin(), v.end()));
    BOOST_TEST(r[10].item<std::int64_t>() == std::count_if(v.begin(), v.end(), [](double e) { return e > 3; }));
    BOOST_TEST(r[11].item<bool>());
    BOOST_TEST(!r[12].item<bool>());
    BOOST_TEST(r[13].item<float>() == 1);
    BOOST_TEST(r[14].item<std::int64_t>() == 1);
    is_near(r[15].item<double>(), std::sqrt(2 * squares));
}
BOOST_AUTO_TEST_CASE(a_nan_anywhere_in_a_long_row_is_found) {
    for (const std::int64_t at : {std::int64_t(0), std::int64_t(40'000), n - 1}) {
        const Tensor x = ones({n});
        x[at].fill_(nan_);
        const auto r = on_any_number_of_threads([&]() -> std::vector<Tensor> {
            return {amax(x), amin(x), var(x), norm(x, double(infinity)), norm(x, -double(infinity)), norm(x, 1)};
        });
        for (const Tensor& t : r) BOOST_TEST(std::isnan(t.item<float>()));
    }
}
BOOST_AUTO_TEST_CASE(orders_of_one_long_row) {
    manual_seed(12);
    const Tensor x = (randn({n}) * 50).round();
    x[5].fill_(nan_);
    x[n - 5].fill_(-infinity);
    const auto r = on_any_number_of_threads([&]() -> std::vector<Tensor> {
        const auto [up, at] = reel::sort(x, 0, false, true);
        const auto [down, from] = reel::sort(x.to(kDouble), 0, true, true);
        return {up, at, down, from, argsort(x.to(kShort)), quantile(x.nan_to_num(0, 1, -1), 0.3)};
    });
    const std::vector<double> up = values_of(r[0]), at = values_of(r[1]);
    for (std::size_t i = 1; i + 1 < up.size(); ++i)
        if (up[i - 1] > up[i] || (up[i - 1] == up[i] && at[i - 1] > at[i])) BOOST_REQUIRE_MESSAGE(false, "at " << i);
    BOOST_TEST(std::isnan(up.back()));
    BOOST_TEST(std::isnan(values_of(r[2])[0]));
    BOOST_TEST(allclose(x.index_select(0, r[1]), r[0], 0, 0, true));
    BOOST_TEST(std::set<double>(at.begin(), at.end()).size() == std::size_t(n));
}
BOOST_AUTO_TEST_CASE(distinct_elements_and_places) {
    manual_seed(13);
    const Tensor x = (randn({n}) * 1000).round(), few = x.to(kLong) % 7, wide = x.to(kLong) * 100'003;
    x[9].fill_(nan_);
    x[n / 2].fill_(nan_);
    const auto r = on_any_number_of_threads([&]() -> std::vector<Tensor> {
        std::vector<Tensor> all;
        for (const Tensor& t : {x, few, wide, wide * 1'000'003}) {
            const auto [values, inverse, counts] = unique(t, true, true, true);
            all.insert(all.end(), {values, inverse, counts});
        }
        const Tensor cube = x.slice(0, 0, 199'980).reshape({20, 99, 101});
        all.push_back(nonzero(cube > 500.0));
        all.push_back(nonzero(x));
        all.push_back(nonzero_static(cube > 500.0, 7'000, -1));
        all.push_back(isin(few, tensor({std::int64_t(3), std::int64_t(-2)})));
        return all;
    });
    for (std::size_t i = 0; i < 12; i += 3) {
        const Tensor t = std::array{x, few, wide, wide * 1'000'003}[i / 3];
        BOOST_TEST(allclose(r[i].index_select(0, r[i + 1]), t, 0, 0, true));
        BOOST_TEST(r[i + 2].sum().item<std::int64_t>() == n);
        BOOST_TEST((r[i].slice(0, 1) <= r[i].slice(0, 0, -1)).any().item<bool>() == false);
    }
    const std::vector<double> values = values_of(r[0]);
    BOOST_TEST(std::isnan(values[values.size() - 2])); // each NaN by itself
    const Tensor places = r[12].to(kLong);
    BOOST_TEST(equal((places.select(1, 0) * 99 + places.select(1, 1)) * 101 + places.select(1, 2),
                     nonzero(x.slice(0, 0, 199'980) > 500.0).select(1, 0)));
    BOOST_TEST(r[14].size(0) == 7'000);
    BOOST_TEST(equal(r[14].slice(0, 0, 100), r[12].slice(0, 0, 100)));
    BOOST_TEST(equal(r[15], (few == 3).logical_or(few == -2)));
}
BOOST_AUTO_TEST_CASE(sources_that_meet_add_up_in_their_order) {
    manual_seed(14);
    const std::int64_t rows = 700, cols = 300;
    const Tensor x = randn({rows, cols}), source = randn({rows, cols}), one = randn({cols, rows}).t();
    const Tensor across = randint(0, cols, {rows, cols}, kLong), down = randint(0, 40, {rows}, kLong);
    const auto r = on_any_number_of_threads([&]() -> std::vector<Tensor> {
        const Tensor put = x.clone();
        put.index_put_({down}, source, true);
        return {scatter_add(x, 1, across, source),
                scatter_add(x, 0, across % rows, source),
                scatter(x, 1, across, source),
                scatter_reduce(x, 0, across, source, "prod"),
                scatter_reduce(x, 1, across, source, "amax"),
                index_add(x, 0, down, source),
                index_add(one, 0, down, source),
                index_copy(x, 0, down, source),
                gather(x, 1, across),
                put};
    });
    Tensor want = x.to(kDouble);
    for (std::int64_t i = 0; i < rows; ++i) want[down[i].item<std::int64_t>()].add_(source[i].to(kDouble));
    BOOST_TEST(allclose(r[5].to(kDouble), want, 1e-5, 1e-5));
    BOOST_TEST(allclose(r[9].to(kDouble), want, 1e-5, 1e-5));
    const Tensor last = x.clone();
    for (std::int64_t i = 0; i < rows; ++i) last[down[i].item<std::int64_t>()].copy_(source[i]);
    BOOST_TEST(equal(r[7], last));
    const Tensor wide = randn({900, 700}), many = randint(0, 50, {900}, kLong), target = zeros({50, 700});
    for (std::int64_t i = 0; i < 900; ++i) target[many[i].item<std::int64_t>()].copy_(wide[i]);
    const auto put = on_any_number_of_threads([&]() -> std::vector<Tensor> {
        return {index_put(zeros({50, 700}), {many}, wide), index_put(zeros({50, 700}), {many - 50}, wide)};
    });
    for (const Tensor& t : put) BOOST_TEST(equal(t, target));
}
BOOST_AUTO_TEST_CASE(places_that_share_memory_are_written_by_one_thread) {
    manual_seed(15);
    const Tensor index = arange(600), source = randn({600, 200});
    on_any_number_of_threads([&]() -> std::vector<Tensor> {
        const Tensor memory = zeros({1'000});
        as_strided(memory, {600, 200}, {1, 1}).index_put_({index}, source, true);
        return {memory};
    });
}
BOOST_AUTO_TEST_CASE(long_ranges_count_from_anywhere) {
    const auto r = on_any_number_of_threads([&]() -> std::vector<Tensor> {
        return {arange(n), arange(-5, 7 * n - 5, 7), arange(3 * n, 0, -3), arange(0, 3, 1)};
    });
    for (const std::int64_t i : {std::int64_t(0), std::int64_t(7), std::int64_t(40'000), n - 1}) {
        BOOST_TEST(r[0][i].item<std::int64_t>() == i);
        BOOST_TEST(r[1][i].item<std::int64_t>() == 7 * i - 5);
        BOOST_TEST(r[2][i].item<std::int64_t>() == 3 * (n - i));
    }
    BOOST_TEST(r[3].numel() == 3);
}
BOOST_AUTO_TEST_CASE(copies_whose_ends_lie_anywhere) {
    const Tensor x = arange(3 * 5'000, kFloat).reshape({3, 5'000});
    for (const std::int64_t by : {1, 7, 16, 333}) {
        const Tensor r = roll(x, {by}, {1});
        BOOST_TEST(equal(r.slice(1, by), x.slice(1, 0, 5'000 - by)));
        BOOST_TEST(equal(r.slice(1, 0, by), x.slice(1, 5'000 - by)));
        const Tensor joined = cat({x.slice(1, by), x}, 1);
        BOOST_TEST(equal(joined.slice(1, 5'000 - by), x));
    }
}
BOOST_AUTO_TEST_CASE(numbers_that_are_none_are_found_by_vectors) {
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
        const Tensor some = tensor({1.f, nan_, infinity, -infinity, 0.f, -3.f, 65504.f, 1e-8f}),
                     x = some.to(dtype).repeat({5});
        for (std::int64_t i = 0; i < x.numel(); ++i) {
            const double v = x[i].to(kDouble).item<double>();
            BOOST_TEST(isnan(x)[i].item<bool>() == std::isnan(v));
            BOOST_TEST(isinf(x)[i].item<bool>() == std::isinf(v));
            BOOST_TEST(isfinite(x)[i].item<bool>() == std::isfinite(v));
            BOOST_TEST(isposinf(x)[i].item<bool>() == (v == double(infinity)));
            BOOST_TEST(isneginf(x)[i].item<bool>() == (v == -double(infinity)));
        }
    }
}
BOOST_AUTO_TEST_CASE(batch_norm_of_one_element_a_channel) {
    manual_seed(16);
    // Each example twice in a row has the same moments, and goes by planes.
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
        for (const auto& [examples, channels] : {std::pair<std::int64_t, std::int64_t>{7, 3}, {300, 301}, {2, 1'000}})
            for (const bool training : {true, false})
                for (const bool weighted : {true, false}) {
                    const ScalarType of_weights = dtype == kDouble ? kDouble : kFloat;
                    const Tensor x = (randn({examples, channels}) * 2 + 5).to(dtype).requires_grad_();
                    const Tensor g = randn({examples, channels}).to(dtype), mean = randn({channels}).to(of_weights),
                                 var = reel::rand({channels}).to(of_weights) + 0.5;
                    Tensor w, b;
                    if (weighted) {
                        w = randn({channels}).to(of_weights).requires_grad_();
                        b = randn({channels}).to(of_weights).requires_grad_();
                    }
                    const auto run = [&](const Tensor& input, const Tensor& grad) {
                        autograd::variable_list wrt{x};
                        if (weighted) wrt.insert(wrt.end(), {w, b});
                        const Tensor y = batch_norm(input, w, b, mean.clone(), var.clone(), training, 0.1, 1e-5, false);
                        autograd::variable_list r = autograd::grad({y}, wrt, {grad});
                        r.insert(r.begin(), y.detach());
                        return r;
                    };
                    const auto one = on_any_number_of_threads([&]() -> std::vector<Tensor> { return run(x, g); });
                    const std::vector<Tensor> two = run(stack({x, x}, 2), stack({g, g}, 2));
                    const double within = dtype == kDouble ? 1e-12 : dtype == kFloat ? 2e-5 : 2e-2;
                    BOOST_TEST_CONTEXT(dtype_name(dtype) << " " << examples << " x " << channels) {
                        BOOST_TEST(allclose(one[0], two[0].select(2, 0), within, within));
                        BOOST_TEST(allclose(one[1] * 2, two[1], within, 4 * within));
                        for (std::size_t i = 2; i < one.size(); ++i)
                            BOOST_TEST(allclose(one[i] * 2, two[i], within, 20 * within));
                    }
                }
}
BOOST_AUTO_TEST_CASE(of_several_bad_indices_the_first_is_named) {
    const Threads guard;
    set_num_threads(2);
    const Tensor index = zeros({n}, TensorOptions(kLong));
    index[n - 1].fill_(77);
    index[100].fill_(-4);
    BOOST_CHECK_EXCEPTION(gather(ones({3}), 0, index), IndexError, [](const IndexError& e) {
        return std::string(e.what()).find("index -4 is out of range for a dimension of size 3") != std::string::npos;
    });
}

BOOST_AUTO_TEST_SUITE_END()
