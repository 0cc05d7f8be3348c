// Normal vectors whose covariance is a diagonal and a thin matrix times its transpose.
#pragma once

#include <reel/distributions/distribution.hpp>

namespace reel::distributions {

/// Normal vectors of mean `loc` ([..., n]) and covariance W W' + diag(d), with W = `cov_factor` ([..., n, rank]) and
/// d = `cov_diag` ([..., n]). What is computed has matrices of rank x rank at most, by Woodbury's identity; only
/// scale_tril, covariance_matrix and precision_matrix are n x n. Errors: ValueError for shapes that do not fit and for
/// a diagonal that is not positive.
class LowRankMultivariateNormal : public Distribution {
public:
    LowRankMultivariateNormal(const Tensor& loc, const Tensor& cov_factor, const Tensor& cov_diag,
                              std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "LowRankMultivariateNormal"; }
    bool has_rsample() const override { return true; }
    const Tensor& loc() const { return loc_; }
    const Tensor& cov_factor() const { return factor_; }
    const Tensor& cov_diag() const { return diag_; }
    Tensor scale_tril() const;
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
    Named parameters() const override { return {{"loc", loc_}, {"cov_factor", factor_}, {"cov_diag", diag_}}; }

private:
    Tensor square_matrix(const Tensor& m) const; ///< for the whole batch
    Tensor log_det() const;
    Tensor mahalanobis(const Tensor& difference) const; ///< squared
    Tensor loc_, factor_, diag_;
    Tensor weighted_;    ///< W' D^-1
    Tensor capacitance_; ///< the factor of 1 + W' D^-1 W
};

} // namespace reel::distributions
