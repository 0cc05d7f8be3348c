// A whole function: its arguments, its body, its result.
#include <algorithm>

#include "emitter.hpp"
#include "lower.hpp"

#include "syntax/literals.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;

namespace {

IValue as_typed(IValue v, const TypePtr& type) {
    const TypePtr plain = type->kind() == TypeKind::Optional ? type->contained()[0] : type;
    if (plain->kind() == TypeKind::Float && v.isInt()) return v.toDouble();
    if (plain->kind() == TypeKind::List && v.isTuple()) return IValue::list(v.elements());
    return v;
}

std::optional<IValue> plain_literal(const Context& context, const Expr& e) {
    const auto elements = [&]() -> std::optional<std::vector<IValue>> {
        std::vector<IValue> values;
        for (const auto& operand : e.operands) {
            auto v = plain_literal(context, *operand);
            if (!v) return std::nullopt;
            values.push_back(std::move(*v));
        }
        return values;
    };
    switch (e.kind) {
    case ExprKind::Number:
        try {
            return syntax::read_number(e.text);
        } catch (const ValueError& error) {
            context.fail(e, error.what());
        }
    case ExprKind::Unary: { // `-1` among the elements of a tuple
        auto v = e.text == "-" ? plain_literal(context, e[0]) : std::nullopt;
        if (v && v->isInt()) return IValue(std::int64_t(0 - std::uint64_t(v->toInt())));
        if (v && v->isDouble()) return IValue(-v->toDouble());
        return std::nullopt;
    }
    case ExprKind::String:
        return IValue(e.text);
    case ExprKind::True:
        return IValue(true);
    case ExprKind::False:
        return IValue(false);
    case ExprKind::None:
        return IValue();
    case ExprKind::Tuple:
        if (auto values = elements()) return IValue::tuple(std::move(*values));
        return std::nullopt;
    case ExprKind::List:
        if (auto values = elements()) return IValue::list(std::move(*values));
        return std::nullopt;
    default:
        return std::nullopt;
    }
}

} // namespace

Emitter::Emitter(const Context& context, Graph& graph) : context_(context), graph_(graph) {}

IValue Emitter::literal(const Context& context, const Expr& e, const TypePtr& type) {
    IValue v;
    if (auto plain = plain_literal(context, e)) v = as_typed(std::move(*plain), type);
    else {
        // `-1.5`, `0.+1.j`, `inf`, an enum's member: what it is comes out of its graph
        Graph graph;
        Emitter emitter(context, graph);
        emitter.open_frame(graph.block());
        Value* result = emitter.value(e, type);
        const IValue* known = constant_of(result);
        const bool sum = !known && result->node()->kind().is("aten::add") && constant_of(result->node()->input(0)) &&
                         constant_of(result->node()->input(1));
        if (sum) {
            const auto part = [&](std::size_t i) { return constant_of(result->node()->input(i))->toComplexDouble(); };
            v = part(0) + part(1);
        } else if (known) v = as_typed(*known, type);
        else context.fail(e, "a default must be a literal");
    }
    if (!is_instance(v, *type))
        context.fail(e, "Expected a default value of type " + type_name(*type) + " but found one of type " +
                            type_name(*type_of(v)));
    return v;
}

FunctionSchema Emitter::head(const Context& context, const syntax::Def& def, TypePtr self) {
    FunctionSchema schema;
    schema.name = def.name;
    if (self && (def.parameters.empty() || def.parameters[0].keyword_only))
        context.fail(def.parameters_begin, def.parameters_begin + 1, "methods must have a self argument");
    for (std::size_t i = 0; i < def.parameters.size(); ++i) {
        const syntax::Parameter& p = def.parameters[i];
        Argument a;
        a.name = p.name;
        a.kwarg_only = p.keyword_only;
        if (i == 0 && self) a.type = self;
        else a.type = p.annotation ? annotated_type(context, *p.annotation) : Type::Tensor();
        if (p.annotation) a.broadcast = annotated_broadcast(*p.annotation);
        if (p.default_value && !p.annotation && !(i == 0 && self))
            context.fail(p.begin, p.end, "Keyword arguments with defaults need to be type-hinted: " + p.name);
        if (p.default_value) {
            try {
                a.default_value = literal(context, *p.default_value, a.type);
            } catch (const ScriptError& error) {
                context.fail(def.parameters_begin, def.head_end, error.message());
            }
        } else if (!p.keyword_only && i > 0 && schema.arguments.back().default_value) {
            context.fail(p.begin, p.end, "Non-default positional argument " + p.name + " follows default argument");
        }
        schema.arguments.push_back(std::move(a));
    }
    if (def.result) {
        Argument result;
        result.type = annotated_type(context, *def.result);
        schema.returns.push_back(std::move(result));
    }
    return schema;
}

FunctionSchema Emitter::function(const syntax::Def& def, TypePtr self) {
    FunctionSchema schema = head(context_, def, std::move(self));
    if (!schema.returns.empty()) declared_result_ = schema.returns[0].type;
    open_frame(graph_.block());
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
        const Argument& a = schema.arguments[i];
        const syntax::Parameter& p = def.parameters[i];
        Value* v = graph_.add_input(is_meaningful(a.name) ? a.name : std::string(), a.type);
        frame_->values.erase(a.name); // a name may occur twice: the later argument counts
        assign(a.name, v, nullptr, {context_.source, p.begin, p.end});
    }
    statements(def.body);
    if (!leaves(frame_->block)) {
        const bool none_is_fine = !declared_result_ || Type::None()->is_subtype_of(*declared_result_);
        if (!none_is_fine || (result_ && !unify(result_, Type::None())))
            fail({context_.source, def.begin, def.body.empty() ? def.end : def.body.back()->end},
                 "Function was not annotated as having type None, but does not return along all paths");
        if (!declared_result_) result_ = result_ ? *unify(result_, Type::None()) : Type::None();
        graph_.insert_node(graph_.create(pending::leave, {constant(IValue(), {}, Type::None())}, 0));
    }
    if (schema.returns.empty()) {
        Argument result;
        result.type = result_ ? result_ : Type::None();
        schema.returns.push_back(std::move(result));
    }
    close_frame();
    lower(graph_, leaving_);
    if (graph_.outputs().empty()) { // whatever happens, it raises
        Node* nothing = graph_.create(prim::Uninitialized);
        nothing->output()->set_type(schema.returns[0].type);
        graph_.block()->prepend(nothing);
        graph_.block()->add_output(nothing->output());
    }
    return schema;
}

} // namespace reel::jit::emit
