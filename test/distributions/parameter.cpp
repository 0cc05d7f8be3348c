// Parameters of distributions: tensors, numbers and nothing, by position and by name.
#include <reel/distributions/parameter.hpp>

#include "reference_cases.hpp"

#include <reel/autograd/backward.hpp>
#include <reel/autograd/random.hpp>
#include <reel/distributions.hpp>
#include <reel/nn/parameter.hpp>

using namespace reel;
using namespace reel::testing;
using namespace reel::distributions;

namespace {
auto says(std::string text) {
    return [text = std::move(text)](const Error& e) {
        BOOST_TEST(e.msg() == text);
        return e.msg() == text;
    };
}
double at(const Tensor& t, std::int64_t i = 0) { return t.detach().flatten()[i].item<double>(); }
void check_same(const Distribution& a, const Distribution& b, const Tensor& value) {
    check_close(a.log_prob(value), b.log_prob(value), 1e-12, 1e-13, a.str());
    manual_seed(3);
    const Tensor draw = a.sample({4});
    manual_seed(3);
    check_close(draw, b.sample({4}), 0, 0, a.str() + " sample");
}
} // namespace

BOOST_AUTO_TEST_SUITE(distributions_parameter)

BOOST_AUTO_TEST_CASE(numbers_and_tensors) {
    const Tensor half = full({}, 0.5, kDouble);
    BOOST_TEST(!Parameter().defined());
    BOOST_TEST(!Parameter(std::nullopt).defined());
    BOOST_TEST(!Parameter(Tensor()).defined());
    BOOST_TEST(!Parameter(std::optional<Tensor>()).defined());
    BOOST_TEST(Parameter(0).is_number());
    BOOST_CHECK(Parameter(3).tensor().scalar_type() == kFloat);
    BOOST_CHECK(Parameter(3).tensor(half).scalar_type() == kDouble);
    BOOST_CHECK(Parameter(half).tensor().is_same(half));
    BOOST_CHECK(Parameter(nn::Parameter(half)).tensor().requires_grad());
    static_assert(!std::is_convertible_v<bool, Parameter>, "a switch is no parameter");
    static_assert(!std::is_convertible_v<const char*, Parameter>);
}

BOOST_AUTO_TEST_CASE(numbers_take_dtype_and_shape_of_the_tensors_beside_them) {
    const Tensor three = tensor({0.5, 1.0, 2.0}, kDouble);
    const Normal a(0, three), b(three, 2), c(0.5, 2.0), d(0.5f, 2);
    BOOST_CHECK(a.loc().scalar_type() == kDouble && b.scale().scalar_type() == kDouble);
    BOOST_TEST(a.batch_shape() == Distribution::Sizes{3});
    BOOST_TEST(c.batch_shape().empty());
    BOOST_CHECK(c.loc().scalar_type() == kFloat && c.sample().scalar_type() == kFloat);
    BOOST_TEST(at(Normal(three, 0.1).scale()) == 0.1); // not a float's tenth
    BOOST_TEST(c.str() == d.str());
    const Tensor leaf = three.clone().requires_grad_();
    Normal(0, leaf).log_prob(full({3}, 0.25, kDouble)).sum().backward();
    BOOST_TEST(at(leaf.grad()) == 0.0625 / 0.125 - 2, boost::test_tools::tolerance(1e-12));
    set_default_dtype(kDouble);
    const Normal e(0.1, 1);
    set_default_dtype(kFloat);
    BOOST_TEST(at(e.loc()) == 0.1);
}

BOOST_AUTO_TEST_CASE(all_families_take_numbers) {
    const Tensor half = full({}, 0.5, kDouble), two = full({}, 2.0, kDouble), value = full({}, 0.25, kDouble),
                 none = zeros({}, kDouble), one = ones({}, kDouble);
    check_same(Normal(half, 2), Normal(half, two), value);
    check_same(Laplace(half, 2), Laplace(half, two), value);
    check_same(Cauchy(0.5, two), Cauchy(half, two), value);
    check_same(Gumbel(0.5, two), Gumbel(half, two), value);
    check_same(LogNormal(0.5, two), LogNormal(half, two), value);
    check_same(Uniform(none, 2), Uniform(none, two), value);
    check_same(Gamma(0.5, two), Gamma(half, two), value);
    check_same(InverseGamma(0.5, two), InverseGamma(half, two), value);
    check_same(Beta(half, 2), Beta(half, two), value);
    check_same(Kumaraswamy(0.5, two), Kumaraswamy(half, two), value);
    check_same(Pareto(none + 0.125, 2), Pareto(none + 0.125, two), value);
    check_same(Weibull(0.5, two), Weibull(half, two), value);
    check_same(FisherSnedecor(0.5, two), FisherSnedecor(half, two), value);
    check_same(VonMises(0.5, two), VonMises(half, two), value);
    check_same(StudentT(half), StudentT(half, none, one), value);
    check_same(StudentT(half, 0, 2), StudentT(half, none, two), value);
    check_same(Binomial(3, half), Binomial(full({}, 3, kDouble), half), one);
    check_same(Binomial(full({}, 3, kLong), half), Binomial(full({}, 3, kDouble), half), one);
    check_same(NegativeBinomial(2, half), NegativeBinomial(two, half), one);
    check_same(RelaxedBernoulli(2, half), RelaxedBernoulli(two, half), value);
    check_same(TanhNormal(0.5, two), TanhNormal(half, two), value);
    const Tensor single = value.to(kFloat);
    check_same(Exponential(2), Exponential(two.to(kFloat)), single);
    check_same(Chi2(2), Chi2(two.to(kFloat)), single);
    check_same(HalfNormal(2), HalfNormal(two.to(kFloat)), single);
    check_same(HalfCauchy(2.), HalfCauchy(two.to(kFloat)), single);
    check_same(Poisson(2), Poisson(two.to(kFloat)), one.to(kFloat));
    check_same(Bernoulli(0.5), Bernoulli(half.to(kFloat)), one.to(kFloat));
    check_same(Geometric(0.5), Geometric(half.to(kFloat)), one.to(kFloat));
    check_same(ContinuousBernoulli(0.25), ContinuousBernoulli(single), single);
    const AffineTransform mixed(half, 3);
    BOOST_TEST(at(mixed(two)) == 6.5);
    const Independent rows(Normal(0, ones({3})), 1);
    BOOST_TEST(rows.event_shape() == Distribution::Sizes{3});
    const MixtureSameFamily mixture(Categorical({.logits = zeros({2})}), Normal(tensor({-1., 1.}), 0.5));
    BOOST_TEST(at(mixture.mean()) == 0);
}

BOOST_AUTO_TEST_CASE(chances_by_position_and_by_name) {
    const Tensor logits = tensor({0.25, -1.0, 2.0}, kDouble), probs = logits.sigmoid(), rows = logits.softmax(-1),
                 one = ones({}, kDouble);
    check_same(Bernoulli({.logits = logits}), Bernoulli(probs), one);
    check_same(Bernoulli(std::nullopt, logits), Bernoulli({.probs = probs}), one);
    check_same(Geometric({.logits = logits}), Geometric(probs), one);
    check_same(ContinuousBernoulli({.logits = logits}), ContinuousBernoulli(probs), one / 2);
    check_same(Binomial(4, {.logits = logits}), Binomial(4, probs), one);
    check_same(NegativeBinomial(4, {.logits = logits}), NegativeBinomial(4, probs), one);
    check_same(Categorical({.logits = logits}), Categorical(rows), one);
    check_same(Categorical(std::nullopt, logits), Categorical({.probs = rows}), one);
    check_same(OneHotCategorical({.logits = logits}), OneHotCategorical(rows), tensor({0., 1., 0.}, kDouble));
    check_same(Multinomial(1, {.logits = logits}), Multinomial(1, rows), tensor({0., 1., 0.}, kDouble));
    check_same(RelaxedBernoulli(0.5, {.logits = logits}), RelaxedBernoulli(0.5, probs), one / 2);
    check_same(RelaxedOneHotCategorical(0.5, {.logits = logits}), RelaxedOneHotCategorical(0.5, rows),
               tensor({0.25, 0.25, 0.5}, kDouble));
    BOOST_CHECK_NO_THROW(Bernoulli({.probs = 2.0, .validate_args = false}));
}

BOOST_AUTO_TEST_CASE(refusals) {
    BOOST_CHECK_EXCEPTION(Bernoulli(std::nullopt), ValueError,
                          says("Bernoulli: expected either probs or logits, got neither"));
    BOOST_CHECK_EXCEPTION(Bernoulli(0.5, 0.5), ValueError,
                          says("Bernoulli: expected either probs or logits, got both"));
    BOOST_CHECK_EXCEPTION(
        Bernoulli(1.5), ValueError,
        says("Bernoulli: probs (shape []) has 1 element that is not within [0, 1], the first is 1.5"));
    BOOST_CHECK_EXCEPTION(Normal(0, {}), ValueError, says("Normal: scale is undefined"));
    BOOST_CHECK_EXCEPTION(Normal(0, -1), ValueError,
                          says("Normal: scale (shape []) has 1 element that is not greater than 0, the first is -1"));
    BOOST_CHECK_EXCEPTION(Normal(tensor({1, 2}), 1), TypeError, says("Normal: loc must be floating, got Long"));
    BOOST_CHECK_EXCEPTION(Categorical(0.5), ValueError,
                          says("Categorical: probs needs a last dimension that counts the categories, got shape []"));
    BOOST_CHECK_EXCEPTION(StudentT(ones({2}), zeros({3})), ValueError,
                          says("StudentT: df and loc have shapes [2] and [3], which cannot be broadcast"));
}

BOOST_AUTO_TEST_SUITE_END()
