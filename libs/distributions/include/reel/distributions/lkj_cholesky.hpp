// Lower Cholesky factors of correlation matrices.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// Lower Cholesky factors of `dim` x `dim` correlation matrices M, with a density of M in proportion to
/// det(M)^(concentration - 1): uniform for 1, nearer to the identity above (D. Lewandowski, D. Kurowicka, H. Joe,
/// 2009). Draws by the onion method; they have no gradient. Errors: ValueError for `dim` below 2 and for concentrations
/// that are not positive.
class LKJCholesky : public Distribution {
public:
    explicit LKJCholesky(std::int64_t dim, const Parameter& concentration = 1.0,
                         std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "LKJCholesky"; }
    bool has_entropy() const override { return false; }
    std::int64_t dim() const { return event_shape_[0]; }
    const Tensor& concentration() const { return concentration_; }
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor draw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Named parameters() const override { return {{"concentration", concentration_}}; }

private:
    Tensor concentration_;
};

} // namespace reel::distributions
