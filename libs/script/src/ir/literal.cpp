#include "literal.hpp"

#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/tensor_factory.hpp>

namespace reel::jit {

namespace {

constexpr std::string_view tensor_word = "tensor(";

std::string number_text(const Scalar& s) {
    const IValue v(s);
    if (v.isBool()) return v.toBool() ? "1" : "0";
    if (v.isInt()) return std::to_string(v.toInt());
    if (v.isDouble()) return float_text(v.toDouble());
    return complex_text(v.toComplexDouble());
}

// `{2}` as the reference has it; others in a form that reads back: `tensor(float32, [2], [1., 2.])`.
std::string tensor_text(const Tensor& t) {
    if (!t.defined()) return "tensor()";
    if (t.dim() == 0) return "{" + number_text(t.item()) + "}";
    std::string out = std::string(tensor_word) + dtype_name(t.scalar_type()) + ", [";
    for (std::int64_t i = 0; i < t.dim(); ++i) {
        out += (i ? ", " : "") + std::to_string(t.size(i));
    }
    out += "], [";
    Tensor flat = t.detach().to(kCPU).reshape({-1});
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
        out += (i ? ", " : "") + number_text(flat.select(0, i).item());
    }
    return out + "])";
}

std::string sequence_text(const IValue& value) {
    const auto& elements = value.elements();
    std::string out(1, value.isList() ? '[' : '(');
    for (std::size_t i = 0; i < elements.size(); ++i) {
        out += (i ? ", " : "") + literal(elements[i], true);
    }
    if (value.isTuple() && elements.size() == 1) out += ",";
    return out + (value.isList() ? "]" : ")");
}

std::vector<IValue> read_sequence(TextReader& reader, const Type& type) {
    const char close = reader.accept('[') ? ']' : ')';
    if (close == ')') reader.expect('(');
    TextReader::Level level(reader);
    std::vector<IValue> elements;
    while (!reader.accept(close)) {
        if (!elements.empty()) {
            reader.expect(',');
            if (reader.accept(close)) break;
        }
        const bool is_tuple = type.kind() == TypeKind::Tuple;
        if (type.contained().empty() || (is_tuple && elements.size() >= type.contained().size()))
            reader.fail("elements of " + type.str());
        elements.push_back(read_literal(reader, *type.contained()[is_tuple ? elements.size() : 0]));
    }
    return elements;
}

IValue read_tensor(TextReader& reader, const Type& type) {
    const auto& profile = static_cast<const TensorType&>(type).profile();
    if (reader.accept('{')) {
        const IValue number = read_element(reader);
        reader.expect('}');
        if (profile) return scalar_tensor(number.toScalar(), TensorOptions().dtype(profile->dtype));
        return scalar_tensor(number.toScalar(), TensorOptions().dtype(number.isInt()             ? kInt64
                                                                      : number.isComplexDouble() ? kComplexFloat
                                                                                                 : kFloat32));
    }
    reader.expect(tensor_word);
    if (reader.accept(')')) return Tensor();
    const ScalarType dtype = dtype_from_name(reader.word().c_str());
    reader.expect(',');
    const std::vector<IValue> sizes = read_sequence(reader, *Type::List(Type::Int()));
    reader.expect(',');
    const std::vector<IValue> numbers = read_sequence(reader, *Type::List(Type::Number()));
    reader.expect(')');
    std::int64_t numel = 1;
    std::vector<std::int64_t> shape;
    for (const IValue& n : sizes) {
        if (n.toInt() < 0 || n.toInt() > (std::int64_t(1) << 32)) reader.fail("sizes of a tensor");
        shape.push_back(n.toInt());
        numel *= n.toInt() == 0 || numel <= std::int64_t(numbers.size()) ? n.toInt() : 1;
    }
    if (numel != std::int64_t(numbers.size())) reader.fail("as many numbers as the sizes ask for");
    Tensor flat = reel::empty({numel}, TensorOptions().dtype(dtype));
    for (std::int64_t i = 0; i < numel; ++i) {
        flat.select(0, i).fill_(numbers[std::size_t(i)].toScalar());
    }
    return flat.reshape(shape);
}

IValue read_enum(TextReader& reader, const Type& type) {
    auto enum_type = type.cast<EnumType>();
    const std::string text = reader.qualified();
    const std::string member = text.substr(text.rfind('.') + 1);
    for (std::size_t i = 0; i < enum_type->members().size(); ++i) {
        if (enum_type->members()[i].first == member) return to_ivalue(EnumMember{enum_type, i});
    }
    reader.fail("a member of " + type.str() + ", not '" + member + "'");
}

} // namespace

IValue read_element(TextReader& reader) {
    if (!reader.accept('(')) return reader.number();
    const double real = reader.number().toScalar().toDouble();
    reader.expect(',');
    const double imaginary = reader.number().toScalar().toDouble();
    reader.expect(')');
    return std::complex<double>(real, imaginary);
}

std::string literal(const IValue& value, bool inside_tuple) {
    switch (value.kind()) {
    case IValue::Kind::None:
        return "None";
    case IValue::Kind::Tensor:
        return tensor_text(value.toTensor());
    case IValue::Kind::Bool:
        return inside_tuple ? (value.toBool() ? "True" : "False") : (value.toBool() ? "1" : "0");
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
    case IValue::Kind::Tuple:
        return sequence_text(value);
    case IValue::Kind::Boxed:
        if (is_enum(value)) return to_enum(value).type->name() + "." + to_enum(value).name();
        break;
    default:
        break;
    }
    return "<" + value.repr() + ">";
}

IValue read_literal(TextReader& reader, const Type& type) {
    switch (type.kind()) {
    case TypeKind::Optional:
        if (reader.accept("None")) return {};
        return read_literal(reader, *type.contained()[0]);
    case TypeKind::None:
        reader.expect("None");
        return {};
    case TypeKind::Tensor:
        return read_tensor(reader, type);
    case TypeKind::Bool:
        if (reader.accept("True")) return true;
        if (reader.accept("False")) return false;
        return reader.number().toInt() != 0;
    case TypeKind::Float:
        return reader.number().toDouble();
    case TypeKind::Complex:
        return reader.number().toComplexDouble();
    case TypeKind::Int:
    case TypeKind::Number:
        return reader.number();
    case TypeKind::String:
        return reader.quoted();
    case TypeKind::Device:
        return reel::Device(reader.quoted());
    case TypeKind::List:
        if (reader.accept("annotate(")) { // `annotate(List[int], [])`, whose type stands beside it
            reader.expect(type.annotation_str());
            reader.expect(',');
            const std::vector<IValue> none = read_sequence(reader, type);
            reader.expect(')');
            return IValue::list(none);
        }
        return IValue::list(read_sequence(reader, type));
    case TypeKind::Tuple:
        return IValue::tuple(read_sequence(reader, type));
    case TypeKind::Enum:
        return read_enum(reader, type);
    default:
        reader.fail("a constant of a type that has literals, not " + type.str());
    }
}

} // namespace reel::jit
