#include "annotations.hpp"

#include <algorithm>
#include <array>

#include "syntax/parser.hpp"

namespace reel::jit::emit {

using syntax::Expr;
using syntax::ExprKind;

namespace {

constexpr std::array generic_words = {"List", "Dict", "Optional", "Tuple", "Union", "Future", "list", "dict", "tuple"};

/// N of `BroadcastingListN`.
std::optional<std::int64_t> broadcast_length(std::string_view word) {
    constexpr std::string_view head = "BroadcastingList";
    if (word.size() != head.size() + 1 || !word.starts_with(head)) return std::nullopt;
    const char digit = word.back();
    return digit >= '1' && digit <= '6' ? std::optional<std::int64_t>(digit - '0') : std::nullopt;
}

TypePtr generic_type(const Context& context, const Expr& e, std::string word, std::vector<TypePtr> parts) {
    const auto expect = [&](std::size_t count) {
        if (parts.size() != count)
            context.fail(e, word + " type must have exactly " + std::to_string(count) + " type argument(s), found " +
                                std::to_string(parts.size()));
    };
    if (word == "List" || word == "list" || broadcast_length(word)) {
        expect(1);
        if (broadcast_length(word) && parts[0]->kind() != TypeKind::Int && parts[0]->kind() != TypeKind::Float)
            context.fail(e[0], "Broadcastable lists only supported for int or float");
        return Type::List(parts[0]);
    }
    if (word == "Dict" || word == "dict") {
        expect(2);
        constexpr std::array keys = {TypeKind::Int,    TypeKind::Bool,   TypeKind::Float, TypeKind::Complex,
                                     TypeKind::Tensor, TypeKind::Device, TypeKind::String};
        if (std::ranges::find(keys, parts[0]->kind()) == keys.end())
            context.fail(e, "Cannot create dict for key type '" + parts[0]->str() +
                                "', only int, float, complex, Tensor, device and string keys are supported");
        return Type::Dict(parts[0], parts[1]);
    }
    if (word == "Optional") {
        expect(1);
        return Type::Optional(parts[0]);
    }
    if (word == "Future") {
        expect(1);
        return Type::Future(parts[0]);
    }
    if (word == "Union") return Type::Union(std::move(parts));
    if (word == "Tuple" || word == "tuple") return Type::Tuple(std::move(parts));
    context.fail(e, "Unknown type constructor " + word);
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('.') + 1); }

} // namespace

std::optional<std::int64_t> annotated_broadcast(const Expr& annotation) {
    if (annotation.kind != ExprKind::Subscript || annotation.operands.size() != 2) return std::nullopt;
    const std::string word = last_part(dotted_path(annotation[0]));
    return word == "Optional" ? annotated_broadcast(annotation[1]) : broadcast_length(word);
}

std::string dotted_path(const Expr& e) {
    if (e.kind == ExprKind::Name) return e.text;
    if (e.kind != ExprKind::Attribute) return {};
    const std::string base = dotted_path(e[0]);
    return base.empty() ? base : base + "." + e.text;
}

TypePtr word_type(std::string_view word) {
    if (word == "Tensor" || word == "torch.Tensor") return Type::Tensor();
    if (word == "int") return Type::Int();
    if (word == "float") return Type::Float();
    if (word == "bool") return Type::Bool();
    if (word == "complex") return Type::Complex();
    if (word == "number") return Type::Number();
    if (word == "str") return Type::String();
    if (word == "NoneType") return Type::None();
    if (word == "Any") return Type::Any();
    if (word == "Device" || word == "torch.device") return Type::Device();
    if (word == "Generator" || word == "torch.Generator") return Type::Generator();
    if (word == "Stream") return Type::Stream();
    if (word == "Layout" || word == "MemoryFormat" || word == "ScalarType" || word == "torch.dtype")
        return Type::Int(); // their numbers
    return nullptr;
}

TypePtr annotated_type(const Context& context, const Expr& e) {
    if (e.kind == ExprKind::None) return Type::None();
    if (e.kind == ExprKind::Subscript) {
        const std::string path = dotted_path(e[0]);
        if (path.empty()) context.fail(e, "Subscripted type must be a type identifier");
        const std::string word = last_part(path);
        if (std::ranges::find(generic_words, word) == generic_words.end() && !broadcast_length(word))
            context.fail(e, "Unknown type constructor " + word);
        std::vector<TypePtr> parts;
        for (std::size_t i = 1; i < e.operands.size(); ++i) {
            const bool empty_tuple = e[i].kind == ExprKind::Tuple && e[i].operands.empty();
            if (!empty_tuple) parts.push_back(annotated_type(context, e[i]));
        }
        return generic_type(context, e, word, std::move(parts));
    }
    if (e.kind == ExprKind::String) { // a type that is quoted
        Context quoted = context;
        quoted.source = std::make_shared<Source>(e.text + "\n", "<annotation>");
        return annotated_type(quoted, *syntax::parse_expression(quoted.source));
    }
    if (e.kind == ExprKind::Binary && e.text == "|") {
        std::vector<TypePtr> members; // of `a | b | c` at once
        const Expr* rest = &e;
        for (; rest->kind == ExprKind::Binary && rest->text == "|"; rest = &(*rest)[0])
            members.insert(members.begin(), annotated_type(context, (*rest)[1]));
        members.insert(members.begin(), annotated_type(context, *rest));
        return Type::Union(std::move(members));
    }
    const std::string path = dotted_path(e);
    if (path.empty()) context.fail(e, "this expression cannot be used in a type expression");
    if (TypePtr type = word_type(path)) return type;
    if (std::ranges::find(generic_words, path) != generic_words.end())
        context.fail(e, "Attempted to use " + path + " without a contained type. Please add a contained type, e.g. " +
                            path + "[int]");
    if (TypePtr type = context.find_type(path)) return type;
    if (!context.whole_names)
        if (TypePtr type = context.find_type(context.module + "." + path)) return type;
    context.fail(e, "Unknown type name '" + path + "'");
}

} // namespace reel::jit::emit
