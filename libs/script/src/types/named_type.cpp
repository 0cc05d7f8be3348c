// Enums, interfaces and classes.
#include <algorithm>

#include <reel/script/function.hpp>

namespace reel::jit {

EnumType::EnumType(std::string qualified_name, TypePtr value_type, std::vector<std::pair<std::string, IValue>> members)
    : Type(TypeKind::Enum), qualified_name_(std::move(qualified_name)), value_type_(std::move(value_type)),
      members_(std::move(members)) {}

std::string EnumType::str() const { return "Enum<" + qualified_name_ + ">"; }

bool EnumType::equals(const Type& other) const {
    return other.kind() == TypeKind::Enum && other.name() == qualified_name_;
}

InterfaceType::InterfaceType(std::string qualified_name, std::vector<FunctionSchema> methods)
    : Type(TypeKind::Interface), qualified_name_(std::move(qualified_name)),
      methods_(std::make_unique<std::vector<FunctionSchema>>(std::move(methods))) {}
InterfaceType::~InterfaceType() = default;

const std::vector<FunctionSchema>& InterfaceType::methods() const { return *methods_; }

const FunctionSchema* InterfaceType::find_method(std::string_view name) const {
    for (const FunctionSchema& m : *methods_) {
        if (m.name == name) return &m;
    }
    return nullptr;
}

std::string InterfaceType::str() const {
    return "InterfaceType<" + qualified_name_.substr(qualified_name_.rfind('.') + 1) + ">";
}

bool InterfaceType::equals(const Type& other) const {
    return other.kind() == TypeKind::Interface && other.name() == qualified_name_;
}

ClassType::ClassType(std::string qualified_name, bool is_module, CompilationUnit* unit)
    : Type(TypeKind::Class), qualified_name_(std::move(qualified_name)), is_module_(is_module), unit_(unit) {}
ClassType::~ClassType() = default;

bool ClassType::equals(const Type& other) const { return this == &other; }

std::size_t ClassType::add_attribute(std::string name, TypePtr type, AttributeKind kind) {
    REEL_CHECK_WITH(KeyError, !find_slot(name) && !find_constant(name), "class ", qualified_name_, ": attribute '",
                    name, "' is there already");
    lines_.push_back({false, attributes_.size()});
    attributes_.push_back({std::move(name), std::move(type), kind});
    return attributes_.size() - 1;
}

void ClassType::add_constant(std::string name, TypePtr type, IValue value) {
    REEL_CHECK_WITH(KeyError, !find_slot(name) && !find_constant(name), "class ", qualified_name_, ": constant '", name,
                    "' is there already");
    lines_.push_back({true, constants_.size()});
    constants_.push_back({std::move(name), std::move(type), std::move(value)});
}

std::optional<std::size_t> ClassType::find_slot(std::string_view attribute) const {
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
        if (attributes_[i].name == attribute) return i;
    }
    return std::nullopt;
}

const ClassType::Constant* ClassType::find_constant(std::string_view name) const {
    for (const Constant& c : constants_) {
        if (c.name == name) return &c;
    }
    return nullptr;
}

void ClassType::add_method(std::shared_ptr<jit::Function> method) {
    REEL_CHECK_WITH(KeyError, !find_method(method->name()), "class ", qualified_name_, ": method '", method->name(),
                    "' is there already");
    methods_.push_back(std::move(method));
}

jit::Function* ClassType::find_method(std::string_view name) const {
    for (const auto& m : methods_) {
        if (m->name() == name) return m.get();
    }
    return nullptr;
}

void ClassType::remove_method(std::string_view name) {
    std::erase_if(methods_, [&](const auto& m) { return m->name() == name; });
}

} // namespace reel::jit
