// Tensors as scripts print them: the C++ library's form, not Python's (rule SC-49).
#pragma once

#include <iosfwd>

#include <reel/autograd/tensor.hpp>

namespace reel::jit {

/// Rows on lines, a slice after the other, then `[ CPUFloatType{2,3} ]`.
void write_tensor(std::ostream& os, const Tensor& tensor);

} // namespace reel::jit
