// What libtorch has in a namespace of its own.
#pragma once

#include <reel/autograd/ops/shape/flatten_dense.hpp>

namespace reel::utils {

using reel::flatten_dense_tensors;
using reel::unflatten_dense_tensors;

} // namespace reel::utils
