// What the losses share.
#pragma once

#include <string>
#include <string_view>

#include <reel/autograd/tensor.hpp>

namespace reel::loss {

/// Throws ValueError naming the op unless `reduction` is none, mean or sum.
void check_reduction(const char* op, std::string_view reduction);
/// What a loss warns about, once, when input and target have other shapes (they are broadcast all the same).
std::string broadcast_text(const char* op, const Tensor& input, const Tensor& target);
Tensor reduce(const Tensor& t, std::string_view reduction);

} // namespace reel::loss
