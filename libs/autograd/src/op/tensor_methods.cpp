// Methods and operators of tensors that are ops under other names, called as a user calls them.
#define REEL_CALLS_OPS
#include <reel/autograd/error.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/pointwise/bitwise.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel {

Tensor Tensor::to(const TensorOptions& o, bool non_blocking, bool copy, std::optional<MemoryFormat> format) const {
    REEL_CHECK(!o.requires_grad(),
               "to: requires_grad cannot be set by a conversion; call requires_grad_() on the result");
    return reel::to(*this, o.device_opt(), o.dtype_opt(), non_blocking, copy, format ? format : o.memory_format_opt());
}
Tensor Tensor::to(ScalarType dtype, bool non_blocking, bool copy, std::optional<MemoryFormat> format) const {
    return reel::to(*this, dtype, non_blocking, copy, format);
}
Tensor Tensor::to(Device device, ScalarType dtype, bool non_blocking, bool copy,
                  std::optional<MemoryFormat> format) const {
    return reel::to(*this, std::optional(device), std::optional(dtype), non_blocking, copy, format);
}
Tensor Tensor::to(const Tensor& other, bool non_blocking, bool copy, std::optional<MemoryFormat> format) const {
    return reel::to(*this, other, non_blocking, copy, format);
}
Tensor Tensor::view_as_dtype(ScalarType dtype) const { return reel::view_dtype(*this, dtype); }

Tensor Tensor::operator-() const { return reel::neg(*this); }
Tensor Tensor::operator~() const { return reel::bitwise_not(*this); }
Tensor& Tensor::operator+=(const Tensor& o) const { return reel::add_(*this, o); }
Tensor& Tensor::operator+=(const Scalar& o) const { return reel::add_(*this, o); }
Tensor& Tensor::operator-=(const Tensor& o) const { return reel::sub_(*this, o); }
Tensor& Tensor::operator-=(const Scalar& o) const { return reel::sub_(*this, o); }
Tensor& Tensor::operator*=(const Tensor& o) const { return reel::mul_(*this, o); }
Tensor& Tensor::operator*=(const Scalar& o) const { return reel::mul_(*this, o); }
Tensor& Tensor::operator/=(const Tensor& o) const { return reel::div_(*this, o); }
Tensor& Tensor::operator/=(const Scalar& o) const { return reel::div_(*this, o); }
Tensor& Tensor::operator&=(const Tensor& o) const { return reel::bitwise_and_(*this, o); }
Tensor& Tensor::operator|=(const Tensor& o) const { return reel::bitwise_or_(*this, o); }
Tensor& Tensor::operator^=(const Tensor& o) const { return reel::bitwise_xor_(*this, o); }
Tensor& Tensor::operator=(const Tensor& o) && { return reel::copy_(*this, o); }
Tensor& Tensor::operator=(Tensor&& o) && { return reel::copy_(*this, o); }
Tensor& Tensor::operator=(const Scalar& v) && { return reel::fill_(*this, v); }

Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
    return reel::where(condition, *this, other);
}
Tensor Tensor::where(const Tensor& condition, const Scalar& other) const {
    return reel::where(condition, *this, other);
}

} // namespace reel
