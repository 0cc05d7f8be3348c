// Recording calls: each becomes a node whose operands are what the tensors are known as.
#include "trace/tracer.hpp"

#include <utility>

#include <reel/autograd/error.hpp>
#include <reel/autograd/node.hpp>
#include <reel/autograd/ops/factory/full.hpp>

#include "ops/numbers.hpp"

namespace reel::jit::trace_impl {

const Symbol module_call("trace::ModuleCall"), member("trace::Member"), looked_at("trace::LookedAt");

namespace {
thread_local Tracer* active = nullptr;

bool is_single(const IValue& v) { return v.isTensor() && v.toTensor().defined() && v.toTensor().dim() == 0; }
/// A number beside tensors: it raises no dtypes, as long as the trace is not saved.
Tensor number_tensor(const IValue& v) {
    const ScalarType type = v.isDouble() ? kDouble : v.isBool() ? kBool : v.isInt() ? kLong : kComplexDouble;
    const Tensor t = reel::scalar_tensor(v.toScalar(), type);
    t.impl()->is_wrapped_number = true;
    return t;
}
/// Dtypes, memory formats and reductions are numbers in scripts.
IValue script_number(const IValue& v, const Argument& a) {
    if (v.isDtype() && a.type->kind() != TypeKind::Any) return number_of_dtype(v.toDtype());
    if (v.isString() && a.name == "reduction") return v.toStringRef() == "none" ? 0 : v.toStringRef() == "mean" ? 1 : 2;
    if (v.isString() && a.spelling.find("MemoryFormat") == 0)
        for (std::int64_t n = 0; n < 4; ++n)
            if (memory_format_of_number(n) == v.toStringRef()) return n;
    return v;
}
} // namespace

IValue plain_number(const IValue& v, const Type& type) {
    if (type.kind() == TypeKind::Optional) return v.isNone() ? v : plain_number(v, *type.contained()[0]);
    if (type.kind() == TypeKind::Int || type.kind() == TypeKind::Number || type.kind() == TypeKind::Float)
        if (is_single(v)) {
            const IValue number(v.toTensor().item());
            return type.kind() == TypeKind::Int && number.isDouble() ? IValue(std::int64_t(number.toDouble())) : number;
        }
    if (type.kind() == TypeKind::List && v.isSequence() && type.contained()[0]->kind() == TypeKind::Int) {
        Args plain;
        for (const IValue& e : v.elements()) plain.push_back(plain_number(e, *type.contained()[0]));
        return IValue::list(std::move(plain));
    }
    return v;
}

Untraced::Untraced() : before_(std::exchange(active, nullptr)), ops_(nullptr), modules_(nullptr) {}
Untraced::~Untraced() { active = before_; }
Tracing::Tracing(Tracer& tracer) : before_(std::exchange(active, &tracer)), ops_(&tracer), modules_(&tracer) {}
Tracing::~Tracing() { active = before_; }
Tracer* Tracer::current() { return active; }

Tracer::Tracer(const nn::Module& root) {
    for (const auto& [path, m] : root.module_items("", true)) paths_.emplace(m, path);
    const auto know = [&](const std::vector<std::pair<std::string, Tensor>>& items) {
        for (const auto& [path, t] : items)
            if (t.defined()) members_.emplace(t.unsafeGetTensorImpl(), path);
    };
    know(root.parameter_items("", true, true));
    know(root.buffer_items("", true, true));
    graph_->set_insert_point(graph_->block());
}
Tracer::~Tracer() = default;

std::string Tracer::scope() const {
    std::string text;
    for (const std::string& path : running_)
        if (!path.empty()) text += (text.empty() ? "__module." : "/__module.") + path;
    return text;
}
Node* Tracer::insert(Symbol kind, std::vector<jit::Value*> inputs, std::size_t outputs) {
    Node* const n = graph_->create(kind, std::move(inputs), outputs);
    n->set_scope(scope());
    return graph_->insert_node(n);
}
jit::Value* Tracer::constant_value(const IValue& v, TypePtr type) {
    if (!type) type = v.isTensor() ? TensorType::of(v.toTensor()) : v.isNone() ? Type::None() : nullptr;
    jit::Value* const value = graph_->insert_constant(v, std::move(type));
    value->node()->set_scope(scope());
    return value;
}
void Tracer::keep(const Tensor& t, jit::Value* v) {
    if (!t.defined()) return;
    values_[t.unsafeGetTensorImpl()] = v;
    alive_.push_back(t);
}

const std::string& Tracer::name_of(const Tensor& t) const {
    static const std::string none;
    for (const auto& [name, value] : functions_.back())
        if (value.is_same(t)) return name;
    return none;
}
void Tracer::local(const std::string& name, const IValue& value) {
    if (!value.isTensor()) return;
    Locals& locals = functions_.back();
    for (auto& [known, t] : locals)
        if (known == name) return void(t = value.toTensor());
    locals.emplace_back(name, value.toTensor());
}

void Tracer::name(const IValue& value, const std::string& name) {
    jit::Value* const v = value_of(value.toTensor());
    if (v->name().empty()) v->set_name(name);
}

jit::Value* Tracer::value_of(const Tensor& t) {
    if (!t.defined()) return constant_value({});
    if (const auto known = values_.find(t.unsafeGetTensorImpl()); known != values_.end()) {
        jit::Value* const v = known->second;
        if (v->name().empty()) v->set_name(name_of(t));
        return v;
    }
    if (const auto path = members_.find(t.unsafeGetTensorImpl()); path != members_.end()) {
        jit::Value*& v = member_values_[path->second];
        if (!v) {
            // outside of all blocks: whoever uses it fetches it from its own module
            Node* const n = graph_->create(member, {}, 1);
            n->set("name", IValue(path->second));
            graph_->block()->prepend(n);
            if (graph_->insert_before_node() == n) graph_->set_insert_point(graph_->block());
            v = n->output();
        }
        return v;
    }
    REEL_CHECK(!t.requires_grad(), "jit::trace: a tensor that requires grad, ", IValue(t).repr(),
               t.grad_fn() ? ", the result of " + t.grad_fn()->name() : std::string(),
               ", came from calls that the trace did not see; call ops by name (jit::tracing::call(\"relu\", {x})) and "
               "modules by jit::tracing::call(module, {x}), or detach what is to be a constant");
    alive_.push_back(t);
    return values_[t.unsafeGetTensorImpl()] = constant_value(t.detach());
}
/// The number behind its tensor, where an argument wants a number: fetched anew for each (rule SC-79).
jit::Value* Tracer::number_of(const Tensor& t, TypeKind wanted) {
    jit::Value* const v = value_of(t);
    const bool any = wanted == TypeKind::Number, integer = wanted != TypeKind::Float;
    const std::string name = any ? "aten::ScalarImplicit" : integer ? "aten::Int" : "aten::Float";
    Node* const n = graph_->create(Symbol(name), {v}, 1);
    n->set_op(find_operator(any ? name : name + ".Tensor"));
    n->output()->set_type(any ? Type::Number() : integer ? Type::Int() : Type::Float());
    n->set_scope(v->node()->scope());
    if (v->node() == graph_->block()->param_node()) graph_->block()->prepend(n);
    else n->insert_after(v->node());
    return n->output();
}

jit::Value* Tracer::list_operand(const IValue& v, const Type& element, std::optional<std::int64_t> broadcast) {
    std::vector<jit::Value*> elements;
    if (v.isSequence())
        for (const IValue& e : v.elements()) elements.push_back(operand(e, element));
    else
        for (std::int64_t i = 0; i < broadcast.value_or(1); ++i) elements.push_back(operand(v, element));
    Node* const list = insert(prim::ListConstruct, elements, 1);
    list->output()->set_type(Type::List(element.shared_from_this()));
    return list->output();
}
jit::Value* Tracer::operand(const IValue& v, const Type& type) {
    switch (type.kind()) {
    case TypeKind::Optional:
        return v.isNone() ? constant_value({}) : operand(v, *type.contained()[0]);
    case TypeKind::Tensor:
        if (v.isTensor()) return value_of(v.toTensor());
        if (v.isNone()) return constant_value({});
        return constant_value(number_tensor(v));
    case TypeKind::List:
        return list_operand(v, *type.contained()[0], std::nullopt);
    case TypeKind::Float:
        return v.isTensor() ? number_of(v.toTensor(), TypeKind::Float)
                            : constant_value(v.isInt() ? IValue(v.toDouble()) : v);
    default:
        return v.isTensor() ? number_of(v.toTensor(), type.kind()) : constant_value(v);
    }
}
jit::Value* Tracer::operand(const IValue& v, const Argument& a) {
    const Type* type = a.type.get();
    if (type->kind() == TypeKind::Optional && !v.isNone()) type = type->contained()[0].get();
    if (type->kind() == TypeKind::List && !v.isNone()) return list_operand(v, *type->contained()[0], a.broadcast);
    return operand(script_number(v, a), *type);
}

void Tracer::bind(Node& node, const Tensor& t) {
    // the reference records convolutions below its tape
    const bool below = node.kind() == Symbol("aten::_convolution");
    keep(t, node.add_output(TensorType::of(below ? t.detach() : t)));
}
std::vector<Tensor> Tracer::unpack_list(jit::Value* list, const IValue& tensors) {
    Node* const unpack = insert(prim::ListUnpack, {list});
    for (const IValue& t : tensors.elements()) bind(*unpack, t.toTensor());
    return tensors.toTensorVector();
}
void Tracer::bind_results(Node& node, const Operator& op, const IValue& result) {
    const auto& returns = op.schema.returns;
    for (std::size_t i = 0; i < returns.size(); ++i) {
        const IValue& r = returns.size() == 1 ? result : result.elements().at(i);
        const Type& type = *returns[i].type;
        if (type.kind() == TypeKind::Tensor) bind(node, r.toTensor());
        else if (type.kind() == TypeKind::List && type.contained()[0]->kind() == TypeKind::Tensor)
            unpack_list(node.add_output(returns[i].type), r);
        else node.add_output(returns[i].type);
    }
}
IValue Tracer::record(const Operator& op, const Args& args, const std::function<IValue()>& run) {
    const auto& arguments = op.schema.arguments;
    std::vector<jit::Value*> operands;
    for (std::size_t i = 0; i < arguments.size(); ++i) operands.push_back(operand(args[i], arguments[i]));
    IValue result;
    {
        const Untraced guard;
        if (run) result = run();
        else {
            REEL_CHECK_NOT_IMPLEMENTED(op.run, "jit::trace: '", op.schema.qualified(), "' cannot be run");
            Args plain;
            for (std::size_t i = 0; i < arguments.size(); ++i)
                plain.push_back(script_number(plain_number(args[i], *arguments[i].type), arguments[i]));
            result = op.run(plain);
        }
    }
    Node* const n = insert(op.symbol, std::move(operands));
    n->set_op(&op);
    bind_results(*n, op, result);
    return result;
}
IValue Tracer::aten(std::string_view qualified, Args args, const std::function<IValue()>& run) {
    const Operator* const op = find_operator(qualified);
    REEL_INTERNAL_ASSERT(op, "the tracer calls ", qualified, ", which is no operator");
    for (std::size_t i = args.size(); i < op->schema.arguments.size(); ++i)
        args.push_back(op->schema.arguments[i].default_value.value_or(IValue()));
    return record(*op, args, run);
}

/// A number of the trace as a tensor without dimensions.
Tensor Tracer::count(Node* number, std::int64_t value) {
    number->output()->set_type(Type::Int());
    Node* const to_tensor = insert(prim::NumToTensor, {number->output()}, 1);
    to_tensor->set_op(find_operator("prim::NumToTensor.Scalar"));
    to_tensor->output()->set_type(std::make_shared<TensorType>(TensorType::Profile{kLong, {}, {}, std::nullopt, kCPU}));
    const Untraced guard;
    const Tensor out = reel::scalar_tensor(value, kLong);
    keep(out, to_tensor->output());
    return out;
}
Tensor Tracer::size(const Tensor& t, std::int64_t dim) {
    Node* const n = insert("aten::size", {value_of(t), constant_value(dim)}, 1);
    n->set_op(find_operator("aten::size.int"));
    return count(n, t.size(dim));
}
Tensor Tracer::numel(const Tensor& t) {
    Node* const n = insert("aten::numel", {value_of(t)}, 1);
    n->set_op(find_operator("aten::numel"));
    return count(n, t.numel());
}
void Tracer::look_at(const IValue& tensor) { insert(looked_at, {value_of(tensor.toTensor())}); }
Tensor Tracer::constant(const Tensor& t) {
    const Tensor made = aten("aten::to.device", {t.detach(), t.device(), t.scalar_type(), false, false, {}}, [&] {
                            return t.clone();
                        }).toTensor();
    return aten("aten::detach", {made}).toTensor();
}

} // namespace reel::jit::trace_impl
