#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/distributions/tanh_normal.hpp>

#include <numbers>

#include <reel/autograd/function.hpp>

#include "support.hpp"

namespace reel::distributions {

namespace {

/// tanh kept within `limit`, with the slope of tanh itself: 1 - tanh^2 from the value would be zero in saturation.
struct KeptTanh : autograd::Function<KeptTanh> {
    static Tensor forward(autograd::AutogradContext* ctx, const Tensor& x, double limit) {
        ctx->save_for_backward({x});
        return x.tanh().clamp_(-limit, limit);
    }
    static autograd::variable_list backward(autograd::AutogradContext* ctx, autograd::variable_list g) {
        const Tensor decay = (ctx->get_saved_variables()[0].abs() * -2).exp();
        return {g[0] * 4 * decay / (1 + decay).square(), Tensor()};
    }
    static autograd::variable_list jvp(autograd::AutogradContext* ctx, autograd::variable_list t) {
        const Tensor decay = (ctx->get_saved_variables()[0].abs() * -2).exp();
        return {t[0] * 4 * decay / (1 + decay).square()};
    }
};

Tensor bound(const Tensor& given, double otherwise, const Tensor& loc) {
    return given.defined() ? given.to(loc.device(), loc.scalar_type()) : full({}, otherwise, detail::like(loc));
}
Tensor mean_of_normal(const Tensor& loc, const TanhNormalOptions& o) {
    detail::check_floating("TanhNormal", "loc", loc);
    if (!o.tanh_loc()) return loc;
    REEL_CHECK_VALUE(o.upscale() > 0, "TanhNormal: upscale is ", o.upscale(), ", expected a positive number");
    const Tensor scaled = (loc / o.upscale()).tanh() * o.upscale();
    // the package moves the mean of the normal distribution to the middle of the bounds then
    if (!o.low().defined() && !o.high().defined()) return scaled;
    return scaled + (bound(o.low(), -1, loc) + bound(o.high(), 1, loc)) / 2;
}

} // namespace

TanhNormal::TanhNormal(const Parameter& loc, const Parameter& scale, const TanhNormalOptions& options)
    : Distribution(options.validate_args()),
      normal_(mean_of_normal(loc.tensor(scale.tensor()), options), scale, options.validate_args()),
      low_(bound(options.low(), -1, normal_.loc())), high_(bound(options.high(), 1, normal_.loc())),
      limit_(options.safe_tanh() ? 1 - detail::resolution(normal_.loc().scalar_type()) : 1),
      scaled_(options.low().defined() || options.high().defined()) {
    const Sizes& all = normal_.batch_shape();
    event_dims_ = options.event_dims().value_or(std::min<std::int64_t>(1, std::int64_t(all.size())));
    REEL_CHECK_VALUE(event_dims_ >= 0 && event_dims_ <= std::int64_t(all.size()), "TanhNormal: event_dims is ",
                     event_dims_, ", expected 0 to ", all.size(), " for parameters of shape ", IntArrayRef(all));
    batch_shape_.assign(all.begin(), all.end() - event_dims_);
    event_shape_.assign(all.end() - event_dims_, all.end());
    if (!scaled_) return;
    const NoGradGuard no_grad;
    REEL_CHECK_VALUE((high_ > low_).all().item<bool>(), "TanhNormal: high must be greater than low, got low ",
                     low_.sizes(), " from ", low_.min().item<double>(), " and high ", high_.sizes(), " up to ",
                     high_.max().item<double>());
    middle_ = (high_ + low_) / 2;
    half_ = (high_ - low_) / 2;
    const Sizes common = detail::broadcast_sizes("TanhNormal: parameters and bounds", all, half_.sizes());
    REEL_CHECK_VALUE(common == all, "TanhNormal: bounds of shape ", half_.sizes(), " for parameters of shape ",
                     IntArrayRef(all));
}

Tensor TanhNormal::squashed(const Tensor& x) const {
    const Tensor y = KeptTanh::apply(x, limit_);
    return scaled_ ? (y * half_ + middle_).clamp(low_, high_) : y; // rounding must not leave the bounds
}
Tensor TanhNormal::unsquashed(const Tensor& value) const {
    return (scaled_ ? (value - middle_) / half_ : value).clamp(-limit_, limit_).atanh();
}
Tensor TanhNormal::log_density_of_preimage(const Tensor& x) const {
    // log of tanh's slope, 2 (log 2 - x - softplus(-2x))
    Tensor slope = (logsigmoid(x * 2) - x + std::numbers::ln2) * 2;
    if (scaled_) slope = slope + half_.log();
    return detail::sum_rightmost(normal_.log_density(x) - slope, event_dims_);
}
Tensor TanhNormal::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return squashed(normal_.draw(sample_shape, generator));
}
Tensor TanhNormal::rdraw(IntArrayRef sample_shape, const Generator& generator) const {
    return squashed(normal_.rdraw(sample_shape, generator));
}
std::pair<Tensor, Tensor> TanhNormal::sample_and_log_prob(IntArrayRef sample_shape, const Generator& generator) const {
    const Tensor x = normal_.sample(sample_shape, generator);
    return {squashed(x), log_density_of_preimage(x)};
}
std::pair<Tensor, Tensor> TanhNormal::rsample_and_log_prob(IntArrayRef sample_shape, const Generator& generator) const {
    const Tensor x = normal_.rdraw(sample_shape, generator);
    return {squashed(x), log_density_of_preimage(x)};
}
Tensor TanhNormal::log_density(const Tensor& value) const { return log_density_of_preimage(unsquashed(value)); }
Tensor TanhNormal::entropy() const { not_known("a closed form of the entropy", "-log_prob of samples"); }
Tensor TanhNormal::deterministic_sample() const { return squashed(loc()); }
Tensor TanhNormal::mode() const {
    // The positive root of f(x) = |loc| + 2 scale^2 tanh(x) - x is the global mode of |loc|; f is concave there, so
    // that Newton's steps from the right of the root fall onto it.
    const Tensor strength = scale().square() * 2, distance = loc().abs();
    Tensor x;
    {
        const NoGradGuard no_grad;
        x = distance + strength;
        for (int i = 0; i < 40; ++i) {
            const Tensor y = x.tanh(), slope = strength * (1 - y.square()) - 1;
            x = x - (distance + strength * y - x) / slope.clamp_max(-1e-3);
        }
        x.clamp_min_(0);
    }
    // One more step, recorded: its derivative is that of the root (implicit function theorem).
    const Tensor y = x.tanh();
    Tensor slope;
    {
        const NoGradGuard no_grad;
        slope = (strength * (1 - y.square()) - 1).clamp_max(-1e-3);
    }
    const Tensor root = x - (distance + strength * y - x) / slope;
    return squashed((-root).where(loc() < 0, root));
}
Tensor TanhNormal::cdf(const Tensor& value) const {
    if (event_dims_) not_known("the cumulative distribution function of an event with dimensions", "event_dims(0)");
    check_value(value);
    return normal_.cdf(unsquashed(value));
}
Tensor TanhNormal::in_support(const Tensor& value) const {
    return detail::all_rightmost((value >= low_) & (value <= high_), event_dims_);
}
Tensor TanhNormal::divergence(const Distribution& other) const {
    // a change of variables that both share leaves the divergence as it is
    const TanhNormal& q = static_cast<const TanhNormal&>(other);
    REEL_CHECK_NOT_IMPLEMENTED(((low_ == q.low_).all() & (high_ == q.high_).all()).item<bool>(),
                               "kl_divergence: TanhNormal distributions with different bounds");
    return detail::sum_rightmost(normal_.divergence(q.normal_), event_dims_);
}

} // namespace reel::distributions
