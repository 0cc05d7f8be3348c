#include "exported/numbers.hpp"

#include <algorithm>
#include <array>

#include <reel/autograd/error.hpp>

namespace reel::jit {

namespace {
// Each table has the exported number as its index; -1 and Undefined stand where there is none.
constexpr std::array<ScalarType, 14> dtypes = {
    ScalarType::Undefined, kByte,         kChar,          kShort, kInt,     kLong, kHalf, kFloat, kDouble,
    ScalarType::Undefined, kComplexFloat, kComplexDouble, kBool,  kBFloat16};
constexpr std::array<std::int64_t, 14> script_dtypes = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15};
constexpr std::array<std::int64_t, 5> script_memory_formats = {-1, 0, 2, 3, 1};

template <class Table> std::int64_t at(const Table& table, std::int64_t number, const char* what) {
    REEL_CHECK_VALUE(number > 0 && number < std::ssize(table), "no ", what, " has the number ", number);
    return table[std::size_t(number)];
}
template <class Table, class Element> std::int64_t find(const Table& table, const Element& element, const char* what) {
    const auto it = std::find(table.begin() + 1, table.end(), element);
    REEL_CHECK_VALUE(it != table.end(), "exported programs have no number for the ", what, " ", element);
    return it - table.begin();
}
} // namespace

ScalarType exported_dtype(std::int64_t number) {
    return number > 0 && number < std::ssize(dtypes) ? dtypes[std::size_t(number)] : ScalarType::Undefined;
}
std::int64_t exported_dtype_number(ScalarType dtype) { return find(dtypes, dtype, "dtype"); }
std::int64_t script_dtype(std::int64_t exported) { return at(script_dtypes, exported, "dtype"); }
std::int64_t script_memory_format(std::int64_t exported) {
    return at(script_memory_formats, exported, "memory format");
}
std::int64_t exported_from_script_dtype(std::int64_t script) { return find(script_dtypes, script, "dtype"); }
std::int64_t exported_from_script_memory_format(std::int64_t script) {
    return find(script_memory_formats, script, "memory format");
}

} // namespace reel::jit
