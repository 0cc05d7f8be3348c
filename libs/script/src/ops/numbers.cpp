#include "ops/numbers.hpp"

#include <array>

#include <reel/autograd/error.hpp>

namespace reel::jit {

namespace {
constexpr std::pair<std::int64_t, ScalarType> dtypes[] = {
    {0, kUInt8},   {1, kInt8},    {2, kInt16},     {3, kInt32},       {4, kInt64}, {5, kFloat16},
    {6, kFloat32}, {7, kFloat64}, {9, kComplex64}, {10, kComplex128}, {11, kBool}, {15, kBFloat16},
};
template <std::size_t N>
std::string_view word(const std::array<std::string_view, N>& words, std::int64_t number, const char* what) {
    REEL_CHECK_VALUE(number >= 0 && std::size_t(number) < N, number, " is no ", what, "; expected 0 to ", N - 1);
    return words[std::size_t(number)];
}
} // namespace

ScalarType dtype_of_number(std::int64_t number) {
    for (const auto& [n, dtype] : dtypes)
        if (n == number) return dtype;
    REEL_THROW(ValueError, "there is no dtype of number ", number, " here (6 is float32, 7 float64, 4 int64)");
}
std::int64_t number_of_dtype(ScalarType dtype) {
    for (const auto& [n, d] : dtypes)
        if (d == dtype) return n;
    REEL_THROW(ValueError, "the dtype ", dtype, " has no number in scripts");
}
std::string_view memory_format_of_number(std::int64_t number) {
    return word(
        std::array<std::string_view, 4>{"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"},
        number, "memory format");
}
std::string_view reduction_of_number(std::int64_t number) {
    return word(std::array<std::string_view, 3>{"none", "mean", "sum"}, number, "reduction");
}
std::optional<ScalarType> optional_dtype(const IValue& v) {
    if (v.isNone()) return std::nullopt;
    return v.isDtype() ? v.toDtype() : dtype_of_number(v.toInt());
}

} // namespace reel::jit
