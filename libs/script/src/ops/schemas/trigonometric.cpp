// Schemas of operators: trigonometric ones. One a line; overloads of a name in the order of registration.
#include "ops/schemas/schemas.hpp"

namespace reel::jit::schemas {

const std::string_view trigonometric = R"(aten::arccosh(Tensor self) -> Tensor
aten::arccosh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::arctanh(Tensor self) -> Tensor
aten::arctanh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::arctan2(Tensor self, Tensor other) -> Tensor
aten::arctan2.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::arcsin(Tensor self) -> Tensor
aten::arcsin.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::arccos(Tensor self) -> Tensor
aten::arccos.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::hypot(Tensor self, Tensor other) -> Tensor
aten::hypot.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::atan2(Tensor self, Tensor other) -> Tensor
aten::atan2.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::atan2.int(int a, int b) -> float
aten::atan2.float(float a, float b) -> float
aten::atan2.int_float(int a, float b) -> float
aten::atan2.float_int(float a, int b) -> float
aten::atan2.Scalar_Scalar(Scalar a, Scalar b) -> float
aten::asin(Tensor self) -> Tensor
aten::asin.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::asin.int(int a) -> float
aten::asin.float(float a) -> float
aten::asin.complex(complex a) -> complex
aten::asin.Scalar(Scalar a) -> Scalar
aten::arctan(Tensor self) -> Tensor
aten::arctan.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::atan(Tensor self) -> Tensor
aten::atan.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::atan.int(int a) -> float
aten::atan.float(float a) -> float
aten::atan.complex(complex a) -> complex
aten::atan.Scalar(Scalar a) -> Scalar
aten::arcsinh(Tensor self) -> Tensor
aten::arcsinh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::acos(Tensor self) -> Tensor
aten::acos.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::acos.int(int a) -> float
aten::acos.float(float a) -> float
aten::acos.complex(complex a) -> complex
aten::acos.Scalar(Scalar a) -> Scalar
aten::sin(Tensor self) -> Tensor
aten::sin.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::sin.int(int a) -> float
aten::sin.float(float a) -> float
aten::sin.complex(complex a) -> complex
aten::sin.Scalar(Scalar a) -> Scalar
aten::cos(Tensor self) -> Tensor
aten::cos.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::cos.int(int a) -> float
aten::cos.float(float a) -> float
aten::cos.complex(complex a) -> complex
aten::cos.Scalar(Scalar a) -> Scalar
aten::sinh(Tensor self) -> Tensor
aten::sinh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::sinh.int(int a) -> float
aten::sinh.float(float a) -> float
aten::sinh.complex(complex a) -> complex
aten::sinh.Scalar(Scalar a) -> Scalar
aten::tan(Tensor self) -> Tensor
aten::tan.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::tan.int(int a) -> float
aten::tan.float(float a) -> float
aten::tan.complex(complex a) -> complex
aten::tan.Scalar(Scalar a) -> Scalar
aten::cosh(Tensor self) -> Tensor
aten::cosh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::cosh.int(int a) -> float
aten::cosh.float(float a) -> float
aten::cosh.complex(complex a) -> complex
aten::cosh.Scalar(Scalar a) -> Scalar
aten::special_sinc(Tensor self) -> Tensor
aten::special_sinc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::sinc(Tensor self) -> Tensor
aten::sinc.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::acosh(Tensor self) -> Tensor
aten::acosh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::acosh.int(int a) -> float
aten::acosh.float(float a) -> float
aten::acosh.complex(complex a) -> complex
aten::acosh.Scalar(Scalar a) -> Scalar
aten::asinh(Tensor self) -> Tensor
aten::asinh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::asinh.int(int a) -> float
aten::asinh.float(float a) -> float
aten::asinh.complex(complex a) -> complex
aten::asinh.Scalar(Scalar a) -> Scalar
aten::atanh(Tensor self) -> Tensor
aten::atanh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::atanh.int(int a) -> float
aten::atanh.float(float a) -> float
aten::atanh.complex(complex a) -> complex
aten::atanh.Scalar(Scalar a) -> Scalar
aten::deg2rad(Tensor self) -> Tensor
aten::deg2rad.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::rad2deg(Tensor self) -> Tensor
aten::rad2deg.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
)";

} // namespace reel::jit::schemas
