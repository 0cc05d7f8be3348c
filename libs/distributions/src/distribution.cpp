#include <reel/distributions/distribution.hpp>

#include <atomic>
#include <ostream>

#include "support.hpp"

namespace reel::distributions {

namespace {
std::atomic<bool> validate_by_default{true};
}

Distribution::~Distribution() = default;
void Distribution::set_default_validate_args(bool on) noexcept { validate_by_default = on; }
bool Distribution::default_validate_args() noexcept { return validate_by_default; }

void Distribution::not_known(const char* what, const char* instead) const {
    if (instead) REEL_THROW(NotImplementedError, name(), ": ", what, " is not defined; use ", instead);
    REEL_THROW(NotImplementedError, name(), ": ", what, " is not defined");
}
Distribution::Sizes Distribution::extended_shape(IntArrayRef sample_shape) const {
    Sizes r;
    r.reserve(sample_shape.size() + batch_shape_.size() + event_shape_.size());
    for (const std::int64_t n : sample_shape) {
        REEL_CHECK_VALUE(n >= 0, name(), ": sample_shape ", sample_shape, " has a negative size");
        r.push_back(n);
    }
    r.insert(r.end(), batch_shape_.begin(), batch_shape_.end());
    r.insert(r.end(), event_shape_.begin(), event_shape_.end());
    return r;
}

Tensor Distribution::sample(IntArrayRef sample_shape, const Generator& generator) const {
    const NoGradGuard no_grad;
    return draw(sample_shape, generator);
}
Tensor Distribution::rsample(IntArrayRef sample_shape, const Generator& generator) const {
    return rdraw(sample_shape, generator);
}
Tensor Distribution::rdraw(IntArrayRef, const Generator&) const { not_known("rsample", "sample"); }
std::pair<Tensor, Tensor> Distribution::sample_and_log_prob(IntArrayRef sample_shape,
                                                            const Generator& generator) const {
    Tensor value = sample(sample_shape, generator);
    Tensor log_p = log_density(value);
    return {std::move(value), std::move(log_p)};
}
std::pair<Tensor, Tensor> Distribution::rsample_and_log_prob(IntArrayRef sample_shape,
                                                             const Generator& generator) const {
    Tensor value = rsample(sample_shape, generator);
    Tensor log_p = log_density(value);
    return {std::move(value), std::move(log_p)};
}
Tensor Distribution::log_prob(const Tensor& value) const {
    check_value(value);
    return log_density(value);
}
void Distribution::check_value(const Tensor& value) const {
    REEL_CHECK_VALUE(value.defined(), name(), ".log_prob: the value is undefined");
    const std::int64_t n = std::int64_t(event_shape_.size());
    bool fits = value.dim() >= n;
    for (std::int64_t i = 1; fits && i <= n; ++i) {
        const std::int64_t size = value.size(-i);
        fits = size == event_shape_[std::size_t(n - i)];
    }
    REEL_CHECK_VALUE(fits, name(), ".log_prob: the value has shape ", value.sizes(), ", expected one that ends with ",
                     IntArrayRef(event_shape_), ", the event");
    detail::broadcast_sizes(name(), value.sizes(), extended_shape({}));
    if (!validate_args_) return;
    const NoGradGuard no_grad;
    const Tensor inside = in_support(value);
    if (inside.all().item<bool>()) return;
    REEL_THROW(ValueError, name(), ".log_prob: ", inside.logical_not().sum().item<std::int64_t>(), " of ",
               inside.numel(), " values (shape ", value.sizes(), ", ", value.scalar_type(),
               ") lie outside of the support");
}

Tensor Distribution::entropy() const { not_known("entropy", "-log_prob of samples"); }
Tensor Distribution::mean() const { not_known("the mean"); }
Tensor Distribution::mode() const { not_known("the mode"); }
Tensor Distribution::variance() const { not_known("the variance"); }
Tensor Distribution::stddev() const { return variance().sqrt(); }
Tensor Distribution::cdf(const Tensor&) const { not_known("the cumulative distribution function"); }
Tensor Distribution::icdf(const Tensor&) const { not_known("the inverse cumulative distribution function"); }
Tensor Distribution::enumerate_support(bool) const { not_known("a list of all values"); }
Tensor Distribution::divergence(const Distribution&) const { not_known("kl_divergence"); }
Tensor Distribution::perplexity() const { return entropy().exp(); }

std::string Distribution::str() const {
    std::string r = std::string(name()) + "(";
    bool first = true;
    for (const auto& [parameter, value] : parameters()) {
        if (!first) r += ", ";
        first = false;
        if (value.dim() == 0) r += reel::str(parameter, ": ", value.item<double>());
        else r += reel::str(parameter, ": torch.Size(", value.sizes(), ")");
    }
    return r + ")";
}
std::ostream& operator<<(std::ostream& os, const Distribution& d) { return os << d.str(); }

} // namespace reel::distributions
