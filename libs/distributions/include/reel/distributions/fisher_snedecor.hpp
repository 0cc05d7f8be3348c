// The F-distribution.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// The ratio of Chi2(df1) / df1 and Chi2(df2) / df2. There is no mean for `df2` of at most 2, no variance up to 4, no
/// mode for `df1` of at most 2 (NaN). Draws have implicit gradients, once. Errors: ValueError for degrees of freedom
/// that are not positive.
class FisherSnedecor : public Distribution {
public:
    FisherSnedecor(const Parameter& df1, const Parameter& df2, std::optional<bool> validate_args = std::nullopt);

    const char* name() const override { return "FisherSnedecor"; }
    bool has_rsample() const override { return true; }
    bool has_entropy() const override { return false; }
    const Tensor& df1() const { return df1_; }
    const Tensor& df2() const { return df2_; }
    Tensor mean() const override;
    Tensor mode() const override;
    Tensor variance() const override;
    Tensor in_support(const Tensor& value) const override;

protected:
    Tensor rdraw(IntArrayRef sample_shape, const Generator& generator) const override;
    Tensor log_density(const Tensor& value) const override;
    Named parameters() const override { return {{"df1", df1_}, {"df2", df2_}}; }

private:
    Tensor df1_, df2_;
};

} // namespace reel::distributions
