// Schemas of operators: comparisons, limits, logic and bits, one element at a time. One a line; overloads of a name in
// the order of registration.
#include "ops/schemas/schemas.hpp"

namespace reel::jit::schemas {

const std::string_view comparison =
    R"(aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> Tensor
aten::less.Tensor(Tensor self, Tensor other) -> Tensor
aten::less.Scalar(Tensor self, Scalar other) -> Tensor
aten::less.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::less.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::less_equal.Tensor(Tensor self, Tensor other) -> Tensor
aten::less_equal.Scalar(Tensor self, Scalar other) -> Tensor
aten::less_equal.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::less_equal.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::isfinite(Tensor self) -> Tensor
aten::isfinite.float(float a) -> bool
aten::isfinite.complex(complex a) -> bool
aten::greater.Tensor(Tensor self, Tensor other) -> Tensor
aten::greater.Scalar(Tensor self, Scalar other) -> Tensor
aten::greater.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::greater.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::greater_equal.Tensor(Tensor self, Tensor other) -> Tensor
aten::greater_equal.Scalar(Tensor self, Scalar other) -> Tensor
aten::greater_equal.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::greater_equal.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
aten::clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
aten::clip.out(Tensor self, Scalar? min=None, Scalar? max=None, *, Tensor(a!) out) -> Tensor(a!)
aten::clip.Tensor_out(Tensor self, Tensor? min=None, Tensor? max=None, *, Tensor(a!) out) -> Tensor(a!)
aten::minimum(Tensor self, Tensor other) -> Tensor
aten::minimum.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::maximum(Tensor self, Tensor other) -> Tensor
aten::maximum.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::fmin(Tensor self, Tensor other) -> Tensor
aten::fmin.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_xor.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_xor.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_xor.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_or.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_or.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_or.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp_min(Tensor self, Scalar min) -> Tensor
aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor
aten::clamp_min.out(Tensor self, Scalar min, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp_min.Tensor_out(Tensor self, Tensor min, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor
aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor
aten::clamp.out(Tensor self, Scalar? min=None, Scalar? max=None, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp.Tensor_out(Tensor self, Tensor? min=None, Tensor? max=None, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_left_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_left_shift.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_left_shift.Tensor_Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_left_shift.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::isreal(Tensor self) -> Tensor
aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_and.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_and.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_and.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp_max(Tensor self, Scalar max) -> Tensor
aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor
aten::clamp_max.out(Tensor self, Scalar max, *, Tensor(a!) out) -> Tensor(a!)
aten::clamp_max.Tensor_out(Tensor self, Tensor max, *, Tensor(a!) out) -> Tensor(a!)
aten::fmax(Tensor self, Tensor other) -> Tensor
aten::fmax.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor
aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor
aten::bitwise_right_shift.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::bitwise_right_shift.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_right_shift.Tensor_Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_right_shift.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::logical_or(Tensor self, Tensor other) -> Tensor
aten::logical_or.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::logical_and(Tensor self, Tensor other) -> Tensor
aten::logical_and.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::lt.Tensor(Tensor self, Tensor other) -> Tensor
aten::lt.Scalar(Tensor self, Scalar other) -> Tensor
aten::lt.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::lt.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::lt.int(int a, int b) -> bool
aten::lt.float(float a, float b) -> bool
aten::lt.int_float(int a, float b) -> bool
aten::lt.float_int(float a, int b) -> bool
aten::lt(Scalar a, Scalar b) -> bool
aten::lt.str(str a, str b) -> bool
aten::gt.Tensor(Tensor self, Tensor other) -> Tensor
aten::gt.Scalar(Tensor self, Scalar other) -> Tensor
aten::gt.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::gt.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::gt.int(int a, int b) -> bool
aten::gt.float(float a, float b) -> bool
aten::gt.int_float(int a, float b) -> bool
aten::gt.float_int(float a, int b) -> bool
aten::gt(Scalar a, Scalar b) -> bool
aten::gt.str(str a, str b) -> bool
aten::eq.Tensor(Tensor self, Tensor other) -> Tensor
aten::eq.Scalar(Tensor self, Scalar other) -> Tensor
aten::eq.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::eq.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::eq.int_list(int[] a, int[] b) -> bool
aten::eq.device(Device a, Device b) -> bool
aten::eq.bool(bool a, bool b) -> bool
aten::eq.enum(AnyEnumType a, AnyEnumType b) -> bool
aten::eq.int(int a, int b) -> bool
aten::eq.complex(complex a, complex b) -> bool
aten::eq.float(float a, float b) -> bool
aten::eq.int_float(int a, float b) -> bool
aten::eq.float_int(float a, int b) -> bool
aten::eq.float_complex(float a, complex b) -> bool
aten::eq.complex_float(complex a, float b) -> bool
aten::eq(Scalar a, Scalar b) -> bool
aten::eq.str(str a, str b) -> bool
aten::eq.float_list(float[] a, float[] b) -> bool
aten::eq.Tensor_list(Tensor[] a, Tensor[] b) -> bool
aten::eq.bool_list(bool[] a, bool[] b) -> bool
aten::eq.str_list(str[] a, str[] b) -> bool
aten::ge.Tensor(Tensor self, Tensor other) -> Tensor
aten::ge.Scalar(Tensor self, Scalar other) -> Tensor
aten::ge.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::ge.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::ge.int(int a, int b) -> bool
aten::ge.float(float a, float b) -> bool
aten::ge.int_float(int a, float b) -> bool
aten::ge.float_int(float a, int b) -> bool
aten::ge(Scalar a, Scalar b) -> bool
aten::ge.str(str a, str b) -> bool
aten::ne.Tensor(Tensor self, Tensor other) -> Tensor
aten::ne.Scalar(Tensor self, Scalar other) -> Tensor
aten::ne.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::ne.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::ne.int_list(int[] a, int[] b) -> bool
aten::ne.device(Device a, Device b) -> bool
aten::ne.bool(bool a, bool b) -> bool
aten::ne.enum(AnyEnumType a, AnyEnumType b) -> bool
aten::ne.int(int a, int b) -> bool
aten::ne.complex(complex a, complex b) -> bool
aten::ne.float(float a, float b) -> bool
aten::ne.int_float(int a, float b) -> bool
aten::ne.float_int(float a, int b) -> bool
aten::ne.float_complex(float a, complex b) -> bool
aten::ne.complex_float(complex a, float b) -> bool
aten::ne(Scalar a, Scalar b) -> bool
aten::ne.str(str a, str b) -> bool
aten::ne.float_list(float[] a, float[] b) -> bool
aten::ne.Tensor_list(Tensor[] a, Tensor[] b) -> bool
aten::ne.bool_list(bool[] a, bool[] b) -> bool
aten::ne.str_list(str[] a, str[] b) -> bool
aten::logical_xor(Tensor self, Tensor other) -> Tensor
aten::logical_xor.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::le.Tensor(Tensor self, Tensor other) -> Tensor
aten::le.Scalar(Tensor self, Scalar other) -> Tensor
aten::le.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::le.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::le.int(int a, int b) -> bool
aten::le.float(float a, float b) -> bool
aten::le.int_float(int a, float b) -> bool
aten::le.float_int(float a, int b) -> bool
aten::le(Scalar a, Scalar b) -> bool
aten::le.str(str a, str b) -> bool
aten::heaviside(Tensor self, Tensor values) -> Tensor
aten::heaviside.out(Tensor self, Tensor values, *, Tensor(a!) out) -> Tensor(a!)
aten::not_equal.Tensor(Tensor self, Tensor other) -> Tensor
aten::not_equal.Scalar(Tensor self, Scalar other) -> Tensor
aten::not_equal.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::not_equal.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::bitwise_not(Tensor self) -> Tensor
aten::bitwise_not.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::isnan(Tensor self) -> Tensor
aten::isnan.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::isnan.float(float a) -> bool
aten::isnan.complex(complex a) -> bool
aten::isinf(Tensor self) -> Tensor
aten::isinf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::isinf.float(float a) -> bool
aten::isinf.complex(complex a) -> bool
aten::isposinf(Tensor self) -> Tensor
aten::isposinf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::isneginf(Tensor self) -> Tensor
aten::isneginf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::logical_not(Tensor self) -> Tensor
aten::logical_not.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
)";

} // namespace reel::jit::schemas
