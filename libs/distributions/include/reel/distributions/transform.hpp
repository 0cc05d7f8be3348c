// Invertible maps between tensors that know how they stretch volume.
#pragma once

#include <memory>
#include <vector>

#include <reel/autograd/tensor.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

class Transform;
/// Transforms do not change: whoever holds one may share it.
using TransformPtr = std::shared_ptr<const Transform>;

/// A differentiable bijection y = f(x) of `event_dim()` trailing dimensions (0: elementwise). `torch.distributions`'
/// names and conventions.
class Transform {
public:
    virtual ~Transform();
    virtual const char* name() const = 0;
    virtual std::int64_t event_dim() const { return 0; }
    virtual Tensor operator()(const Tensor& x) const = 0;
    virtual Tensor inverse(const Tensor& y) const = 0;
    /// log |det dy/dx|, summed over the event's dimensions.
    virtual Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const = 0;
    /// Where y is an image.
    virtual Tensor in_codomain(const Tensor& y) const;
    /// The sign of an elementwise map's slope, which turns its distribution's `cdf` over; none where it changes.
    virtual std::optional<int> sign() const { return 1; }
};

/// loc + scale * x, both broadcast with x; scale is not zero.
class AffineTransform : public Transform {
public:
    AffineTransform(const Parameter& loc, const Parameter& scale);
    const char* name() const override { return "AffineTransform"; }
    Tensor operator()(const Tensor& x) const override;
    Tensor inverse(const Tensor& y) const override;
    Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
    std::optional<int> sign() const override;

private:
    Tensor loc_, scale_;
};

/// exp(x).
class ExpTransform : public Transform {
public:
    const char* name() const override { return "ExpTransform"; }
    Tensor operator()(const Tensor& x) const override;
    Tensor inverse(const Tensor& y) const override;
    Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
    Tensor in_codomain(const Tensor& y) const override;
};

/// x^exponent of positive x.
class PowerTransform : public Transform {
public:
    explicit PowerTransform(const Parameter& exponent);
    const char* name() const override { return "PowerTransform"; }
    Tensor operator()(const Tensor& x) const override;
    Tensor inverse(const Tensor& y) const override;
    Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
    Tensor in_codomain(const Tensor& y) const override;
    std::optional<int> sign() const override;

private:
    Tensor exponent_;
};

/// 1 / (1 + exp(-x)).
class SigmoidTransform : public Transform {
public:
    const char* name() const override { return "SigmoidTransform"; }
    Tensor operator()(const Tensor& x) const override;
    Tensor inverse(const Tensor& y) const override;
    Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
    Tensor in_codomain(const Tensor& y) const override;
};

/// tanh(x); its slope's logarithm is computed from x and loses no digits in saturation.
class TanhTransform : public Transform {
public:
    const char* name() const override { return "TanhTransform"; }
    Tensor operator()(const Tensor& x) const override;
    Tensor inverse(const Tensor& y) const override;
    Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
    Tensor in_codomain(const Tensor& y) const override;
};

/// log(1 + exp(x)).
class SoftplusTransform : public Transform {
public:
    const char* name() const override { return "SoftplusTransform"; }
    Tensor operator()(const Tensor& x) const override;
    Tensor inverse(const Tensor& y) const override;
    Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
    Tensor in_codomain(const Tensor& y) const override;
};

/// From n - 1 free numbers to n positive ones that sum to 1, by breaking a stick.
class StickBreakingTransform : public Transform {
public:
    const char* name() const override { return "StickBreakingTransform"; }
    std::int64_t event_dim() const override { return 1; }
    Tensor operator()(const Tensor& x) const override;
    Tensor inverse(const Tensor& y) const override;
    Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
    Tensor in_codomain(const Tensor& y) const override;
    std::optional<int> sign() const override { return std::nullopt; }
};

/// One after the other, the first first.
class ComposeTransform : public Transform {
public:
    explicit ComposeTransform(std::vector<TransformPtr> parts);
    const char* name() const override { return "ComposeTransform"; }
    std::int64_t event_dim() const override;
    Tensor operator()(const Tensor& x) const override;
    Tensor inverse(const Tensor& y) const override;
    Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
    Tensor in_codomain(const Tensor& y) const override;
    std::optional<int> sign() const override;
    const std::vector<TransformPtr>& parts() const { return parts_; }

private:
    std::vector<TransformPtr> parts_;
};

/// The inverse of another.
class InverseTransform : public Transform {
public:
    explicit InverseTransform(TransformPtr of);
    const char* name() const override { return "InverseTransform"; }
    std::int64_t event_dim() const override { return of_->event_dim(); }
    Tensor operator()(const Tensor& x) const override { return of_->inverse(x); }
    Tensor inverse(const Tensor& y) const override { return (*of_)(y); }
    Tensor log_abs_det_jacobian(const Tensor& x, const Tensor& y) const override;
    std::optional<int> sign() const override { return of_->sign(); }

private:
    TransformPtr of_;
};

} // namespace reel::distributions
