// Sums, products, extrema, medians, variances, quantiles.
#include "shape_helpers.hpp"

#include <cmath>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

namespace {
const double nan_ = std::nan("");
}

BOOST_AUTO_TEST_SUITE(reduce)

BOOST_AUTO_TEST_CASE(sums_pass_over_nan_with_the_bits_of_zeros) {
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
        Tensor x = numbers({70, 130}).to(dtype);
        x.select(1, 3).fill_(nan_);
        x.select(0, 69).slice(0, 0, 129, 2).fill_(nan_);
        const Tensor filled = where(isnan(x), zeros({}, dtype), x);
        for (const Tensor& each : {x, x.t(), x.slice(1, 0, 130, 3)})
            for (const std::int64_t dim : {0, 1}) {
                const Tensor zeroed = where(isnan(each), zeros({}, dtype), each);
                BOOST_TEST(equal(each.nansum(dim), zeroed.sum(dim)));
                BOOST_TEST(equal(each.clone().requires_grad_().nansum(dim).detach(), each.nansum(dim)));
            }
        BOOST_TEST(equal(x.nansum(), filled.sum()));
        BOOST_TEST(equal(x.nansum({0, 1}, true), filled.sum({0, 1}, true)));
    }
    BOOST_TEST(full({3, 20}, nan_).nansum(0).eq(0).all().item<bool>());
    BOOST_TEST(zeros({0, 4}).nansum(0).eq(0).all().item<bool>());
}

BOOST_AUTO_TEST_CASE(truths_are_counted_beyond_what_bytes_hold) {
    const Tensor all = ones({3, 40007}, kBool);
    REEL_TEST_LIST(all.sum(1), 40007, 40007, 40007);
    BOOST_TEST(count_nonzero(all).item<std::int64_t>() == 120021);
    Tensor some = all.clone();
    some.select(0, 1).slice(0, 5, 40007, 2).fill_(false);
    REEL_TEST_LIST(count_nonzero(some, {1}), 40007, 20006, 40007);
}

BOOST_AUTO_TEST_CASE(running_results_of_many_lines_are_those_of_one) {
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kLong, kComplexDouble})
        for (const std::int64_t lines : {1, 3, 4, 9}) {
            const Tensor x = numbers({lines, 37}).mul(dtype == kLong ? 10 : 1).to(dtype);
            const Tensor sums = x.cumsum(1), products = x.cumprod(1), columns = x.t().cumsum(0);
            for (std::int64_t i = 0; i < lines; ++i) {
                BOOST_TEST(equal(sums[i], x[i].cumsum(0)));
                BOOST_TEST(equal(columns.t()[i], x[i].cumsum(0)));
                BOOST_TEST(equal(products[i], x[i].cumprod(0)));
            }
        }
    BOOST_TEST(!signbit(full({5, 2}, -0.).cumsum(1)).any().item<bool>()); // from zero on
    check_gradients([](const Tensor& t) { return t.cumprod(1) + t.cumsum(0); }, {leaf({5, 4})});
}

BOOST_AUTO_TEST_CASE(running_extrema_of_many_lines_with_ties_and_nan) {
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kLong})
        for (const std::int64_t lines : {1, 3, 4, 9}) {
            Tensor x = (numbers({lines, 37}) * 7).remainder(5).round().to(dtype); // few numbers, so many ties
            if (dtype != kLong && lines > 2) x[1].slice(0, 20, 29, 4).fill_(nan_);
            const auto [most, where] = x.cummax(1);
            const auto [least, place] = x.cummin(1);
            for (std::int64_t i = 0; i < lines; ++i)
                for (std::int64_t k = 0, up = 0, down = 0; k < 37; ++k) {
                    const auto at = [&](std::int64_t j) { return x[i][j].to(kDouble).item<double>(); };
                    if (std::isnan(at(k)) || (!std::isnan(at(up)) && at(k) >= at(up))) up = k;
                    if (std::isnan(at(k)) || (!std::isnan(at(down)) && at(k) <= at(down))) down = k;
                    BOOST_REQUIRE_EQUAL(where[i][k].item<std::int64_t>(), up);
                    BOOST_REQUIRE_EQUAL(place[i][k].item<std::int64_t>(), down);
                    BOOST_REQUIRE(equal(most[i][k].nan_to_num(99), x[i][up].nan_to_num(99)));
                    BOOST_REQUIRE(equal(least[i][k].nan_to_num(99), x[i][down].nan_to_num(99)));
                }
        }
}

BOOST_AUTO_TEST_CASE(sums_over_dims) {
    const Tensor x = tensor({{1., 2., 3.}, {4., 5., 6.}}, kDouble);
    REEL_TEST_LIST(x.sum(), 21);
    REEL_TEST_LIST(x.sum(0), 5, 7, 9);
    REEL_TEST_SIZES(x.sum({0, 1}, true), 1, 1);
    REEL_TEST_LIST(strided({2, 3}).sum(1) - numbers({2, 3}).sum(1), 0, 0);
    BOOST_TEST((tensor({true, true}).sum().scalar_type() == kLong));
    BOOST_TEST(std::isnan(zeros({0}, kDouble).mean().item<double>()));
    REEL_TEST_LIST(tensor({1., nan_, 3.}, kDouble).nansum(), 4);
    REEL_TEST_LIST(tensor({1., nan_, 3.}, kDouble).nanmean(), 2);
    check_gradients([](const Tensor& t) { return t.sum(1).mul(t.mean(IntArrayRef{0, 1})); }, {leaf({2, 3})});
    BOOST_TEST(message<IndexError>([&] { x.sum(2); }).find("sum") == 0u);
    BOOST_TEST(message([&] { x.sum({0, 0}); }).find("twice") != std::string::npos);
    BOOST_TEST(message([] { ones({2}, kLong).mean(); }).find("mean: input is int64") == 0u);
}

BOOST_AUTO_TEST_CASE(same_bits_for_any_number_of_threads) {
    const Tensor x = numbers({300, 1001});
    const int before = get_num_threads();
    set_num_threads(1);
    const double one = x.sum().item<double>(), product = matmul(x.slice(1, 0, 300), x).sum().item<double>();
    set_num_threads(2);
    BOOST_TEST(x.sum().item<double>() == one);
    BOOST_TEST(matmul(x.slice(1, 0, 300), x).sum().item<double>() == product);
    set_num_threads(before);
}

BOOST_AUTO_TEST_CASE(running_sums_of_float32_are_kept_in_float64) {
    for (const std::int64_t n : {1, 7, 8, 15, 16, 17, 23, 24, 100, 1000, 1029}) {
        Tensor x = randn({3, n}).requires_grad_();
        const Tensor y = x.cumsum(1), seed = randn({3, n});
        const auto ulps = [](const Tensor& got, const Tensor& exact) {
            return ((got.to(kDouble) - exact).abs() / (exact.abs() * 1.2e-7 + 1e-12)).max().item<double>();
        };
        BOOST_TEST(ulps(y, x.detach().to(kDouble).cumsum(1)) <= 1);
        BOOST_TEST(ulps(autograd::grad({y}, {x}, {seed})[0], seed.to(kDouble).flip({1}).cumsum(1).flip({1})) <= 1);
        Tensor odd = x.detach().clone();
        odd[0][n / 2] = INFINITY; // from there on
        odd[1][n - 1] = nan_;
        const Tensor sums = odd.cumsum(1);
        BOOST_TEST(sums[0].isinf().sum().item<std::int64_t>() == n - n / 2);
        BOOST_TEST(sums.isnan().sum().item<std::int64_t>() == 1);
    }
}

// By vectors and one by one: equal numbers, zeros of both signs, a NaN at every kind of place.
BOOST_AUTO_TEST_CASE(running_extrema_of_rows_of_any_length) {
    manual_seed(3);
    for (const ScalarType t : {kFloat, kDouble, kHalf, kLong})
        for (const std::int64_t n : {1, 2, 31, 32, 33, 48, 63, 200, 1025})
            for (const std::int64_t odd : {std::int64_t(-1), n / 2, n - 1}) {
                Tensor x = randint(-9, 9, {3, n}, kDouble).cumsum(1).to(t);
                if (isFloatingType(t)) {
                    x = x * where(randint(0, 2, {3, n}).to(kBool), tensor(1.), tensor(0.)).to(t); // also -0
                    if (odd >= 0) x[1][odd] = nan_;
                }
                const Tensor wide = x.to(kDouble).contiguous();
                for (const bool largest : {true, false}) {
                    const auto [values, places] = largest ? x.cummax(1) : x.cummin(1);
                    const Tensor got = values.to(kDouble).contiguous();
                    for (std::int64_t r = 0; r < 3; ++r) {
                        const double* const p = wide.data_ptr<double>() + r * n;
                        std::int64_t best = 0;
                        for (std::int64_t i = 0; i < n; ++i) {
                            const bool beaten = largest ? p[i] < p[best] : p[i] > p[best];
                            if (std::isnan(p[i]) || (!std::isnan(p[best]) && !beaten)) best = i;
                            const double v = got.data_ptr<double>()[r * n + i];
                            BOOST_TEST_REQUIRE(places.data_ptr<std::int64_t>()[r * n + i] == best);
                            BOOST_TEST_REQUIRE((std::isnan(p[best]) ? std::isnan(v) : v == p[best]));
                            BOOST_TEST_REQUIRE(std::signbit(v) == std::signbit(p[best]));
                        }
                    }
                }
            }
}

BOOST_AUTO_TEST_CASE(products_of_columns_are_those_of_rows) {
    for (const ScalarType t : {kFloat, kDouble, kHalf, kBFloat16, kLong, kByte, kBool, kComplexDouble})
        for (const auto& [rows, columns] :
             std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 16}, {3, 33}, {64, 40}, {200, 95}, {0, 20}}) {
            const Tensor x = (reel::rand({rows, columns}, kDouble) * 2 + 0.25).to(t);
            BOOST_TEST(x.prod(0).equal(x.t().contiguous().prod(1)));
            BOOST_TEST(x.prod(0, true).equal(x.prod(0).unsqueeze(0)));
            BOOST_TEST(x.t().prod(1).equal(x.prod(0)));
        }
}

BOOST_AUTO_TEST_CASE(products_of_long_rows_come_together_in_chunks) {
    for (const ScalarType t : {kFloat, kDouble})
        for (const std::int64_t n : {4095, 4096, 4097, 4160, 8192, 8255, 20000, 33000}) {
            const Tensor x = (reel::rand({5, n}, kDouble) * 0.1 + 0.95).to(t), exact = x.to(kDouble).log().sum(1).exp();
            BOOST_TEST(allclose(x.prod(1).to(kDouble), exact, t == kFloat ? 1e-4 : 1e-10));
            if (n <= 32768) BOOST_TEST(x.t().contiguous().prod(0).equal(x.prod(1)));
            const Tensor one = x[0].clone();
            one[n - 1] = 0.0;
            BOOST_TEST(one.prod().item<double>() == 0);
            one[n / 2] = NAN;
            BOOST_TEST(std::isnan(one.prod().item<double>()));
        }
    // subnormal numbers are kept
    Tensor x = reel::ones({6000});
    x[7] = std::ldexp(1.0, -100);
    x[5000] = std::ldexp(1.0, -40);
    BOOST_TEST(x.prod().item<double>() == std::ldexp(1.0, -140));
}

BOOST_AUTO_TEST_CASE(products_with_zeros) {
    const auto with_zeros = [](int n) {
        Tensor t = numbers({2, 3}).detach();
        for (int i = 0; i < n; ++i) t.data_ptr<double>()[i] = 0;
        return t.requires_grad_();
    };
    for (int n = 0; n < 4; ++n) {
        check_gradients([](const Tensor& t) { return t.prod(1); }, {with_zeros(n)});
        check_gradients([](const Tensor& t) { return t.prod(); }, {with_zeros(n)});
        check_gradients([](const Tensor& t) { return t.cumprod(1); }, {with_zeros(n)});
    }
}

BOOST_AUTO_TEST_CASE(extrema) {
    const Tensor x = tensor({{3., 1., 3.}, {0., nan_, 2.}}, kDouble);
    REEL_TEST_LIST(std::get<1>(x.max(1)), 0, 1);
    REEL_TEST_LIST(x.argmin(0), 1, 1, 1);
    BOOST_TEST(std::isnan(x.max().item<double>()));
    const Tensor t = tensor({2., 5., 5.}, kDouble).requires_grad_();
    t.max().backward();
    REEL_TEST_LIST(t.grad(), 0, 0.5, 0.5); // ties share
    check_gradients([](const Tensor& v) { return v.amax({0}) + std::get<0>(v.min(0)) + std::get<1>(aminmax(v, 0)); },
                    {leaf({3, 2})});
    check_gradients([](const Tensor& v) { return std::get<0>(v.median(1)) * std::get<0>(v.mode(1)); }, {leaf({2, 3})});
    REEL_TEST_LIST(tensor({4., 1., 3., 2.}, kDouble).median(), 2); // the lower one
    BOOST_TEST(!message<IndexError>([] { zeros({2, 0}, kDouble).max(1); }).empty());
    BOOST_TEST(!message([] { zeros({0}, kDouble).max(); }).empty());
    BOOST_TEST(!message<NotImplementedError>([] { zeros({2}, kComplexDouble).argmax(); }).empty());
}

BOOST_AUTO_TEST_CASE(variances) {
    const Tensor x = tensor({1., 2., 4.}, kDouble);
    BOOST_TEST(x.var().item<double>() == 7.0 / 3, boost::test_tools::tolerance(1e-14));
    BOOST_TEST(var(x, 0, false).item<double>() == 14.0 / 9, boost::test_tools::tolerance(1e-14));
    check_gradients([](const Tensor& t) { return var(t, IntArrayRef{1}, Scalar(0.5)) + t.std(IntArrayRef{1}); },
                    {leaf({2, 4})});
    const Tensor c = ones({3}, kDouble).requires_grad_();
    c.std().backward();
    REEL_TEST_LIST(c.grad(), 0, 0, 0); // no direction at zero spread
    BOOST_TEST(!message([] { ones({3}, kLong).var(); }).empty());
}

BOOST_AUTO_TEST_CASE(log_sums) {
    REEL_TEST_LIST(tensor({-HUGE_VAL, -HUGE_VAL}, kDouble).logsumexp(0), -HUGE_VAL);
    BOOST_TEST(tensor({1000., 1000.}, kDouble).logsumexp(0).item<double>() == 1000 + std::log(2.0),
               boost::test_tools::tolerance(1e-14));
    check_gradients([](const Tensor& t) { return t.logsumexp({0, 1}); }, {leaf({2, 3})});
    check_gradients([](const Tensor& t) { return t.logcumsumexp(1); }, {leaf({2, 3})});
}

BOOST_AUTO_TEST_CASE(scans) {
    const Tensor x = tensor({1., 3., 2., 3.}, kDouble);
    REEL_TEST_LIST(x.cumsum(0), 1, 4, 6, 9);
    REEL_TEST_LIST(std::get<1>(x.cummax(0)), 0, 1, 1, 3); // the last of equals
    REEL_TEST_LIST(x.diff(), 2, -1, 1);
    REEL_TEST_LIST(trapezoid(x), 7);
    REEL_TEST_LIST(cumulative_trapezoid(x), 2, 4.5, 7);
    check_gradients([](const Tensor& t) { return t.cumsum(0) * std::get<0>(t.cummin(1)); }, {leaf({2, 3})});
    check_gradients([](const Tensor& t) { return t.diff(2, 1) + trapezoid(t, 0.5, 1).sum(); }, {leaf({2, 4})});
    BOOST_TEST(message([&] { x.diff(-1); }).find("n is -1") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(quantiles) {
    const Tensor x = tensor({4., 1., 3., 2.}, kDouble);
    BOOST_TEST(x.quantile(0.5).item<double>() == 2.5);
    BOOST_TEST(x.quantile(0.5, 0, false, "lower").item<double>() == 2);
    BOOST_TEST(std::isnan(tensor({1., nan_}, kDouble).quantile(0.0).item<double>()));
    BOOST_TEST(tensor({1., nan_}, kDouble).nanquantile(1.0).item<double>() == 1);
    check_gradients([](const Tensor& t) { return t.quantile(tensor({0.1, 0.7}, kDouble), 1); }, {leaf({2, 4})});
    BOOST_TEST(message([&] { x.quantile(1.5); }).find("expected values in [0, 1]") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(few_quantiles_of_long_rows_are_those_of_ordered_rows) {
    manual_seed(1);
    Tensor x = randint(20, {6, 200}).to(kFloat);
    x.masked_fill_(rand({6, 200}) < 0.02, nan_);
    x = cat({x, randint(20, {6, 200}).to(kFloat)}).requires_grad_();
    const Tensor many = tensor({0.31F, 0.F, 0.2F, 1.F, 0.9F}), one = many.narrow(0, 0, 1);
    for (const bool ignore_nan : {false, true})
        for (const char* how : {"linear", "lower", "higher", "midpoint", "nearest"}) {
            const auto of = [&](const Tensor& q) {
                return ignore_nan ? nanquantile(x, q, 1, false, how) : quantile(x, q, 1, false, how);
            };
            const Tensor few = of(one)[0], all = of(many)[0];
            BOOST_TEST(allclose(few, all, 0, 0, true));
            const Tensor a = autograd::grad({few.nan_to_num().sum()}, {x})[0],
                         b = autograd::grad({all.nan_to_num().sum()}, {x})[0];
            BOOST_TEST(equal(a, b));
        }
}

BOOST_AUTO_TEST_CASE(variance_and_mean_are_one_node) {
    const Tensor x = leaf({3, 4});
    for (const bool root : {false, true}) {
        const auto [v, m] = root ? std_mean(x, IntArrayRef{1}) : var_mean(x, IntArrayRef{1});
        BOOST_TEST(v.grad_fn()->name() == (root ? "StdMeanBackward0" : "VarMeanBackward0"));
        BOOST_TEST((v.grad_fn() == m.grad_fn()));
        BOOST_TEST(m.output_nr() == 1);
        BOOST_TEST(m.equal(x.mean(1)));
        check_gradients(
            [=](const Tensor& t) {
                const auto [s, a] = root ? std_mean(t, IntArrayRef{1}, std::nullopt, true)
                                         : var_mean(t, IntArrayRef{1}, std::nullopt, true);
                return s * a.exp();
            },
            {leaf({3, 4})});
        check_gradients([=](const Tensor& t) { return std::get<1>(root ? std_mean(t, false) : var_mean(t, false)); },
                        {leaf({2, 3})});
    }
    const auto [v, m] = var_mean(x.to(kHalf), IntArrayRef{0});
    BOOST_TEST(m.equal(x.to(kHalf).mean(0))); // rounded once
}

// Four rows go through the tree together, and lengths end within vectors: nothing of that shows.
BOOST_AUTO_TEST_CASE(a_row_is_reduced_as_if_it_were_alone) {
    manual_seed(3);
    for (const ScalarType type : {kFloat, kDouble, kHalf, kBFloat16})
        for (const std::int64_t n : {1, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 129, 257, 1000, 4096, 4097})
            for (const std::int64_t rows : {1, 3, 4, 6, 9}) {
                const Tensor x = (randn({rows, n}, TensorOptions(kDouble)) * 0.01 + 1).to(type);
                const auto check = [&](auto reduced, double tolerance) {
                    const Tensor all = reduced(x);
                    for (std::int64_t r = 0; r < rows; ++r) {
                        BOOST_REQUIRE(equal(all[r], reduced(x[r].unsqueeze(0))[0]));
                        const double exact = reduced(x[r].unsqueeze(0).to(kDouble)).template item<double>();
                        BOOST_REQUIRE(std::abs(all[r].to(kDouble).template item<double>() - exact) <=
                                      tolerance * std::abs(exact));
                    }
                };
                const double rounding = type == kFloat ? 1e-6 : type == kDouble ? 1e-13 : type == kHalf ? 1e-3 : 8e-3;
                check([](const Tensor& t) { return t.sum(1); }, rounding);
                check([](const Tensor& t) { return nansum(t, 1); }, rounding);
                check([](const Tensor& t) { return t.prod(1); }, 200 * rounding); // rounded once more for each factor
                check([](const Tensor& t) { return t.amax(1); }, 0);
                check([](const Tensor& t) { return t.amin(1); }, 0);
            }
}
BOOST_AUTO_TEST_CASE(a_nan_anywhere_is_the_extremum_of_its_row_alone) {
    for (const ScalarType type : {kFloat, kDouble, kHalf, kBFloat16})
        for (const std::int64_t n : {1, 5, 16, 40, 127, 300})
            for (std::int64_t at = 0; at < n; ++at) {
                Tensor x = arange(5 * n).reshape({5, n}).to(type);
                x[2][at] = NAN;
                for (const Tensor& best : {x.amax(1), x.amin(1)})
                    BOOST_REQUIRE(equal(best.isnan().to(kLong), tensor({0, 0, 1, 0, 0})));
                BOOST_REQUIRE(x.amax().isnan().item<bool>());
            }
}

BOOST_AUTO_TEST_SUITE_END()
