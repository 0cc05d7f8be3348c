#include <reel/rl/modules/probabilistic.hpp>

namespace reel::rl {

ProbabilisticTensorDictModuleImpl::ProbabilisticTensorDictModuleImpl(std::vector<NestedKey> in_keys,
                                                                     std::vector<NestedKey> out_keys,
                                                                     DistributionClass distribution,
                                                                     const ProbabilisticOptions& o)
    : options(o), distribution_(std::move(distribution)), log_prob_key_("_") {
    REEL_CHECK_VALUE(!in_keys.empty(), "ProbabilisticTensorDictModule: expected the distribution's parameters as "
                                       "in_keys, got none");
    REEL_CHECK_VALUE(out_keys.size() == 1, "ProbabilisticTensorDictModule: expected one out_key, got ",
                     out_keys.size());
    REEL_CHECK_VALUE(distribution_.make, "ProbabilisticTensorDictModule: the distribution class is empty");
    const NestedKey& out = out_keys[0];
    log_prob_key_ = o.log_prob_key().value_or(out.with_back(out.back() + "_log_prob"));
    in_keys_ = std::move(in_keys);
    out_keys_ = std::move(out_keys);
    if (o.return_log_prob()) out_keys_.push_back(log_prob_key_);
}

DistributionPtr ProbabilisticTensorDictModuleImpl::get_dist(TensorDict tensordict) {
    DistributionParameters parameters;
    for (const NestedKey& key : in_keys_) parameters.insert(key.back(), tensordict[key]);
    return distribution_.make(parameters);
}

namespace {
Tensor mean_of(const distributions::Distribution& d, std::int64_t draws) {
    try {
        return d.mean();
    } catch (const NotImplementedError&) {
        if (d.has_rsample()) return d.rsample({draws}).mean(0);
        const Tensor drawn = d.sample({draws});
        if (!drawn.is_floating_point()) throw; // there is no mean of numbers that name things
        return drawn.mean(0);
    }
}
} // namespace

TensorDict ProbabilisticTensorDictModuleImpl::forward(TensorDict tensordict) {
    const DistributionPtr dist = get_dist(tensordict);
    const ExplorationType type = exploration_type().value_or(options.default_interaction_type());
    Tensor value, log_p;
    if (type == ExplorationType::RANDOM) {
        if (options.return_log_prob())
            std::tie(value, log_p) = dist->has_rsample() ? dist->rsample_and_log_prob() : dist->sample_and_log_prob();
        else value = dist->has_rsample() ? dist->rsample() : dist->sample();
    } else {
        if (type == ExplorationType::MODE) value = dist->mode();
        else if (type == ExplorationType::MEAN) value = mean_of(*dist, options.n_empirical_estimate());
        else value = dist->deterministic_sample();
        if (options.return_log_prob()) log_p = dist->log_prob(value);
    }
    tensordict.set(out_keys_[0], value);
    if (log_p.defined()) tensordict.set(log_prob_key_, log_p);
    return tensordict;
}
Tensor ProbabilisticTensorDictModuleImpl::log_prob(const TensorDict& tensordict) {
    return get_dist(tensordict)->log_prob(tensordict[out_keys_[0]]);
}
std::string ProbabilisticTensorDictModuleImpl::repr() const {
    return repr_of("ProbabilisticTensorDictModule",
                   {keys_text(), "distribution_class=" + distribution_.name,
                    str("default_interaction_type=", options.default_interaction_type())});
}

} // namespace reel::rl
