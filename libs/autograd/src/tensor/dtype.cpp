// Names, promotion and casting rules of element types.
#include <reel/autograd/dtype.hpp>

#include <atomic>
#include <cstring>
#include <ostream>

#include <reel/autograd/error.hpp>

namespace reel {

namespace {
constexpr const char* constants[] = {"Byte",   "Char",         "Short",         "Int",  "Long",     "Half",     "Float",
                                     "Double", "ComplexFloat", "ComplexDouble", "Bool", "BFloat16", "Undefined"};
constexpr const char* python_names[] = {"uint8",   "int8",     "int16",    "int32",     "int64",
                                        "float16", "float32",  "float64",  "complex64", "complex128",
                                        "bool",    "bfloat16", "undefined"};
constexpr const char* cpp_names[] = {"unsigned char",
                                     "signed char",
                                     "short int",
                                     "int",
                                     "long int",
                                     "reel::Half",
                                     "float",
                                     "double",
                                     "std::complex<float>",
                                     "std::complex<double>",
                                     "bool",
                                     "reel::BFloat16",
                                     "undefined"};

int category(ScalarType t) { return t == kBool ? 0 : isIntegralType(t) ? 1 : isFloatingType(t) ? 2 : 3; }

std::atomic<ScalarType> default_dtype{kFloat};
} // namespace

const char* toString(ScalarType t) { return constants[int(t)]; }
const char* dtype_name(ScalarType t) { return python_names[int(t)]; }
const char* TypeMeta::name() const { return cpp_names[int(type_)]; }

ScalarType dtype_from_name(const char* name) {
    for (int i = 0; i < num_scalar_types; ++i)
        if (std::strcmp(python_names[i], name) == 0) return ScalarType(i);
    return ScalarType::Undefined;
}

ScalarType promote_types(ScalarType a, ScalarType b) {
    if (a == b) return a;
    if (a == ScalarType::Undefined || b == ScalarType::Undefined) return ScalarType::Undefined;
    const int ca = category(a), cb = category(b);
    if (ca < cb) return promote_types(b, a);
    // `a` has the higher category, or the same.
    if (isComplexType(a)) {
        if (isComplexType(b)) return kComplexDouble;
        return b == kDouble ? kComplexDouble : a;
    }
    if (ca > cb) return a;
    if (ca == 2) {
        if (a == kDouble || b == kDouble) return kDouble;
        return kFloat; // float16 with bfloat16 widens as well
    }
    // Two different integer types: uint8 with a signed one takes the next wider signed type.
    const auto width = [](ScalarType t) { return elementSize(t); };
    if (a == kByte || b == kByte) {
        const ScalarType s = a == kByte ? b : a;
        return s == kChar ? kShort : s;
    }
    return width(a) > width(b) ? a : b;
}

bool can_cast(ScalarType from, ScalarType to) {
    if (isComplexType(from) && !isComplexType(to)) return false;
    if (isFloatingType(from) && isIntegralType(to, false)) return false;
    if (from != kBool && to == kBool) return false;
    return true;
}

ScalarType get_default_dtype() { return default_dtype.load(std::memory_order_relaxed); }
void set_default_dtype(ScalarType t) {
    REEL_CHECK_TYPE(isFloatingType(t), "set_default_dtype: got ", dtype_name(t), ", expected a floating type");
    default_dtype.store(t, std::memory_order_relaxed);
}

std::ostream& operator<<(std::ostream& os, ScalarType t) { return os << toString(t); }
std::ostream& operator<<(std::ostream& os, TypeMeta t) { return os << t.name(); }

} // namespace reel
