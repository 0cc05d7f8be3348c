// Whether cuDNN is asked at all.
#pragma once

#include <reel/autograd/context.hpp>

#include "dnn/api.hpp"

namespace reel::cuda::dnn {

inline bool is_enabled() { return globalContext().userEnabledCuDNN() && api(); }

} // namespace reel::cuda::dnn
