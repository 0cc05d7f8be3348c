// The dtype that operands handed by address compute in.
#pragma once

#include <reel/autograd/type_promotion.hpp>

namespace reel::detail {

/// `result_type` of tensors that stand in different places; Undefined for none.
ScalarType result_type_of(ArrayRef<const Tensor*> operands);

} // namespace reel::detail
