// Distributions by the names of their parameters.
#include <reel/rl/modules/probabilistic.hpp>

namespace reel::rl {

using namespace distributions;

namespace {

/// The parameters by the names that a class takes; KeyError for any other name, and unless `count` of them came.
std::vector<Tensor> take(const char* name, const DistributionParameters& given,
                         const std::vector<const char*>& accepted, std::size_t count) {
    std::vector<Tensor> r(accepted.size());
    std::string names;
    for (const char* one : accepted) names += (names.empty() ? "'" : ", '") + std::string(one) + "'";
    for (const auto& item : given) {
        std::size_t i = 0;
        while (i < accepted.size() && item.key() != accepted[i]) ++i;
        REEL_CHECK_WITH(KeyError, i < accepted.size(), name, ": there is no parameter '", item.key(), "'; expected ",
                        names);
        r[i] = *item;
    }
    REEL_CHECK_WITH(KeyError, given.size() == count, name, ": expected ", count, " of the parameters ", names, ", got ",
                    given.size());
    return r;
}
template <class D> DistributionPtr independent(D base, std::optional<std::int64_t> event_dims) {
    const std::int64_t n = event_dims.value_or(std::min<std::int64_t>(1, std::int64_t(base.batch_shape().size())));
    if (n == 0) return std::make_shared<const D>(std::move(base));
    return std::make_shared<const Independent>(std::move(base), n);
}
DistributionClass normal_class(std::optional<std::int64_t> event_dims) {
    return {"Normal", [event_dims](const DistributionParameters& given) {
                const auto p = take("Normal", given, {"loc", "scale"}, 2);
                return independent(Normal(p[0], p[1]), event_dims);
            }};
}
DistributionClass bernoulli_class(std::optional<std::int64_t> event_dims) {
    return {"Bernoulli", [event_dims](const DistributionParameters& given) {
                const auto p = take("Bernoulli", given, {"probs", "logits"}, 1);
                return independent(Bernoulli(p[0], p[1]), event_dims);
            }};
}

} // namespace

template <> DistributionClass distribution_class<Categorical>() {
    return {"Categorical", [](const DistributionParameters& given) -> DistributionPtr {
                const auto p = take("Categorical", given, {"probs", "logits"}, 1);
                return std::make_shared<const Categorical>(p[0], p[1]);
            }};
}
template <> DistributionClass distribution_class<OneHotCategorical>() {
    return {"OneHotCategorical", [](const DistributionParameters& given) -> DistributionPtr {
                const auto p = take("OneHotCategorical", given, {"probs", "logits"}, 1);
                return std::make_shared<const OneHotCategorical>(p[0], p[1], std::nullopt, kLong);
            }};
}
template <> DistributionClass distribution_class<Normal>() { return normal_class(std::nullopt); }
template <> DistributionClass distribution_class<Normal>(std::int64_t event_dims) { return normal_class(event_dims); }
template <> DistributionClass distribution_class<Bernoulli>() { return bernoulli_class(std::nullopt); }
template <> DistributionClass distribution_class<Bernoulli>(std::int64_t event_dims) {
    return bernoulli_class(event_dims);
}
template <> DistributionClass distribution_class<Delta>() {
    return {"Delta", [](const DistributionParameters& given) -> DistributionPtr {
                return std::make_shared<const Delta>(take("Delta", given, {"param"}, 1)[0]);
            }};
}
template <> DistributionClass distribution_class<TanhNormal>(const TanhNormalOptions& options) {
    return {"TanhNormal", [options](const DistributionParameters& given) -> DistributionPtr {
                const auto p = take("TanhNormal", given, {"loc", "scale"}, 2);
                return std::make_shared<const TanhNormal>(p[0], p[1], options);
            }};
}
template <> DistributionClass distribution_class<TanhNormal>() {
    return distribution_class<TanhNormal>(TanhNormalOptions());
}

} // namespace reel::rl
