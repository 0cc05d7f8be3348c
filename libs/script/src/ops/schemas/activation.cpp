// Schemas of operators: activations. One a line; overloads of a name in the order of registration.
#include "ops/schemas/schemas.hpp"

namespace reel::jit::schemas {

const std::string_view activation = R"(aten::mish(Tensor self) -> Tensor
aten::mish.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::glu(Tensor self, int dim=-1) -> Tensor
aten::glu.out(Tensor self, int dim=-1, *, Tensor(a!) out) -> Tensor(a!)
aten::tanh(Tensor self) -> Tensor
aten::tanh.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::tanh.int(int a) -> float
aten::tanh.float(float a) -> float
aten::tanh.complex(complex a) -> complex
aten::tanh.Scalar(Scalar a) -> Scalar
aten::log_sigmoid(Tensor self) -> Tensor
aten::log_sigmoid.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::selu(Tensor self) -> Tensor
aten::sigmoid(Tensor self) -> Tensor
aten::sigmoid.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::prelu(Tensor self, Tensor weight) -> Tensor
aten::relu(Tensor self) -> Tensor
aten::relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor
aten::softplus.out(Tensor self, Scalar beta=1, Scalar threshold=20, *, Tensor(a!) out) -> Tensor(a!)
aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor
aten::relu6(Tensor self) -> Tensor
aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor
aten::threshold.out(Tensor self, Scalar threshold, Scalar value, *, Tensor(a!) out) -> Tensor(a!)
aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor
aten::elu.out(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1, *, Tensor(a!) out) -> Tensor(a!)
aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor
aten::hardshrink.out(Tensor self, Scalar lambd=0.5, *, Tensor(a!) out) -> Tensor(a!)
aten::hardsigmoid(Tensor self) -> Tensor
aten::hardsigmoid.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor
aten::hardtanh.out(Tensor self, Scalar min_val=-1, Scalar max_val=1, *, Tensor(a!) out) -> Tensor(a!)
aten::hardswish(Tensor self) -> Tensor
aten::hardswish.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor
aten::leaky_relu.out(Tensor self, Scalar negative_slope=0.01, *, Tensor(a!) out) -> Tensor(a!)
aten::celu(Tensor self, Scalar alpha=1.) -> Tensor
aten::celu.out(Tensor self, Scalar alpha=1., *, Tensor(a!) out) -> Tensor(a!)
aten::gelu(Tensor self, *, str approximate="none") -> Tensor
aten::gelu.out(Tensor self, *, str approximate="none", Tensor(a!) out) -> Tensor(a!)
aten::silu(Tensor self) -> Tensor
aten::silu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor
aten::softshrink.out(Tensor self, Scalar lambd=0.5, *, Tensor(a!) out) -> Tensor(a!)
)";

} // namespace reel::jit::schemas
