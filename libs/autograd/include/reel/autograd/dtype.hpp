// Element types: the enumeration, its constants, promotion, and the map between C++ types and dtypes.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iosfwd>

#include <reel/autograd/half.hpp>

namespace reel {

/// Element type of a tensor. The numeric values are Reel's own and appear in no file format.
enum class ScalarType : std::int8_t {
    Byte,          ///< uint8
    Char,          ///< int8
    Short,         ///< int16
    Int,           ///< int32
    Long,          ///< int64
    Half,          ///< float16
    Float,         ///< float32
    Double,        ///< float64
    ComplexFloat,  ///< complex64
    ComplexDouble, ///< complex128
    Bool,
    BFloat16,
    Undefined,
};
inline constexpr int num_scalar_types = 12;

inline constexpr ScalarType kByte = ScalarType::Byte, kUInt8 = kByte, kU8 = kByte;
inline constexpr ScalarType kChar = ScalarType::Char, kInt8 = kChar, kI8 = kChar;
inline constexpr ScalarType kShort = ScalarType::Short, kInt16 = kShort, kI16 = kShort;
inline constexpr ScalarType kInt = ScalarType::Int, kInt32 = kInt, kI32 = kInt;
inline constexpr ScalarType kLong = ScalarType::Long, kInt64 = kLong, kI64 = kLong;
inline constexpr ScalarType kHalf = ScalarType::Half, kFloat16 = kHalf, kF16 = kHalf;
inline constexpr ScalarType kFloat = ScalarType::Float, kFloat32 = kFloat, kF32 = kFloat;
inline constexpr ScalarType kDouble = ScalarType::Double, kFloat64 = kDouble, kF64 = kDouble;
inline constexpr ScalarType kComplexFloat = ScalarType::ComplexFloat, kComplex64 = kComplexFloat;
inline constexpr ScalarType kComplexDouble = ScalarType::ComplexDouble, kComplex128 = kComplexDouble;
inline constexpr ScalarType kBool = ScalarType::Bool;
inline constexpr ScalarType kBFloat16 = ScalarType::BFloat16;

using Dtype = ScalarType;

constexpr std::size_t elementSize(ScalarType t) {
    constexpr std::uint8_t size[] = {1, 1, 2, 4, 8, 2, 4, 8, 8, 16, 1, 2, 0};
    return size[std::size_t(t)];
}
constexpr bool isComplexType(ScalarType t) { return t == kComplexFloat || t == kComplexDouble; }
/// True for the real floating types (float16, bfloat16, float32, float64).
constexpr bool isFloatingType(ScalarType t) { return t == kHalf || t == kFloat || t == kDouble || t == kBFloat16; }
constexpr bool isIntegralType(ScalarType t, bool include_bool = false) {
    return t <= kLong || (include_bool && t == kBool);
}
/// True where a gradient can exist: floating and complex types.
constexpr bool isDifferentiableType(ScalarType t) { return isFloatingType(t) || isComplexType(t); }
constexpr bool isSignedType(ScalarType t) { return t != kByte && t != kBool; }
/// The real type of a complex type's parts; other types are returned unchanged.
constexpr ScalarType toRealValueType(ScalarType t) {
    return t == kComplexFloat ? kFloat : t == kComplexDouble ? kDouble : t;
}
/// The complex type whose parts are `t` (float16 and bfloat16 widen to complex64).
constexpr ScalarType toComplexType(ScalarType t) {
    return isComplexType(t) ? t : t == kDouble ? kComplexDouble : kComplexFloat;
}
/// The constant's name without its k: `Float`, `Long`.
const char* toString(ScalarType t);
/// Python's name: `float32`, `int64`.
const char* dtype_name(ScalarType t);
/// Inverse of `dtype_name`, `Undefined` for unknown names.
ScalarType dtype_from_name(const char* name);

/// The smallest type that both convert to, PyTorch's promotion table.
ScalarType promote_types(ScalarType a, ScalarType b);
/// May a result of type `from` be written into a tensor of type `to` (bool < integer < floating < complex)?
bool can_cast(ScalarType from, ScalarType to);

/// The dtype of floating literals and float factories, float32 initially.
ScalarType get_default_dtype();
void set_default_dtype(ScalarType t);

std::ostream& operator<<(std::ostream& os, ScalarType t);

template <class T> struct CppTypeToScalarType;
#define REEL_FORALL_SCALAR_TYPES(_)                                                                                    \
    _(std::uint8_t, Byte)                                                                                              \
    _(std::int8_t, Char)                                                                                               \
    _(std::int16_t, Short)                                                                                             \
    _(std::int32_t, Int)                                                                                               \
    _(std::int64_t, Long)                                                                                              \
    _(::reel::Half, Half)                                                                                              \
    _(float, Float)                                                                                                    \
    _(double, Double)                                                                                                  \
    _(std::complex<float>, ComplexFloat)                                                                               \
    _(std::complex<double>, ComplexDouble)                                                                             \
    _(bool, Bool)                                                                                                      \
    _(::reel::BFloat16, BFloat16)
#define REEL_MAP_TYPE(T, Name)                                                                                         \
    template <> struct CppTypeToScalarType<T> { static constexpr ScalarType value = ScalarType::Name; };
REEL_FORALL_SCALAR_TYPES(REEL_MAP_TYPE)
#undef REEL_MAP_TYPE
template <> struct CppTypeToScalarType<long long> { static constexpr ScalarType value = ScalarType::Long; };
/// The dtype of a C++ element type.
template <class T> inline constexpr ScalarType dtype_of = CppTypeToScalarType<T>::value;

/// What `Tensor::dtype()` returns: compares with and converts to `ScalarType`, prints the C++ type (`float`).
class TypeMeta {
public:
    constexpr TypeMeta(ScalarType t = ScalarType::Undefined) : type_(t) {}
    constexpr operator ScalarType() const { return type_; }
    constexpr ScalarType toScalarType() const { return type_; }
    template <class T> static constexpr TypeMeta Make() { return dtype_of<T>; }
    template <class T> constexpr bool Match() const { return type_ == dtype_of<T>; }
    const char* name() const;
    std::size_t itemsize() const { return elementSize(type_); }

private:
    ScalarType type_;
};
std::ostream& operator<<(std::ostream& os, TypeMeta t);
constexpr ScalarType typeMetaToScalarType(TypeMeta t) { return t.toScalarType(); }
constexpr TypeMeta scalarTypeToTypeMeta(ScalarType t) { return t; }

} // namespace reel
