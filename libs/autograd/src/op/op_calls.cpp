// Calls of ops that somebody takes.
#include <reel/autograd/op_calls.hpp>

#include <utility>

#include <reel/autograd/error.hpp>

#include "op/run_call.hpp"
#include "op/take.hpp"

namespace reel::ops {

constinit thread_local OpCallScope* call_scope = nullptr;

OpCallMode::~OpCallMode() = default;
void OpCallMode::read(const Tensor&) {}

OpCallScope::OpCallScope(OpCallMode* mode) : mode_(mode), around_(std::exchange(call_scope, mode ? this : nullptr)) {}
OpCallScope::~OpCallScope() { call_scope = around_; }

namespace {
/// The innermost scope is another one for a while.
class Within {
public:
    explicit Within(OpCallScope* scope) : before_(std::exchange(call_scope, scope)) {}
    ~Within() { call_scope = before_; }
    Within(const Within&) = delete;

private:
    OpCallScope* before_;
};

/// What C++ says with a sentinel or an undefined tensor, calls by name say with None.
void absent_is_none(const Argument& a, Value& v) {
    if (a.type == "Tensor?" && v.isTensor() && !v.toTensor().defined()) v = Value();
    if (a.type != "int?[]" && a.type != "Tensor?[]") return;
    for (Value& e : v.list_elements())
        if (e.isInt() ? e.toInt() == detail::no_size : e.isTensor() && !e.toTensor().defined()) e = Value();
}

/// What a call by name would have bound: what the C++ function lacks stands at its default.
void bind_typed(const Schema& schema, std::span<Value> given, const Value* out) {
    for (std::size_t i = 0; i < given.size(); ++i) {
        const Argument& a = schema.arguments[i];
        if (out && a.type == "TensorOptions") given[i] = options_like(*out, Value());
        else if (given[i].try_get<ByDefault>()) given[i] = a.default_value;
        else absent_is_none(a, given[i]);
    }
}

const Schema& schema_of(const Op& op, std::string_view text) {
    for (const Schema& s : op.schemas)
        if (s.text == text) return s;
    REEL_THROW(KeyError, "registry: the op ", op.name, " has no schema ", text);
}
} // namespace

Value give_to_mode(const OpCall& call) {
    OpCallScope& scope = *call_scope;
    const Within outside(scope.around_);
    return scope.mode_->take(call);
}

void tell_read(const Tensor& tensor) {
    OpCallScope& scope = *call_scope;
    const Within outside(scope.around_);
    scope.mode_->read(tensor);
    if (call_scope) tell_read(tensor);
}

Tensor take_detach(const Tensor& tensor) {
    return take<Tensor, const Tensor&>("detach(Tensor input) -> Tensor", OpForm::Functional, tensor);
}

Value OpCall::run() const { return run_with(arguments); }
Value OpCall::run_with(std::span<const Value> others) const {
    const OpCall call{op, schema, form, others, out, named};
    return calls_are_taken() ? give_to_mode(call) : run_call(call);
}

Value take_typed(const char* text, OpForm form, std::size_t outs, std::span<Value> given) {
    const std::string_view schema_text(text);
    const Op& op = registry().at(schema_text.substr(0, schema_text.find('(')));
    const Schema& schema = schema_of(op, schema_text);
    Value out;
    if (form == OpForm::Out) {
        out =
            outs == 1 ? given[0] : Value::list(std::vector<Value>(given.begin(), given.begin() + std::ptrdiff_t(outs)));
        given = given.subspan(outs);
    }
    const Value* const written = form == OpForm::Out ? &out : nullptr;
    bind_typed(schema, given, written);
    return give_to_mode({op, schema, form, given, written, false});
}

namespace taken {
Value value(TensorList list) {
    std::vector<Value> elements;
    elements.reserve(list.size());
    for (const Tensor& t : list) elements.emplace_back(t);
    return Value::list(std::move(elements));
}
Value value(IntArrayRef list) { return Value(std::vector<std::int64_t>(list.begin(), list.end())); }
Value value(ArrayRef<double> list) { return Value(std::vector<double>(list.begin(), list.end())); }
Value value(const OptionalIntArrayRef& list) { return list.has_value() ? value(*list) : Value(); }
Value value(const Generator& generator) { return Value::box(generator); }
Value value(MemoryFormat format) {
    switch (format) {
    case MemoryFormat::Contiguous:
        return "contiguous_format";
    case MemoryFormat::Preserve:
        return "preserve_format";
    case MemoryFormat::ChannelsLast:
        return "channels_last";
    case MemoryFormat::ChannelsLast3d:
        return "channels_last_3d";
    }
    return {};
}
Value value(const TensorOptions& options) {
    ValueDict said;
    if (options.has_dtype()) said.set("dtype", value(options.dtype_opt()));
    if (options.has_layout()) said.set("layout", "strided");
    if (options.has_device()) said.set("device", value(options.device_opt()));
    if (options.has_requires_grad()) said.set("requires_grad", value(options.requires_grad_opt()));
    if (options.has_pinned_memory()) said.set("pin_memory", value(options.pinned_memory_opt()));
    if (options.has_memory_format()) said.set("memory_format", value(options.memory_format_opt()));
    return said.empty() ? Value() : Value(std::move(said));
}
} // namespace taken

} // namespace reel::ops
