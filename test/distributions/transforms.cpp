// Transforms against their own Jacobians, and what distributions become under them.
#include <reel/distributions/transformed_distribution.hpp>

#include "reference_cases.hpp"

#include <reel/autograd/backward.hpp>
#include <reel/autograd/functional.hpp>
#include <reel/autograd/gradcheck.hpp>
#include <reel/autograd/random.hpp>
#include <reel/distributions/half_normal.hpp>
#include <reel/distributions/independent.hpp>
#include <reel/distributions/log_normal.hpp>
#include <reel/distributions/normal.hpp>
#include <reel/distributions/uniform.hpp>

using namespace reel;
using namespace reel::testing;
using namespace reel::distributions;

namespace {
double at(const Tensor& t, std::int64_t i = 0) { return t.detach().flatten()[i].item<double>(); }
template <class T, class... A> TransformPtr make(A&&... a) { return std::make_shared<const T>(std::forward<A>(a)...); }
std::vector<TransformPtr> all() {
    return {make<AffineTransform>(1.0, -2.0),
            make<ExpTransform>(),
            make<PowerTransform>(-1.5),
            make<SigmoidTransform>(),
            make<TanhTransform>(),
            make<SoftplusTransform>(),
            make<InverseTransform>(make<SoftplusTransform>()),
            make<ComposeTransform>(std::vector{make<AffineTransform>(0.5, 2.0), make<ExpTransform>()})};
}
bool within(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); }
} // namespace

BOOST_AUTO_TEST_SUITE(distributions_transforms)

BOOST_AUTO_TEST_CASE(slopes_and_inverses) {
    for (const TransformPtr& f : all()) {
        const Tensor x = tensor({0.1, 0.7, 1.9}, kDouble).requires_grad_();
        const Tensor y = (*f)(x);
        y.sum().backward();
        check_close(f->log_abs_det_jacobian(x, y), x.grad().abs().log(), 1e-12, 1e-12, f->name());
        check_close(f->inverse(y), x, 1e-12, 1e-12, std::string(f->name()) + " inverse");
        BOOST_REQUIRE(f->sign());
        BOOST_TEST((*f->sign() > 0) == (at(x.grad()) > 0), f->name());
    }
}

BOOST_AUTO_TEST_CASE(a_broken_stick) {
    const StickBreakingTransform f;
    const Tensor x = tensor({0.3, -1.0, 2.0}, kDouble);
    const Tensor y = f(x);
    BOOST_TEST(y.size(0) == 4);
    BOOST_CHECK(within(at(y.sum()), 1));
    check_close(f.inverse(y), x, 1e-11, 1e-12, "inverse");
    // the determinant of the map to the first three pieces
    const Tensor jacobian = autograd::functional::jacobian([&](const Tensor& t) { return f(t).slice(0, 0, 3); }, x);
    check_close(f.log_abs_det_jacobian(x, y), std::get<1>(linalg::slogdet(jacobian)), 1e-11, 0, "determinant");
    check_close(f(zeros({4}, kDouble)), full({5}, 0.2, kDouble), 1e-14, 0, "zeros give even pieces");
}

BOOST_AUTO_TEST_CASE(exp_of_a_normal_is_log_normal) {
    const Tensor loc = tensor({0.5, -1.0}, kDouble), scale = tensor({0.7, 2.0}, kDouble);
    const TransformedDistribution d(std::make_shared<Normal>(loc, scale), make<ExpTransform>());
    const LogNormal known(loc, scale);
    const Tensor value = tensor({0.3, 4.0}, kDouble);
    check_close(d.log_prob(value), known.log_prob(value), 1e-13, 0, "log_prob");
    check_close(d.cdf(value), known.cdf(value), 1e-13, 0, "cdf");
    check_close(d.icdf(tensor({0.1, 0.9}, kDouble)), known.icdf(tensor({0.1, 0.9}, kDouble)), 1e-13, 0, "icdf");
    manual_seed(2);
    const Tensor draw = d.rsample({3});
    manual_seed(2);
    check_close(draw, known.rsample({3}), 0, 0, "rsample");
    BOOST_CHECK(d.has_rsample() && !d.has_entropy());
}

BOOST_AUTO_TEST_CASE(a_falling_map_turns_the_cdf_over) {
    const TransformedDistribution d(std::make_shared<Uniform>(zeros({}, kDouble), ones({}, kDouble)),
                                    make<AffineTransform>(1.0, -1.0)); // 1 - u is uniform, too
    check_close(d.cdf(full({}, 0.3, kDouble)), full({}, 0.3, kDouble), 1e-14, 0, "cdf");
    check_close(d.icdf(full({}, 0.3, kDouble)), full({}, 0.3, kDouble), 1e-14, 0, "icdf");
}

BOOST_AUTO_TEST_CASE(events_and_gradients) {
    const Tensor loc = tensor({{0.5, -1.0, 0.1}, {0.0, 0.2, 0.3}}, kDouble).requires_grad_();
    const auto dist = [](const Tensor& l) {
        return TransformedDistribution(std::make_shared<Normal>(l, 1.0), make<StickBreakingTransform>());
    };
    BOOST_CHECK((dist(loc).batch_shape() == std::vector<std::int64_t>{2}));
    BOOST_CHECK((dist(loc).event_shape() == std::vector<std::int64_t>{4}));
    manual_seed(5);
    const Tensor value = dist(loc).sample();
    const auto log_prob = [&](const std::vector<Tensor>& x) -> std::vector<Tensor> {
        return {dist(x[0]).log_prob(value)};
    };
    BOOST_CHECK(autograd::gradcheck(log_prob, {loc}));
    const auto [draw, score] = dist(loc).rsample_and_log_prob();
    check_close(score, dist(loc).log_prob(draw), 1e-10, 1e-10, "log_prob of the draw");
    // an elementwise map over an event sums its stretch
    const TransformedDistribution whole(std::make_shared<Independent>(Normal(loc, 1.0), 1), make<ExpTransform>());
    check_close(whole.log_prob(loc.exp()), LogNormal(loc, 1.0).log_prob(loc.exp()).sum(-1), 1e-12, 0, "independent");
}

BOOST_AUTO_TEST_CASE(divergences_and_refusals) {
    const TransformPtr exp = make<ExpTransform>();
    const auto normal = [](double m) { return std::make_shared<Normal>(full({}, m, kDouble), 1.0); };
    const TransformedDistribution p(normal(0), exp), q(normal(1), exp), other(normal(0), make<ExpTransform>());
    BOOST_TEST(at(kl_divergence(p, q)) == 0.5); // that of the normals
    const auto says = [](std::string text) { return [text](const Error& e) { return e.msg() == text; }; };
    BOOST_CHECK_EXCEPTION(kl_divergence(p, other), NotImplementedError,
                          says("kl_divergence: TransformedDistribution of two transforms has no closed form; expected "
                               "both to share one"));
    BOOST_CHECK_EXCEPTION(p.entropy(), NotImplementedError,
                          says("TransformedDistribution: entropy is not defined; use -log_prob of samples"));
    BOOST_CHECK_EXCEPTION(TransformedDistribution(normal(0), make<StickBreakingTransform>()), ValueError,
                          says("TransformedDistribution: StickBreakingTransform acts on 1 dimensions, but the base "
                               "distribution Normal has "
                               "the shape []"));
    BOOST_CHECK_EXCEPTION(
        AffineTransform(0.0, 0.0), ValueError,
        says("AffineTransform: scale (shape []) has 1 element that is not different from 0, the first "
             "is 0"));
    BOOST_CHECK_EXCEPTION(p.log_prob(full({}, -1.0, kDouble)), ValueError,
                          says("TransformedDistribution.log_prob: 1 of 1 values (shape [], Double) lie outside of the "
                               "support"));
}

BOOST_AUTO_TEST_SUITE_END()
