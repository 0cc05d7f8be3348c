// The Wishart distribution of positive definite matrices.
#pragma once

#include <reel/distributions/multivariate_normal.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// The sum of `df` products x x' of normal vectors of mean zero, df > n - 1 not necessarily whole; the vectors'
/// covariance is given by its lower Cholesky factor, itself, or its inverse ([..., n, n]). Draws go through Bartlett's
/// decomposition and have gradients, those by `df` implicit. Errors: ValueError for too few degrees of freedom, for
/// shapes that do not fit, for matrices that are not positive definite.
class Wishart : public Distribution {
public:
    using Given = MultivariateNormal::Given;
    Wishart(const Parameter& df, const Tensor& matrix, Given given = Given::Covariance,
            std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "Wishart"; }
    bool has_rsample() const override { return true; }
    const Tensor& df() const { return df_; }
    const Tensor& scale_tril() const { return normal_.scale_tril(); }
    Tensor covariance_matrix() const;
    Tensor precision_matrix() const;
    Tensor entropy() const override;
    Tensor mean() const override;
    Tensor mode() const override; ///< NaN for df of at most n + 1
    Tensor variance() const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Tensor divergence(const Distribution& q) const override;
    Named parameters() const override;

private:
    Tensor half_log_det() const; ///< of the covariance
    Tensor digamma_sum() const;  ///< the multivariate digamma function of df / 2
    MultivariateNormal normal_;  ///< of the vectors
    Given given_;
    Tensor df_, matrix_;
};

} // namespace reel::distributions
