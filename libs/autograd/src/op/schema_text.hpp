// Schemas as programs write them.
#pragma once

#include <string_view>

#include <reel/autograd/op.hpp>

namespace reel::ops {

/// Reads `my.swish(Tensor x, Tensor beta=1) -> Tensor`. ValueError with the text, the place and what was expected
/// there.
Schema read_schema(std::string_view text);

/// Reads what stands behind an argument's `=`: a number, None, True, False, 'text', [numbers], or {} for none.
Value read_default(std::string_view text);

} // namespace reel::ops
