// Types without a name of their own: how they are made, printed and compared.
#include <algorithm>

#include <reel/script/type.hpp>

namespace reel::jit {

namespace {

struct PlainType : Type {
    PlainType(TypeKind kind, std::vector<TypePtr> contained = {}) : Type(kind, std::move(contained)) {}
};

struct VarType : Type {
    explicit VarType(std::string name) : Type(TypeKind::Var), name_(std::move(name)) {}
    std::string str() const override { return name_; }
    std::string annotation_str() const override { return name_; }
    bool equals(const Type& other) const override { return other.kind() == TypeKind::Var && other.name() == name_; }
    const std::string& name() const override { return name_; }
    std::string name_;
};

TypePtr make(TypeKind kind, std::vector<TypePtr> contained = {}) {
    return std::make_shared<PlainType>(kind, std::move(contained));
}

std::string joined(const std::vector<TypePtr>& types, bool annotation) {
    std::string out;
    for (const TypePtr& t : types) {
        if (!out.empty()) out += ", ";
        out += annotation ? t->annotation_str() : t->str();
    }
    return out;
}

/// Inside a dict or a union the IR names a named tuple by its name alone.
std::string inside(const Type& t) {
    if (t.kind() == TypeKind::Tuple && !t.name().empty()) return t.name();
    if (t.kind() == TypeKind::List) return inside(*t.contained()[0]) + "[]";
    if (t.kind() == TypeKind::Optional) return inside(*t.contained()[0]) + "?";
    return t.str();
}
std::string joined_inside(const std::vector<TypePtr>& types) {
    std::string out;
    for (const TypePtr& t : types) out += (out.empty() ? "" : ", ") + inside(*t);
    return out;
}

const char* plain_name(TypeKind kind, bool annotation) {
    switch (kind) {
    case TypeKind::Tensor:
        return "Tensor";
    case TypeKind::Int:
        return "int";
    case TypeKind::Float:
        return "float";
    case TypeKind::Bool:
        return "bool";
    case TypeKind::Complex:
        return "complex";
    case TypeKind::Number:
        return annotation ? "number" : "Scalar";
    case TypeKind::String:
        return "str";
    case TypeKind::None:
        return "NoneType";
    case TypeKind::Any:
        return "Any";
    case TypeKind::Device:
        return "Device";
    case TypeKind::Generator:
        return "Generator";
    case TypeKind::Stream:
        return "Stream";
    case TypeKind::Function:
        return "Function";
    case TypeKind::AnyList:
        return "list";
    case TypeKind::AnyTuple:
        return "tuple";
    default:
        return "?";
    }
}

// The place of a union's member in its text (rule SC-34's table: "sorted as the reference does").
int union_rank(TypeKind kind) {
    static constexpr TypeKind order[] = {TypeKind::Any,      TypeKind::Enum,   TypeKind::Tensor,    TypeKind::Tuple,
                                         TypeKind::List,     TypeKind::Dict,   TypeKind::Number,    TypeKind::Float,
                                         TypeKind::Complex,  TypeKind::Future, TypeKind::Int,       TypeKind::None,
                                         TypeKind::String,   TypeKind::Bool,   TypeKind::Generator, TypeKind::Optional,
                                         TypeKind::Var,      TypeKind::Device, TypeKind::Stream,    TypeKind::Union,
                                         TypeKind::Function, TypeKind::Class,  TypeKind::Interface};
    return int(std::find(std::begin(order), std::end(order), kind) - std::begin(order));
}

void flatten(const TypePtr& type, std::vector<TypePtr>& into) {
    if (type->kind() == TypeKind::Union) {
        for (const TypePtr& m : type->contained()) {
            flatten(m, into);
        }
    } else if (type->kind() == TypeKind::Optional) {
        flatten(type->contained()[0], into);
        flatten(Type::None(), into);
    } else into.push_back(type);
}

} // namespace

Type::Type(TypeKind kind, std::vector<TypePtr> contained) : kind_(kind), contained_(std::move(contained)) {}
Type::~Type() = default;

const std::string& Type::name() const {
    static const std::string none;
    return none;
}

std::string Type::str() const {
    switch (kind_) {
    case TypeKind::List:
        return contained_[0]->str() + "[]";
    case TypeKind::Optional:
        return contained_[0]->str() + "?";
    case TypeKind::Dict:
        return "Dict(" + joined_inside(contained_) + ")";
    case TypeKind::Union:
        return "Union(" + joined_inside(contained_) + ")";
    case TypeKind::Future:
        return "Future[" + joined(contained_, false) + "]";
    default:
        return plain_name(kind_, false);
    }
}

std::string Type::annotation_str() const {
    switch (kind_) {
    case TypeKind::List:
        return "List[" + joined(contained_, true) + "]";
    case TypeKind::Optional:
        return "Optional[" + joined(contained_, true) + "]";
    case TypeKind::Dict:
        return "Dict[" + joined(contained_, true) + "]";
    case TypeKind::Union:
        return "Union[" + joined(contained_, true) + "]";
    case TypeKind::Future:
        return "Future[" + joined(contained_, true) + "]";
    default:
        return plain_name(kind_, true);
    }
}

bool Type::equals(const Type& other) const {
    if (this == &other) return true;
    if (kind_ != other.kind_ || contained_.size() != other.contained_.size()) return false;
    if (kind_ == TypeKind::Union) {
        // Two members of one kind may stand in either order.
        return std::is_permutation(contained_.begin(), contained_.end(), other.contained_.begin(),
                                   [](const TypePtr& a, const TypePtr& b) { return a->equals(*b); });
    }
    return std::equal(contained_.begin(), contained_.end(), other.contained_.begin(),
                      [](const TypePtr& a, const TypePtr& b) { return a->equals(*b); });
}

const TypePtr& Type::Tensor() {
    static const TypePtr type = std::make_shared<TensorType>(std::nullopt);
    return type;
}

#define REEL_SCRIPT_PLAIN_TYPE(Name)                                                                                   \
    const TypePtr& Type::Name() {                                                                                      \
        static const TypePtr type = make(TypeKind::Name);                                                              \
        return type;                                                                                                   \
    }
REEL_SCRIPT_PLAIN_TYPE(Int)
REEL_SCRIPT_PLAIN_TYPE(Float)
REEL_SCRIPT_PLAIN_TYPE(Bool)
REEL_SCRIPT_PLAIN_TYPE(Complex)
REEL_SCRIPT_PLAIN_TYPE(Number)
REEL_SCRIPT_PLAIN_TYPE(String)
REEL_SCRIPT_PLAIN_TYPE(None)
REEL_SCRIPT_PLAIN_TYPE(Any)
REEL_SCRIPT_PLAIN_TYPE(Device)
REEL_SCRIPT_PLAIN_TYPE(Generator)
REEL_SCRIPT_PLAIN_TYPE(Stream)
REEL_SCRIPT_PLAIN_TYPE(Function)
REEL_SCRIPT_PLAIN_TYPE(AnyList)
REEL_SCRIPT_PLAIN_TYPE(AnyTuple)
#undef REEL_SCRIPT_PLAIN_TYPE

TypePtr Type::List(TypePtr element) { return make(TypeKind::List, {std::move(element)}); }
TypePtr Type::Dict(TypePtr key, TypePtr value) { return make(TypeKind::Dict, {std::move(key), std::move(value)}); }
TypePtr Type::Future(TypePtr element) { return make(TypeKind::Future, {std::move(element)}); }
TypePtr Type::Var(std::string name) { return std::make_shared<VarType>(std::move(name)); }

TypePtr Type::Tuple(std::vector<TypePtr> elements) { return std::make_shared<TupleType>(std::move(elements)); }

TypePtr Type::NamedTuple(std::string qualified_name, std::vector<std::string> fields, std::vector<TypePtr> types) {
    return std::make_shared<TupleType>(std::move(types), std::move(qualified_name), std::move(fields));
}

TypePtr Type::Optional(TypePtr element) {
    switch (element->kind()) {
    case TypeKind::Optional:
    case TypeKind::Any:
    case TypeKind::None:
        return element;
    case TypeKind::Union:
        return Union({element, None()});
    default:
        return make(TypeKind::Optional, {std::move(element)});
    }
}

TypePtr Type::Union(std::vector<TypePtr> members) {
    std::vector<TypePtr> flat, kept;
    for (const TypePtr& m : members) {
        flatten(m, flat);
    }
    for (std::size_t i = 0; i < flat.size(); ++i) {
        bool covered = false; // by another member: of two equal ones the first stays
        for (std::size_t j = 0; j < flat.size() && !covered; ++j) {
            covered = i != j && flat[i]->is_subtype_of(*flat[j]) && (j < i || !flat[j]->is_subtype_of(*flat[i]));
        }
        if (!covered) kept.push_back(flat[i]);
    }
    REEL_CHECK_VALUE(!kept.empty(), "Union: expected at least one member");
    if (kept.size() == 1) return kept[0];
    if (kept.size() == 2 && kept[0]->kind() == TypeKind::None) return Optional(kept[1]);
    if (kept.size() == 2 && kept[1]->kind() == TypeKind::None) return Optional(kept[0]);
    std::stable_sort(kept.begin(), kept.end(),
                     [](const TypePtr& a, const TypePtr& b) { return union_rank(a->kind()) < union_rank(b->kind()); });
    return make(TypeKind::Union, std::move(kept));
}

TupleType::TupleType(std::vector<TypePtr> elements, std::string qualified_name, std::vector<std::string> fields)
    : Type(TypeKind::Tuple, std::move(elements)), qualified_name_(std::move(qualified_name)),
      fields_(std::move(fields)) {
    REEL_CHECK_VALUE(fields_.empty() || fields_.size() == contained_.size(), "named tuple ", qualified_name_, ": ",
                     fields_.size(), " names for ", contained_.size(), " types");
}

std::string TupleType::str() const {
    if (fields_.empty()) return "(" + joined(contained_, false) + ")";
    std::string out = "NamedTuple(";
    for (std::size_t i = 0; i < contained_.size(); ++i) {
        if (i) out += ", ";
        out += fields_[i] + " : " + contained_[i]->str();
    }
    return out + ")";
}

std::string TupleType::annotation_str() const {
    if (is_named()) return qualified_name_;
    return contained_.empty() ? "Tuple[()]" : "Tuple[" + joined(contained_, true) + "]";
}

bool TupleType::equals(const Type& other) const {
    if (!Type::equals(other)) return false;
    const auto& o = static_cast<const TupleType&>(other);
    return qualified_name_ == o.qualified_name_ && fields_ == o.fields_;
}

} // namespace reel::jit
