// Schemas of operators: one element at a time. One a line; overloads of a name in the order of registration.
#include "ops/schemas/schemas.hpp"

namespace reel::jit::schemas {

const std::string_view pointwise = R"(aten::fix(Tensor self) -> Tensor
aten::fix.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::absolute(Tensor self) -> Tensor
aten::absolute.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor
aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor
aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor
aten::xlogy.OutTensor(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::xlogy.OutScalar_Self(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::xlogy.OutScalar_Other(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_xlog1py(Tensor self, Tensor other) -> Tensor
aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor
aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor
aten::special_xlog1py.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_xlog1py.self_scalar_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_xlog1py.other_scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor
aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor
aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor
aten::remainder.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::remainder.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::remainder.Scalar_Tensor_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::remainder.int(int a, int b) -> int
aten::remainder.float(float a, float b) -> float
aten::remainder.int_float(int a, float b) -> float
aten::remainder.float_int(float a, int b) -> float
aten::remainder(Scalar a, Scalar b) -> Scalar
aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor
aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor
aten::lerp.Scalar_out(Tensor self, Tensor end, Scalar weight, *, Tensor(a!) out) -> Tensor(a!)
aten::lerp.Tensor_out(Tensor self, Tensor end, Tensor weight, *, Tensor(a!) out) -> Tensor(a!)
aten::gcd(Tensor self, Tensor other) -> Tensor
aten::gcd.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::gcd.int(int a, int b) -> int
aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor
aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor
aten::fmod.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::fmod.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::fmod.int(int a, int b) -> float
aten::fmod.float(float a, float b) -> float
aten::fmod.int_float(int a, float b) -> float
aten::fmod.float_int(float a, int b) -> float
aten::fmod(Scalar a, Scalar b) -> float
aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor
aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor
aten::copysign.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::copysign.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::copysign.int(int a, int b) -> float
aten::copysign.float(float a, float b) -> float
aten::copysign.int_float(int a, float b) -> float
aten::copysign.float_int(float a, int b) -> float
aten::copysign(Scalar a, Scalar b) -> float
aten::nextafter(Tensor self, Tensor other) -> Tensor
aten::nextafter.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::polar(Tensor abs, Tensor angle) -> Tensor
aten::polar.out(Tensor abs, Tensor angle, *, Tensor(a!) out) -> Tensor(a!)
aten::polar.int(int a, int b) -> complex
aten::polar.float(float a, float b) -> complex
aten::polar.int_float(int a, float b) -> complex
aten::polar.float_int(float a, int b) -> complex
aten::polar.Scalar_Scalar(Scalar a, Scalar b) -> Scalar
aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
aten::addcmul.out(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1, Tensor(a!) out) -> Tensor(a!)
aten::logaddexp2(Tensor self, Tensor other) -> Tensor
aten::logaddexp2.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::rsqrt(Tensor self) -> Tensor
aten::rsqrt.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::real(Tensor(a) self) -> Tensor(a)
aten::log1p(Tensor self) -> Tensor
aten::log1p.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::log1p.int(int a) -> float
aten::log1p.float(float a) -> float
aten::log1p.Scalar(Scalar a) -> Scalar
aten::conj(Tensor(a) self) -> Tensor(a)
aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor
aten::pow.Tensor_Tensor_out(Tensor self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::pow.Scalar_out(Scalar self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::pow.Tensor_Scalar_out(Tensor self, Scalar exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::pow.int(int a, int b) -> float
aten::pow.complex(complex a, complex b) -> complex
aten::pow.float(float a, float b) -> float
aten::pow.int_float(int a, float b) -> float
aten::pow.float_int(float a, int b) -> float
aten::pow.float_complex(float a, complex b) -> complex
aten::pow.complex_float(complex a, float b) -> complex
aten::pow.Scalar_Scalar(Scalar a, Scalar b) -> float
aten::pow.int_to_int(int a, int b) -> int
aten::log10(Tensor self) -> Tensor
aten::log10.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::log10.int(int a) -> float
aten::log10.float(float a) -> float
aten::log10.complex(complex a) -> complex
aten::log10.Scalar(Scalar a) -> Scalar
aten::imag(Tensor(a) self) -> Tensor(a)
aten::resolve_conj(Tensor(a) self) -> Tensor(a)
aten::conj_physical(Tensor self) -> Tensor
aten::conj_physical.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::resolve_neg(Tensor(a) self) -> Tensor(a)
aten::frac(Tensor self) -> Tensor
aten::frac.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::floor(Tensor self) -> Tensor
aten::floor.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::floor.int(int a) -> int
aten::floor.float(float a) -> int
aten::floor.Scalar(Scalar a) -> Scalar
aten::sqrt(Tensor self) -> Tensor
aten::sqrt.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::sqrt.int(int a) -> float
aten::sqrt.float(float a) -> float
aten::sqrt.complex(complex a) -> complex
aten::sqrt.Scalar(Scalar a) -> Scalar
aten::trunc(Tensor self) -> Tensor
aten::trunc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::lcm(Tensor self, Tensor other) -> Tensor
aten::lcm.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor
aten::addcdiv.out(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1, Tensor(a!) out) -> Tensor(a!)
aten::ceil(Tensor self) -> Tensor
aten::ceil.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::ceil.int(int a) -> int
aten::ceil.float(float a) -> int
aten::ceil.Scalar(Scalar a) -> Scalar
aten::exp(Tensor self) -> Tensor
aten::exp.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::exp.int(int a) -> float
aten::exp.float(float a) -> float
aten::exp.complex(complex a) -> complex
aten::exp.Scalar(Scalar a) -> Scalar
aten::logaddexp(Tensor self, Tensor other) -> Tensor
aten::logaddexp.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
aten::add.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)
aten::add.t(t[] a, t[] b) -> t[]
aten::add.str(str a, str b) -> str
aten::add.int(int a, int b) -> int
aten::add.complex(complex a, complex b) -> complex
aten::add.float(float a, float b) -> float
aten::add.int_complex(int a, complex b) -> complex
aten::add.complex_int(complex a, int b) -> complex
aten::add.float_complex(float a, complex b) -> complex
aten::add.complex_float(complex a, float b) -> complex
aten::add.int_float(int a, float b) -> float
aten::add.float_int(float a, int b) -> float
aten::add(Scalar a, Scalar b) -> Scalar
aten::expm1(Tensor self) -> Tensor
aten::expm1.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::expm1.int(int a) -> float
aten::expm1.float(float a) -> float
aten::expm1.Scalar(Scalar a) -> Scalar
aten::log(Tensor self) -> Tensor
aten::log.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::log.int(int a) -> float
aten::log.float(float a) -> float
aten::log.complex(complex a) -> complex
aten::log.Scalar(Scalar a) -> Scalar
aten::log.int_int(int a, int b) -> float
aten::log.float_float(float a, float b) -> float
aten::log.complex_complex(complex a, complex b) -> complex
aten::log.int_float(int a, float b) -> float
aten::log.float_int(float a, int b) -> float
aten::log.int_complex(int a, complex b) -> complex
aten::log.complex_int(complex a, int b) -> complex
aten::log.float_complex(float a, complex b) -> complex
aten::log.complex_float(complex a, float b) -> complex
aten::log.Scalar_Scalar(Scalar a, Scalar b) -> float
aten::log2(Tensor self) -> Tensor
aten::log2.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::neg(Tensor self) -> Tensor
aten::neg.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::neg.int(int a) -> int
aten::neg.float(float a) -> float
aten::neg.complex(complex a) -> complex
aten::neg.Scalar(Scalar a) -> Scalar
aten::round(Tensor self) -> Tensor
aten::round.decimals(Tensor self, *, int decimals) -> Tensor
aten::round.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::round.decimals_out(Tensor self, *, int decimals, Tensor(a!) out) -> Tensor(a!)
aten::round.int(int a) -> float
aten::round.float(float a) -> float
aten::round.Scalar(Scalar a) -> Scalar
aten::sign(Tensor self) -> Tensor
aten::sign.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor
aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor
aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor
aten::float_power.Tensor_Tensor_out(Tensor self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::float_power.Scalar_out(Scalar self, Tensor exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::float_power.Tensor_Scalar_out(Tensor self, Scalar exponent, *, Tensor(a!) out) -> Tensor(a!)
aten::true_divide.Tensor(Tensor self, Tensor other) -> Tensor
aten::true_divide.Scalar(Tensor self, Scalar other) -> Tensor
aten::true_divide.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::sub.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
aten::sub.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)
aten::sub.int(int a, int b) -> int
aten::sub.complex(complex a, complex b) -> complex
aten::sub.float(float a, float b) -> float
aten::sub.int_complex(int a, complex b) -> complex
aten::sub.complex_int(complex a, int b) -> complex
aten::sub.float_complex(float a, complex b) -> complex
aten::sub.complex_float(complex a, float b) -> complex
aten::sub.int_float(int a, float b) -> float
aten::sub.float_int(float a, int b) -> float
aten::sub(Scalar a, Scalar b) -> Scalar
aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::rsub.Tensor_out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
aten::rsub.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)
aten::mul.Tensor(Tensor self, Tensor other) -> Tensor
aten::mul.Scalar(Tensor self, Scalar other) -> Tensor
aten::mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::mul.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::mul.left_t(t[] l, int n) -> t[]
aten::mul.right_(int n, t[] l) -> t[]
aten::mul.int(int a, int b) -> int
aten::mul.complex(complex a, complex b) -> complex
aten::mul.float(float a, float b) -> float
aten::mul.int_complex(int a, complex b) -> complex
aten::mul.complex_int(complex a, int b) -> complex
aten::mul.float_complex(float a, complex b) -> complex
aten::mul.complex_float(complex a, float b) -> complex
aten::mul.int_float(int a, float b) -> float
aten::mul.float_int(float a, int b) -> float
aten::mul(Scalar a, Scalar b) -> Scalar
aten::reciprocal(Tensor self) -> Tensor
aten::reciprocal.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::div.Tensor(Tensor self, Tensor other) -> Tensor
aten::div.Scalar(Tensor self, Scalar other) -> Tensor
aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor
aten::div.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::div.out_mode(Tensor self, Tensor other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)
aten::div.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::div.Scalar_mode_out(Tensor self, Scalar other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)
aten::div.int(int a, int b) -> float
aten::div.complex(complex a, complex b) -> complex
aten::div.float(float a, float b) -> float
aten::div(Scalar a, Scalar b) -> float
aten::floor_divide(Tensor self, Tensor other) -> Tensor
aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor
aten::floor_divide.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::floor_divide.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::abs(Tensor self) -> Tensor
aten::abs.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor
aten::ldexp.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::ldexp(float x, int i) -> float
aten::complex(Tensor real, Tensor imag) -> Tensor
aten::complex.out(Tensor real, Tensor imag, *, Tensor(a!) out) -> Tensor(a!)
aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)
aten::frexp.Tensor_out(Tensor self, *, Tensor(a!) mantissa, Tensor(b!) exponent) -> (Tensor(a!) mantissa, Tensor(b!) exponent)
aten::frexp(float a) -> (float, int)
aten::negative(Tensor self) -> Tensor
aten::negative.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::positive(Tensor(a) self) -> Tensor(a)
aten::special_logit(Tensor self, float? eps=None) -> Tensor
aten::special_logit.out(Tensor self, float? eps=None, *, Tensor(a!) out) -> Tensor(a!)
aten::special_erf(Tensor self) -> Tensor
aten::special_erf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_erfc(Tensor self) -> Tensor
aten::special_erfc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_exp2(Tensor self) -> Tensor
aten::special_exp2.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_expm1(Tensor self) -> Tensor
aten::special_expm1.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_expit(Tensor self) -> Tensor
aten::special_expit.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_log1p(Tensor self) -> Tensor
aten::special_log1p.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_round(Tensor self, *, int decimals=0) -> Tensor
aten::special_round.out(Tensor self, *, int decimals=0, Tensor(a!) out) -> Tensor(a!)
aten::special_xlogy(Tensor self, Tensor other) -> Tensor
aten::special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor
aten::special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor
aten::special_xlogy.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_xlogy.self_scalar_out(Scalar self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::special_xlogy.other_scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::square(Tensor self) -> Tensor
aten::square.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::subtract.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)
aten::subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::divide.Tensor(Tensor self, Tensor other) -> Tensor
aten::divide.Scalar(Tensor self, Scalar other) -> Tensor
aten::divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor
aten::divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor
aten::divide.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::divide.out_mode(Tensor self, Tensor other, *, str? rounding_mode, Tensor(a!) out) -> Tensor(a!)
aten::multiply.Tensor(Tensor self, Tensor other) -> Tensor
aten::multiply.Scalar(Tensor self, Scalar other) -> Tensor
aten::multiply.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::sgn(Tensor self) -> Tensor
aten::sgn.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor
aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor
aten::masked_fill.Scalar_out(Tensor self, Tensor mask, Scalar value, *, Tensor(a!) out) -> Tensor(a!)
aten::masked_fill.Tensor_out(Tensor self, Tensor mask, Tensor value, *, Tensor(a!) out) -> Tensor(a!)
aten::angle(Tensor self) -> Tensor
aten::angle.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::angle.int(int a) -> float
aten::angle.float(float a) -> float
aten::angle.complex(complex a) -> float
aten::angle.Scalar(Scalar a) -> Scalar
aten::erf(Tensor self) -> Tensor
aten::erf.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::erf.int(int a) -> float
aten::erf.float(float a) -> float
aten::erf.Scalar(Scalar a) -> Scalar
aten::logit(Tensor self, float? eps=None) -> Tensor
aten::logit.out(Tensor self, float? eps=None, *, Tensor(a!) out) -> Tensor(a!)
aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor
aten::nan_to_num.out(Tensor self, float? nan=None, float? posinf=None, float? neginf=None, *, Tensor(a!) out) -> Tensor(a!)
aten::signbit(Tensor self) -> Tensor
aten::signbit.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::erfc(Tensor self) -> Tensor
aten::erfc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::erfc.int(int a) -> float
aten::erfc.float(float a) -> float
aten::erfc.Scalar(Scalar a) -> Scalar
aten::exp2(Tensor self) -> Tensor
aten::exp2.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_entr(Tensor self) -> Tensor
aten::special_entr.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::special_spherical_bessel_j0(Tensor x) -> Tensor
aten::special_spherical_bessel_j0.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)
)";

} // namespace reel::jit::schemas
