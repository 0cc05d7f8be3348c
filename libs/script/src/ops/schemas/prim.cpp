// Schemas of operators: what `ops.prim` holds. One a line; overloads of a name in the order of registration.
#include "ops/schemas/schemas.hpp"

namespace reel::jit::schemas {

const std::string_view prim = R"(prim::PythonOp(...) -> ...
prim::ModuleContainerIndex.list(Any self, int ind) -> Any
prim::ModuleContainerIndex.dict(Any self, str ind) -> Any
prim::id(AnyClassType? x) -> int
prim::abs.int(int a) -> int
prim::abs.float(float a) -> float
prim::abs.complex(complex a) -> float
prim::abs.Scalar(Scalar a) -> Scalar
prim::abs(Tensor x) -> Tensor
prim::StringIndex(str string, int index) -> str
prim::AutogradZero() -> Tensor
prim::grad(Tensor a) -> Tensor(*)
prim::requires_grad(Tensor a) -> bool
prim::rangelist(int n) -> int[]
prim::tolist(...) -> ...
prim::is_cuda(Tensor a) -> bool
prim::max.int(int a, int b) -> int
prim::max.float(float a, float b) -> float
prim::max.int_float(int a, float b) -> float
prim::max.float_int(float a, int b) -> float
prim::max(Scalar a, Scalar b) -> Scalar
prim::max.int_list(int[] l, int[] r) -> int[]
prim::max.self_int(int[] self) -> int
prim::max.float_list(float[] l, float[] r) -> float[]
prim::max.self_float(float[] self) -> float
prim::max.bool_list(bool[] l, bool[] r) -> bool[]
prim::max.self_bool(bool[] self) -> bool
prim::min.int(int a, int b) -> int
prim::min.float(float a, float b) -> float
prim::min.int_float(int a, float b) -> float
prim::min.float_int(float a, int b) -> float
prim::min(Scalar a, Scalar b) -> Scalar
prim::min.int_list(int[] l, int[] r) -> int[]
prim::min.self_int(int[] self) -> int
prim::min.float_list(float[] l, float[] r) -> float[]
prim::min.self_float(float[] self) -> float
prim::min.bool_list(bool[] l, bool[] r) -> bool[]
prim::min.self_bool(bool[] self) -> bool
prim::IfThenElse(bool cond, Any(a) x, Any(b) y) -> Any(b|a)
prim::Print(...) -> ()
prim::Uninitialized() -> Any
prim::layout(Tensor a) -> Layout
prim::dtype(Tensor a) -> int
prim::device(Tensor a) -> Device
prim::unchecked_unwrap_optional(t(a)? optional) -> t(a)
prim::TupleIndex(Any tup, int i) -> Any
prim::EnumValue.int(AnyEnumType enum) -> int
prim::EnumValue.float(AnyEnumType enum) -> float
prim::EnumValue.str(AnyEnumType enum) -> str
prim::EnumName(AnyEnumType enum) -> str
prim::RaiseException(str msg, str? cls=None) -> ()
prim::NumToTensor.Scalar(Scalar a) -> Tensor
prim::NumToTensor.bool(bool a) -> Tensor
prim::unchecked_cast(t x) -> t
prim::TupleUnpack(Any tup) -> ...
prim::is_xpu(Tensor a) -> bool
prim::is_quantized(Tensor a) -> bool
prim::is_ipu(Tensor a) -> bool
prim::is_meta(Tensor a) -> bool
prim::nbytes(Tensor a) -> int
prim::name(Tensor a) -> str?
prim::is_nested(Tensor a) -> bool
prim::is_maia(Tensor a) -> bool
prim::itemsize(Tensor a) -> int
prim::is_vulkan(Tensor a) -> bool
prim::is_mps(Tensor a) -> bool
prim::is_mkldnn(Tensor a) -> bool
prim::is_sparse_csr(Tensor a) -> bool
prim::index(Device self) -> int?
prim::is_xla(Tensor a) -> bool
prim::is_cpu(Tensor a) -> bool
prim::is_sparse(Tensor a) -> bool
prim::data(Tensor(a) a) -> Tensor(a)
prim::is_mtia(Tensor a) -> bool
prim::type(Device self) -> str
)";

} // namespace reel::jit::schemas
