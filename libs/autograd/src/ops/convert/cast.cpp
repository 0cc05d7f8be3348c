// Conversions by the dtype's own name.
#include <reel/autograd/ops/convert/cast.hpp>
#include <reel/autograd/record.hpp>

#include "tensor/convert.hpp"

namespace reel {

#define REEL_CAST(function, type)                                                                                      \
    Tensor function(const Tensor& input, std::optional<MemoryFormat> memory_format) {                                  \
        return detail::convert(input, type, input.device(), false, memory_format);                                     \
    }

REEL_OP("bool(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", not_differentiable)
REEL_CAST(bool_, kBool)
REEL_OP("byte(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", not_differentiable)
REEL_CAST(byte, kByte)
REEL_OP("char(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", not_differentiable)
REEL_CAST(char_, kChar)
REEL_OP("short(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", not_differentiable)
REEL_CAST(short_, kShort)
REEL_OP("int(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", not_differentiable)
REEL_CAST(int_, kInt)
REEL_OP("long(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", not_differentiable)
REEL_CAST(long_, kLong)
REEL_OP("half(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", rule)
REEL_CAST(half_, kHalf)
REEL_OP("bfloat16(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", rule)
REEL_CAST(bfloat16, kBFloat16)
REEL_OP("float(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", rule)
REEL_CAST(float_, kFloat)
REEL_OP("double(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", rule)
REEL_CAST(double_, kDouble)
REEL_OP("cfloat(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", rule)
REEL_CAST(cfloat, kComplexFloat)
REEL_OP("cdouble(Tensor input, *, MemoryFormat? memory_format=None) -> Tensor", rule)
REEL_CAST(cdouble, kComplexDouble)

} // namespace reel
