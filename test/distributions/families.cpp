// Distributions at their edges: truth from other sources than the reference, matrices, mixtures, refusals.
#include "reference_cases.hpp"

#include <cmath>

#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/random.hpp>
#include <reel/distributions.hpp>

using namespace reel;
using namespace reel::testing;
using namespace reel::distributions;

namespace {

auto has(std::string part) {
    return [part = std::move(part)](const Error& e) {
        BOOST_TEST(e.msg().find(part) != std::string::npos, e.msg());
        return e.msg().find(part) != std::string::npos;
    };
}
auto says(std::string text) {
    return [text = std::move(text)](const Error& e) {
        BOOST_TEST(e.msg() == text);
        return e.msg() == text;
    };
}
double at(const Tensor& t, std::int64_t i = 0) { return t.detach().flatten()[i].item<double>(); }
Tensor number(double x) { return full({}, x, kDouble); }

} // namespace

BOOST_AUTO_TEST_SUITE(distributions_families)

BOOST_AUTO_TEST_CASE(paths_of_quantiles) {
    // a draw moves with its quantile fixed: differences of the inverse, which Boost.Math computes
    namespace math = boost::math;
    manual_seed(4);
    for (const double a : {0.01, 0.3, 1.0, 4.0, 250.0, 1e5}) {
        const Tensor concentration = full({6}, a, kDouble).requires_grad_();
        const Tensor x = Gamma(concentration, 1.0).rsample();
        x.sum().backward();
        for (std::int64_t i = 0; i < 6; ++i) {
            if (at(x, i) < 1e-290) continue;
            const long double q = math::gamma_p((long double)a, (long double)at(x, i)),
                              h = 1e-4L * a / (1 + std::sqrt(a));
            const auto inverse = [&](long double c) {
                return q < 0.5L ? math::gamma_p_inv(c, q)
                                : math::gamma_q_inv(c, math::gamma_q((long double)a, (long double)at(x, i)));
            };
            const double wanted = double(at(x, i) * (std::log(inverse(a + h)) - std::log(inverse(a - h))) / (2 * h));
            BOOST_TEST(at(concentration.grad(), i) == wanted, boost::test_tools::tolerance(2e-6));
        }
        const Tensor one = full({6}, a, kDouble).requires_grad_();
        const Tensor y = Beta(one, full({6}, 2.0, kDouble)).rsample();
        y.sum().backward();
        for (std::int64_t i = 0; i < 6; ++i) {
            if (at(y, i) < 1e-290 || at(y, i) > 1 - 1e-12) continue;
            const long double q = math::ibeta((long double)a, 2.0L, (long double)at(y, i)),
                              h = 1e-4L * a / (1 + std::sqrt(a));
            const auto log_inverse = [&](long double c) { return std::log(math::ibeta_inv(c, 2.0L, q)); };
            const double wanted = double(at(y, i) * (log_inverse(a + h) - log_inverse(a - h)) / (2 * h));
            BOOST_TEST(at(one.grad(), i) == wanted, boost::test_tools::tolerance(2e-6));
        }
    }
}

BOOST_AUTO_TEST_CASE(divergences_between_families) {
    // against the mean over many draws of p
    const auto d = [](double x) { return full({}, x, kDouble); };
    const std::vector<std::pair<DistributionPtr, DistributionPtr>> pairs = {
        {std::make_shared<Bernoulli>(d(0.3)), std::make_shared<Poisson>(d(0.5))},
        {std::make_shared<Exponential>(d(2)), std::make_shared<Normal>(d(0.5), d(1.5))},
        {std::make_shared<Gamma>(d(3), d(2)), std::make_shared<Normal>(d(0.5), d(1.5))},
        {std::make_shared<Laplace>(d(1), d(0.5)), std::make_shared<Normal>(d(0.5), d(1.5))},
        {std::make_shared<Uniform>(d(0), d(2)), std::make_shared<Normal>(d(0.5), d(1.5))},
        {std::make_shared<Gamma>(d(3), d(2)), std::make_shared<Exponential>(d(0.5))},
        {std::make_shared<Exponential>(d(2)), std::make_shared<Gamma>(d(1.5), d(0.7))},
        {std::make_shared<Normal>(d(1), d(0.5)), std::make_shared<Laplace>(d(0.5), d(1.5))},
        {std::make_shared<Uniform>(d(0), d(2)), std::make_shared<Exponential>(d(0.7))}};
    manual_seed(11);
    for (const auto& [p, q] : pairs) {
        const NoGradGuard no_grad;
        const Tensor x = p->sample({40000});
        const Tensor difference = p->log_prob(x) - q->log_prob(x);
        const double error = at(difference.std()) / 200;
        BOOST_TEST(std::abs(at(difference.mean()) - at(kl_divergence(*p, *q))) < 5 * error,
                   p->name() << " and " << q->name());
    }
    BOOST_CHECK(std::isinf(at(kl_divergence(Normal(d(0), 1.0), Gamma(d(1), 1.0)))));
    BOOST_CHECK(std::isinf(at(kl_divergence(Uniform(d(-1), d(1)), Exponential(d(1))))));
    BOOST_CHECK_EXCEPTION(kl_divergence(Gumbel(d(0), 1.0), Normal(d(0), 1.0)), NotImplementedError,
                          says("kl_divergence: no formula for Gumbel and Normal; register_kl tells one"));
    register_kl<Gumbel, Normal>([](const Gumbel& p, const Normal&) { return p.loc() + 42; });
    BOOST_TEST(at(kl_divergence(Gumbel(d(0), 1.0), Normal(d(0), 1.0))) == 42);
}

BOOST_AUTO_TEST_CASE(tails_keep_their_digits) {
    const Tensor one = ones({}, kDouble), zero = zeros({}, kDouble);
    BOOST_TEST(at(Exponential(one).cdf(tensor(1e-20, kDouble))) == 1e-20);
    BOOST_TEST(at(Laplace(zero, one).cdf(tensor(-100.0, kDouble))) == 0.5 * std::exp(-100.0),
               boost::test_tools::tolerance(4e-16)); // two exponentials within a unit each
    BOOST_TEST(at(Pareto(one, full({}, 1e-12, kDouble)).cdf(tensor(2.0, kDouble))) == 1e-12 * std::log(2.0),
               boost::test_tools::tolerance(1e-10));
    for (const double a : {0.5, 2.0, 30.0}) {
        const Tensor c = full({}, a, kDouble), x = full({}, 0.7 * a, kDouble);
        BOOST_TEST(at(Gamma(c, one).cdf(x)) == boost::math::gamma_p(a, 0.7 * a), boost::test_tools::tolerance(1e-13));
        BOOST_TEST(at(Chi2(2 * c).cdf(2 * x)) == boost::math::gamma_p(a, 0.7 * a), boost::test_tools::tolerance(1e-13));
    }
    BOOST_TEST(at(Geometric(one).log_prob(zero)) == 0); // success is certain
    BOOST_TEST(at(Geometric(one).entropy()) == 0);
    BOOST_TEST(at(Binomial(3, one).log_prob(tensor(3.0, kDouble))) == 0);
    BOOST_TEST(at(Poisson(zero).log_prob(zero)) == 0);
    BOOST_CHECK(std::isinf(at(Uniform(zero, one).log_prob(one)))); // the upper end never comes
}

BOOST_AUTO_TEST_CASE(modes_at_the_edge) {
    // the largest density on a fine grid is at the mode
    const Tensor one = tensor({1.5}, kDouble), two = tensor({2.0}, kDouble),
                 grid = linspace(1e-4, 0.9999, 9999, kDouble);
    const auto peak = [&](const Distribution& d) { return at(grid[d.log_prob(grid).argmax().item<std::int64_t>()]); };
    const Kumaraswamy k(one, two);
    BOOST_TEST(std::abs(at(k.mode()) - peak(k)) < 1e-4);
    const Weibull w(tensor({0.4}, kDouble), two);
    BOOST_TEST(std::abs(at(w.mode()) - peak(w)) < 1e-4);
    BOOST_TEST(at(Weibull(one, tensor({0.7}, kDouble)).mode()) == 0); // the density falls from infinity
    BOOST_CHECK(std::isnan(at(Kumaraswamy(tensor({0.5}, kDouble), two).mode())));
}

BOOST_AUTO_TEST_CASE(mixtures) {
    const Tensor logits = tensor({0.3, -0.5, 1.0}, kDouble).requires_grad_();
    const Tensor loc = tensor({-2.0, 0.0, 3.0}, kDouble).requires_grad_(),
                 scale = tensor({0.5, 1.0, 2.0}, kDouble).requires_grad_();
    const auto mixture = [](const Tensor& l, const Tensor& m, const Tensor& s) {
        return MixtureSameFamily(Categorical::from_logits(l), Normal(m, s));
    };
    const Tensor value = tensor({-1.0, 0.5, 4.0}, kDouble);
    const auto log_prob = [&](const std::vector<Tensor>& x) -> std::vector<Tensor> {
        return {mixture(x[0], x[1], x[2]).log_prob(value)};
    };
    BOOST_CHECK(autograd::gradcheck(log_prob, {logits, loc, scale}));
    const MixtureSameFamily m = mixture(logits, loc, scale);
    BOOST_CHECK(m.batch_shape().empty());
    const Tensor p = logits.softmax(-1);
    BOOST_TEST(at(m.mean()) == at((p * loc).sum()), boost::test_tools::tolerance(1e-12));
    BOOST_TEST(at(m.variance()) == at((p * (scale.square() + loc.square())).sum() - (p * loc).sum().square()),
               boost::test_tools::tolerance(1e-12));
    manual_seed(1);
    const Tensor draws = m.sample({20000});
    BOOST_TEST(std::abs(at(draws.mean()) - at(m.mean())) < 0.1);
    BOOST_TEST(std::abs(at(draws.var()) - at(m.variance())) < 0.4);
    BOOST_CHECK_EXCEPTION(
        MixtureSameFamily(Categorical(ones({4})), Normal(zeros({3}), ones({3}))), ValueError,
        says("MixtureSameFamily: 4 categories for components of batch [3], whose last dimension counts them"));
}

BOOST_AUTO_TEST_CASE(a_normal_of_vectors_takes_any_of_three_matrices) {
    const Tensor covariance = tensor({{2.0, 0.3}, {0.3, 1.0}}, kDouble), loc = tensor({1.0, -1.0}, kDouble);
    using Given = MultivariateNormal::Given;
    const MultivariateNormal a(loc, covariance), b(loc, linalg::cholesky(covariance), Given::ScaleTril),
        c(loc, linalg::inv(covariance), Given::Precision);
    const Tensor value = tensor({0.5, 0.25}, kDouble);
    for (const MultivariateNormal* d : {&b, &c}) {
        check_close(d->log_prob(value), a.log_prob(value), 1e-12, 0, "log_prob");
        check_close(d->covariance_matrix(), covariance, 1e-12, 1e-13, "covariance");
        check_close(d->precision_matrix(), linalg::inv(covariance), 1e-12, 1e-13, "precision");
    }
    BOOST_CHECK_EXCEPTION(MultivariateNormal(loc, tensor({{1.0, 2.0}, {2.0, 1.0}}, kDouble)), ValueError,
                          says("MultivariateNormal: covariance_matrix (shape [2, 2]) is not positive definite"));
    BOOST_CHECK_EXCEPTION(MultivariateNormal(loc, covariance, Given::ScaleTril), ValueError,
                          says("MultivariateNormal: scale_tril has numbers above its diagonal"));
    BOOST_CHECK_EXCEPTION(MultivariateNormal(loc, eye(3, std::nullopt, kDouble)), ValueError,
                          says("MultivariateNormal: covariance_matrix has shape [3, 3], expected matrices of 2 x 2, "
                               "as loc has 2 coordinates"));
}

BOOST_AUTO_TEST_CASE(parameters_and_values_are_checked) {
    BOOST_CHECK_EXCEPTION(Uniform(tensor({0.0, 2.0}), tensor({1.0, 1.0})), ValueError,
                          says("Uniform: high (shape [2]) has 1 element that is not above low, the first is 1"));
    BOOST_CHECK_EXCEPTION(
        Exponential(tensor({1.0, -2.0})), ValueError,
        says("Exponential: rate (shape [2]) has 1 element that is not greater than 0, the first is -2"));
    BOOST_CHECK_EXCEPTION(Laplace(zeros({2}), ones({3})), ValueError,
                          says("Laplace: loc and scale have shapes [2] and [3], which cannot be broadcast"));
    BOOST_CHECK_EXCEPTION(Poisson(ones({2})).log_prob(tensor({0.5, 1.0})), ValueError,
                          says("Poisson.log_prob: 1 of 2 values (shape [2], Float) lie outside of the support"));
    BOOST_CHECK_EXCEPTION(Binomial(3, ones({1}), ones({1})), ValueError,
                          says("Binomial: expected either probs or logits, got both"));
    BOOST_CHECK_EXCEPTION(Binomial(tensor({3.0, 4.0}), ones({2})).entropy(), NotImplementedError,
                          says("Binomial.entropy: the batch has several total_counts; expected one for all"));
    BOOST_CHECK_NO_THROW(Exponential(tensor({-2.0}), false));
    BOOST_TEST(Uniform(zeros({3}), 2.0).str() == "Uniform(low: torch.Size([3]), high: torch.Size([3]))");
}

BOOST_AUTO_TEST_CASE(bessel_functions_keep_their_digits) {
    for (const double k : {1e-6, 0.3, 3.7, 3.8, 40.0, 1e4}) {
        const VonMises d(number(0.5), number(k));
        const double log_i0 = k < 500 ? std::log(boost::math::cyl_bessel_i(0, k))
                                      : k - 0.5 * std::log(2 * M_PI * k) + std::log1p(1 / (8 * k) + 9 / (128 * k * k));
        BOOST_TEST(d.log_prob(number(1.5)).item<double>() == k * std::cos(1.0) - std::log(2 * M_PI) - log_i0,
                   boost::test_tools::tolerance(1e-12));
    }
    const auto score = [](const autograd::variable_list& in) { return VonMises(in[0], in[1]).log_prob(in[2]); };
    BOOST_TEST(autograd::gradcheck(
        score, {number(0.3).requires_grad_(), number(2.5).requires_grad_(), number(-1).requires_grad_()}));
}

BOOST_AUTO_TEST_CASE(moments_of_many_draws) {
    manual_seed(1);
    const auto check = [](const Distribution& d, double tolerance) {
        const Tensor draws = d.sample({20000});
        BOOST_TEST((draws.mean(0) - d.mean()).abs().max().item<double>() < tolerance, d.name());
        BOOST_TEST((draws.var(0) - d.variance()).abs().max().item<double>() < 8 * tolerance, d.name());
    };
    const Tensor matrix = tensor({2., .3, .3, 1.}, kDouble).view({2, 2});
    check(Wishart(4.5, matrix), .15);
    check(Wishart(number(7), linalg_inv(matrix), Wishart::Given::Precision), .2);
    check(NegativeBinomial(3., number(.4)), .1);
    check(FisherSnedecor(number(8), number(20)), .05);
    check(ContinuousBernoulli(number(.2)), .02);
    const Wishart w(4.5, matrix);
    const Tensor draws = w.rsample({50});
    BOOST_TEST(constraints::positive_definite().check(draws).all().item<bool>());
    const Tensor correlation = LKJCholesky(4, 2.).sample({50});
    BOOST_TEST(constraints::corr_cholesky().check(correlation).all().item<bool>());
    const Tensor angles = VonMises(number(3), number(2)).sample({20000});
    BOOST_TEST((angles.abs() <= M_PI).all().item<bool>());
    BOOST_TEST(angles.sin().mean().item<double>() ==
                   std::sin(3.) * (1 - VonMises(number(3), number(2)).variance().item<double>()),
               boost::test_tools::tolerance(.2));
}

BOOST_AUTO_TEST_CASE(low_rank_is_the_full_one) {
    manual_seed(2);
    const Tensor loc = randn({2, 4}, kDouble), w = randn({4, 2}, kDouble), diag = rand({4}, kDouble) + .1;
    const LowRankMultivariateNormal low(loc, w, diag);
    const MultivariateNormal full(loc, low.covariance_matrix());
    const Tensor x = randn({3, 2, 4}, kDouble);
    check_close(low.log_prob(x), full.log_prob(x), 1e-10, 1e-11, "log_prob");
    check_close(low.entropy(), full.entropy(), 1e-10, 1e-11, "entropy");
    check_close(low.scale_tril(), full.scale_tril().expand({2, 4, 4}), 1e-10, 1e-11, "scale_tril");
    check_close(low.precision_matrix(), full.precision_matrix().expand({2, 4, 4}), 1e-9, 1e-10, "precision_matrix");
}

BOOST_AUTO_TEST_CASE(continuous_bernoulli_is_smooth_at_one_half) {
    // where formulas become series: cdf is the integral of the density, icdf its inverse, both with their slopes
    const Tensor x = tensor({0.1, 0.3, 0.5, 0.8}, kDouble);
    for (const double p : {0.4985, 0.49901, 0.4997, 0.5, 0.5003, 0.50099, 0.5015}) {
        const ContinuousBernoulli d(number(p));
        Tensor sum = zeros({4}, kDouble);
        const int n = 40;
        for (int i = 0; i <= n; ++i)
            sum = sum + (i == 0 || i == n ? 1. : i % 2 ? 4. : 2.) * d.log_prob(x * (double(i) / n)).exp();
        check_close(d.cdf(x), sum * x / (3 * n), 1e-10, 0, "cdf at " + std::to_string(p));
        check_close(d.icdf(d.cdf(x)), x, 1e-10, 0, "icdf at " + std::to_string(p));
        const auto both = [&](const autograd::variable_list& in) -> autograd::variable_list {
            const ContinuousBernoulli c(in[0]);
            return {c.cdf(x), c.icdf(x)};
        };
        BOOST_TEST(autograd::gradcheck(both, {number(p).requires_grad_()}), p);
    }
}

BOOST_AUTO_TEST_CASE(edges) {
    check_close(NegativeBinomial(3., number(0)).log_prob(number(0)), number(0), 0, 1e-15, "certain failure");
    check_close(NegativeBinomial(0., number(.5)).log_prob(number(0)), number(0), 0, 1e-15, "no trials");
    check_close(NegativeBinomial(2., {}, number(-INFINITY)).log_prob(number(0)), number(0), 0, 1e-15, "logits");
    const auto continuous = [](const autograd::variable_list& in) {
        return ContinuousBernoulli(in[0]).log_prob(in[1]);
    };
    for (const double p : {.1, .4995, .5, .5005, .9})
        BOOST_TEST(autograd::gradcheck(continuous, {number(p).requires_grad_(), number(.3).requires_grad_()}), p);
    BOOST_TEST(RelaxedBernoulli(number(.01), number(.7)).sample({1000}).round().mean().item<double>() == .7,
               boost::test_tools::tolerance(.15));
    BOOST_TEST(std::string(RelaxedOneHotCategorical(number(1), tensor({.5, .5}, kDouble)).name()) ==
               "RelaxedOneHotCategorical");
}

BOOST_AUTO_TEST_CASE(errors) {
    const Tensor one = number(1);
    BOOST_CHECK_EXCEPTION(VonMises(one, number(0)), ValueError, has("VonMises: concentration"));
    BOOST_CHECK_EXCEPTION(NegativeBinomial(-1., number(.5)), ValueError, has("NegativeBinomial: total_count"));
    BOOST_CHECK_EXCEPTION(NegativeBinomial(1., one), ValueError, has("within [0, 1)"));
    BOOST_CHECK_EXCEPTION(FisherSnedecor(one, number(-1)), ValueError, has("FisherSnedecor: df2"));
    BOOST_CHECK_EXCEPTION(ContinuousBernoulli(number(1.5)), ValueError, has("ContinuousBernoulli: probs"));
    BOOST_CHECK_EXCEPTION(RelaxedBernoulli(number(0), number(.5)), ValueError, has("temperature"));
    BOOST_CHECK_EXCEPTION(RelaxedBernoulli(one, number(.5), number(0)), ValueError, has("got both"));
    BOOST_CHECK_EXCEPTION(RelaxedOneHotCategorical(number(-1), ones({2}, kDouble)), ValueError, has("temperature"));
    BOOST_CHECK_EXCEPTION(LowRankMultivariateNormal(zeros({3}), ones({2, 1}), ones({3})), ValueError,
                          has("expected matrices of 3 rows"));
    BOOST_CHECK_EXCEPTION(LowRankMultivariateNormal(zeros({3}), ones({3, 1}), zeros({3})), ValueError, has("cov_diag"));
    BOOST_CHECK_EXCEPTION(Wishart(0.5, eye(2)), ValueError, has("greater than 1"));
    BOOST_CHECK_EXCEPTION(LKJCholesky(1), ValueError, has("dim is 1; expected at least 2"));
    BOOST_CHECK_EXCEPTION(LKJCholesky(2).log_prob(eye(2) * 2), ValueError, has("outside of the support"));
}

BOOST_AUTO_TEST_SUITE_END()
