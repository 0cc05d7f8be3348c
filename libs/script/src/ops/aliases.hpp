// Operators of several names: programs hold them under one.
#pragma once

#include <reel/script/operator.hpp>

namespace reel::jit {

/// `aten::div.Tensor` for `aten::true_divide.Tensor`; the operator itself where it is no alias.
const Operator& canonical(const Operator& op);

} // namespace reel::jit
