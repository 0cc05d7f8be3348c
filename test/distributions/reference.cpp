// Every distribution with a closed form against torch.distributions, and against what must hold of any of them.
#include "reference_cases.hpp"

#include <reel/autograd/backward.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/random.hpp>
#include <reel/distributions.hpp>

using namespace reel;
using namespace reel::testing;
using namespace reel::distributions;

namespace {

constexpr const char* file = "distributions/data/reference.safetensors";

/// The parameters of a case by name, as leaves; `prefix` "other." for those of the second distribution.
std::map<std::string, Tensor> leaves_of(const Case& c, const std::string& prefix = "") {
    std::map<std::string, Tensor> leaves;
    for (const char* name :
         {"low", "high", "rate", "loc", "scale", "alpha", "concentration1", "concentration0", "concentration", "df",
          "df1", "df2", "probs", "total_count", "covariance_matrix", "cov_factor", "cov_diag", "temperature"})
        if (const auto found = c.find(prefix + name); found != c.end())
            leaves[name] = found->second.clone().requires_grad_(c.count("log_prob.grad." + std::string(name)) == 1);
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
    if (name == "MultivariateNormal") return std::make_shared<MultivariateNormal>(p["loc"], p["covariance_matrix"]);
    if (name == "VonMises") return std::make_shared<VonMises>(p["loc"], p["concentration"]);
    if (name == "NegativeBinomial") return std::make_shared<NegativeBinomial>(p["total_count"], p["probs"]);
    if (name == "FisherSnedecor") return std::make_shared<FisherSnedecor>(p["df1"], p["df2"]);
    if (name == "ContinuousBernoulli") return std::make_shared<ContinuousBernoulli>(p["probs"]);
    if (name == "RelaxedBernoulli") return std::make_shared<RelaxedBernoulli>(p["temperature"], p["probs"]);
    if (name == "RelaxedOneHotCategorical")
        return std::make_shared<RelaxedOneHotCategorical>(p["temperature"], p["probs"]);
    if (name == "LowRankMultivariateNormal")
        return std::make_shared<LowRankMultivariateNormal>(p["loc"], p["cov_factor"], p["cov_diag"]);
    if (name == "Wishart") return std::make_shared<Wishart>(p["df"].squeeze(0), p["covariance_matrix"]);
    BOOST_REQUIRE_EQUAL(name, "LKJCholesky");
    return std::make_shared<LKJCholesky>(3, p["concentration"].squeeze(0));
}
/// How far the reference is right: its Bessel functions have seven digits, and its gradients of draws by a
/// concentration are fits. `families` asks Boost.Math and differences of quantiles.
double digits(const std::string& name) { return name == "VonMises" ? 2e-6 : 1e-10; }
bool has_fitted_paths(const std::string& name) {
    for (const char* fitted : {"Gamma", "Beta", "InverseGamma", "Chi2", "StudentT", "Dirichlet", "FisherSnedecor"})
        if (name == fitted) return true;
    return false;
}
bool has_heavy_tails(const std::string& name) {
    return name == "Cauchy" || name == "HalfCauchy" || name == "Pareto" || name == "FisherSnedecor";
}
auto says(std::string text) {
    return [text = std::move(text)](const Error& e) {
        BOOST_TEST(e.msg() == text);
        return e.msg() == text;
    };
}
double at(const Tensor& t, std::int64_t i = 0) { return t.detach().flatten()[i].item<double>(); }

} // namespace

BOOST_AUTO_TEST_SUITE(distributions_reference)

BOOST_AUTO_TEST_CASE(values_and_gradients) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases(file)) {
        const auto leaves = leaves_of(c);
        const DistributionPtr d = make(name, leaves);
        const Tensor score = d->log_prob(c.at("value"));
        check_close(score, c.at("log_prob"), digits(name), digits(name) / 10, name + " log_prob");
        score.sum().backward();
        for (const auto& [parameter, leaf] : leaves)
            if (const auto wanted = c.find("log_prob.grad." + parameter); wanted != c.end())
                check_close(leaf.grad().defined() ? leaf.grad() : zeros_like(leaf), wanted->second, 10 * digits(name),
                            digits(name), name + " gradient of log_prob by " + parameter);
        const auto same = [&](const char* member, auto&& of) {
            if (const auto wanted = c.find(member); wanted != c.end())
                check_close(of(*d), wanted->second, digits(name), digits(name), name + " " + member);
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
    BOOST_TEST(checked == 31);
}

BOOST_AUTO_TEST_CASE(streams_and_paths) {
    for (const auto& [name, c] : reference_cases(file)) {
        if (!c.count("sample")) continue; // Wishart: the reference throws valid draws away and takes others
        const auto leaves = leaves_of(c);
        const DistributionPtr d = make(name, leaves);
        manual_seed(0);
        const Tensor sample = d->sample({2});
        check_close(sample, c.at("sample"), 1e-10, 1e-12, name + " sample");
        BOOST_CHECK(!sample.requires_grad());
        BOOST_TEST(d->has_rsample() == (c.count("rsample") == 1), name);
        if (!d->has_rsample()) {
            BOOST_CHECK_EXCEPTION(d->rsample(), NotImplementedError,
                                  says(name + ": rsample is not defined; use sample"));
            continue;
        }
        manual_seed(0);
        const Tensor draw = d->rsample({4});
        check_close(draw, c.at("rsample"), 1e-10, 1e-12, name + " rsample");
        draw.square().sum().backward();
        const double close = has_fitted_paths(name) ? 1e-3 : 1e-8;
        for (const auto& [parameter, leaf] : leaves)
            check_close(leaf.grad(), c.at("rsample.grad." + parameter), close, close,
                        name + " gradient of rsample by " + parameter);
    }
}

BOOST_AUTO_TEST_CASE(divergences) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases(file)) {
        if (!c.count("kl")) continue;
        const auto p = make(name, leaves_of(c)), q = make(name, leaves_of(c, "other."));
        check_close(kl_divergence(*p, *q), c.at("kl"), 1e-10, 1e-11, name + " kl");
        check_close(kl_divergence(*p, *p), zeros_like(c.at("kl")), 0, 1e-12, name + " kl of itself");
        ++checked;
    }
    BOOST_TEST(checked == 20);
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
        if (!c.count("mean") || !c.count("variance") || has_heavy_tails(name) || name == "VonMises") continue;
        const DistributionPtr d = make(name, leaves_of(c));
        const NoGradGuard no_grad;
        const Tensor draws = d->sample({40000});
        const Tensor error = (draws.mean(0) - d->mean()).abs() / (d->variance() / 40000).sqrt();
        BOOST_TEST(at(error.max()) < 5, name << ": the mean of draws is " << at(error.max()) << " deviations away");
        BOOST_CHECK(d->in_support(draws).all().item<bool>());
    }
}

BOOST_AUTO_TEST_SUITE_END()
