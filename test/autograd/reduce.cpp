// Sums, products, extrema, medians, variances, quantiles.
#include "shape_helpers.hpp"

#include <cmath>

#include <reel/autograd/node.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/tensor_operators.hpp>

using namespace shape_test;

namespace {
const double nan_ = std::nan("");
}

BOOST_AUTO_TEST_SUITE(reduce)

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

BOOST_AUTO_TEST_SUITE_END()
