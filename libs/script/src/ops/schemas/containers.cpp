// Schemas of operators: strings, lists and dicts. One a line; overloads of a name in the order of registration.
#include "ops/schemas/schemas.hpp"

namespace reel::jit::schemas {

const std::string_view containers = R"(aten::sorted.int(int[](a) input) -> int[]
aten::sorted.float(float[](a) input) -> float[]
aten::sorted.Tensor(Tensor[](a) input) -> Tensor[]
aten::sorted.bool(bool[](a) input) -> bool[]
aten::sorted.str(str[](a) input) -> str[]
aten::sorted.any(t[](a) self) -> t[]
aten::setdefault.str(Dict(str, t)(a!) self, str(b -> *) key, t(c -> *) default_value) -> t(*)
aten::setdefault.int(Dict(int, t)(a!) self, int(b -> *) key, t(c -> *) default_value) -> t(*)
aten::setdefault.bool(Dict(bool, t)(a!) self, bool(b -> *) key, t(c -> *) default_value) -> t(*)
aten::setdefault.float(Dict(float, t)(a!) self, float(b -> *) key, t(c -> *) default_value) -> t(*)
aten::setdefault.complex(Dict(complex, t)(a!) self, complex(b -> *) key, t(c -> *) default_value) -> t(*)
aten::setdefault.Tensor(Dict(Tensor, t)(a!) self, Tensor(b -> *) key, t(c -> *) default_value) -> t(*)
aten::keys.str(Dict(str, t) self) -> str[](*)
aten::keys.int(Dict(int, t) self) -> int[](*)
aten::keys.bool(Dict(bool, t) self) -> bool[](*)
aten::keys.float(Dict(float, t) self) -> float[](*)
aten::keys.complex(Dict(complex, t) self) -> complex[](*)
aten::keys.Tensor(Dict(Tensor, t) self) -> Tensor[](*)
aten::dict() -> Dict(str, Tensor)
aten::dict.str((str, tVal)[] inputs) -> Dict(str, tVal)
aten::dict.Dict_str(Dict(str, t)(a) self) -> Dict(str, t)
aten::dict.int((int, tVal)[] inputs) -> Dict(int, tVal)
aten::dict.Dict_int(Dict(int, t)(a) self) -> Dict(int, t)
aten::dict.bool((bool, tVal)[] inputs) -> Dict(bool, tVal)
aten::dict.Dict_bool(Dict(bool, t)(a) self) -> Dict(bool, t)
aten::dict.float((float, tVal)[] inputs) -> Dict(float, tVal)
aten::dict.Dict_float(Dict(float, t)(a) self) -> Dict(float, t)
aten::dict.complex((complex, tVal)[] inputs) -> Dict(complex, tVal)
aten::dict.Dict_complex(Dict(complex, t)(a) self) -> Dict(complex, t)
aten::dict.Tensor((Tensor, tVal)[] inputs) -> Dict(Tensor, tVal)
aten::dict.Dict_Tensor(Dict(Tensor, t)(a) self) -> Dict(Tensor, t)
aten::len.t(t[] a) -> int
aten::len.Tensor(Tensor t) -> int
aten::len.str(str s) -> int
aten::len.Dict_str(Dict(str, t) self) -> int
aten::len.Dict_int(Dict(int, t) self) -> int
aten::len.Dict_bool(Dict(bool, t) self) -> int
aten::len.Dict_float(Dict(float, t) self) -> int
aten::len.Dict_complex(Dict(complex, t) self) -> int
aten::len.Dict_Tensor(Dict(Tensor, t) self) -> int
aten::len.any(Any[] a) -> int
aten::pop.t(t[](a!) self, int idx=-1) -> t(*)
aten::pop.Dict_str(Dict(str, t)(a!) self, str key) -> t(*)
aten::pop.Dict_default_str(Dict(str, t)(a!) self, str key, t default_value) -> t(*)
aten::pop.Dict_int(Dict(int, t)(a!) self, int key) -> t(*)
aten::pop.Dict_default_int(Dict(int, t)(a!) self, int key, t default_value) -> t(*)
aten::pop.Dict_bool(Dict(bool, t)(a!) self, bool key) -> t(*)
aten::pop.Dict_default_bool(Dict(bool, t)(a!) self, bool key, t default_value) -> t(*)
aten::pop.Dict_float(Dict(float, t)(a!) self, float key) -> t(*)
aten::pop.Dict_default_float(Dict(float, t)(a!) self, float key, t default_value) -> t(*)
aten::pop.Dict_complex(Dict(complex, t)(a!) self, complex key) -> t(*)
aten::pop.Dict_default_complex(Dict(complex, t)(a!) self, complex key, t default_value) -> t(*)
aten::pop.Dict_Tensor(Dict(Tensor, t)(a!) self, Tensor key) -> t(*)
aten::pop.Dict_default_Tensor(Dict(Tensor, t)(a!) self, Tensor key, t default_value) -> t(*)
aten::Delete.t(t[](a!) self, int idx) -> ()
aten::Delete.Dict_str(Dict(str, t)(a!) self, str key) -> ()
aten::Delete.Dict_int(Dict(int, t)(a!) self, int key) -> ()
aten::Delete.Dict_bool(Dict(bool, t)(a!) self, bool key) -> ()
aten::Delete.Dict_float(Dict(float, t)(a!) self, float key) -> ()
aten::Delete.Dict_complex(Dict(complex, t)(a!) self, complex key) -> ()
aten::Delete.Dict_Tensor(Dict(Tensor, t)(a!) self, Tensor key) -> ()
aten::clear.t(t[](a!) self) -> ()
aten::clear.str(Dict(str, t)(a!) self) -> ()
aten::clear.int(Dict(int, t)(a!) self) -> ()
aten::clear.bool(Dict(bool, t)(a!) self) -> ()
aten::clear.float(Dict(float, t)(a!) self) -> ()
aten::clear.complex(Dict(complex, t)(a!) self) -> ()
aten::clear.Tensor(Dict(Tensor, t)(a!) self) -> ()
aten::Complex.Scalar(Scalar a) -> complex
aten::Complex.Tensor_Tensor(Tensor a, Tensor b) -> complex
aten::Complex.int_bool(int x, bool y) -> complex
aten::Complex.bool_int(bool x, int y) -> complex
aten::Complex.float_bool(float x, bool y) -> complex
aten::Complex.bool_float(bool x, float y) -> complex
aten::Complex.float_int(float x, int y) -> complex
aten::Complex.int_float(int x, float y) -> complex
aten::Complex.int_int(int x, int y) -> complex
aten::Complex.bool_bool(bool x, bool y) -> complex
aten::Complex.float_float(float x, float y) -> complex
aten::Complex.Tensor_float(Tensor x, float y) -> complex
aten::Complex.float_Tensor(float x, Tensor y) -> complex
aten::Complex.Tensor_int(Tensor x, int y) -> complex
aten::Complex.int_Tensor(int x, Tensor y) -> complex
aten::Complex.Tensor_bool(Tensor x, bool y) -> complex
aten::Complex.bool_Tensor(bool x, Tensor y) -> complex
aten::Float.Tensor(Tensor a) -> float
aten::Float.Scalar(Scalar a) -> float
aten::Float.int(int a) -> float
aten::Float.bool(bool a) -> float
aten::Float.str(str a) -> float
aten::Int.Tensor(Tensor a) -> int
aten::Int.bool(bool a) -> int
aten::Int.float(float a) -> int
aten::Int.Scalar(Scalar a) -> int
aten::Int.str(str a) -> int
aten::Bool.Tensor(Tensor a) -> bool
aten::Bool.int(int a) -> bool
aten::Bool.float(float a) -> bool
aten::popitem.str(Dict(str, t)(a!) self) -> ((str, t))
aten::popitem.int(Dict(int, t)(a!) self) -> ((int, t))
aten::popitem.bool(Dict(bool, t)(a!) self) -> ((bool, t))
aten::popitem.float(Dict(float, t)(a!) self) -> ((float, t))
aten::popitem.complex(Dict(complex, t)(a!) self) -> ((complex, t))
aten::popitem.Tensor(Dict(Tensor, t)(a!) self) -> ((Tensor, t))
aten::count(str self, str substr, int start=0, int end=-1) -> int
aten::count.int(int[] self, int el) -> int
aten::count.float(float[] self, float el) -> int
aten::count.bool(bool[] self, bool el) -> int
aten::count.Tensor(Tensor[] self, Tensor el) -> int
aten::count.str(str[] self, str el) -> int
aten::get.str(Dict(str, t) self, str key) -> t(*)?
aten::get.default_str(Dict(str, t) self, str key, t default_value) -> t(*)
aten::get.int(Dict(int, t) self, int key) -> t(*)?
aten::get.default_int(Dict(int, t) self, int key, t default_value) -> t(*)
aten::get.bool(Dict(bool, t) self, bool key) -> t(*)?
aten::get.default_bool(Dict(bool, t) self, bool key, t default_value) -> t(*)
aten::get.float(Dict(float, t) self, float key) -> t(*)?
aten::get.default_float(Dict(float, t) self, float key, t default_value) -> t(*)
aten::get.complex(Dict(complex, t) self, complex key) -> t(*)?
aten::get.default_complex(Dict(complex, t) self, complex key, t default_value) -> t(*)
aten::get.Tensor(Dict(Tensor, t) self, Tensor key) -> t(*)?
aten::get.default_Tensor(Dict(Tensor, t) self, Tensor key, t default_value) -> t(*)
aten::update.str(Dict(str, t)(a!) self, Dict(str, t)(a!) to_add) -> ()
aten::update.int(Dict(int, t)(a!) self, Dict(int, t)(a!) to_add) -> ()
aten::update.bool(Dict(bool, t)(a!) self, Dict(bool, t)(a!) to_add) -> ()
aten::update.float(Dict(float, t)(a!) self, Dict(float, t)(a!) to_add) -> ()
aten::update.complex(Dict(complex, t)(a!) self, Dict(complex, t)(a!) to_add) -> ()
aten::update.Tensor(Dict(Tensor, t)(a!) self, Dict(Tensor, t)(a!) to_add) -> ()
aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor
aten::copy.out(Tensor self, Tensor src, bool non_blocking=False, *, Tensor(a!) out) -> Tensor(a!)
aten::copy.t(t[](a) self) -> t[]
aten::copy.Dict_str(Dict(str, t)(a) self) -> Dict(str, t)
aten::copy.Dict_int(Dict(int, t)(a) self) -> Dict(int, t)
aten::copy.Dict_bool(Dict(bool, t)(a) self) -> Dict(bool, t)
aten::copy.Dict_float(Dict(float, t)(a) self) -> Dict(float, t)
aten::copy.Dict_complex(Dict(complex, t)(a) self) -> Dict(complex, t)
aten::copy.Dict_Tensor(Dict(Tensor, t)(a) self) -> Dict(Tensor, t)
aten::items.str(Dict(str, t) self) -> ((str, t)[])
aten::items.int(Dict(int, t) self) -> ((int, t)[])
aten::items.bool(Dict(bool, t) self) -> ((bool, t)[])
aten::items.float(Dict(float, t) self) -> ((float, t)[])
aten::items.complex(Dict(complex, t) self) -> ((complex, t)[])
aten::items.Tensor(Dict(Tensor, t) self) -> ((Tensor, t)[])
aten::remove.int(int[](a!) self, int el) -> ()
aten::remove.float(float[](a!) self, float el) -> ()
aten::remove.bool(bool[](a!) self, bool el) -> ()
aten::remove.Tensor(Tensor[](a!) self, Tensor el) -> ()
aten::remove.str(str[](a!) self, str el) -> ()
aten::save(t item, str filename) -> ()
aten::chr(int i) -> str
aten::bin(int i) -> str
aten::oct(int i) -> str
aten::hex(int i) -> str
aten::_size_if_not_equal(int[] self_size, int[] other_size) -> int[]?
aten::warn(str message, int stacklevel=2) -> ()
aten::percentFormat(str self, ...) -> str
aten::device(str a) -> Device
aten::device.with_index(str type, int index) -> Device
aten::expandtabs(str self, int tabsize=8) -> str
aten::endswith(str self, str substr, int start=0, int end=-1) -> bool
aten::center(str self, int width, str fillchar=" ") -> str
aten::ord(str string) -> int
aten::get_autocast_dtype(str device_type) -> ScalarType
aten::insert.t(t[](a!) self, int idx, t(b -> *) el) -> ()
aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)
aten::format(str self, ...) -> str
aten::list(str t) -> str[]
aten::list.t(t[] l) -> t[]
aten::str(t elem) -> str
aten::isdigit(str self) -> bool
aten::isalnum(str self) -> bool
aten::isdecimal(str self) -> bool
aten::istitle(str self) -> bool
aten::_infer_size(int[] a, int[] b) -> int[]
aten::broadcast_shapes(int[] a, int[] b) -> int[]
aten::lower(str self) -> str
aten::reverse.t(t[](a!) self) -> ()
aten::isupper(str self) -> bool
aten::startswith(str self, str substr, int start=0, int end=-1) -> bool
aten::find(str self, str substr, int start=0, int end=-1) -> int
aten::title(str self) -> str
aten::swapcase(str self) -> str
aten::isidentifier(str self) -> bool
aten::rsplit(str self, str separator=" ", int max=-1) -> str[]
aten::join(str self, str[] values) -> str
aten::Size(int[] sizes) -> int[]
aten::_print(str s) -> ()
aten::_assert_scalar(Scalar self, str assert_msg) -> ()
aten::isprintable(str self) -> bool
aten::upper(str self) -> str
aten::islower(str self) -> bool
aten::splitlines(str self, bool keepends=False) -> str[]
aten::capitalize(str self) -> str
aten::_get_cpu_capability() -> str
aten::isnumeric(str self) -> bool
aten::strip(str self, str chars=" \n\t\f\v") -> str
aten::partition(str self, str separator) -> (str, str, str)
aten::replace(str self, str old, str new, int max=-1) -> str
aten::rstrip(str self, str chars=" \n\t\f\v") -> str
aten::ljust(str self, int width, str fillchar=" ") -> str
aten::rjust(str self, int width, str fillchar=" ") -> str
aten::rpartition(str self, str separator) -> (str, str, str)
aten::zfill(str self, int width) -> str
aten::lstrip(str self, str chars=" \n\t\f\v") -> str
aten::isspace(str self) -> bool
aten::rfind(str self, str substr, int start=0, int end=-1) -> int
aten::isalpha(str self) -> bool
aten::rindex(str self, str substr, int start=0, int end=-1) -> int
aten::extend.t(t[](a!) self, t[] other) -> ()
aten::__contains__.int_list(int[] l, int item) -> bool
aten::__contains__.str_list(str[] l, str item) -> bool
aten::__contains__.str(Dict(str, t) dict, str key) -> bool
aten::__contains__.int(Dict(int, t) dict, int key) -> bool
aten::__contains__.bool(Dict(bool, t) dict, bool key) -> bool
aten::__contains__.float(Dict(float, t) dict, float key) -> bool
aten::__contains__.complex(Dict(complex, t) dict, complex key) -> bool
aten::__contains__.Tensor(Dict(Tensor, t) dict, Tensor key) -> bool
aten::__contains__.float_list(float[] l, float item) -> bool
aten::__getitem__.t(t[](a) list, int idx) -> t(*)
aten::__getitem__.str(str s, int index) -> str
aten::__getitem__.Dict_str(Dict(str, t) self, str key) -> t(*)
aten::__getitem__.Dict_int(Dict(int, t) self, int key) -> t(*)
aten::__getitem__.Dict_bool(Dict(bool, t) self, bool key) -> t(*)
aten::__getitem__.Dict_float(Dict(float, t) self, float key) -> t(*)
aten::__getitem__.Dict_complex(Dict(complex, t) self, complex key) -> t(*)
aten::__getitem__.Dict_Tensor(Dict(Tensor, t) self, Tensor key) -> t(*)
aten::values(Tensor(a) self) -> Tensor(a)
aten::values.str(Dict(str, t) self) -> t[](*)
aten::values.int(Dict(int, t) self) -> t[](*)
aten::values.bool(Dict(bool, t) self) -> t[](*)
aten::values.float(Dict(float, t) self) -> t[](*)
aten::values.complex(Dict(complex, t) self) -> t[](*)
aten::values.Tensor(Dict(Tensor, t) self) -> t[](*)
)";

} // namespace reel::jit::schemas
