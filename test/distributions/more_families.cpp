// Circular, relaxed, low-rank and matrix distributions: against torch.distributions, and against what must hold.
#include "reference_cases.hpp"

#include <cmath>

#include <boost/math/special_functions/bessel.hpp>

#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/random.hpp>
#include <reel/distributions.hpp>

using namespace reel;
using namespace reel::testing;
using namespace reel::distributions;

namespace {

constexpr const char* file = "distributions/data/more_families.safetensors";

std::map<std::string, Tensor> leaves_of(const Case& c, const std::string& prefix = "") {
    std::map<std::string, Tensor> leaves;
    for (const char* name : {"loc", "concentration", "total_count", "probs", "df1", "df2", "temperature", "cov_factor",
                             "cov_diag", "df", "covariance_matrix"})
        if (const auto found = c.find(prefix + name); found != c.end())
            leaves[name] = found->second.clone().requires_grad_();
    return leaves;
}
DistributionPtr make(const std::string& name, std::map<std::string, Tensor> p) {
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
Tensor number(double x) { return full({}, x, kDouble); }
auto says(std::string part) {
    return [part = std::move(part)](const Error& e) {
        BOOST_TEST(e.msg().find(part) != std::string::npos, e.msg());
        return e.msg().find(part) != std::string::npos;
    };
}

} // namespace

BOOST_AUTO_TEST_SUITE(distributions_more_families)

BOOST_AUTO_TEST_CASE(values_and_gradients) {
    int checked = 0;
    for (const auto& [name, c] : reference_cases(file)) {
        const auto leaves = leaves_of(c);
        const DistributionPtr d = make(name, leaves);
        // the reference's Bessel functions have seven digits; bessel_functions_keep_their_digits asks Boost.Math
        const double tolerance = name == "VonMises" ? 2e-6 : 1e-10;
        const Tensor score = d->log_prob(c.at("value"));
        check_close(score, c.at("log_prob"), tolerance, tolerance, name + " log_prob");
        score.sum().backward();
        for (const auto& [parameter, leaf] : leaves)
            check_close(leaf.grad().defined() ? leaf.grad() : zeros_like(leaf), c.at("log_prob.grad." + parameter),
                        name == "VonMises" ? 1e-5 : 1e-8, name == "VonMises" ? 1e-5 : 1e-9,
                        name + " gradient of log_prob by " + parameter);
        const auto same = [&](const char* member, auto&& of) {
            if (const auto wanted = c.find(member); wanted != c.end())
                check_close(of(*d), wanted->second, tolerance, tolerance, name + " " + member);
        };
        same("entropy", [](const Distribution& x) { return x.entropy(); });
        same("mean", [](const Distribution& x) { return x.mean(); });
        same("mode", [](const Distribution& x) { return x.mode(); });
        same("variance", [](const Distribution& x) { return x.variance(); });
        same("cdf", [&](const Distribution& x) { return x.cdf(c.at("value")); });
        same("icdf", [](const Distribution& x) { return x.icdf(tensor({0.1, 0.5, 0.95}, kDouble)); });
        if (const auto kl = c.find("kl"); kl != c.end()) {
            check_close(kl_divergence(*d, *make(name, leaves_of(c, "other."))), kl->second, 1e-10, 1e-11, name + " kl");
            check_close(kl_divergence(*d, *d), zeros_like(kl->second), 0, 1e-12, name + " kl of itself");
        }
        ++checked;
    }
    BOOST_TEST(checked == 9);
}

BOOST_AUTO_TEST_CASE(streams_and_paths) {
    for (const auto& [name, c] : reference_cases(file)) {
        const auto leaves = leaves_of(c);
        const DistributionPtr d = make(name, leaves);
        if (!c.count("sample")) continue;
        manual_seed(0);
        check_close(d->sample({2}), c.at("sample"), 1e-10, 1e-12, name + " sample");
        BOOST_TEST(d->has_rsample() == (c.count("rsample") == 1), name);
        if (!d->has_rsample()) continue;
        manual_seed(0);
        const Tensor draw = d->rsample({4});
        check_close(draw, c.at("rsample"), 1e-10, 1e-12, name + " rsample");
        draw.square().sum().backward();
        const double digits = name == "FisherSnedecor" ? 1e-3 : 1e-8; // the reference fits these
        for (const auto& [parameter, leaf] : leaves)
            check_close(leaf.grad(), c.at("rsample.grad." + parameter), digits, digits,
                        name + " gradient of rsample by " + parameter);
    }
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
    BOOST_CHECK_EXCEPTION(VonMises(one, number(0)), ValueError, says("VonMises: concentration"));
    BOOST_CHECK_EXCEPTION(NegativeBinomial(-1., number(.5)), ValueError, says("NegativeBinomial: total_count"));
    BOOST_CHECK_EXCEPTION(NegativeBinomial(1., one), ValueError, says("within [0, 1)"));
    BOOST_CHECK_EXCEPTION(FisherSnedecor(one, number(-1)), ValueError, says("FisherSnedecor: df2"));
    BOOST_CHECK_EXCEPTION(ContinuousBernoulli(number(1.5)), ValueError, says("ContinuousBernoulli: probs"));
    BOOST_CHECK_EXCEPTION(RelaxedBernoulli(number(0), number(.5)), ValueError, says("temperature"));
    BOOST_CHECK_EXCEPTION(RelaxedBernoulli(one, number(.5), number(0)), ValueError, says("got both"));
    BOOST_CHECK_EXCEPTION(RelaxedOneHotCategorical(number(-1), ones({2}, kDouble)), ValueError, says("temperature"));
    BOOST_CHECK_EXCEPTION(LowRankMultivariateNormal(zeros({3}), ones({2, 1}), ones({3})), ValueError,
                          says("expected matrices of 3 rows"));
    BOOST_CHECK_EXCEPTION(LowRankMultivariateNormal(zeros({3}), ones({3, 1}), zeros({3})), ValueError,
                          says("cov_diag"));
    BOOST_CHECK_EXCEPTION(Wishart(0.5, eye(2)), ValueError, says("greater than 1"));
    BOOST_CHECK_EXCEPTION(LKJCholesky(1), ValueError, says("dim is 1; expected at least 2"));
    BOOST_CHECK_EXCEPTION(LKJCholesky(2).log_prob(eye(2) * 2), ValueError, says("outside of the support"));
}

BOOST_AUTO_TEST_CASE(sets) {
    namespace c = constraints;
    const auto inside = [](const Constraint& set, const Tensor& value) { return set.check(value).all().item<bool>(); };
    const Tensor x = tensor({0., 1., 2.5}, kDouble), matrix = tensor({2., 1., 1., 2.}, kDouble).view({2, 2});
    BOOST_TEST(inside(c::nonnegative(), x));
    BOOST_TEST(!inside(c::positive(), x));
    BOOST_TEST(!inside(c::nonnegative_integer(), x));
    BOOST_TEST(inside(c::nonnegative_integer(), tensor({0, 3})));
    BOOST_TEST(!inside(c::positive_integer(), tensor({0, 3})));
    BOOST_TEST(inside(c::integer_interval(0, 3), tensor({0, 3})));
    BOOST_TEST(inside(c::interval(0, 2.5), x));
    BOOST_TEST(!inside(c::half_open_interval(0, 2.5), x));
    BOOST_TEST(!inside(c::real(), number(NAN)));
    BOOST_TEST(inside(c::boolean(), tensor({0., 1.})));
    BOOST_TEST(inside(c::one_hot(), tensor({0., 1.})));
    BOOST_TEST(inside(c::simplex(), tensor({.25, .75})));
    BOOST_TEST(inside(c::multinomial(4), tensor({3., 1.})));
    BOOST_TEST(inside(c::less_than(3), x));
    BOOST_TEST(inside(c::greater_than_eq(0), x));
    BOOST_TEST(inside(c::positive_definite(), matrix));
    BOOST_TEST(inside(c::symmetric(), matrix));
    BOOST_TEST(inside(c::square(), matrix));
    BOOST_TEST(!inside(c::square(), ones({2, 3})));
    BOOST_TEST(!inside(c::positive_definite(), matrix - 3 * eye(2, std::nullopt, kDouble)));
    BOOST_TEST(inside(c::positive_semidefinite(), ones({2, 2})));
    BOOST_TEST(!inside(c::lower_triangular(), matrix));
    BOOST_TEST(inside(c::lower_cholesky(), linalg_cholesky(matrix)));
    BOOST_TEST(!inside(c::corr_cholesky(), linalg_cholesky(matrix)));
    BOOST_TEST(c::real_vector().check(ones({2, 3})).sizes() == IntArrayRef({2}));
    BOOST_TEST(c::independent(c::positive(), 2).event_dim() == 2);
    BOOST_TEST(c::positive().str() == "GreaterThan(lower_bound=0.0)");
    BOOST_TEST(c::boolean().is_discrete());
}

BOOST_AUTO_TEST_SUITE_END()
