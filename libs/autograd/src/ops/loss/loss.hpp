// What the losses share.
#pragma once

#include <string_view>

#include <reel/autograd/tensor.hpp>

namespace reel::loss {

/// Throws ValueError naming the op unless `reduction` is none, mean or sum.
void check_reduction(const char* op, std::string_view reduction);
Tensor reduce(const Tensor& t, std::string_view reduction);

} // namespace reel::loss
