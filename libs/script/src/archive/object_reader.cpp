#include "archive/object_reader.hpp"

#include <reel/autograd/error.hpp>
#include <reel/script/module.hpp>

namespace reel::jit {

using FileNode = serialize::Node;
using serialize::NodeKind;

namespace {
/// The type that a value asks for by itself, where the place takes any.
TypePtr own_type(const FileNode& n) {
    switch (n.kind) {
    case NodeKind::Bool:
        return Type::Bool();
    case NodeKind::Int:
        return Type::Int();
    case NodeKind::Float:
        return Type::Float();
    case NodeKind::Complex:
        return Type::Complex();
    case NodeKind::String:
        return Type::String();
    case NodeKind::Tensor:
        return Type::Tensor();
    case NodeKind::Device:
        return Type::Device();
    case NodeKind::List:
        return Type::List(Type::Any());
    case NodeKind::Dict:
        return Type::Dict(Type::Any(), Type::Any());
    case NodeKind::Tuple:
        return Type::Tuple(std::vector<TypePtr>(n.items.size(), Type::Any()));
    default:
        return Type::None();
    }
}
/// Could the node be of the type, as far as its kind tells?
bool could_be(const FileNode& n, const Type& t) {
    switch (t.kind()) {
    case TypeKind::Any:
        return true;
    case TypeKind::Optional:
        return n.kind == NodeKind::None || could_be(n, *t.contained()[0]);
    case TypeKind::List:
    case TypeKind::Dict:
        if (n.kind == NodeKind::Tagged) return n.text == t.annotation_str();
        return n.kind == (t.kind() == TypeKind::List ? NodeKind::List : NodeKind::Dict);
    case TypeKind::Tuple: {
        if (n.kind != NodeKind::Tuple || n.items.size() != t.contained().size()) return false;
        for (std::size_t i = 0; i < n.items.size(); ++i)
            if (!could_be(*n.items[i], *t.contained()[i])) return false;
        return true;
    }
    case TypeKind::Class:
    case TypeKind::Interface:
        return n.kind == NodeKind::Object && (t.kind() == TypeKind::Interface || n.text == t.name());
    case TypeKind::Enum:
        return n.kind == NodeKind::EnumMember && n.text == t.name();
    case TypeKind::Number:
        return n.kind == NodeKind::Int || n.kind == NodeKind::Float || n.kind == NodeKind::Bool ||
               n.kind == NodeKind::Complex;
    default:
        return own_type(n)->kind() == t.kind() && (t.kind() != TypeKind::None || n.kind == NodeKind::None);
    }
}
} // namespace

void ObjectReader::fail(const std::string& what) const {
    std::string path;
    for (const std::string& step : path_)
        if (path.size() < 400) path += step;
    REEL_THROW(ValueError, pickle_.where(), path.empty() ? "" : ", at " + path, ": ", what);
}
void ObjectReader::mismatch(const FileNode& n, const Type& expected) const {
    const std::string named = n.text.empty() || n.kind == NodeKind::String ? "" : " '" + n.text.substr(0, 200) + "'";
    fail(reel::str("the value is ", serialize::kind_name(n.kind), named, ", but its type is ",
                   expected.annotation_str()));
}
template <class Step, class Read> auto ObjectReader::below(Step&& step, Read read) {
    path_.push_back(std::forward<Step>(step));
    auto result = read();
    path_.pop_back();
    return result;
}

IValue ObjectReader::read(const FileNode& n, const TypePtr& expected) {
    switch (expected->kind()) {
    case TypeKind::Optional:
        return n.kind == NodeKind::None ? IValue() : read(n, expected->contained()[0]);
    case TypeKind::Union:
        for (const TypePtr& member : expected->contained())
            if (could_be(n, *member)) return read(n, member);
        mismatch(n, *expected);
    case TypeKind::Any:
        switch (n.kind) {
        case NodeKind::Tagged: // nothing asks for its type
            return read(*n.items[0], expected);
        case NodeKind::Object:
        case NodeKind::EnumMember:
            if (const TypePtr type = unit_->find_type(n.text)) return read(n, type);
            fail("unknown class '" + n.text + "'");
        default:
            return read(n, own_type(n));
        }
    case TypeKind::Tensor:
    case TypeKind::List:
    case TypeKind::Dict:
    case TypeKind::Tuple:
    case TypeKind::Class:
    case TypeKind::Interface:
        return shared(n, expected);
    case TypeKind::Enum:
        return enum_member(n, *expected);
    default:
        return plain(n, *expected);
    }
}
IValue ObjectReader::plain(const FileNode& n, const Type& expected) {
    if (!could_be(n, expected)) mismatch(n, expected);
    switch (n.kind) {
    case NodeKind::Bool:
        return bool(n.tag);
    case NodeKind::Int:
        return n.i;
    case NodeKind::Float:
        return n.d[0];
    case NodeKind::Complex:
        return std::complex<double>(n.d[0], n.d[1]);
    case NodeKind::String:
        return n.text;
    case NodeKind::Device:
        return reel::Device(n.text);
    default:
        return {};
    }
}
// What is one object in the file is one object here.
IValue ObjectReader::shared(const FileNode& n, const TypePtr& expected) {
    if (const auto it = made_.find(&n); it != made_.end()) {
        if (!is_instance(it->second, *expected)) mismatch(n, *expected);
        return it->second;
    }
    IValue v;
    switch (expected->kind()) {
    case TypeKind::Tensor:
        if (n.kind != NodeKind::Tensor) mismatch(n, *expected);
        v = pickle_.tensor(n);
        break;
    case TypeKind::List:
        v = list(n, *expected);
        break;
    case TypeKind::Dict:
        v = dict(n, *expected);
        break;
    case TypeKind::Tuple:
        v = tuple(n, *expected);
        break;
    default:
        return object(n, *expected); // known before its attributes are read
    }
    made_.emplace(&n, v);
    return v;
}

const FileNode& ObjectReader::untagged(const FileNode& n, const Type& expected) const {
    if (n.kind != NodeKind::Tagged) return n;
    if (n.text != expected.annotation_str()) mismatch(n, expected);
    return *n.items[0];
}
IValue ObjectReader::list(const FileNode& tagged, const Type& expected) {
    const FileNode& n = untagged(tagged, expected);
    if (n.kind != NodeKind::List) mismatch(n, expected);
    const TypePtr& element = expected.contained()[0];
    Args out;
    out.reserve(n.items.size());
    for (std::size_t i = 0; i < n.items.size(); ++i)
        out.push_back(below("[" + std::to_string(i) + "]", [&] { return read(*n.items[i], element); }));
    return IValue::list(std::move(out));
}
IValue ObjectReader::dict(const FileNode& tagged, const Type& expected) {
    const FileNode& n = untagged(tagged, expected);
    if (n.kind != NodeKind::Dict) mismatch(n, expected);
    const TypePtr &key = expected.contained()[0], &value = expected.contained()[1];
    ValueDict out;
    for (std::size_t i = 0; i + 1 < n.items.size(); i += 2)
        below(path_step(*n.items[i]), [&] {
            IValue k = read(*n.items[i], key);
            out.set(std::move(k), read(*n.items[i + 1], value));
            return 0;
        });
    return out;
}
IValue ObjectReader::tuple(const FileNode& n, const Type& expected) {
    if (n.kind != NodeKind::Tuple) mismatch(n, expected);
    const std::vector<TypePtr>& types = expected.contained();
    if (n.items.size() != types.size())
        fail(reel::str("the value is a tuple of ", n.items.size(), ", but its type is ", expected.annotation_str()));
    Args out;
    for (std::size_t i = 0; i < types.size(); ++i)
        out.push_back(below("[" + std::to_string(i) + "]", [&] { return read(*n.items[i], types[i]); }));
    return IValue::tuple(std::move(out));
}
IValue ObjectReader::enum_member(const FileNode& n, const Type& expected) {
    if (n.kind != NodeKind::EnumMember || n.text != expected.name()) mismatch(n, expected);
    const auto type = expected.cast<EnumType>();
    const IValue value = read(*n.items[0], type->value_type());
    for (std::size_t i = 0; i < type->members().size(); ++i)
        if (equal(type->members()[i].second, value)) return to_ivalue(EnumMember{type, i});
    fail("the enum " + n.text + " has no member of the value " + value.repr());
}

IValue ObjectReader::object(const FileNode& n, const Type& expected) {
    if (n.kind != NodeKind::Object) mismatch(n, expected);
    const ClassTypePtr type = unit_->find_class(n.text);
    if (!type) fail("unknown class '" + n.text + "': the archive has no code for it");
    if (!type->is_subtype_of(expected)) mismatch(n, expected);
    if (!n.attributes) fail("the object of class '" + n.text + "' has no state");
    ObjectPtr object;
    if (type->is_module()) object = std::make_shared<ModuleImpl>(type, unit_);
    else object = std::make_shared<Object>(type);
    const IValue v = made_.emplace(&n, to_ivalue(object)).first->second;
    set_state(*object, v, *n.attributes);
    return v;
}
void ObjectReader::set_state(Object& object, const IValue& value, const FileNode& state) {
    const ClassType& type = *object.type();
    Function* set = type.find_method("__setstate__");
    if (!set || !type.find_method("__getstate__")) return set_attributes(object, state);
    const FunctionSchema& schema = set->schema();
    if (schema.arguments.size() != 2) fail("'" + type.name() + ".__setstate__' must take one argument beside self");
    (*set)({value, below(".__setstate__(...)", [&] { return read(state, schema.arguments[1].type); })});
}
void ObjectReader::set_attributes(Object& object, const FileNode& state) {
    const ClassType& type = *object.type();
    if (!state.is_dict())
        fail(reel::str("the state of an object of '", type.name(), "' is ", serialize::kind_name(state.kind),
                       "; expected a dict of attributes"));
    std::unordered_map<std::string_view, const FileNode*> values;
    for (std::size_t i = 0; i + 1 < state.items.size(); i += 2) {
        if (state.items[i]->kind != NodeKind::String)
            fail(reel::str("the state of an object of '", type.name(), "' has ",
                           serialize::kind_name(state.items[i]->kind), " as attribute name"));
        if (!type.find_slot(state.items[i]->text))
            fail("the object of '" + type.name() + "' holds an attribute '" + state.items[i]->text +
                 "', which its class does not have");
        values.emplace(state.items[i]->text, state.items[i + 1]);
    }
    for (std::size_t i = 0; i < type.attributes().size(); ++i) {
        const ClassType::Attribute& a = type.attributes()[i];
        const auto it = values.find(a.name);
        if (it == values.end()) fail("the object of '" + type.name() + "' lacks the attribute '" + a.name + "'");
        object.set_slot(i, below("." + a.name, [&] { return read(*it->second, a.type); }));
    }
}

} // namespace reel::jit
