#include "file_dtype.hpp"

#include <algorithm>

namespace reel::serialize {

namespace {
constexpr FileDtypeInfo table[] = {
    {"uint8", 1, kByte, "ByteStorage", "u1", "U8"},
    {"int8", 1, kChar, "CharStorage", "i1", "I8"},
    {"int16", 2, kShort, "ShortStorage", "i2", "I16"},
    {"int32", 4, kInt, "IntStorage", "i4", "I32"},
    {"int64", 8, kLong, "LongStorage", "i8", "I64"},
    {"float16", 2, kHalf, "HalfStorage", "f2", "F16"},
    {"float32", 4, kFloat, "FloatStorage", "f4", "F32"},
    {"float64", 8, kDouble, "DoubleStorage", "f8", "F64"},
    {"complex64", 8, kComplexFloat, "ComplexFloatStorage", "c8", "C64"},
    {"complex128", 16, kComplexDouble, "ComplexDoubleStorage", "c16", nullptr},
    {"bool", 1, kBool, "BoolStorage", "b1", "BOOL"},
    {"bfloat16", 2, kBFloat16, "BFloat16Storage", nullptr, "BF16"},
    {"uint16", 2, ScalarType::Undefined, nullptr, "u2", "U16"},
    {"uint32", 4, ScalarType::Undefined, nullptr, "u4", "U32"},
    {"uint64", 8, ScalarType::Undefined, nullptr, "u8", "U64"},
    {"complex32", 4, ScalarType::Undefined, "ComplexHalfStorage", nullptr, nullptr},
    {"float8_e4m3fn", 1, ScalarType::Undefined, nullptr, nullptr, "F8_E4M3"},
    {"float8_e4m3fnuz", 1, ScalarType::Undefined, nullptr, nullptr, nullptr},
    {"float8_e5m2", 1, ScalarType::Undefined, nullptr, nullptr, "F8_E5M2"},
    {"float8_e5m2fnuz", 1, ScalarType::Undefined, nullptr, nullptr, nullptr},
    {"float8_e8m0fnu", 1, ScalarType::Undefined, nullptr, nullptr, nullptr},
    {"unknown", 0, ScalarType::Undefined, nullptr, nullptr, nullptr},
};
template <class Pick> FileDtype find(Pick&& pick) {
    for (std::size_t i = 0; i < std::size_t(FileDtype::None); ++i)
        if (pick(table[i])) return FileDtype(i);
    return FileDtype::None;
}
} // namespace

const FileDtypeInfo& info(FileDtype d) { return table[std::size_t(d)]; }
FileDtype file_dtype_by_name(std::string_view name) {
    return find([&](const FileDtypeInfo& i) { return name == i.name; });
}
FileDtype file_dtype_by_storage(std::string_view name) {
    return find([&](const FileDtypeInfo& i) { return i.storage && name == i.storage; });
}
FileDtype file_dtype_of(ScalarType t) {
    if (t == ScalarType::Undefined) return FileDtype::None;
    return find([&](const FileDtypeInfo& i) { return i.type == t; });
}
void swap_elements(char* data, std::size_t bytes, FileDtype d) {
    const std::size_t width = info(d).size / (is_complex(d) ? 2 : 1);
    if (width < 2) return;
    for (std::size_t i = 0; i + width <= bytes; i += width) std::reverse(data + i, data + i + width);
}

} // namespace reel::serialize
