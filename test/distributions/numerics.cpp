// Where formulas lose digits or are undefined although the true value is not; checks of arguments; draws.
#include "reference_cases.hpp"

#include <message.hpp>

#include <reel/autograd/backward.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/random.hpp>
#include <reel/distributions/bernoulli.hpp>
#include <reel/distributions/delta.hpp>
#include <reel/distributions/independent.hpp>
#include <reel/distributions/normal.hpp>
#include <reel/distributions/one_hot_categorical.hpp>
#include <reel/distributions/tanh_normal.hpp>

using namespace reel;
using namespace reel::testing;
using namespace reel::distributions;

namespace {
const double inf = INFINITY;
/// Literals in float64.
Tensor wide(const reel::detail::TensorLiteral& literal) { return tensor(literal, kDouble); }
double at(const Tensor& t, std::int64_t i) { return t.flatten()[i].item<double>(); }
} // namespace

BOOST_AUTO_TEST_SUITE(distributions_numerics)

BOOST_AUTO_TEST_CASE(normal_with_scales_whose_square_underflows) {
    const Tensor scale = tensor({1e-30f, 1e30f}).requires_grad_(), loc = zeros({2}).requires_grad_();
    const Tensor log_prob = Normal(loc, scale).log_prob(tensor({2e-30f, -1e30f}));
    BOOST_TEST(at(log_prob, 0) == -2 - std::log(1e-30) - 0.9189385332, boost::test_tools::tolerance(1e-6));
    BOOST_TEST(at(log_prob, 1) == -0.5 - std::log(1e30) - 0.9189385332, boost::test_tools::tolerance(1e-6));
    log_prob.sum().backward();
    BOOST_TEST(at(scale.grad(), 0) == 3e30, boost::test_tools::tolerance(1e-5)); // (z^2 - 1) / scale
    BOOST_TEST(at(loc.grad(), 1) == -1e-30, boost::test_tools::tolerance(1e-5));
    // digits of the lower tail
    const Normal standard(zeros({}, kDouble), 1.0);
    BOOST_TEST(standard.cdf(wide(-20.)).item<double>() == 2.7536241186062337e-89, boost::test_tools::tolerance(1e-10));
    const Tensor p = wide({1e-30, 0.3, 0.999});
    check_close(standard.cdf(standard.icdf(p)), p, 1e-9, 0, "cdf of icdf");
}

BOOST_AUTO_TEST_CASE(categories_that_never_come) {
    const Tensor logits = wide({0., -inf, 1.}).requires_grad_();
    const Categorical d = Categorical::from_logits(logits);
    const double total = std::log1p(std::exp(1.));
    BOOST_TEST(d.log_prob(tensor(0)).item<double>() == -total, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(d.log_prob(tensor(1)).item<double>() == -inf);
    const double p = std::exp(-total), h = -(p * std::log(p) + (1 - p) * std::log(1 - p));
    BOOST_TEST(d.entropy().item<double>() == h, boost::test_tools::tolerance(1e-12));
    (Categorical::from_logits(logits).entropy() * 1e6 + Categorical::from_logits(logits).log_prob(tensor(2)))
        .backward();
    BOOST_CHECK(logits.grad().isfinite().all().item<bool>());
    BOOST_TEST(at(logits.grad(), 1) == 0);

    const Tensor probs = wide({0., 2., 6.}).requires_grad_();
    const Categorical e = Categorical::from_probs(probs);
    BOOST_TEST(e.log_prob(tensor(0)).item<double>() == -inf); // the package: log of the least number above 0
    BOOST_TEST(e.log_prob(tensor(1)).item<double>() == std::log(0.25), boost::test_tools::tolerance(1e-12));
    BOOST_TEST(at(e.logits(), 0) == -inf);
    e.log_prob(tensor(1)).backward();
    check_close(probs.grad(), wide({-0.125, 0.5 - 0.125, -0.125}), 1e-12, 0, "gradient by probabilities");
    BOOST_TEST(Categorical::from_probs(wide({0., 1.})).entropy().item<double>() == 0);
    // a gradient that passes a softmax with a probability of zero
    const Tensor raw = tensor({0.f, -200.f}).requires_grad_();
    Categorical::from_probs(softmax(raw, -1)).entropy().backward();
    BOOST_CHECK(raw.grad().isfinite().all().item<bool>());
    // far from zero no digit is lost
    const Tensor far = tensor({1e6f, 1e6f + 1});
    BOOST_TEST(Categorical::from_logits(far).log_prob(tensor(0)).item<double>() == -1.3132617,
               boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(divergences_at_the_edges) {
    const Tensor p = wide({0., 0.5, 0.5}).requires_grad_(), q = wide({0., 0.25, 0.75}).requires_grad_();
    const Tensor r = kl_divergence(Categorical(p), Categorical(q));
    BOOST_TEST(r.item<double>() == 0.5 * std::log(2.) + 0.5 * std::log(2. / 3), boost::test_tools::tolerance(1e-12));
    r.backward();
    BOOST_CHECK(p.grad().isfinite().all().item<bool>());
    BOOST_CHECK(q.grad().isfinite().all().item<bool>());
    BOOST_TEST(kl_divergence(Categorical(q), Categorical(wide({0.5, 0., 0.5}))).item<double>() == inf);
    const Bernoulli never(wide(0.)), half(wide(0.5)), surely(Tensor(), wide(inf));
    BOOST_TEST(kl_divergence(never, half).item<double>() == std::log(2.), boost::test_tools::tolerance(1e-12));
    BOOST_TEST(kl_divergence(surely, half).item<double>() == std::log(2.), boost::test_tools::tolerance(1e-12));
    BOOST_TEST(kl_divergence(half, never).item<double>() == inf);
    const TanhNormal a(zeros({2}), 1.0), b(ones({2}), 2.0);
    check_close(kl_divergence(a, b),
                kl_divergence(Independent(Normal(zeros({2}), 1.0), 1), Independent(Normal(ones({2}), 2.0), 1)), 1e-6, 0,
                "a change of variables leaves the divergence");
    BOOST_CHECK_THROW(kl_divergence(a, never), NotImplementedError);
    BOOST_CHECK_THROW(kl_divergence(a, TanhNormal(zeros({2}), 1.0, TanhNormalOptions().high(wide(2.f)))),
                      NotImplementedError);
    BOOST_TEST(kl_divergence(Delta(ones({2})), Delta(ones({2}))).item<double>() == 0);
    BOOST_TEST(kl_divergence(Delta(ones({2})), Delta(zeros({2}))).item<double>() == inf);
}

BOOST_AUTO_TEST_CASE(bernoulli_at_the_edges) {
    const Tensor logits = wide({-inf, inf, 100., -100.}).requires_grad_();
    const Bernoulli d(Tensor(), logits);
    const Tensor log_prob = d.log_prob(wide({0., 1., 0., 1.}));
    check_close(log_prob, wide({0., 0., -100., -100.}), 1e-12, 0, "log_prob");
    BOOST_TEST(d.log_prob(wide({1., 0., 1., 0.}))[0].item<double>() == -inf);
    const Tensor entropy = d.entropy();
    BOOST_TEST(at(entropy, 0) == 0);
    BOOST_TEST(at(entropy, 2) == 101 * std::exp(-100.), boost::test_tools::tolerance(1e-9));
    (log_prob.sum() + entropy.sum()).backward();
    BOOST_CHECK(logits.grad().isfinite().all().item<bool>());
    const Tensor probs = tensor({0.f, 1.f, 1e-9f}).requires_grad_();
    const Bernoulli e(probs);
    const Tensor by_probs = e.log_prob(tensor({0.f, 1.f, 0.f}));
    check_close(by_probs, tensor({0.f, 0.f, -1e-9f}), 1e-6, 0, "log_prob by probabilities");
    by_probs.sum().backward();
    check_close(probs.grad(), tensor({-1.f, 1.f, -1.f}), 1e-6, 0, "gradient by probabilities");
    BOOST_TEST(at(e.entropy(), 0) == 0);
    BOOST_CHECK(std::isnan(at(Bernoulli(tensor(0.5f)).mode(), 0)));
    BOOST_TEST(at(Bernoulli(tensor(0.5f)).deterministic_sample(), 0) == 1);
}

BOOST_AUTO_TEST_CASE(tanh_normal_in_saturation) {
    const Tensor loc = tensor({20.f, -20.f}).requires_grad_(), scale = tensor({0.1f, 0.1f}).requires_grad_();
    const TanhNormal d(loc, scale);
    manual_seed(0);
    const auto [value, log_prob] = d.rsample_and_log_prob();
    BOOST_TEST(value.abs().max().item<double>() <= 1 - 0.9e-6);
    // log p = log N(x) - log(1 - tanh(x)^2), and the latter is 2 log 2 - 2 |x| there
    manual_seed(0);
    const Tensor x = Normal(loc, scale).rsample();
    const Tensor wanted = (Normal(loc, scale).log_prob(x) - (2 * std::log(2.) - 2 * x.abs())).sum();
    check_close(log_prob, wanted, 1e-6, 0, "log_prob of what was drawn");
    (log_prob + value.sum()).backward();
    BOOST_CHECK(loc.grad().isfinite().all().item<bool>());
    BOOST_CHECK(scale.grad().isfinite().all().item<bool>());
    BOOST_TEST(at(loc.grad(), 0) == 2, boost::test_tools::tolerance(1e-4));
    // values on the bounds have a finite log-probability
    const Tensor edge = TanhNormal(zeros({2}), 1.0).log_prob(tensor({1.f, -1.f}));
    BOOST_CHECK(edge.isfinite().all().item<bool>());
    // nor does rounding leave narrow bounds far from zero
    const Tensor low = tensor({1000.1f}), high = tensor({1000.3f});
    const TanhNormal narrow(tensor({3.f}), 5.0, TanhNormalOptions().low(low).high(high));
    const Tensor far_draws = narrow.sample({1000});
    BOOST_CHECK(((far_draws >= low) & (far_draws <= high)).all().item<bool>());
    BOOST_CHECK(narrow.log_prob(far_draws).isfinite().all().item<bool>());
    // the slope of samples far out is that of tanh
    const Tensor far = tensor({9.5f}).requires_grad_();
    TanhNormal(far, 1.0).deterministic_sample().sum().backward();
    BOOST_TEST(at(far.grad(), 0) == 4 * std::exp(-19.), boost::test_tools::tolerance(1e-5));
    BOOST_TEST(TanhNormal(far, 1.0, TanhNormalOptions().safe_tanh(false)).deterministic_sample().item<double>() == 1);
}

BOOST_AUTO_TEST_CASE(tanh_normal_mode_is_the_densest_point) {
    for (const double loc : {0., 0.3, -1.2, 2.})
        for (const double scale : {0.1, 0.7, 1.5}) {
            const TanhNormal d(wide({loc}), wide({scale}), TanhNormalOptions().low(wide(-2.)).high(wide(3.)));
            const Tensor grid = linspace(-2 + 1e-6, 3 - 1e-6, 20001, kDouble).unsqueeze(-1);
            const double densest = d.log_prob(grid).max().item<double>();
            BOOST_TEST_CONTEXT("loc " << loc << " scale " << scale)
            BOOST_TEST(d.log_prob(d.mode()).item<double>() >= densest - 1e-9);
        }
    const auto mode = [](const std::vector<Tensor>& x) -> std::vector<Tensor> {
        return {TanhNormal(x[0], x[1]).mode()};
    };
    BOOST_TEST(autograd::gradcheck(mode, {wide({0.4, -1.}).requires_grad_(), wide({0.5, 1.1}).requires_grad_()}));
    const auto density = [](const std::vector<Tensor>& x) -> std::vector<Tensor> {
        return {
            TanhNormal(x[0], x[1], TanhNormalOptions().low(wide(-2.)).high(wide(3.)).tanh_loc(true)).log_prob(x[2])};
    };
    BOOST_TEST(autograd::gradcheck(density, {wide({0.4, -1.}).requires_grad_(), wide({0.5, 1.1}).requires_grad_(),
                                             wide({0.5, 2.}).requires_grad_()}));
}

BOOST_AUTO_TEST_CASE(draws_have_the_gradients_of_finite_differences) {
    const auto draws = [](const std::vector<Tensor>& x) -> std::vector<Tensor> {
        manual_seed(9);
        const TanhNormal d(x[0], x[1], TanhNormalOptions().low(wide(-2.)).high(wide(3.)));
        const auto [value, log_prob] = d.rsample_and_log_prob({2});
        return {value, log_prob, Normal(x[0], x[1]).rsample({3})};
    };
    const std::vector<Tensor> at{wide({0.4, -1., 3.}).requires_grad_(), wide({0.5, 1.1, 0.2}).requires_grad_()};
    BOOST_TEST(autograd::gradcheck(draws, at));
    BOOST_TEST(autograd::gradgradcheck(draws, at));
}

BOOST_AUTO_TEST_CASE(densities_sum_to_one_and_draws_follow_them) {
    manual_seed(5);
    const TanhNormal d(wide(0.6), wide(0.8), TanhNormalOptions().low(wide(-1.)).high(wide(4.)));
    const std::int64_t n = 20000;
    const Tensor cells = (arange(n, TensorOptions(kDouble)) + 0.5) * (5. / n) - 1;
    const Tensor density = d.log_prob(cells).exp() * (5. / n);
    BOOST_TEST(density.sum().item<double>() == 1, boost::test_tools::tolerance(1e-6));
    const Tensor draws = d.sample({40000});
    BOOST_TEST(draws.mean().item<double>() == (density * cells).sum().item<double>(),
               boost::test_tools::tolerance(0.01));
    check_close(d.cdf(cells[n / 3]), density.narrow(0, 0, n / 3).sum(), 1e-3, 0, "cdf");
    const Tensor probs = wide({0.1, 0.2, 0.7}), counts = bincount(Categorical(probs).sample({50000}), {}, 3);
    check_close(counts.to(kDouble) / 50000, probs, 0, 0.01, "frequencies");
    check_close(OneHotCategorical(probs).sample({50000}).mean(0), probs, 0, 0.01, "one-hot frequencies");
    check_close(Categorical(probs).cdf(tensor({0, 1, 2})), wide({0.1, 0.3, 1.}), 1e-12, 0, "cdf");
    Generator a(kCPU), b(kCPU);
    a.manual_seed(3);
    b.manual_seed(3);
    BOOST_CHECK(equal(d.sample({5}, a), d.sample({5}, b)));
    BOOST_CHECK(!equal(d.sample({5}, a), d.sample({5})));
}

BOOST_AUTO_TEST_CASE(shapes) {
    const Categorical d = Categorical::from_logits(randn({2, 3, 4}));
    BOOST_TEST(d.sample().sizes() == IntArrayRef({2, 3}));
    BOOST_TEST(d.sample({5, 1}).sizes() == IntArrayRef({5, 1, 2, 3}));
    BOOST_TEST(d.sample({0}).sizes() == IntArrayRef({0, 2, 3}));
    BOOST_TEST(d.log_prob(tensor(1)).sizes() == IntArrayRef({2, 3}));
    BOOST_TEST(d.log_prob(d.sample({5})).sizes() == IntArrayRef({5, 2, 3}));
    BOOST_TEST(d.enumerate_support().sizes() == IntArrayRef({4, 2, 3}));
    BOOST_TEST(d.log_prob(d.enumerate_support(false)).sizes() == IntArrayRef({4, 2, 3}));
    BOOST_TEST(d.log_prob(d.enumerate_support()).exp().sum().item<double>() == 6, boost::test_tools::tolerance(1e-5));
    const OneHotCategorical one_hot = OneHotCategorical::from_logits(randn({2, 4}), {}, kLong);
    BOOST_CHECK(one_hot.sample({3}).scalar_type() == kLong);
    BOOST_TEST(one_hot.log_prob(one_hot.sample({3})).sizes() == IntArrayRef({3, 2}));
    BOOST_CHECK_THROW(one_hot.rsample(), TypeError);
    const Tensor logits = randn({4}).requires_grad_();
    const Tensor straight = OneHotCategorical::from_logits(logits).rsample();
    BOOST_TEST(straight.sum().item<double>() == 1, boost::test_tools::tolerance(1e-6));
    (straight * arange(4, TensorOptions(kFloat))).sum().backward();
    BOOST_CHECK(logits.grad().abs().sum().item<double>() > 0);
    const TanhNormal t(zeros({2, 3}), ones({3}), TanhNormalOptions().event_dims(2));
    BOOST_TEST(t.rsample({7}).sizes() == IntArrayRef({7, 2, 3}));
    BOOST_TEST(t.sample_and_log_prob({7}).second.sizes() == IntArrayRef({7}));
    BOOST_TEST(Delta(zeros({2, 3})).log_prob(zeros({5, 2, 3})).sizes() == IntArrayRef({5, 2}));
    BOOST_CHECK(Delta(zeros({2, 3})).log_prob(zeros({2, 3})).equal(full({2}, inf)));
    BOOST_TEST(Normal(zeros({3}), 1.0).str() == "Normal(loc: torch.Size([3]), scale: torch.Size([3]))");
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
    const std::string scale = message([] { Normal(zeros({3}), tensor({1.f, -1.f, 0.f})); });
    BOOST_TEST(scale == "Normal: scale (shape [3]) has 2 elements that are not greater than 0, the first is -1");
    BOOST_CHECK_THROW(Normal(tensor(NAN), 1.0), ValueError);
    BOOST_TEST(message([] { Normal(Tensor(), 1.0); }) == "Normal: loc is undefined");
    BOOST_TEST(message([] { TanhNormal(Tensor(), 1.0); }) == "TanhNormal: loc is undefined");
    BOOST_CHECK_THROW(Normal(zeros({3}), zeros({2})), ValueError);
    BOOST_CHECK_THROW(Normal(zeros({3}, kLong), 1.0), TypeError);
    BOOST_CHECK_THROW(Categorical(Tensor(), Tensor()), ValueError);
    BOOST_CHECK_THROW(Categorical(ones({2}), ones({2})), ValueError);
    BOOST_CHECK_THROW(Categorical(tensor({0.5f, -0.5f})), ValueError);
    BOOST_CHECK_THROW(Categorical(zeros({3})), ValueError);
    BOOST_CHECK_THROW(Categorical::from_logits(wide({-inf, -inf})), ValueError);
    BOOST_CHECK_THROW(Categorical::from_logits(wide({inf, 0.})), ValueError);
    BOOST_CHECK_THROW(Categorical::from_logits(wide(1.f)), ValueError);
    BOOST_CHECK_THROW(Bernoulli(tensor(1.5f)), ValueError);
    BOOST_CHECK_THROW(TanhNormal(zeros({2}), 1.0, TanhNormalOptions().low(wide(1.f))), ValueError);
    BOOST_CHECK_THROW(TanhNormal(zeros({2}), 1.0, TanhNormalOptions().event_dims(2)), ValueError);
    BOOST_CHECK_THROW(Independent(Normal(zeros({2}), 1.0), 2), ValueError);
    const Categorical d(ones({2, 3}));
    const std::string outside = message([&] { d.log_prob(tensor({0, 3})); });
    BOOST_TEST(outside.find("Categorical.log_prob: 1 of 2 values (shape [2]") == 0u, outside);
    BOOST_CHECK_THROW(d.log_prob(zeros({3}, kLong)), ValueError);
    BOOST_CHECK_THROW(TanhNormal(zeros({2}), 1.0).log_prob(tensor({0.f, 1.5f})), ValueError);
    BOOST_CHECK_THROW(OneHotCategorical(ones({3})).log_prob(tensor({1.f, 1.f, 0.f})), ValueError);
    BOOST_CHECK_THROW(OneHotCategorical(ones({3})).log_prob(tensor({1.f, 0.f})), ValueError);
    BOOST_CHECK_THROW(TanhNormal(zeros({2}), 1.0).entropy(), NotImplementedError);
    BOOST_CHECK_THROW(d.mean(), NotImplementedError);
    BOOST_CHECK_THROW(d.rsample(), NotImplementedError);
    Distribution::set_default_validate_args(false);
    BOOST_CHECK_NO_THROW(Normal(zeros({1}), -1.0));
    Distribution::set_default_validate_args(true);
    BOOST_CHECK_NO_THROW(Normal(zeros({1}), -1.0 * ones({1}), false));
}

BOOST_AUTO_TEST_SUITE_END()
