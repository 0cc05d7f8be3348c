// What `str(x)` and `print` write (rule SC-49).
#include <cmath>
#include <cstdio>
#include <sstream>

#include <reel/autograd/printing.hpp>
#include <reel/script/object.hpp>

namespace reel::jit {

namespace {

void write(std::ostream& os, const IValue& v, int depth);

void write(std::ostream& os, double d) {
    if (std::isnan(d) || std::isinf(d)) {
        os << (std::isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return;
    }
    char text[64];
    // Whole numbers that an int holds are written in full.
    if (d == std::trunc(d) && std::abs(d) < 9223372036854775808.) std::snprintf(text, sizeof text, "%.0f.", d);
    else std::snprintf(text, sizeof text, "%.17g", d);
    os << text;
}
void write(std::ostream& os, std::complex<double> c) {
    write(os, c.real());
    if (!std::signbit(c.imag())) os << '+';
    write(os, c.imag());
    os << 'j';
}
void write_elements(std::ostream& os, const std::vector<IValue>& elements, const char* ends, int depth) {
    os << ends[0];
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i) os << ", ";
        write(os, elements[i], depth);
    }
    if (ends[0] == '(' && elements.size() == 1) os << ',';
    os << ends[1];
}
void write_dict(std::ostream& os, const ValueDict& dict, int depth) {
    os << '{';
    bool first = true;
    for (const auto& [key, value] : dict) {
        if (!first) os << ", ";
        first = false;
        write(os, key, depth);
        os << ": ";
        write(os, value, depth);
    }
    os << '}';
}
void write_boxed(std::ostream& os, const IValue& v) {
    if (is_enum(v)) os << "Enum<" << to_enum(v).type->name() << '.' << to_enum(v).name() << '>';
    else if (is_object(v)) os << '<' << to_object(v)->type()->name() << " object at " << to_object(v).get() << '>';
    else if (is_future(v)) os << "<Future>";
    else os << v.repr();
}
void write(std::ostream& os, const IValue& v, int depth) {
    if (depth > 200) { // a list may hold itself
        os << "...";
        return;
    }
    switch (v.kind()) {
    case IValue::Kind::None:
        os << "None";
        break;
    case IValue::Kind::Bool:
        os << (v.toBool() ? "True" : "False");
        break;
    case IValue::Kind::Int:
        os << v.toInt();
        break;
    case IValue::Kind::Double:
        write(os, v.toDouble());
        break;
    case IValue::Kind::Complex:
        write(os, v.toComplexDouble());
        break;
    case IValue::Kind::String:
        os << v.toStringRef();
        break;
    case IValue::Kind::Tensor:
        os << v.toTensor();
        break;
    case IValue::Kind::Dtype:
        os << toString(v.toDtype());
        break;
    case IValue::Kind::Device:
        os << v.toDevice();
        break;
    case IValue::Kind::List:
        write_elements(os, v.elements(), "[]", depth + 1);
        break;
    case IValue::Kind::Tuple:
        write_elements(os, v.elements(), "()", depth + 1);
        break;
    case IValue::Kind::Dict:
        write_dict(os, v.toGenericDict(), depth + 1);
        break;
    case IValue::Kind::Boxed:
        write_boxed(os, v);
        break;
    }
}

} // namespace

std::string str(const IValue& v) {
    std::ostringstream os;
    write(os, v, 0);
    return os.str();
}

} // namespace reel::jit
