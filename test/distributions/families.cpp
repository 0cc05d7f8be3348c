// Continuous distributions and counts: against torch.distributions, and against what must hold of any distribution.
#include "reference_cases.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/random.hpp>
#include <reel/distributions.hpp>

using namespace reel;
using namespace reel::testing;
using namespace reel::distributions;

namespace {

constexpr const char* file = "distributions/data/continuous_and_counts.safetensors";

/// The parameters of a case by name, as leaves; `prefix` "other." for those of the second distribution.
std::map<std::string, Tensor> leaves_of(const Case& c, const std::string& prefix = "") {
    std::map<std::string, Tensor> leaves;
    for (const char* name : {"low", "high", "rate", "loc", "scale", "alpha", "concentration1", "concentration0",
                             "concentration", "df", "probs", "total_count", "covariance_matrix"})
        if (const auto found = c.find(prefix + name); found != c.end())
            leaves[name] = found->second.clone().requires_grad_(std::string(name) != "total_count");
    return leaves;
}
DistributionPtr make(const std::string& name, std::map<std::string, Tensor> p) {
    if (name == "Uniform") return std::make_shared<Uniform>(p["low"], p["high"]);
    if (name == "Exponential") return std::make_shared<Exponential>(p["rate"]);
    if (name == "Laplace") return std::make_shared<Laplace>(p["loc"], p["scale"]);
    if (name == "Cauchy") return std::make_shared<Cauchy>(p["loc"], p["scale"]);
    if (name == "Gumbel") return std::make_shared<Gumbel>(p["loc"], p["scale"]);
    if (name == "LogNormal") return std::make_shared<LogNormal>(p["loc"], p["scale"]);
    if (name == "HalfNormal") return std::make_shared<HalfNormal>(p["scale"]);
    if (name == "HalfCauchy") return std::make_shared<HalfCauchy>(p["scale"]);
    if (name == "Pareto") return std::make_shared<Pareto>(p["scale"], p["alpha"]);
    if (name == "Weibull") return std::make_shared<Weibull>(p["scale"], p["concentration"]);
    if (name == "Kumaraswamy") return std::make_shared<Kumaraswamy>(p["concentration1"], p["concentration0"]);
    if (name == "Gamma") return std::make_shared<Gamma>(p["concentration"], p["rate"]);
    if (name == "Beta") return std::make_shared<Beta>(p["concentration1"], p["concentration0"]);
    if (name == "InverseGamma") return std::make_shared<InverseGamma>(p["concentration"], p["rate"]);
    if (name == "Chi2") return std::make_shared<Chi2>(p["df"]);
    if (name == "StudentT") return std::make_shared<StudentT>(p["df"], p["loc"], p["scale"]);
    if (name == "Dirichlet") return std::make_shared<Dirichlet>(p["concentration"]);
    if (name == "Poisson") return std::make_shared<Poisson>(p["rate"]);
    if (name == "Geometric") return std::make_shared<Geometric>(p["probs"]);
    if (name == "Binomial") return std::make_shared<Binomial>(p["total_count"], p["probs"]);
    if (name == "Multinomial") return std::make_shared<Multinomial>(5, p["probs"]);
    BOOST_REQUIRE_EQUAL(name, "MultivariateNormal");
    return std::make_shared<MultivariateNormal>(p["loc"], p["covariance_matrix"]);
}
auto says(std::string text) {
    return [text = std::move(text)](const Error& e) {
        BOOST_TEST(e.msg() == text);
        return e.msg() == text;
    };
}
double at(const Tensor& t, std::int64_t i = 0) { return t.detach().flatten()[i].item<double>(); }

} // namespace

BOOST_AUTO_TEST_SUITE(distributions_families)

BOOST_AUTO_TEST_CASE(values_and_gradients) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases(file)) {
        const auto leaves = leaves_of(c);
        const DistributionPtr d = make(name, leaves);
        const Tensor score = d->log_prob(c.at("value"));
        check_close(score, c.at("log_prob"), 1e-12, 1e-13, name + " log_prob");
        score.sum().backward();
        for (const auto& [parameter, leaf] : leaves)
            if (const auto wanted = c.find("log_prob.grad." + parameter); wanted != c.end())
                check_close(leaf.grad().defined() ? leaf.grad() : zeros_like(leaf), wanted->second, 1e-9, 1e-11,
                            name + " gradient of log_prob by " + parameter);
        const auto same = [&](const char* member, auto&& of) {
            if (const auto wanted = c.find(member); wanted != c.end())
                check_close(of(*d), wanted->second, 1e-10, 1e-12, name + " " + member);
        };
        same("entropy", [](const Distribution& x) { return x.entropy(); });
        same("mean", [](const Distribution& x) { return x.mean(); });
        // The reference takes logarithms and roots of negative numbers for these two; see modes_at_the_edge.
        if (name != "Kumaraswamy" && name != "Weibull") same("mode", [](const Distribution& x) { return x.mode(); });
        same("variance", [](const Distribution& x) { return x.variance(); });
        // the reference's incomplete gamma function has fewer digits; tails_keep_their_digits asks Boost.Math
        if (name == "Gamma" || name == "InverseGamma" || name == "Chi2")
            check_close(d->cdf(c.at("value")), c.at("cdf"), 1e-6, 0, name + " cdf");
        else same("cdf", [&](const Distribution& x) { return x.cdf(c.at("value")); });
        same("icdf", [](const Distribution& x) { return x.icdf(tensor({0.1, 0.5, 0.95}, kDouble)); });
        ++checked;
    }
    BOOST_TEST(checked == 22);
}

BOOST_AUTO_TEST_CASE(streams_and_paths) {
    for (const auto& [name, c] : reference_cases(file)) {
        const auto leaves = leaves_of(c);
        const DistributionPtr d = make(name, leaves);
        manual_seed(0);
        const Tensor sample = d->sample({2});
        check_close(sample, c.at("sample"), 1e-12, 1e-13, name + " sample");
        BOOST_CHECK(!sample.requires_grad());
        BOOST_TEST(d->has_rsample() == (c.count("rsample") == 1), name);
        if (!d->has_rsample()) {
            BOOST_CHECK_EXCEPTION(d->rsample(), NotImplementedError,
                                  says(name + ": rsample is not defined; use sample"));
            continue;
        }
        manual_seed(0);
        const Tensor draw = d->rsample({4});
        check_close(draw, c.at("rsample"), 1e-12, 1e-13, name + " rsample");
        draw.sum().backward();
        // The reference's gradients by a concentration are fits with some digits; see paths_of_quantiles.
        const bool fitted = name == "Gamma" || name == "Beta" || name == "InverseGamma" || name == "Chi2" ||
                            name == "StudentT" || name == "Dirichlet";
        for (const auto& [parameter, leaf] : leaves)
            check_close(leaf.grad(), c.at("rsample.grad." + parameter), fitted ? 1e-3 : 1e-9, fitted ? 1e-3 : 1e-11,
                        name + " gradient of rsample by " + parameter);
    }
}

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

BOOST_AUTO_TEST_CASE(divergences) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases(file)) {
        if (!c.count("kl")) continue;
        const auto p = make(name, leaves_of(c)), q = make(name, leaves_of(c, "other."));
        check_close(kl_divergence(*p, *q), c.at("kl"), 1e-11, 1e-13, name + " kl");
        check_close(kl_divergence(*p, *p), zeros_like(c.at("kl")), 0, 1e-14, name + " kl of itself");
        ++checked;
    }
    BOOST_TEST(checked == 17);
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

BOOST_AUTO_TEST_CASE(cdf_is_the_integral_of_the_density_and_icdf_its_inverse) {
    for (const auto& [name, c] : reference_cases(file)) {
        if (!c.count("icdf")) continue;
        const DistributionPtr d = make(name, leaves_of(c));
        // Simpson's rule between two quantiles on one side of the median, where Laplace has its edge
        const Tensor a = d->icdf(full({3}, 0.55, kDouble)).detach(), b = d->icdf(full({3}, 0.9, kDouble)).detach();
        check_close(d->cdf(b) - d->cdf(a), full({3}, 0.35, kDouble), 1e-10, 0, name + " cdf of icdf");
        const int n = 400;
        Tensor sum = zeros({3}, kDouble);
        for (int i = 0; i <= n; ++i) {
            const double weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;
            sum = sum + weight * d->log_prob(a + (b - a) * (double(i) / n)).exp();
        }
        check_close(sum * (b - a) / (3 * n), full({3}, 0.35, kDouble), 1e-8, 0, name + " integral");
    }
}

BOOST_AUTO_TEST_CASE(draws_have_the_moments) {
    manual_seed(3);
    for (const auto& [name, c] : reference_cases(file)) {
        if (!c.count("mean") || name == "Cauchy" || name == "HalfCauchy" || name == "Pareto") continue; // heavy tails
        const DistributionPtr d = make(name, leaves_of(c));
        const NoGradGuard no_grad;
        const Tensor draws = d->sample({40000});
        const Tensor error = (draws.mean(0) - d->mean()).abs() / (d->variance() / 40000).sqrt();
        BOOST_TEST(at(error.max()) < 5, name << ": the mean of draws is " << at(error.max()) << " deviations away");
        BOOST_CHECK(d->in_support(draws).all().item<bool>());
    }
}

BOOST_AUTO_TEST_CASE(tails_keep_their_digits) {
    const Tensor one = ones({}, kDouble), zero = zeros({}, kDouble);
    BOOST_TEST(at(Exponential(one).cdf(tensor(1e-20, kDouble))) == 1e-20);
    BOOST_TEST(at(Laplace(zero, one).cdf(tensor(-100.0, kDouble))) == 0.5 * std::exp(-100.0));
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

BOOST_AUTO_TEST_SUITE_END()
