// What all probability distributions over tensors offer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <reel/autograd/tensor.hpp>

namespace reel::distributions {

class Distribution;
/// Distributions do not change: whoever holds one may share it.
using DistributionPtr = std::shared_ptr<const Distribution>;

/// A probability distribution per element of `batch_shape`, each over tensors of `event_shape`. Samples have the shape
/// sample_shape + batch_shape + event_shape, log-probabilities that without the event's.
///
/// Values and random streams are those of PyTorch's `torch.distributions`; where its formulas lose digits or are
/// undefined although the true value is not (tiny scales, probabilities of zero, infinite logits), the true value
/// comes. Gradients reach the parameters that a distribution was made from.
///
/// With `validate_args` (the default is `default_validate_args`) parameters are checked when a distribution is made and
/// values when their probability is asked for: ValueError naming class and argument.
class Distribution {
public:
    using Sizes = std::vector<std::int64_t>;
    virtual ~Distribution();

    virtual const char* name() const = 0;
    const Sizes& batch_shape() const { return batch_shape_; }
    const Sizes& event_shape() const { return event_shape_; }
    bool validate_args() const { return validate_args_; }

    /// Draws without gradient; undefined `generator`: the default one.
    Tensor sample(IntArrayRef sample_shape = {}, const Generator& generator = {}) const;
    /// Draws through which gradients flow to the parameters. Error: NotImplementedError without `has_rsample`.
    Tensor rsample(IntArrayRef sample_shape = {}, const Generator& generator = {}) const;
    virtual bool has_rsample() const { return false; }
    /// A detached draw and its log-probability, which has a gradient; at least as exact as `log_prob(sample())`.
    virtual std::pair<Tensor, Tensor> sample_and_log_prob(IntArrayRef sample_shape = {},
                                                          const Generator& generator = {}) const;
    /// The same with gradients through the draw as well.
    virtual std::pair<Tensor, Tensor> rsample_and_log_prob(IntArrayRef sample_shape = {},
                                                           const Generator& generator = {}) const;
    /// Log of density or probability of `value`, which is broadcast with batch_shape + event_shape.
    Tensor log_prob(const Tensor& value) const;

    // What a class does not know is a NotImplementedError that names it.
    virtual Tensor entropy() const;
    virtual bool has_entropy() const { return true; }
    virtual Tensor mean() const;
    virtual Tensor mode() const;
    virtual Tensor variance() const;
    virtual Tensor stddev() const;                  ///< sqrt(variance()) unless the class knows better
    virtual Tensor cdf(const Tensor& value) const;  ///< probability of at most `value`
    virtual Tensor icdf(const Tensor& value) const; ///< the inverse of `cdf`
    /// What an actor does when it does not explore: the mode unless a class has something better.
    virtual Tensor deterministic_sample() const { return mode(); }
    /// All values of a discrete distribution along a new first dimension; with `expand` for the whole batch.
    virtual Tensor enumerate_support(bool expand = true) const;
    /// Where `value` lies in the support, per element of the batch.
    virtual Tensor in_support(const Tensor& value) const = 0;
    Tensor perplexity() const; ///< exp(entropy())
    /// As PyTorch prints it: `Normal(loc: torch.Size([3]), scale: torch.Size([3]))`.
    std::string str() const;

    /// For distributions that are made from now on; true when the program starts.
    static void set_default_validate_args(bool on) noexcept;
    static bool default_validate_args() noexcept;

protected:
    using Named = std::vector<std::pair<const char*, Tensor>>;
    explicit Distribution(std::optional<bool> validate_args)
        : validate_args_(validate_args.value_or(default_validate_args())) {}
    /// sample_shape + batch_shape + event_shape.
    Sizes extended_shape(IntArrayRef sample_shape) const;
    [[noreturn]] void not_known(const char* what, const char* instead = nullptr) const;
    /// ValueError unless `value` fits the shapes and the support.
    void check_value(const Tensor& value) const;
    // A class has at least one of these two; `draw` is called without gradients and is `rdraw` unless it is overridden.
    virtual Tensor draw(IntArrayRef sample_shape, const Generator& generator) const {
        return rdraw(sample_shape, generator);
    }
    virtual Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const;
    virtual Tensor log_density(const Tensor& value) const = 0;
    virtual Tensor divergence(const Distribution& q) const; ///< from one of the same class
    virtual Named parameters() const = 0;
    friend Tensor kl_divergence(const Distribution& p, const Distribution& q);
    friend class Independent;

    Sizes batch_shape_, event_shape_;
    bool validate_args_;
};

/// The Kullback-Leibler divergence of `q` from `p`, E_p[log p - log q], of the batches' common shape. For two
/// distributions of one class the class knows it, for two classes `register_kl` has been told. Errors:
/// NotImplementedError naming both classes where nobody knows, ValueError for events of two shapes.
Tensor kl_divergence(const Distribution& p, const Distribution& q);

namespace detail {
using Divergence = std::function<Tensor(const Distribution& p, const Distribution& q)>;
void register_kl(const std::type_info& p, const std::type_info& q, Divergence divergence);
} // namespace detail

/// Tells `kl_divergence` the divergence of a Q from a P: `register_kl<Normal, Laplace>([](const Normal& p, const
/// Laplace& q) { ... })`. The last one that is told counts, before what a class knows itself.
template <class P, class Q, class F> void register_kl(F divergence) {
    detail::register_kl(typeid(P), typeid(Q), [divergence](const Distribution& p, const Distribution& q) -> Tensor {
        return divergence(static_cast<const P&>(p), static_cast<const Q&>(q));
    });
}

std::ostream& operator<<(std::ostream& os, const Distribution& d);

} // namespace reel::distributions
