// The element types that files name, among them those that tensors do not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <reel/autograd/dtype.hpp>

namespace reel::serialize {

enum class FileDtype : std::uint8_t {
    UInt8,
    Int8,
    Int16,
    Int32,
    Int64,
    Float16,
    Float32,
    Float64,
    Complex64,
    Complex128,
    Bool,
    BFloat16,
    UInt16,
    UInt32,
    UInt64,
    Complex32,
    Float8E4M3FN,
    Float8E4M3FNUZ,
    Float8E5M2,
    Float8E5M2FNUZ,
    Float8E8M0FNU,
    None,
};

struct FileDtypeInfo {
    const char* name;        ///< Python's name: `float32`
    std::size_t size;        ///< bytes of an element
    ScalarType type;         ///< `Undefined` where tensors do not have it
    const char* storage;     ///< `FloatStorage`, null where files use untyped storages
    const char* numpy;       ///< `f4`, null where NumPy has none
    const char* safetensors; ///< `F32`, null where that format has none
};
const FileDtypeInfo& info(FileDtype d);
/// All by their names; `None` for an unknown one.
FileDtype file_dtype_by_name(std::string_view name);
FileDtype file_dtype_by_storage(std::string_view name);
FileDtype file_dtype_of(ScalarType t);
inline bool is_complex(FileDtype d) {
    return d == FileDtype::Complex64 || d == FileDtype::Complex128 || d == FileDtype::Complex32;
}
inline bool is_floating(FileDtype d) {
    return (d >= FileDtype::Float16 && d <= FileDtype::Float64) || d == FileDtype::BFloat16 ||
           (d >= FileDtype::Float8E4M3FN && d <= FileDtype::Float8E8M0FNU);
}
/// Reverses the bytes of every element (of every part of a complex one).
void swap_elements(char* data, std::size_t bytes, FileDtype d);

} // namespace reel::serialize
