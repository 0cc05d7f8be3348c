// Divergences: what a class knows of itself, and what is known of two.
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/distributions/bernoulli.hpp>
#include <reel/distributions/cauchy.hpp>
#include <reel/distributions/exponential.hpp>
#include <reel/distributions/gamma.hpp>
#include <reel/distributions/laplace.hpp>
#include <reel/distributions/normal.hpp>
#include <reel/distributions/poisson.hpp>
#include <reel/distributions/uniform.hpp>

#include <map>
#include <mutex>
#include <numbers>
#include <shared_mutex>
#include <typeindex>

#include "support.hpp"

namespace reel::distributions {

namespace {

using Key = std::pair<std::type_index, std::type_index>;
struct Table {
    std::shared_mutex mutex;
    std::map<Key, detail::Divergence> divergences;
    Table();
    template <class P, class Q, class F> void add(F f) {
        divergences[{typeid(P), typeid(Q)}] = [f](const Distribution& p, const Distribution& q) -> Tensor {
            return f(static_cast<const P&>(p), static_cast<const Q&>(q));
        };
    }
};
Table& table() {
    static Table t;
    return t;
}

const double half_log_two_pi = 0.5 * std::log(2 * std::numbers::pi);

/// E_p[-log of a Normal] from p's mean and variance.
Tensor cross_entropy(const Tensor& mean, const Tensor& variance, const Normal& q) {
    return (variance + (mean - q.loc()).square()) / (2 * q.scale().square()) + q.scale().log() + half_log_two_pi;
}
/// E_p[-log of an Exponential].
Tensor cross_entropy(const Tensor& mean, const Exponential& q) { return q.rate() * mean - q.rate().log(); }
/// E_p[-log of a Gamma] for an exponential p: its log has the mean -log rate - gamma.
Tensor cross_entropy(const Exponential& p, const Gamma& q) {
    const Tensor& c = q.concentration();
    const Tensor mean_log = -p.rate().log() - std::numbers::egamma;
    return c.lgamma() - c * q.rate().log() - (c - 1) * mean_log + q.rate() / p.rate();
}

// What has a closed form is E_p[-log q] minus the entropy of p; infinite where p goes where q cannot.
Table::Table() {
    add<Bernoulli, Poisson>(
        [](const Bernoulli& p, const Poisson& q) { return q.rate() - p.mean() * q.rate().log() - p.entropy(); });
    add<Exponential, Normal>(
        [](const Exponential& p, const Normal& q) { return cross_entropy(p.mean(), p.variance(), q) - p.entropy(); });
    add<Gamma, Normal>(
        [](const Gamma& p, const Normal& q) { return cross_entropy(p.mean(), p.variance(), q) - p.entropy(); });
    add<Laplace, Normal>(
        [](const Laplace& p, const Normal& q) { return cross_entropy(p.mean(), p.variance(), q) - p.entropy(); });
    add<Uniform, Normal>(
        [](const Uniform& p, const Normal& q) { return cross_entropy(p.mean(), p.variance(), q) - p.entropy(); });
    add<Gamma, Exponential>(
        [](const Gamma& p, const Exponential& q) { return cross_entropy(p.mean(), q) - p.entropy(); });
    add<Exponential, Gamma>([](const Exponential& p, const Gamma& q) { return cross_entropy(p, q) - p.entropy(); });
    add<Normal, Laplace>([](const Normal& p, const Laplace& q) {
        // the mean distance of a normal from q's centre
        const Tensor z = (p.loc() - q.loc()) / p.scale();
        const Tensor distance =
            p.scale() * (2 * (z.square() * -0.5 - half_log_two_pi).exp() + z * (z / std::numbers::sqrt2).erf());
        return (2 * q.scale()).log() + distance / q.scale() - p.entropy();
    });
    add<Uniform, Exponential>([](const Uniform& p, const Exponential& q) {
        return (cross_entropy(p.mean(), q) - p.entropy()).masked_fill(p.low() < 0, INFINITY);
    });
    const auto never = [](const Distribution& p, const Distribution& q) {
        const Tensor mean = p.mean() + q.mean();
        return full_like(mean, INFINITY);
    };
    add<Normal, Exponential>(never);
    add<Normal, Gamma>(never);
    add<Normal, Uniform>(never);
    add<Laplace, Exponential>(never);
    add<Laplace, Gamma>(never);
    add<Laplace, Uniform>(never);
    add<Exponential, Uniform>(never);
    add<Gamma, Uniform>(never);
    add<Poisson, Bernoulli>(never);
}

} // namespace

void detail::register_kl(const std::type_info& p, const std::type_info& q, Divergence divergence) {
    Table& t = table();
    const std::unique_lock lock(t.mutex);
    t.divergences[{p, q}] = std::move(divergence);
}

Tensor kl_divergence(const Distribution& p, const Distribution& q) {
    Table& t = table();
    detail::Divergence told;
    {
        const std::shared_lock lock(t.mutex);
        if (const auto found = t.divergences.find({typeid(p), typeid(q)}); found != t.divergences.end())
            told = found->second;
    }
    REEL_CHECK_NOT_IMPLEMENTED(told || typeid(p) == typeid(q), "kl_divergence: no formula for ", p.name(), " and ",
                               q.name(), "; register_kl tells one");
    REEL_CHECK_VALUE(p.event_shape() == q.event_shape(), "kl_divergence: the events of ", p.name(), " and ", q.name(),
                     " have the shapes ", IntArrayRef(p.event_shape()), " and ", IntArrayRef(q.event_shape()));
    return told ? told(p, q) : p.divergence(q);
}

} // namespace reel::distributions
