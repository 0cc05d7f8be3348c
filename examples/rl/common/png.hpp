// Pictures inside of a page.
#pragma once

#include <string>

#include <reel/autograd/tensor.hpp>

namespace agents {

/// `picture`, uint8 [H, W, 3], as PNG in a data URI, for `<img src=...>`.
std::string png_uri(const reel::Tensor& picture);

} // namespace agents
