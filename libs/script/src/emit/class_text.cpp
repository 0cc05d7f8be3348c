// Classes, named tuples, enums and interfaces out of their texts.
#include <algorithm>

#include "emitter.hpp"
#include "text.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;
using syntax::Stmt;
using syntax::StmtKind;

namespace {

constexpr const char* name_lists[] = {"__parameters__", "__buffers__", "__forward_pre_hooks__", "__forward_hooks__"};

bool is_name_list(const Stmt& s) {
    if (s.kind != StmtKind::Assign || s.targets.size() != 1 || s.targets[0]->kind != ExprKind::Name) return false;
    return std::ranges::any_of(name_lists, [&](const char* n) { return s.targets[0]->text == n; });
}

/// `__annotations__ = []`, before the first attribute whose name is no identifier: nothing that the class needs.
bool is_empty_annotations(const Stmt& s) {
    return s.kind == StmtKind::Assign && !s.annotation && s.targets.size() == 1 &&
           s.targets[0]->is_name("__annotations__") && s.value && s.value->kind == ExprKind::List &&
           s.value->operands.empty();
}

std::vector<std::string> names_in(const Context& context, const Stmt& s) {
    std::vector<std::string> names;
    if (!s.value || s.value->kind != ExprKind::List) context.fail(s, s.targets[0]->text + " must be a list of names");
    for (const auto& name : s.value->operands) {
        if (name->kind != ExprKind::String) context.fail(*name, s.targets[0]->text + " must hold strings");
        names.push_back(name->text);
    }
    return names;
}

/// One line of a class: an attribute or a constant.
class ClassLines {
public:
    ClassLines(const Context& context, ClassType& type) : context_(context), type_(type) {}

    void read(const syntax::Block& lines) {
        for (const auto& s : lines)
            if (is_name_list(*s)) name_list(*s);
        for (const auto& s : lines)
            if (!is_name_list(*s) && s->kind != StmtKind::Pass && !is_empty_annotations(*s)) line(*s);
    }

private:
    void name_list(const Stmt& s) {
        const std::string& which = s.targets[0]->text;
        auto names = names_in(context_, s);
        if (which == "__parameters__") parameters_ = std::move(names);
        else if (which == "__buffers__") buffers_ = std::move(names);
        else if (which == "__forward_pre_hooks__") type_.forward_pre_hooks = std::move(names);
        else type_.forward_hooks = std::move(names);
    }
    void line(const Stmt& s) {
        if (s.kind != StmtKind::Assign || s.targets.size() != 1)
            context_.fail(s, "Unexpected statement kind in class body");
        const Expr& target = *s.targets[0];
        const bool odd_name = target.kind == ExprKind::Subscript && target[0].is_name("__annotations__") &&
                              target.operands.size() == 2 && target[1].kind == ExprKind::String;
        if (odd_name) return attribute(s, target[1].text, *s.value);
        if (target.kind != ExprKind::Name || !s.annotation)
            context_.fail(s, "Unexpected statement in class body: only `name : type` lines may stand here");
        const Expr& annotation = *s.annotation;
        const bool is_final = annotation.kind == ExprKind::Subscript && annotation[0].is_name("Final");
        if (!is_final) return attribute(s, target.text, annotation);
        if (!s.value || annotation.operands.size() != 2) context_.fail(s, "a Final line needs a type and a value");
        once(s, target.text);
        const TypePtr type = annotated_type(context_, annotation[1]);
        type_.add_constant(target.text, type, Emitter::literal(context_, *s.value, type));
    }
    void attribute(const Stmt& s, const std::string& name, const Expr& annotation) {
        once(s, name);
        const auto in = [&](const std::vector<std::string>& names) {
            return std::ranges::find(names, name) != names.end();
        };
        const auto kind = in(parameters_) ? ClassType::AttributeKind::Parameter
                          : in(buffers_)  ? ClassType::AttributeKind::Buffer
                                          : ClassType::AttributeKind::Regular;
        type_.add_attribute(name, annotated_type(context_, annotation), kind);
    }
    void once(const Stmt& s, const std::string& name) {
        if (type_.find_slot(name) || type_.find_constant(name))
            context_.fail(s, "attribute '" + name + "' is declared twice in class '" + type_.name() + "'");
    }

    const Context& context_;
    ClassType& type_;
    std::vector<std::string> parameters_, buffers_;
};

} // namespace

TypePtr make_class(Text& text, const syntax::ClassDef& def, const std::string& qualified_name, bool is_module) {
    auto type = std::make_shared<ClassType>(qualified_name, is_module, text.context.unit);
    ClassLines(text.context, *type).read(def.fields);
    for (const auto& method : def.methods) {
        if (type->find_method(method->name))
            text.context.fail(*method, "Can't redefine method: " + method->name + " on class: " + qualified_name);
        type->add_method(text.function(*method, qualified_name + "." + method->name, type.get()));
    }
    return type;
}

TypePtr make_named_tuple(Text& text, const syntax::ClassDef& def, const std::string& qualified_name) {
    std::vector<std::string> names;
    std::vector<TypePtr> types;
    for (const auto& s : def.fields) {
        if (s->kind == StmtKind::Pass) continue;
        const bool is_field = s->kind == StmtKind::Assign && s->annotation && !s->value && s->targets.size() == 1 &&
                              s->targets[0]->kind == ExprKind::Name;
        if (!is_field) text.context.fail(*s, "a NamedTuple's lines are `name : type`");
        names.push_back(s->targets[0]->text);
        types.push_back(annotated_type(text.context, *s->annotation));
    }
    return Type::NamedTuple(qualified_name, std::move(names), std::move(types));
}

TypePtr make_enum(Text& text, const syntax::ClassDef& def, const std::string& qualified_name) {
    std::vector<std::pair<std::string, IValue>> members;
    TypePtr value_type;
    for (const auto& s : def.fields) {
        if (s->kind == StmtKind::Pass) continue;
        const bool is_member =
            s->kind == StmtKind::Assign && s->value && s->targets.size() == 1 && s->targets[0]->kind == ExprKind::Name;
        if (!is_member) text.context.fail(*s, "an Enum's lines are `NAME = value`");
        IValue value = Emitter::literal(text.context, *s->value, Type::Any());
        const TypePtr type = type_of(value);
        if (type->kind() != TypeKind::Int && type->kind() != TypeKind::Float && type->kind() != TypeKind::String)
            text.context.fail(*s, "an Enum's values must be int, float or str");
        if (value_type && !value_type->equals(*type)) text.context.fail(*s, "an Enum's values must be of one type");
        value_type = type;
        members.emplace_back(s->targets[0]->text, std::move(value));
    }
    if (members.empty()) text.context.fail(def, "an Enum needs a member");
    return std::make_shared<EnumType>(qualified_name, value_type, std::move(members));
}

TypePtr make_interface(Text& text, const syntax::ClassDef& def, const std::string& qualified_name) {
    std::vector<FunctionSchema> methods;
    for (const auto& method : def.methods) {
        FunctionSchema schema = Emitter::head(text.context, *method, Type::Any());
        schema.arguments.erase(schema.arguments.begin());
        if (schema.returns.empty()) {
            Argument result;
            result.type = Type::Tensor();
            schema.returns.push_back(std::move(result));
        }
        methods.push_back(std::move(schema));
    }
    return std::make_shared<InterfaceType>(qualified_name, std::move(methods));
}

} // namespace reel::jit::emit
