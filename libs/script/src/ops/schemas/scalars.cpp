// Schemas of operators: numbers, flags and comparisons of objects. One a line; overloads of a name in the order of
// registration.
#include "ops/schemas/schemas.hpp"

namespace reel::jit::schemas {

const std::string_view scalars = R"(aten::has_torch_function(...) -> bool
aten::is_scripting() -> bool
aten::wait(Future(t) self) -> t
aten::hash.generic(t value) -> int
aten::divmod.int(int x, int y) -> (int, int)
aten::divmod.float(float x, float y) -> (float, float)
aten::divmod.int_float(int x, float y) -> (float, float)
aten::divmod.float_int(float x, int y) -> (float, float)
aten::__round_to_zero_floordiv.int(int a, int b) -> int
aten::_unwrap_optional(t(a)? optional) -> t(a)
aten::manual_seed(int seed) -> ()
aten::manual_seed.generator(Generator(a!) self, int seed) -> Generator(a!)
aten::floordiv.int(int a, int b) -> int
aten::floordiv.float(float a, float b) -> float
aten::floordiv.int_float(int a, float b) -> float
aten::floordiv.float_int(float a, int b) -> float
aten::floordiv(Scalar a, Scalar b) -> Scalar
aten::is_autocast_cpu_enabled() -> bool
aten::is_autocast_enabled() -> bool
aten::__isnot__(t1 self, t2 obj) -> bool
aten::__is__(t1 self, t2 obj) -> bool
aten::__not__(bool self) -> bool
aten::__derive_index(int index, int start, int step) -> int
aten::__range_length(int lo, int hi, int step) -> int
aten::modf(float a) -> (float, float)
aten::factorial.int(int a) -> int
aten::_is_tracing() -> bool
aten::promote_types(ScalarType type1, ScalarType type2) -> ScalarType
aten::can_cast(ScalarType from_, ScalarType to) -> bool
aten::_nnpack_available() -> bool
aten::is_vulkan_available() -> bool
aten::_cufft_clear_plan_cache(int device_index) -> ()
aten::_cufft_set_plan_cache_max_size(int device_index, int max_size) -> ()
aten::_cufft_get_plan_cache_max_size(int device_index) -> int
aten::_cufft_get_plan_cache_size(int device_index) -> int
aten::_use_cudnn_rnn_flatten_weight() -> bool
aten::fabs.int(int a) -> float
aten::fabs.float(float a) -> float
aten::fabs.Scalar(Scalar a) -> Scalar
aten::gamma.int(int a) -> float
aten::gamma.float(float a) -> float
aten::gamma.Scalar(Scalar a) -> Scalar
aten::Generator(*, Device? device=None, int? seed=None) -> Generator
aten::seed(Generator(a!) self) -> int
aten::initial_seed(Generator self) -> int
aten::sym_constrain_range_for_size(Scalar size, *, int? min=None, int? max=None) -> ()
aten::sym_constrain_range(Scalar size, *, int? min=None, int? max=None) -> ()
aten::set_grad_enabled(bool val) -> ()
aten::is_grad_enabled() -> bool
aten::radians.int(int a) -> float
aten::radians.float(float a) -> float
aten::radians.Scalar(Scalar a) -> Scalar
aten::mathremainder.int(int a, int b) -> float
aten::mathremainder.float(float a, float b) -> float
aten::mathremainder.int_float(int a, float b) -> float
aten::mathremainder.float_int(float a, int b) -> float
aten::mathremainder(Scalar a, Scalar b) -> float
aten::_get_tracing_state() -> bool
aten::degrees.int(int a) -> float
aten::degrees.float(float a) -> float
aten::degrees.Scalar(Scalar a) -> Scalar
aten::__or__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__or__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__or__.bool(bool a, bool b) -> bool
aten::__or__.int(int a, int b) -> int
aten::__ixor__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::__ixor__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::__ior__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::__ior__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::__iand__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::__iand__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::__and__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__and__.bool(bool a, bool b) -> bool
aten::__and__.int(int a, int b) -> int
aten::__rshift__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__rshift__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__rshift__.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::__rshift__.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::__rshift__.int(int a, int b) -> int
aten::__lshift__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__lshift__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__lshift__.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)
aten::__lshift__.Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::__lshift__.int(int a, int b) -> int
aten::__irshift__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::__irshift__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::__ilshift__.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::__ilshift__.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::__xor__.Tensor(Tensor self, Tensor other) -> Tensor
aten::__xor__.Scalar(Tensor self, Scalar other) -> Tensor
aten::__xor__.bool(bool a, bool b) -> bool
aten::__xor__.int(int a, int b) -> int
)";

} // namespace reel::jit::schemas
