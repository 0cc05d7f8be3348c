// Columns in blocks whose sums stay in registers.
#include "cpu/linalg/integer_product.hpp"

#include <type_traits>

namespace reel::cpu::REEL_ISA {

namespace {

template <int rows, int block, class T>
void tile(T* out, std::int64_t ldo, const T* a, std::int64_t a_row, std::int64_t a_step, const T* b, std::int64_t ldb,
          std::int64_t k) {
    T sum[rows][block] = {};
    for (std::int64_t l = 0; l < k; ++l) {
        const T* const from = b + l * ldb;
        for (int r = 0; r < rows; ++r) {
            const T x = a[r * a_row + l * a_step];
            // wraps, also where int would be wider
            for (int j = 0; j < block; ++j) sum[r][j] = T(sum[r][j] + std::common_type_t<T, unsigned>(x) * from[j]);
        }
    }
    for (int r = 0; r < rows; ++r)
        for (int j = 0; j < block; ++j) out[r * ldo + j] = sum[r][j];
}
template <int rows, class T>
void strip(T* out, std::int64_t ldo, const T* a, std::int64_t a_row, std::int64_t a_step, const T* b, std::int64_t ldb,
           std::int64_t k, std::int64_t n) {
    constexpr int block = 256 / sizeof(T);
    std::int64_t j = 0;
    for (; j + block <= n; j += block) tile<rows, block>(out + j, ldo, a, a_row, a_step, b + j, ldb, k);
    for (; j + 8 <= n; j += 8) tile<rows, 8>(out + j, ldo, a, a_row, a_step, b + j, ldb, k);
    for (; j < n; ++j) tile<rows, 1>(out + j, ldo, a, a_row, a_step, b + j, ldb, k);
}
template <class T>
void product(T* out, std::int64_t ldo, std::int64_t rows, const T* a, std::int64_t a_row, std::int64_t a_step,
             const T* b, std::int64_t ldb, std::int64_t k, std::int64_t n) {
    std::int64_t r = 0;
    for (; r + 4 <= rows; r += 4) strip<4>(out + r * ldo, ldo, a + r * a_row, a_row, a_step, b, ldb, k, n);
    for (; r < rows; ++r) strip<1>(out + r * ldo, ldo, a + r * a_row, a_row, a_step, b, ldb, k, n);
}

} // namespace

void register_integer_product() {
    integer_rows<std::uint8_t> = &product<std::uint8_t>;
    integer_rows<std::uint16_t> = &product<std::uint16_t>;
    integer_rows<std::uint32_t> = &product<std::uint32_t>;
    integer_rows<std::uint64_t> = &product<std::uint64_t>;
}

} // namespace reel::cpu::REEL_ISA
