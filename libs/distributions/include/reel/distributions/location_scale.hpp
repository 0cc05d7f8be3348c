// What distributions with a location and a scale share.
#pragma once

#include <reel/distributions/distribution.hpp>
#include <reel/distributions/parameter.hpp>

namespace reel::distributions {

/// Base of distributions over numbers with parameters `loc` and `scale` > 0, which are broadcast; every element is an
/// event of its own. Errors: ValueError for NaN and for scales that are not positive.
class LocationScale : public Distribution {
public:
    bool has_rsample() const override { return true; }
    const Tensor& loc() const { return loc_; }
    const Tensor& scale() const { return scale_; }

protected:
    LocationScale(const char* name, const Parameter& loc, const Parameter& scale, std::optional<bool> validate_args);
    Named parameters() const override { return {{"loc", loc_}, {"scale", scale_}}; }
    Tensor loc_, scale_;
};

} // namespace reel::distributions
