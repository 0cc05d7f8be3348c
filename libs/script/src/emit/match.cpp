#include "match.hpp"

#include <algorithm>

#include "environment.hpp"
#include "file_version.hpp"
#include "ops/aliases.hpp"

namespace reel::jit::emit {

namespace {

using Bindings = std::map<std::string, TypePtr>;

TypePtr without_none(const TypePtr& t) { return t->kind() == TypeKind::Optional ? t->contained()[0] : t; }

bool has_variables(const Type& t) {
    return t.kind() == TypeKind::Var ||
           std::ranges::any_of(t.contained(), [](const TypePtr& c) { return has_variables(*c); });
}

/// Binds the variables of `formal` so that `actual` fits; false where it cannot.
bool bind_type(const TypePtr& formal, const TypePtr& actual, Bindings& bindings) {
    if (!has_variables(*formal)) return true;
    if (formal->kind() == TypeKind::Var) {
        auto [bound, is_new] = bindings.emplace(formal->str(), actual);
        if (is_new) return true;
        const auto both = unify(bound->second, actual);
        if (both) bound->second = *both;
        return both.has_value();
    }
    if (formal->kind() == TypeKind::Optional) {
        if (actual->kind() == TypeKind::None) return false;
        return bind_type(formal->contained()[0], without_none(actual), bindings);
    }
    if (formal->kind() == TypeKind::List && actual->kind() == TypeKind::Tuple) {
        return !actual->contained().empty() && std::ranges::all_of(actual->contained(), [&](const TypePtr& element) {
            return bind_type(formal->contained()[0], element, bindings);
        });
    }
    if (formal->kind() != actual->kind() || formal->contained().size() != actual->contained().size()) return false;
    for (std::size_t i = 0; i < formal->contained().size(); ++i)
        if (!bind_type(formal->contained()[i], actual->contained()[i], bindings)) return false;
    return true;
}

/// The type with its variables replaced; null when one has no binding.
TypePtr substitute(const TypePtr& t, const Bindings& bindings) {
    if (!has_variables(*t)) return t;
    if (t->kind() == TypeKind::Var) {
        const auto found = bindings.find(t->str());
        return found == bindings.end() ? nullptr : found->second;
    }
    std::vector<TypePtr> parts;
    for (const TypePtr& c : t->contained()) {
        parts.push_back(substitute(c, bindings));
        if (!parts.back()) return nullptr;
    }
    switch (t->kind()) {
    case TypeKind::List:
        return Type::List(parts[0]);
    case TypeKind::Dict:
        return Type::Dict(parts[0], parts[1]);
    case TypeKind::Optional:
        return Type::Optional(parts[0]);
    case TypeKind::Future:
        return Type::Future(parts[0]);
    case TypeKind::Tuple:
        return Type::Tuple(std::move(parts));
    case TypeKind::Union:
        return Type::Union(std::move(parts));
    default:
        return nullptr;
    }
}

bool tuple_makes_list(const Type& tuple, const Type& list) {
    if (tuple.kind() != TypeKind::Tuple || list.kind() != TypeKind::List) return false;
    return std::ranges::all_of(tuple.contained(),
                               [&](const TypePtr& t) { return t->is_subtype_of(*list.contained()[0]); });
}

Value* insert_unary(Graph& graph, const SourceRange& range, const char* op, Value* v) {
    return call_operator(graph, range, op, {{v}, {}});
}

/// Conversions of numbers, tensors and strings.
Value* convert_scalar(Graph& graph, const SourceRange& range, const Type& wanted, Value* v) {
    const TypeKind from = v->type()->kind(), to = wanted.kind();
    if (from == TypeKind::Tensor) {
        if (to == TypeKind::Float) return insert_unary(graph, range, "aten::FloatImplicit", v);
        if (to == TypeKind::Complex) return insert_unary(graph, range, "aten::ComplexImplicit", v);
        if (to == TypeKind::Int) return insert_unary(graph, range, "aten::IntImplicit", v);
        if (to == TypeKind::Number) return insert_unary(graph, range, "aten::ScalarImplicit", v);
    } else if (from == TypeKind::Number || from == TypeKind::Bool) {
        if (to == TypeKind::Float) return insert_unary(graph, range, "aten::Float", v);
        if (to == TypeKind::Complex && from == TypeKind::Number) return insert_unary(graph, range, "aten::Complex", v);
        if (to == TypeKind::Int || (to == TypeKind::Number && from == TypeKind::Bool))
            return insert_unary(graph, range, "aten::Int", v);
    } else if (from == TypeKind::String && to == TypeKind::Device) return insert_unary(graph, range, "aten::device", v);
    return v;
}

/// Takes away what was inserted behind `mark` (null: from the block's begin).
class Attempt {
public:
    explicit Attempt(Graph& graph) : graph_(graph), mark_(before()) {}
    void undo() {
        for (Node* n = before(); n && n != mark_; n = before()) n->destroy();
    }

private:
    Node* before() const {
        return graph_.insert_before_node() ? graph_.insert_before_node()->prev() : graph_.insert_block()->last();
    }
    Graph& graph_;
    Node* mark_;
};

/// One matching of a schema.
class Matching {
public:
    Matching(Graph& graph, const SourceRange& range, const FunctionSchema& schema, const Arguments& arguments,
             bool conversions)
        : graph_(graph), range_(range), schema_(schema), arguments_(arguments), conversions_(conversions),
          used_(arguments.keywords.size()) {}

    bool run() {
        for (std::size_t i = 0; i < schema_.arguments.size(); ++i)
            if (!argument(i)) return false;
        if (schema_.is_vararg)
            for (; at_ < arguments_.positional.size(); ++at_) result_.inputs.push_back(arguments_.positional[at_]);
        return nothing_left() && results();
    }
    Matched take() { return std::move(result_); }
    std::string why;

private:
    bool argument(std::size_t i) {
        const Argument& formal = schema_.arguments[i];
        if (at_ < arguments_.positional.size() && !formal.kwarg_only) {
            if (takes_all_the_rest(i)) return rest_as_list(formal);
            return accept(formal, arguments_.positional[at_++]);
        }
        for (std::size_t k = 0; k < arguments_.keywords.size(); ++k) {
            const auto& [name, value] = arguments_.keywords[k];
            if (used_[k] || !is_name_of(name, formal)) continue;
            used_[k] = true;
            return accept(formal, value);
        }
        if (formal.default_value) {
            result_.inputs.push_back(insert_default(formal));
            return true;
        }
        why = "Argument " + formal.name + " not provided.";
        return false;
    }
    Value* insert_default(const Argument& formal) {
        const IValue& value = *formal.default_value;
        const TypePtr plain = without_none(formal.type);
        const bool repeated =
            formal.broadcast.value_or(0) > 0 && value.isList() && schema_.name.find(':') == std::string::npos;
        if (repeated) { // a program's own function: as if the number were given
            std::vector<Value*> elements;
            for (const IValue& e : value.elements()) elements.push_back(graph_.insert_constant(e, nullptr, range_));
            return build_list(graph_, plain->contained()[0], std::move(elements));
        }
        const bool as_declared = value.isList() || value.isTuple();
        return graph_.insert_constant(value, value.isNone() ? Type::None() : as_declared ? plain : nullptr, range_);
    }
    bool is_name_of(const std::string& name, const Argument& formal) const {
        return name == formal.name || (formal.name == "self" && name == "input" && schema_.name.starts_with("aten::"));
    }
    /// `torch.zeros(2, 3)`: the last positional argument, when it is a list, may be given by its elements.
    bool takes_all_the_rest(std::size_t i) const {
        const Argument& formal = schema_.arguments[i];
        const bool last = i + 1 == schema_.arguments.size() || schema_.arguments[i + 1].kwarg_only;
        if (!last || formal.type->kind() != TypeKind::List || has_variables(*formal.type)) return false;
        if (formal.broadcast.value_or(0) > 0) return false;
        const TypeKind given = arguments_.positional[at_]->type()->kind();
        return given != TypeKind::List && given != TypeKind::Tuple;
    }
    bool rest_as_list(const Argument& formal) {
        const TypePtr& element = formal.type->contained()[0];
        std::vector<Value*> values;
        for (; at_ < arguments_.positional.size(); ++at_) {
            Value* v = convert(graph_, range_, element, arguments_.positional[at_], conversions_);
            if (!v->type()->is_subtype_of(*element)) return refuse(formal, *v->type(), element);
            values.push_back(v);
        }
        result_.inputs.push_back(build_list(graph_, element, std::move(values)));
        return true;
    }
    bool accept(const Argument& formal, Value* v) {
        const TypePtr plain = without_none(formal.type);
        const TypeKind given = v->type()->kind();
        const bool number = given == TypeKind::Int || given == TypeKind::Float;
        if (number && formal.broadcast.value_or(0) > 0 && plain->kind() == TypeKind::List &&
            given == plain->contained()[0]->kind()) {
            std::vector<Value*> same(std::size_t(*formal.broadcast), v);
            v = build_list(graph_, plain->contained()[0], std::move(same));
        }
        if (has_variables(*formal.type) && !bind_type(formal.type, v->type(), bindings_))
            return refuse(formal, *v->type(), formal.type);
        const TypePtr wanted = substitute(formal.type, bindings_);
        if (!wanted) return refuse(formal, *v->type(), formal.type);
        v = convert(graph_, range_, wanted, v, conversions_);
        if (!v->type()->is_subtype_of(*wanted)) return refuse(formal, *v->type(), wanted);
        result_.inputs.push_back(v);
        return true;
    }
    bool refuse(const Argument& formal, const Type& given, const TypePtr& wanted) {
        why = "Expected a value of type '" + type_name(*wanted) + "' for argument '" + formal.name +
              "' but instead found type '" + type_name(given) + "'.";
        return false;
    }
    bool nothing_left() {
        if (at_ < arguments_.positional.size()) {
            why = "Expected at most " + std::to_string(at_) + " arguments but found " +
                  std::to_string(arguments_.positional.size()) + " positional arguments.";
            return false;
        }
        for (std::size_t k = 0; k < used_.size(); ++k) {
            if (used_[k]) continue;
            const std::string& name = arguments_.keywords[k].first;
            const bool known = schema_.find_argument(name) < schema_.arguments.size() || name == "input";
            why = known ? "Argument '" + name + "' specified twice." : "Unknown keyword argument '" + name + "'.";
            return false;
        }
        return true;
    }
    bool results() {
        for (const Argument& r : schema_.returns) {
            TypePtr type = substitute(r.type, bindings_);
            if (!type) {
                why = "the type of the result cannot be told from the arguments";
                return false;
            }
            result_.returns.push_back(std::move(type));
        }
        return true;
    }

    Graph& graph_;
    const SourceRange& range_;
    const FunctionSchema& schema_;
    const Arguments& arguments_;
    bool conversions_;
    std::vector<bool> used_;
    std::size_t at_ = 0;
    Bindings bindings_;
    Matched result_;
};

Value* insert_call(Graph& graph, const SourceRange& range, const Operator& named, Matched matched) {
    const Operator& op = canonical(named);
    if (op.refused)
        throw ScriptError("the operator '" + op.schema.name + "' reaches files or processes and is refused", range);
    Node* n = graph.create(op.symbol, std::move(matched.inputs), 0);
    n->set_range(range);
    n->set_op(&op);
    graph.insert_node(n);
    for (TypePtr& type : matched.returns) n->add_output(std::move(type));
    return pack(graph, n, op.schema);
}

} // namespace

std::string type_name(const Type& type) { return type.annotation_str(); }

const IValue* constant_of(const Value* value) {
    const Node* n = value->node();
    return n->kind() == prim::Constant && n->has("value") ? &n->value() : nullptr;
}

Value* build_list(Graph& graph, TypePtr element, std::vector<Value*> values) {
    Node* n = graph.create(prim::ListConstruct, std::move(values));
    n->output()->set_type(Type::List(std::move(element)));
    return graph.insert_node(n)->output();
}

Value* build_tuple(Graph& graph, std::vector<Value*> values, TypePtr type) {
    if (!type) {
        std::vector<TypePtr> types;
        for (const Value* v : values) types.push_back(v->type());
        type = Type::Tuple(std::move(types));
    }
    Node* n = graph.create(prim::TupleConstruct, std::move(values));
    n->output()->set_type(std::move(type));
    return graph.insert_node(n)->output();
}

std::vector<Value*> unpack_tuple(Graph& graph, Value* tuple) {
    if (tuple->node()->kind() == prim::TupleConstruct) return tuple->node()->inputs();
    Node* n = graph.insert_node(graph.create(prim::TupleUnpack, {tuple}, 0));
    for (const TypePtr& t : tuple->type()->contained()) n->add_output(t);
    return n->outputs();
}

Value* pack(Graph& graph, Node* node, const FunctionSchema& schema) {
    if (node->outputs().size() == 1) return node->output();
    if (node->outputs().empty()) { // nothing: a tuple without elements
        return graph.insert_constant(IValue::tuple({}), Type::Tuple({}), node->range());
    }
    std::vector<TypePtr> types;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < node->outputs().size(); ++i) {
        types.push_back(node->output(i)->type());
        if (i < schema.returns.size() && !schema.returns[i].name.empty()) names.push_back(schema.returns[i].name);
    }
    if (names.size() != types.size()) return build_tuple(graph, node->outputs());
    return build_tuple(graph, node->outputs(),
                       std::make_shared<TupleType>(std::move(types), std::string(), std::move(names)));
}

Value* convert(Graph& graph, const SourceRange& range, const TypePtr& wanted, Value* v, bool conversions) {
    if (wanted->kind() == TypeKind::Optional && v->type()->kind() != TypeKind::Optional &&
        v->type()->kind() != TypeKind::None)
        return convert(graph, range, wanted->contained()[0], v, conversions);
    if (v->type()->is_subtype_of(*wanted)) return v;
    const TypePtr plain = without_none(wanted);
    if (v->node()->kind() == pending::empty && plain->kind() == TypeKind::List)
        return build_list(graph, plain->contained()[0], {});
    if (tuple_makes_list(*v->type(), *plain)) {
        auto elements = unpack_tuple(graph, v);
        return build_list(graph, plain->contained()[0], std::move(elements));
    }
    if (v->type()->kind() == TypeKind::Tuple && wanted->kind() == TypeKind::Tuple &&
        v->type()->contained().size() == wanted->contained().size()) {
        auto elements = unpack_tuple(graph, v);
        for (std::size_t i = 0; i < elements.size(); ++i)
            elements[i] = convert(graph, range, wanted->contained()[i], elements[i], conversions);
        return build_tuple(graph, std::move(elements));
    }
    return conversions ? convert_scalar(graph, range, *wanted, v) : v;
}

std::optional<Matched> match(Graph& graph, const SourceRange& range, const FunctionSchema& schema,
                             const Arguments& arguments, bool conversions, std::string* why) {
    Attempt attempt(graph);
    Matching matching(graph, range, schema, arguments, conversions);
    if (matching.run()) return matching.take();
    attempt.undo();
    if (why) *why += "\n" + schema.str() + ":\n" + matching.why + "\n";
    return std::nullopt;
}

Value* call_overload(Graph& graph, const SourceRange& range, Symbol name, const Arguments& arguments,
                     std::string* why) {
    for (const bool conversions : {false, true}) {
        for (const Operator* op : operators(name)) {
            auto matched = match(graph, range, op->schema, arguments, conversions, conversions ? why : nullptr);
            if (matched) return insert_call(graph, range, *op, std::move(*matched));
        }
    }
    if (Arguments complete = arguments; complete_old_call(graph, range, name, complete))
        return call_overload(graph, range, name, complete, why);
    return nullptr;
}

Value* call_operator(Graph& graph, const SourceRange& range, Symbol name, const Arguments& arguments) {
    std::string why;
    if (Value* v = call_overload(graph, range, name, arguments, &why)) return v;
    if (operators(name).empty()) throw ScriptError("Unknown builtin op: " + name.str(), range);
    throw ScriptError("Arguments for call are not valid.\nThe following variants are available:\n" + why, range);
}

} // namespace reel::jit::emit
