// Questions about plain numbers of any kind.
#pragma once

#include <reel/autograd/scalar.hpp>

namespace reel::detail {

inline bool is_one(const Scalar& s) {
    return s.isIntegral(true) ? s.toLong() == 1 : !s.isComplex() && s.toDouble() == 1;
}

} // namespace reel::detail
