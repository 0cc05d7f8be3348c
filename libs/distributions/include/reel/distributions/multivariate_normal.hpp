// The normal distribution of vectors.
#pragma once

#include <reel/distributions/distribution.hpp>

namespace reel::distributions {

/// Normal vectors of mean `loc` ([..., n]); the covariance is given by one of: its lower Cholesky factor, itself, or
/// its inverse ([..., n, n]). Every computation uses the factor. Errors: ValueError for shapes that do not fit, for
/// matrices that are not positive definite (a factor: whose diagonal is not positive, or with numbers above it).
class MultivariateNormal : public Distribution {
public:
    /// What the matrix is.
    enum class Given { ScaleTril, Covariance, Precision };
    MultivariateNormal(const Tensor& loc, const Tensor& matrix, Given given = Given::Covariance,
                       std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "MultivariateNormal"; }
    bool has_rsample() const override { return true; }
    const Tensor& loc() const { return loc_; }
    const Tensor& scale_tril() const { return scale_tril_; }
    Tensor covariance_matrix() const;
    Tensor precision_matrix() const;
    Tensor entropy() const override;
    Tensor mean() const override { return loc_; }
    Tensor mode() const override { return loc_; }
    Tensor variance() const override; ///< of each coordinate
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override;

private:
    Tensor half_log_det() const;
    Given given_;
    Tensor loc_, matrix_, scale_tril_;
};

} // namespace reel::distributions
