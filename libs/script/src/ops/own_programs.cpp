// What belongs to the running of a program: exceptions, futures, enums, casts, modes.
#include <reel/autograd/error.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/random.hpp>
#include <reel/script/object.hpp>
#include <reel/script/source.hpp>

#include "ops/own.hpp"

namespace reel::jit::own {

namespace {

using Span = std::span<IValue>;
using Int = std::int64_t;

IValue raise(Span a) {
    const bool named = a.size() > 1 && !a[1].isNone();
    throw ScriptException(named ? a[1].toStringRef() : "RuntimeError", a[0].toStringRef(), {}, true);
}
IValue itself(Span a) { return std::move(a[0]); }
IValue nothing(Span) { return {}; }
IValue no(Span) { return false; }
IValue unwrap(Span a) {
    REEL_CHECK(!a[0].isNone(), "Unwrapping null optional");
    return std::move(a[0]);
}
IValue wait(Span a) {
    if (!is_future(a[0])) return std::move(a[0]);
    const FutureValue& future = to_future(a[0]);
    if (future.error) std::rethrow_exception(future.error);
    return future.value;
}
IValue tuple_index(Span a) {
    const auto& elements = a[0].elements();
    const Int n = Int(elements.size()), i = a[1].toInt() < 0 ? a[1].toInt() + n : a[1].toInt();
    REEL_CHECK_INDEX(i >= 0 && i < n, "Tuple index out of range");
    return elements[std::size_t(i)];
}
IValue hash(Span a) {
    if (a[0].isString()) return Int(std::hash<std::string>()(a[0].toStringRef()));
    if (a[0].isTensor()) return Int(std::hash<const void*>()(a[0].toTensor().unsafeGetTensorImpl()));
    if (a[0].isInt() || a[0].isBool()) return a[0].toInt();
    REEL_CHECK_TYPE(a[0].isDouble(), "hash: unhashable value of type ", a[0].kind_name());
    return Int(std::hash<double>()(a[0].toDouble()));
}
IValue enum_name(Span a) { return to_enum(a[0]).name(); }
IValue enum_value(Span a) { return to_enum(a[0]).value(); }
IValue choose(Span a) { return std::move(a[a[0].toBool() ? 1 : 2]); }
IValue child_at(Span a) { return to_object(a[0])->attr(std::to_string(a[1].toInt())); }
IValue child_named(Span a) { return to_object(a[0])->attr(a[1].toStringRef()); }
IValue set_grad_enabled(Span a) {
    GradMode::set_enabled(a[0].toBool());
    return {};
}
IValue is_grad_enabled(Span) { return GradMode::is_enabled(); }
IValue seed(Span a) {
    manual_seed(std::uint64_t(a[0].toInt()));
    return {};
}
/// The numbers of bfloat16 and float16 (rule SC-34).
IValue autocast_dtype(Span a) { return Int(a[0].toStringRef() == "cpu" ? 15 : 5); }
IValue is_scripting(Span) { return true; }
IValue identity_number(Span a) {
    return a[0].isNone() ? Int(0) : Int(reinterpret_cast<std::intptr_t>(to_object(a[0]).get()));
}

constexpr Line lines[] = {
    {"prim::RaiseException", raise, true},
    {"prim::unchecked_cast", itself},
    {"prim::unchecked_unwrap_optional", itself},
    {"aten::_unwrap_optional", unwrap},
    {"prim::Uninitialized", nothing},
    {"aten::wait", wait, true},
    {"prim::TupleIndex", tuple_index},
    {"aten::hash.generic", hash},
    {"prim::EnumName", enum_name},
    {"prim::EnumValue.*", enum_value},
    {"prim::IfThenElse", choose},
    {"prim::ModuleContainerIndex.list", child_at},
    {"prim::ModuleContainerIndex.dict", child_named},
    {"aten::set_grad_enabled", set_grad_enabled, true},
    {"aten::is_grad_enabled", is_grad_enabled},
    {"aten::manual_seed", seed, true},
    {"aten::is_scripting", is_scripting},
    {"aten::_is_tracing", no},
    {"aten::has_torch_function", no},
    {"aten::get_autocast_dtype", autocast_dtype},
    {"aten::is_autocast_enabled", no},
    {"aten::is_autocast_cpu_enabled", no},
    {"aten::_nnpack_available", no},
    {"aten::_use_cudnn_rnn_flatten_weight", no},
    {"aten::is_vulkan_available", no},
    {"prim::id", identity_number},
};

} // namespace

std::span<const Line> programs() { return lines; }

} // namespace reel::jit::own
