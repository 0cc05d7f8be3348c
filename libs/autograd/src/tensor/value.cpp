// Values of any kind.
#include <reel/autograd/list.hpp>
#include <reel/autograd/value.hpp>

#include <ostream>

#include <boost/core/demangle.hpp>

namespace reel {

Value::Value() noexcept = default;
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;
Value::Value(std::nullptr_t) noexcept {}
Value::Value(std::nullopt_t) noexcept {}
Value::Value(bool b) : kind_(Kind::Bool) { plain_.boolean = b; }
Value::Value(std::int64_t i, IntegerTag) : kind_(Kind::Int) { plain_.integer = i; }
Value::Value(double d) : kind_(Kind::Double) { plain_.number = d; }
Value::Value(float d) : Value(double(d)) {}
Value::Value(std::complex<double> c) : kind_(Kind::Complex), imaginary_(c.imag()) { plain_.number = c.real(); }
Value::Value(std::string s) : kind_(Kind::String), box_(std::make_shared<const std::string>(std::move(s))) {}
Value::Value(std::string_view s) : Value(std::string(s)) {}
Value::Value(const char* s) : Value(std::string(s)) {}
Value::Value(ScalarType t) : kind_(Kind::Dtype) { plain_.dtype = t; }
Value::Value(reel::Device d) : kind_(Kind::Device) { plain_.device = d; }
Value::Value(std::shared_ptr<const void> object, const std::type_info& type)
    : kind_(Kind::Boxed), box_(std::move(object)) {
    plain_.type = &type;
}
Value::Value(Tensor t) : kind_(Kind::Tensor), tensor_(std::move(t)) {}
Value::Value(const Scalar& s) {
    if (s.isBoolean()) *this = Value(s.toBool());
    else if (s.isIntegral(false)) *this = Value(s.toLong());
    else if (s.isFloatingPoint()) *this = Value(s.toDouble());
    else *this = Value(s.toComplexDouble());
}
Value::Value(ValueDict d) : kind_(Kind::Dict), box_(std::make_shared<ValueDict>(std::move(d))) {}
Value::Value(std::vector<Value> e) : kind_(Kind::List), box_(std::make_shared<std::vector<Value>>(std::move(e))) {}
namespace {
template <class T> std::vector<Value> values_of(const std::vector<T>& v) {
    return std::vector<Value>(v.begin(), v.end());
}
} // namespace
Value::Value(const std::vector<Tensor>& v) : Value(values_of(v)) {}
Value::Value(const std::vector<std::int64_t>& v) : Value(values_of(v)) {}
Value::Value(const std::vector<double>& v) : Value(values_of(v)) {}
Value Value::list(std::vector<Value> e) { return Value(std::move(e)); }
Value Value::tuple(std::vector<Value> e) {
    Value v(std::move(e));
    v.kind_ = Kind::Tuple;
    return v;
}

const char* Value::kind_name() const {
    constexpr const char* names[] = {"None",  "Tensor", "bool", "int",   "float", "complex", "str",
                                     "dtype", "device", "list", "tuple", "dict",  "object"};
    return names[std::size_t(kind_)];
}
bool Value::isTensorList() const {
    if (!isSequence()) return false;
    for (const Value& v : elements())
        if (!v.isTensor()) return false;
    return true;
}
void Value::throw_kind(const char* wanted) const { REEL_THROW(TypeError, "expected ", wanted, ", got ", repr()); }
void Value::throw_not_boxed(const std::type_info& wanted) const {
    REEL_THROW(TypeError, "expected an object of type ", boost::core::demangle(wanted.name()), ", got ",
               isBoxed() ? boost::core::demangle(plain_.type->name()) : kind_name());
}

const Tensor& Value::toTensor() const& {
    if (!isTensor()) throw_kind("Tensor");
    return tensor_;
}
bool Value::toBool() const {
    if (isBool()) return plain_.boolean;
    if (isInt()) return plain_.integer != 0;
    throw_kind("bool");
}
std::int64_t Value::toInt() const {
    if (isInt()) return plain_.integer;
    if (isBool()) return plain_.boolean;
    if (isTensor() && tensor_.numel() == 1) return tensor_.item().toLong();
    throw_kind("int");
}
double Value::toDouble() const {
    if (isDouble()) return plain_.number;
    if (isInt() || isBool()) return double(toInt());
    if (isTensor() && tensor_.numel() == 1) return tensor_.item().toDouble();
    throw_kind("float");
}
std::complex<double> Value::toComplexDouble() const {
    return isComplexDouble() ? std::complex<double>(plain_.number, imaginary_) : std::complex<double>(toDouble(), 0);
}
Scalar Value::toScalar() const {
    switch (kind()) {
    case Kind::Bool:
        return Scalar(plain_.boolean);
    case Kind::Int:
        return Scalar(plain_.integer);
    case Kind::Double:
        return Scalar(plain_.number);
    case Kind::Complex:
        return Scalar(std::complex<double>(plain_.number, imaginary_));
    case Kind::Tensor:
        return tensor_.item();
    default:
        throw_kind("a number");
    }
}
const std::string& Value::toStringRef() const& {
    if (!isString()) throw_kind("str");
    return *static_cast<const std::string*>(box_.get());
}
ScalarType Value::toDtype() const {
    if (!isDtype()) throw_kind("dtype");
    return plain_.dtype;
}
Device Value::toDevice() const {
    if (isString()) return reel::Device(toStringRef());
    if (!isDevice()) throw_kind("device");
    return plain_.device;
}
const std::vector<Value>& Value::elements() const& {
    if (!isSequence()) throw_kind("a list or tuple");
    return *static_cast<const std::vector<Value>*>(box_.get());
}
std::vector<Value>& Value::list_elements() const {
    if (!isList()) throw_kind("list");
    return const_cast<std::vector<Value>&>(elements()); // made non-const: lists and dicts are shared and mutable
}
ValueDict& Value::toGenericDict() const& {
    if (!isGenericDict()) throw_kind("dict");
    return const_cast<ValueDict&>(*static_cast<const ValueDict*>(box_.get()));
}
namespace {
/// What `box` holds, which is about to go: itself, where nobody else has it.
template <class T> T taken(const std::shared_ptr<const void>& box) {
    const T& held = *static_cast<const T*>(box.get());
    return box.use_count() == 1 ? T(std::move(const_cast<T&>(held))) : held;
}
} // namespace
Tensor Value::toTensor() && {
    (void)std::as_const(*this).toTensor();
    return std::move(tensor_);
}
std::string Value::toStringRef() && { return std::as_const(*this).toStringRef(); }
std::vector<Value> Value::elements() && {
    (void)std::as_const(*this).elements();
    return taken<std::vector<Value>>(box_);
}
const ValueDict Value::toGenericDict() && {
    (void)std::as_const(*this).toGenericDict();
    return taken<ValueDict>(box_);
}
std::vector<Tensor> Value::toTensorVector() const {
    std::vector<Tensor> r;
    for (const Value& v : elements()) r.push_back(v.isNone() ? reel::Tensor() : v.toTensor());
    return r;
}
std::vector<std::int64_t> Value::toIntVector() const {
    std::vector<std::int64_t> r;
    for (const Value& v : elements()) r.push_back(v.toInt());
    return r;
}
std::vector<double> Value::toDoubleVector() const {
    std::vector<double> r;
    for (const Value& v : elements()) r.push_back(v.toDouble());
    return r;
}

bool Value::is(const Value& o) const {
    if (kind() != o.kind()) return false;
    switch (kind()) {
    case Kind::None:
        return true;
    case Kind::Tensor:
        return toTensor().is_same(o.toTensor());
    case Kind::Bool:
        return toBool() == o.toBool();
    case Kind::Int:
        return toInt() == o.toInt();
    case Kind::Double:
        return toDouble() == o.toDouble();
    case Kind::Complex:
        return toComplexDouble() == o.toComplexDouble();
    case Kind::String:
        return toStringRef() == o.toStringRef();
    case Kind::Dtype:
        return toDtype() == o.toDtype();
    case Kind::Device:
        return toDevice() == o.toDevice();
    default:
        return box_ == o.box_;
    }
}

std::size_t Value::hash() const {
    const auto number = [](double d) { return std::hash<double>()(d == 0 ? 0.0 : d); }; // -0.0 is 0.0
    switch (kind()) {
    case Kind::None:
        return 0;
    case Kind::Tensor:
        return std::hash<const void*>()(tensor_.defined() ? tensor_.unsafeGetTensorImpl() : nullptr);
    case Kind::Bool:
        return std::hash<bool>()(plain_.boolean);
    case Kind::Int:
        return std::hash<std::int64_t>()(plain_.integer);
    case Kind::Double:
        return number(plain_.number);
    case Kind::Complex:
        return number(plain_.number) * 31 + number(imaginary_);
    case Kind::String:
        return std::hash<std::string_view>()(toStringRef());
    case Kind::Dtype:
        return std::size_t(plain_.dtype);
    case Kind::Device:
        return std::hash<std::string>()(plain_.device.str());
    default:
        return std::hash<const void*>()(box_.get());
    }
}

namespace {
constexpr std::size_t long_repr = 100;
std::string short_text(const std::string& s) {
    return s.size() <= long_repr ? s : str(s.substr(0, long_repr), " ... ", s.size(), " characters");
}
} // namespace

std::ostream& operator<<(std::ostream& os, const Value& v) {
    return v.isTensor() ? os << v.toTensor() : os << v.repr();
}
std::string Value::repr() const {
    switch (kind()) {
    case Kind::None:
        return "None";
    case Kind::Tensor: {
        const auto& t = toTensor();
        return t.defined() ? str("Tensor", t.sizes(), " ", dtype_name(t.scalar_type())) : "an undefined Tensor";
    }
    case Kind::Bool:
        return toBool() ? "True" : "False";
    case Kind::Int:
        return std::to_string(toInt());
    case Kind::Double:
        return str(toDouble());
    case Kind::Complex:
        return str(toComplexDouble());
    case Kind::String:
        return "'" + short_text(toStringRef()) + "'";
    case Kind::Dtype:
        return dtype_name(toDtype());
    case Kind::Device:
        return toDevice().str();
    case Kind::List:
    case Kind::Tuple: {
        std::string s(1, isList() ? '[' : '(');
        for (std::size_t i = 0; i < elements().size(); ++i) {
            if (s.size() > long_repr) return s + str(", ... ", elements().size(), " in all", isList() ? ']' : ')');
            s += (i ? ", " : "") + elements()[i].repr();
        }
        return s + (isList() ? ']' : ')');
    }
    case Kind::Dict: {
        std::string s = "{";
        for (const auto& [key, value] : toGenericDict()) {
            if (s.size() > long_repr) return s + str(", ... ", toGenericDict().size(), " in all}");
            s += (s.size() > 1 ? ", " : "") + key.repr() + ": " + value.repr();
        }
        return s + "}";
    }
    default:
        return "an object";
    }
}

Tuple Value::toTuple() const {
    if (!isTuple()) throw_kind("tuple");
    return Tuple(*this);
}
List<Value> Value::toList() const { return List<Value>::from_value(*this); }

const std::type_info& Value::type_info() const {
    switch (kind()) {
    case Kind::None:
        return typeid(void);
    case Kind::Tensor:
        return typeid(reel::Tensor);
    case Kind::Bool:
        return typeid(bool);
    case Kind::Int:
        return typeid(std::int64_t);
    case Kind::Double:
        return typeid(double);
    case Kind::Complex:
        return typeid(std::complex<double>);
    case Kind::String:
        return typeid(std::string);
    case Kind::Dtype:
        return typeid(ScalarType);
    case Kind::Device:
        return typeid(reel::Device);
    case Kind::List:
        return typeid(List<Value>);
    case Kind::Tuple:
        return typeid(Tuple);
    case Kind::Dict:
        return typeid(ValueDict);
    case Kind::Boxed:
        return *plain_.type;
    }
    return typeid(void);
}

} // namespace reel
