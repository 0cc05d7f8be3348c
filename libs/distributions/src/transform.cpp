#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/pointwise/activation_piecewise.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/distributions/transform.hpp>

#include <numbers>

#include "support.hpp"

namespace reel::distributions {

Transform::~Transform() = default;
Tensor Transform::in_codomain(const Tensor& y) const { return y.isnan().logical_not(); }

namespace {
/// Numbers keep all their digits: without dimensions, they do not change the dtype of what they are combined with.
Tensor exact(const Parameter& p) { return p.tensor(TensorOptions(kDouble)); }
} // namespace

AffineTransform::AffineTransform(const Parameter& loc, const Parameter& scale)
    : loc_(exact(loc)), scale_(exact(scale)) {
    detail::check_floating("AffineTransform", "loc", loc_);
    detail::check_floating("AffineTransform", "scale", scale_);
    const NoGradGuard no_grad;
    detail::check_parameter("AffineTransform", "scale", scale_, scale_ != 0, "different from 0");
}
Tensor AffineTransform::operator()(const Tensor& x) const { return loc_ + scale_ * x; }
Tensor AffineTransform::inverse(const Tensor& y) const { return (y - loc_) / scale_; }
Tensor AffineTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
    return scale_.abs().log() + zeros_like(x);
}
std::optional<int> AffineTransform::sign() const {
    const NoGradGuard no_grad;
    if ((scale_ > 0).all().item<bool>()) return 1;
    if ((scale_ < 0).all().item<bool>()) return -1;
    return std::nullopt;
}

Tensor ExpTransform::operator()(const Tensor& x) const { return x.exp(); }
Tensor ExpTransform::inverse(const Tensor& y) const { return y.log(); }
Tensor ExpTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const { return x; }
Tensor ExpTransform::in_codomain(const Tensor& y) const { return y > 0; }

PowerTransform::PowerTransform(const Parameter& exponent) : exponent_(exact(exponent)) {
    detail::check_floating("PowerTransform", "exponent", exponent_);
    const NoGradGuard no_grad;
    detail::check_parameter("PowerTransform", "exponent", exponent_, exponent_ != 0, "different from 0");
}
Tensor PowerTransform::operator()(const Tensor& x) const { return x.pow(exponent_); }
Tensor PowerTransform::inverse(const Tensor& y) const { return y.pow(exponent_.reciprocal()); }
Tensor PowerTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
    return exponent_.abs().log() + (exponent_ - 1) * x.log();
}
Tensor PowerTransform::in_codomain(const Tensor& y) const { return y > 0; }
std::optional<int> PowerTransform::sign() const {
    const NoGradGuard no_grad;
    if ((exponent_ > 0).all().item<bool>()) return 1;
    if ((exponent_ < 0).all().item<bool>()) return -1;
    return std::nullopt;
}

Tensor SigmoidTransform::operator()(const Tensor& x) const {
    // kept inside (0, 1), whose ends have no finite logarithm
    const ScalarType t = x.scalar_type();
    return x.sigmoid().clamp(detail::least_normal(t), 1 - detail::epsilon(t));
}
Tensor SigmoidTransform::inverse(const Tensor& y) const {
    const ScalarType t = y.scalar_type();
    const Tensor kept = y.clamp(detail::least_normal(t), 1 - detail::epsilon(t));
    return kept.log() - (-kept).log1p();
}
Tensor SigmoidTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
    return logsigmoid(x) + logsigmoid(-x);
}
Tensor SigmoidTransform::in_codomain(const Tensor& y) const { return (y > 0) & (y < 1); }

Tensor TanhTransform::operator()(const Tensor& x) const { return x.tanh(); }
Tensor TanhTransform::inverse(const Tensor& y) const { return y.atanh(); }
Tensor TanhTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const {
    return 2 * (std::numbers::ln2 - x + logsigmoid(2 * x)); // softplus(-2x) is -logsigmoid(2x)
}
Tensor TanhTransform::in_codomain(const Tensor& y) const { return (y > -1) & (y < 1); }

Tensor SoftplusTransform::operator()(const Tensor& x) const { return -logsigmoid(-x); }
Tensor SoftplusTransform::inverse(const Tensor& y) const { return y + (-(-y).expm1()).log(); }
Tensor SoftplusTransform::log_abs_det_jacobian(const Tensor& x, const Tensor&) const { return logsigmoid(x); }
Tensor SoftplusTransform::in_codomain(const Tensor& y) const { return y > 0; }

namespace {
/// log(n - 1), ..., log(1): how much shorter the piece that is broken off each time must be for even pieces.
Tensor even_pieces(const Tensor& x) {
    const std::int64_t n = x.size(-1);
    return (n - arange(n, detail::like(x))).log();
}
} // namespace

Tensor StickBreakingTransform::operator()(const Tensor& x) const {
    const Tensor z = (x - even_pieces(x)).sigmoid(); // the fraction of what is left
    const Tensor left = (1 - z).cumprod(-1);
    const Tensor one = ones({1}, detail::like(x)).expand([&] {
        std::vector<std::int64_t> sizes = x.sizes().vec();
        sizes.back() = 1;
        return sizes;
    }());
    return cat({z, one}, -1) * cat({one, left}, -1);
}
Tensor StickBreakingTransform::inverse(const Tensor& y) const {
    const Tensor pieces = y.slice(-1, 0, y.size(-1) - 1);
    const Tensor left = (1 - pieces.cumsum(-1)).clamp_min(detail::least_normal(y.scalar_type()));
    return pieces.log() - left.log() + even_pieces(pieces);
}
Tensor StickBreakingTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
    const Tensor shifted = x - even_pieces(x);
    return (logsigmoid(shifted) - shifted + y.slice(-1, 0, y.size(-1) - 1).log()).sum(-1);
}
Tensor StickBreakingTransform::in_codomain(const Tensor& y) const {
    return (y >= 0).all(-1) & ((y.sum(-1) - 1).abs() < 1e-6);
}

ComposeTransform::ComposeTransform(std::vector<TransformPtr> parts) : parts_(std::move(parts)) {
    for (const TransformPtr& p : parts_) REEL_CHECK_VALUE(p, "ComposeTransform: a part is null");
}
std::int64_t ComposeTransform::event_dim() const {
    std::int64_t most = 0;
    for (const TransformPtr& p : parts_) most = std::max(most, p->event_dim());
    return most;
}
Tensor ComposeTransform::operator()(const Tensor& x) const {
    Tensor y = x;
    for (const TransformPtr& p : parts_) y = (*p)(y);
    return y;
}
Tensor ComposeTransform::inverse(const Tensor& y) const {
    Tensor x = y;
    for (std::size_t i = parts_.size(); i-- > 0;) x = parts_[i]->inverse(x);
    return x;
}
Tensor ComposeTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
    const std::int64_t event = event_dim();
    Tensor sum, at = x;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const Tensor next = i + 1 == parts_.size() ? y : (*parts_[i])(at);
        const Tensor one =
            detail::sum_rightmost(parts_[i]->log_abs_det_jacobian(at, next), event - parts_[i]->event_dim());
        sum = sum.defined() ? sum + one : one;
        at = next;
    }
    return sum.defined() ? sum : zeros_like(x);
}
Tensor ComposeTransform::in_codomain(const Tensor& y) const {
    return parts_.empty() ? Transform::in_codomain(y) : parts_.back()->in_codomain(y);
}
std::optional<int> ComposeTransform::sign() const {
    int sign = 1;
    for (const TransformPtr& p : parts_) {
        const std::optional<int> one = p->sign();
        if (!one) return std::nullopt;
        sign *= *one;
    }
    return sign;
}

InverseTransform::InverseTransform(TransformPtr of) : of_(std::move(of)) {
    REEL_CHECK_VALUE(of_, "InverseTransform: the transform is null");
}
Tensor InverseTransform::log_abs_det_jacobian(const Tensor& x, const Tensor& y) const {
    return -of_->log_abs_det_jacobian(y, x);
}

} // namespace reel::distributions
