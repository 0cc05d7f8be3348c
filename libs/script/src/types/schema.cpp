// Schemas: their text read and printed.
#include <reel/script/schema.hpp>

#include "type_reader.hpp"

namespace reel::jit {

namespace {

// The numbers of the words that stand for defaults (rule SC-34, and `Mean` of losses).
std::optional<std::int64_t> default_word(const std::string& word) {
    static constexpr std::pair<std::string_view, std::int64_t> words[] = {{"Mean", 1},
                                                                          {"contiguous_format", 0},
                                                                          {"preserve_format", 1},
                                                                          {"strided", 0},
                                                                          {"long", 4},
                                                                          {"float", 6},
                                                                          {"double", 7},
                                                                          {"bool", 11}};
    for (auto [name, number] : words) {
        if (name == word) return number;
    }
    return std::nullopt;
}

IValue read_default(TextReader& reader, const Type& type);
std::string type_text(const Type& type);

IValue read_default_list(TextReader& reader, const Type& type) {
    const TypePtr element = type.kind() == TypeKind::List ? type.contained()[0] : Type::Any();
    const char close = reader.accept('(') ? ')' : ']';
    if (close == ']') reader.expect('[');
    std::vector<IValue> elements;
    TextReader::Level level(reader);
    while (!reader.accept(close)) {
        if (!elements.empty()) {
            reader.expect(',');
            if (reader.accept(close)) break;
        }
        elements.push_back(read_default(reader, *element));
    }
    return close == ')' ? IValue::tuple(std::move(elements)) : IValue::list(std::move(elements));
}

IValue read_default(TextReader& reader, const Type& type) {
    if (type.kind() == TypeKind::Optional) return read_default(reader, *type.contained()[0]);
    const char c = reader.peek();
    if (c == '[' || c == '(') return read_default_list(reader, type);
    if (c == '"') {
        std::string text = reader.quoted();
        if (type.kind() == TypeKind::Device) return reel::Device(text);
        return text;
    }
    const std::size_t begin = reader.position();
    if (std::isalpha(static_cast<unsigned char>(c))) {
        std::string word = reader.word();
        if (word == "None") return {};
        if (word == "True") return true;
        if (word == "False") return false;
        if (auto number = default_word(word)) return *number;
        reader.seek(begin); // inf, nan
    }
    IValue number = reader.number();
    return type.kind() == TypeKind::Float && number.isInt() ? IValue(number.toDouble()) : number;
}

Argument read_argument(TextReader& reader, bool result) {
    TypeReader types(reader, TypeReader::Dialect::Schema);
    Argument argument;
    reader.peek();
    const std::size_t begin = reader.position();
    argument.type = types.read();
    argument.spelling = std::string(reader.between(begin, reader.position()));
    while (argument.spelling.ends_with(' ')) argument.spelling.pop_back();
    if (argument.spelling == type_text(*argument.type)) argument.spelling.clear();
    argument.is_alias = types.is_alias;
    argument.is_written = types.is_written;
    argument.broadcast = types.broadcast;
    argument.name = reader.word();
    if (argument.name.empty() && !result) reader.fail("an argument's name");
    if (!result && reader.accept('=')) {
        IValue value = read_default(reader, *argument.type);
        const bool is_list =
            argument.type->kind() == TypeKind::List ||
            (argument.type->kind() == TypeKind::Optional && argument.type->contained()[0]->kind() == TypeKind::List);
        if (is_list && argument.broadcast && value.isScalar()) { // `int[2] stride=1`
            value = IValue::list(
                std::vector<IValue>(std::size_t(std::clamp<std::int64_t>(*argument.broadcast, 0, 64)), value));
        }
        argument.default_value = std::move(value);
    }
    return argument;
}

void read_arguments(TextReader& reader, FunctionSchema& schema) {
    reader.expect('(');
    bool kwarg_only = false;
    for (bool first = true; !reader.accept(')'); first = false) {
        if (!first) reader.expect(',');
        if (reader.accept("...")) {
            schema.is_vararg = true;
        } else if (reader.accept('*')) {
            kwarg_only = true;
        } else {
            schema.arguments.push_back(read_argument(reader, false));
            schema.arguments.back().kwarg_only = kwarg_only;
        }
    }
}

void read_returns(TextReader& reader, FunctionSchema& schema) {
    if (reader.accept("...")) {
        schema.is_varret = true;
        return;
    }
    // `-> (int, str)` are two results, `-> ((int, str))` is a tuple.
    if (!reader.accept('(')) {
        schema.returns.push_back(read_argument(reader, true));
        return;
    }
    for (bool first = true; !reader.accept(')'); first = false) {
        if (!first) reader.expect(',');
        if (reader.accept("...")) schema.is_varret = true;
        else schema.returns.push_back(read_argument(reader, true));
    }
}

std::string default_text(const IValue& value) {
    switch (value.kind()) {
    case IValue::Kind::None:
        return "None";
    case IValue::Kind::Bool:
        return value.toBool() ? "True" : "False";
    case IValue::Kind::Int:
        return std::to_string(value.toInt());
    case IValue::Kind::Double:
        return float_text(value.toDouble());
    case IValue::Kind::Complex:
        return complex_text(value.toComplexDouble());
    case IValue::Kind::String:
        return quote(value.toStringRef());
    case IValue::Kind::Device:
        return quote(value.toDevice().str());
    case IValue::Kind::List:
    case IValue::Kind::Tuple: {
        std::string out(1, value.isList() ? '[' : '(');
        for (const IValue& e : value.elements()) {
            if (out.size() > 1) out += ", ";
            out += default_text(e);
        }
        if (value.isTuple() && value.elements().size() == 1) out += ",";
        return out + (value.isList() ? "]" : ")");
    }
    default:
        return value.repr();
    }
}

std::string type_texts(const std::vector<TypePtr>& types) {
    std::string out;
    for (const TypePtr& t : types) {
        out += (out.empty() ? "" : ", ") + type_text(*t);
    }
    return out;
}

// As the IR has it, but a named tuple by its name.
std::string type_text(const Type& type) {
    switch (type.kind()) {
    case TypeKind::List:
        return type_texts(type.contained()) + "[]";
    case TypeKind::Optional:
        return type_texts(type.contained()) + "?";
    case TypeKind::Dict:
        return "Dict(" + type_texts(type.contained()) + ")";
    case TypeKind::Union:
        return "Union(" + type_texts(type.contained()) + ")";
    case TypeKind::Future:
        return "Future(" + type_texts(type.contained()) + ")";
    case TypeKind::Tuple:
        return type.name().empty() ? "(" + type_texts(type.contained()) + ")" : type.name();
    default:
        return type.str();
    }
}

std::string type_text(const Argument& argument) {
    return argument.spelling.empty() ? type_text(*argument.type) : argument.spelling;
}

std::string returns_text(const FunctionSchema& schema) {
    std::string out;
    for (const Argument& r : schema.returns) {
        if (!out.empty()) out += ", ";
        out += type_text(r) + (r.name.empty() ? "" : " " + r.name);
    }
    if (schema.is_varret) return out.empty() ? "..." : "(" + out + ", ...)";
    const bool is_tuple = schema.returns.size() == 1 && out.starts_with('(');
    return schema.returns.size() == 1 && !is_tuple ? out : "(" + out + ")";
}

} // namespace

std::string FunctionSchema::str() const {
    std::string out = qualified() + "(";
    bool starred = false, first = true;
    for (const Argument& a : arguments) {
        if (!first) out += ", ";
        first = false;
        if (a.kwarg_only && !starred) {
            out += "*, ";
            starred = true;
        }
        out += type_text(a) + " " + a.name;
        if (a.default_value) out += "=" + default_text(*a.default_value);
    }
    if (is_vararg) out += first ? "..." : ", ...";
    return out + ") -> " + returns_text(*this);
}

std::size_t FunctionSchema::find_argument(std::string_view name) const {
    std::size_t i = 0;
    while (i < arguments.size() && arguments[i].name != name) ++i;
    return i;
}

FunctionSchema parse_schema(std::string_view text) {
    TextReader reader(text, "schema");
    FunctionSchema schema;
    std::string name = reader.qualified();
    if (name.empty()) reader.fail("an operator's name");
    std::size_t colons = name.find("::");
    std::size_t dot = name.find('.', colons == name.npos ? 0 : colons);
    schema.name = name.substr(0, dot);
    if (dot != name.npos) schema.overload = name.substr(dot + 1);
    read_arguments(reader, schema);
    reader.expect("->");
    read_returns(reader, schema);
    if (!reader.at_end()) reader.fail("the end of the schema");
    return schema;
}

} // namespace reel::jit
