// Columns in blocks whose sums stay in registers.
#include "cpu/integer_product.hpp"

#include <type_traits>

namespace reel::cpu::REEL_ISA {

namespace {

template <int block, class T>
void columns(T* out, const T* a, std::int64_t a_step, const T* b, std::int64_t ldb, std::int64_t k) {
    using U = std::make_unsigned_t<T>; // wraps, also where int would be wider
    U sum[block] = {};
    for (std::int64_t l = 0; l < k; ++l) {
        const U x = U(a[l * a_step]);
        const T* const row = b + l * ldb;
        for (int j = 0; j < block; ++j) sum[j] = U(sum[j] + std::common_type_t<U, unsigned>(x) * U(row[j]));
    }
    for (int j = 0; j < block; ++j) out[j] = T(sum[j]);
}
template <class T>
void row(T* out, const T* a, std::int64_t a_step, const T* b, std::int64_t ldb, std::int64_t k, std::int64_t n) {
    constexpr int block = 256 / sizeof(T);
    std::int64_t j = 0;
    for (; j + block <= n; j += block) columns<block>(out + j, a, a_step, b + j, ldb, k);
    for (; j + 8 <= n; j += 8) columns<8>(out + j, a, a_step, b + j, ldb, k);
    for (; j < n; ++j) columns<1>(out + j, a, a_step, b + j, ldb, k);
}

} // namespace

void register_integer_product() {
    integer_row<std::uint8_t> = &row<std::uint8_t>;
    integer_row<std::int8_t> = &row<std::int8_t>;
    integer_row<std::int16_t> = &row<std::int16_t>;
    integer_row<std::int32_t> = &row<std::int32_t>;
    integer_row<std::int64_t> = &row<std::int64_t>;
}

} // namespace reel::cpu::REEL_ISA
