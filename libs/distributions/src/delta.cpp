#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/distributions/delta.hpp>

#include "support.hpp"

namespace reel::distributions {

Delta::Delta(const Tensor& param, double atol, double rtol, std::optional<std::int64_t> event_dims,
             std::optional<bool> validate_args)
    : Distribution(validate_args), param_(param), atol_(atol), rtol_(rtol) {
    detail::check_floating("Delta", "param", param);
    REEL_CHECK_VALUE(atol >= 0 && rtol >= 0, "Delta: atol is ", atol, " and rtol ", rtol,
                     ", expected numbers that are not negative");
    const std::int64_t n = event_dims.value_or(std::min<std::int64_t>(1, param.dim()));
    REEL_CHECK_VALUE(n >= 0 && n <= param.dim(), "Delta: event_dims is ", n, ", expected 0 to ", param.dim(),
                     " for a param of shape ", param.sizes());
    const IntArrayRef sizes = param.sizes();
    batch_shape_.assign(sizes.begin(), sizes.end() - n);
    event_shape_.assign(sizes.end() - n, sizes.end());
}
Tensor Delta::variance() const { return zeros_like(param_); }
Tensor Delta::matches(const Tensor& value) const {
    return detail::all_rightmost((value - param_).abs() < param_.abs() * rtol_ + atol_,
                                 std::int64_t(event_shape_.size()));
}
Tensor Delta::in_support(const Tensor& value) const {
    return detail::all_rightmost(value == value, std::int64_t(event_shape_.size()));
}
Tensor Delta::draw(IntArrayRef sample_shape, const Generator& generator) const {
    return rdraw(sample_shape, generator).detach();
}
Tensor Delta::rdraw(IntArrayRef sample_shape, const Generator&) const {
    return detail::expanded(param_, extended_shape(sample_shape));
}
Tensor Delta::log_density(const Tensor& value) const {
    const NoGradGuard no_grad;
    const Tensor same = matches(value);
    return full(same.sizes(), -INFINITY,
                TensorOptions(value.is_floating_point() ? value.scalar_type() : kFloat).device(value.device()))
        .masked_fill_(same, INFINITY);
}
Tensor Delta::divergence(const Distribution& other) const {
    const NoGradGuard no_grad;
    const Tensor same = static_cast<const Delta&>(other).matches(param_);
    return full(same.sizes(), INFINITY, detail::like(param_)).masked_fill_(same, 0);
}

} // namespace reel::distributions
