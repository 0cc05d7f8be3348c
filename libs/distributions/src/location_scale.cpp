#include <reel/distributions/location_scale.hpp>

#include "adopt.hpp"

namespace reel::distributions {

LocationScale::LocationScale(const char* name, const Parameter& loc, const Parameter& scale,
                             std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ = detail::adopt(name, validate_args_,
                                 {{"loc", loc, loc_, detail::a_number}, {"scale", scale, scale_, detail::positive}});
}

} // namespace reel::distributions
