#include "type_reader.hpp"

#include <map>
#include <mutex>

#include <reel/script/function.hpp>

namespace reel::jit {

namespace {

// Types of the reference that no value of ours has (`Storage`, `Quantizer`): classes that nothing is a subtype of.
TypePtr foreign_type(const std::string& name) {
    static auto* const mutex = new std::mutex;
    static auto* const types = new std::map<std::string, TypePtr>;
    std::lock_guard lock(*mutex);
    TypePtr& type = (*types)[name];
    if (!type) type = std::make_shared<ClassType>(name, false, nullptr);
    return type;
}

const std::map<std::string, TypePtr>& words() {
    static const std::map<std::string, TypePtr> table = {
        {"Tensor", Type::Tensor()},
        {"int", Type::Int()},
        {"SymInt", Type::Int()},
        {"ScalarType", Type::Int()},
        {"Layout", Type::Int()},
        {"MemoryFormat", Type::Int()},
        {"QScheme", Type::Int()},
        {"float", Type::Float()},
        {"bool", Type::Bool()},
        {"SymBool", Type::Bool()},
        {"complex", Type::Complex()},
        {"Scalar", Type::Number()},
        {"number", Type::Number()},
        {"str", Type::String()},
        {"Dimname", Type::String()},
        {"NoneType", Type::None()},
        {"None", Type::None()},
        {"Any", Type::Any()},
        {"Device", Type::Device()},
        {"Generator", Type::Generator()},
        {"Stream", Type::Stream()},
        {"Function", Type::Function()},
        {"list", Type::AnyList()},
        {"tuple", Type::AnyTuple()},
        {"AnyEnumType",
         std::make_shared<EnumType>("AnyEnumType", Type::Any(), std::vector<std::pair<std::string, IValue>>())},
    };
    return table;
}

std::optional<ScalarType> profile_dtype(const std::string& word) {
    static const std::map<std::string, ScalarType> table = {
        {"Byte", kUInt8},
        {"Char", kInt8},
        {"Short", kInt16},
        {"Int", kInt32},
        {"Long", kInt64},
        {"Half", kFloat16},
        {"Float", kFloat32},
        {"Double", kFloat64},
        {"Bool", kBool},
        {"BFloat16", kBFloat16},
        {"ComplexFloat", kComplex64},
        {"ComplexDouble", kComplex128},
    };
    auto it = table.find(word);
    return it == table.end() ? std::nullopt : std::optional(it->second);
}

} // namespace

TypePtr TypeReader::read() {
    is_alias = is_written = false;
    broadcast.reset();
    TextReader::Level level(reader_);
    return read_suffixes(read_base());
}

TypePtr TypeReader::read_base() {
    if (reader_.peek() == '(') return read_tuple();
    return read_word(reader_.word());
}

TypePtr TypeReader::read_word(const std::string& word) {
    if (word.empty()) reader_.fail("a type");
    if (word == "Dict" || word == "Future" || word == "Union" || word == "Optional" || word == "List" ||
        word == "Await" || word == "RRef") {
        std::vector<TypePtr> inner = read_bracketed();
        if (inner.size() != (word == "Dict" ? 2 : 1) && word != "Union") reader_.fail("the element types of " + word);
        if (word == "Dict") return Type::Dict(inner[0], inner[1]);
        if (word == "Future") return Type::Future(inner[0]);
        if (word == "Union") return Type::Union(std::move(inner));
        if (word == "Optional") return Type::Optional(inner[0]);
        if (word == "List") return Type::List(inner[0]);
        return foreign_type(word + "(" + inner[0]->str() + ")");
    }
    if (word == "NamedTuple") return read_named_tuple();
    if ((word == "Enum" || word == "InterfaceType") && reader_.accept('<')) {
        std::string name = reader_.qualified();
        reader_.expect('>');
        return find_named(name);
    }
    if (dialect_ == Dialect::Graph && reader_.peek() == '(') {
        if (auto dtype = profile_dtype(word)) return read_profile(*dtype);
    }
    if (word == "__torch__") {
        std::string rest = reader_.peek() == '.' ? reader_.qualified() : std::string();
        return find_named(word + rest);
    }
    auto it = words().find(word);
    if (it != words().end()) return it->second;
    if (dialect_ == Dialect::Schema && word[0] >= 'a' && word[0] <= 'z') return Type::Var(word);
    if (dialect_ == Dialect::Schema) return foreign_type(word);
    reader_.fail("a type, not '" + word + "'");
}

TypePtr TypeReader::read_tuple() {
    reader_.expect('(');
    std::vector<TypePtr> elements;
    const bool alias = is_alias, written = is_written;
    while (!reader_.accept(')')) {
        if (!elements.empty()) reader_.expect(',');
        elements.push_back(read());
    }
    is_alias |= alias;
    is_written |= written;
    return Type::Tuple(std::move(elements));
}

TypePtr TypeReader::read_named_tuple() {
    reader_.expect('(');
    std::vector<std::string> names;
    std::vector<TypePtr> types;
    while (!reader_.accept(')')) {
        if (!names.empty()) reader_.expect(',');
        names.push_back(reader_.word());
        reader_.expect(':');
        types.push_back(read());
    }
    // The text of a graph leaves the name out: the unit knows it by its fields.
    if (unit_) {
        for (const TypePtr& known : unit_->types()) {
            auto tuple = known->cast<TupleType>();
            if (tuple && tuple->is_named() && tuple->fields() == names &&
                Type::Tuple(tuple->contained())->equals(*Type::Tuple(types)))
                return known;
        }
    }
    return Type::NamedTuple({}, std::move(names), std::move(types)); // what an operator returns
}

TypePtr TypeReader::read_profile(ScalarType dtype) {
    TensorType::Profile profile{dtype, {}, {}, std::nullopt};
    bool complete = false;
    reader_.expect('(');
    const auto numbers = [&](std::vector<std::int64_t>& into) {
        reader_.expect('[');
        while (!reader_.accept(']')) {
            if (!into.empty()) reader_.expect(',');
            into.push_back(reader_.number().toInt());
        }
    };
    for (bool first = true; !reader_.accept(')'); first = false) {
        if (!first) reader_.expect(',');
        if (reader_.accept("strides=")) {
            numbers(profile.strides);
        } else if (reader_.accept("requires_grad=")) {
            profile.requires_grad = reader_.number().toInt() != 0;
        } else if (reader_.accept("device=")) {
            std::string device = reader_.word();
            if (reader_.accept(':')) device += ":" + reader_.word();
            profile.device = reel::Device(device);
            complete = true;
        } else profile.sizes.push_back(reader_.number().toInt());
    }
    if (!complete) return Type::Tensor();
    return std::make_shared<TensorType>(std::move(profile));
}

TypePtr TypeReader::find_named(const std::string& qualified_name) {
    if (unit_) {
        if (qualified_name.find('.') == std::string::npos) { // `InterfaceType<Op>`
            for (const TypePtr& known : unit_->types()) {
                if (known->kind() == TypeKind::Interface && known->name().ends_with("." + qualified_name)) return known;
            }
        }
        if (TypePtr found = unit_->find_type(qualified_name)) return found;
        reader_.fail("a class that is known, not '" + qualified_name + "'");
    }
    return foreign_type(qualified_name);
}

std::vector<TypePtr> TypeReader::read_bracketed() {
    char close = reader_.accept('[') ? ']' : ')';
    if (close == ')') reader_.expect('(');
    std::vector<TypePtr> types;
    const bool alias = is_alias, written = is_written;
    while (!reader_.accept(close)) {
        if (!types.empty()) reader_.expect(',');
        types.push_back(read());
    }
    is_alias |= alias;
    is_written |= written;
    return types;
}

bool TypeReader::read_alias() {
    if (dialect_ != Dialect::Schema || !reader_.accept('(')) return false;
    is_alias = true;
    while (!reader_.accept(')')) {
        if (reader_.accept('!')) is_written = true;
        else if (reader_.accept('*') || reader_.accept("->") || reader_.accept('|')) continue;
        else if (reader_.word().empty()) reader_.fail("an alias mark: (a), (a!), (a -> *)");
    }
    return true;
}

TypePtr TypeReader::read_suffixes(TypePtr type) {
    // Each of them wraps the type once more, so that they count as nesting.
    for (int wrapped = 0;; ++wrapped) {
        if (wrapped > 200) reader_.fail("at most 200 levels of nesting");
        if (read_alias()) continue;
        if (reader_.accept('?')) {
            type = Type::Optional(type);
        } else if (reader_.accept('[')) {
            if (reader_.peek() != ']') broadcast = reader_.number().toInt();
            reader_.expect(']');
            type = Type::List(type);
        } else return type;
    }
}

TypePtr parse_ir_type(std::string_view text) {
    TextReader reader(text, "type");
    TypePtr type = TypeReader(reader, TypeReader::Dialect::Graph).read();
    if (!reader.at_end()) reader.fail("the end of the type");
    return type;
}

} // namespace reel::jit
