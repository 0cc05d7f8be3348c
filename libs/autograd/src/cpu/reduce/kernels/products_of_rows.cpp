// Products of rows and of columns.
#include "cpu/reduce/row_kernels.hpp"

#include "cpu/reduce/kernels/lane_tree.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

constexpr int product_lanes = 64;
/// A lane's products of so many elements come together apart: while a running product is subnormal, each step takes the
/// processor some hundred cycles, and it takes fewer and larger steps through that range.
constexpr std::int64_t product_chunk = 64 * product_lanes;

/// 64 products that do not wait for each other, then a tree over them.
template <class T> void products_of_floats(const T* p, std::int64_t rows, std::int64_t n, T* out) {
    using V = Vec<Compute<T>>;
    const auto join = [](auto a, auto b) { return a * b; };
    const auto lanes_of = [join](const T* row, std::int64_t length) {
        constexpr int lanes = product_lanes, w = V::size, count = lanes / w;
        V all[count];
#pragma GCC unroll 1
        for (int k = 0; k < count; ++k) all[k] = V(Compute<T>(1));
        const std::int64_t whole = length / lanes * lanes;
        for (std::int64_t i = 0; i < whole;) {
            const std::int64_t end = whole - i < product_chunk ? whole : i + product_chunk;
            V part[count];
            for (int k = 0; k < count; ++k) part[k] = V(Compute<T>(1));
            for (; i < end; i += lanes)
                for (int k = 0; k < count; ++k) part[k] *= load_as(row + i + k * w);
#pragma GCC unroll 1
            for (int k = 0; k < count; ++k) all[k] *= part[k];
        }
        return joined_vectors(all, row + whole, length - whole, T(1.f), join, [](auto x) { return x; });
    };
    reduce_rows(p, rows, n, out, lanes_of, join);
}
/// Each column as `products_of_floats` takes a row. Strips are of whole vectors, the last one padded with ones.
template <class T>
void products_of_columns(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) {
    using V = Vec<Compute<T>>;
    constexpr int w = V::size, width = 32, vectors = width / w;
    V all[product_lanes][vectors], part[product_lanes][vectors];
    const auto set_to_one = [](auto& lanes) {
        for (auto& lane : lanes)
            for (V& v : lane) v = V(Compute<T>(1));
    };
    const std::int64_t whole = rows / product_lanes * product_lanes;
    T padded[width];
    for (int k = 0; k < width; ++k) padded[k] = T(1.f);
    for (std::int64_t c = 0; c < count; c += width) {
        const int n = int(count - c < width ? count - c : width);
        set_to_one(all);
        set_to_one(part);
        const auto join_chunk = [&] {
            for (int l = 0; l < product_lanes; ++l)
                for (int k = 0; k < vectors; ++k) all[l][k] *= part[l][k];
        };
        for (std::int64_t r = 0; r < rows; ++r) {
            if (r > 0 && (r % product_chunk == 0 || r == whole)) {
                join_chunk();
                set_to_one(part);
            }
            const T* row = p + r * ld + c;
            if (n < width) {
                for (int k = 0; k < n; ++k) padded[k] = row[k];
                row = padded;
            }
            V* const lane = part[r % product_lanes];
            for (int k = 0; k < vectors; ++k) lane[k] *= load_as(row + k * w);
        }
        join_chunk();
        for (int step = product_lanes / 2; step > 0; step /= 2)
            for (int l = 0; l < step; ++l)
                for (int k = 0; k < vectors; ++k) all[l][k] *= all[l + step][k];
        T done[width];
        for (int k = 0; k < vectors; ++k) store_as(done + k * w, all[0][k]);
        for (int k = 0; k < n; ++k) out[c + k] = done[k];
    }
}
template <class T>
void products_of_whole_columns(const T* p, std::int64_t rows, std::int64_t ld, std::int64_t count, T* out) {
    for (std::int64_t c = 0; c < count; ++c) out[c] = T(1);
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < count; ++c) out[c] = T(std::uint64_t(out[c]) * std::uint64_t(p[r * ld + c]));
}
template <class T> void products_of_integers(const T* p, std::int64_t rows, std::int64_t n, T* out) {
    for (std::int64_t r = 0; r < rows; ++r, p += n) {
        std::uint64_t product = 1; // modulo 2^64 is modulo every power of two below
        for (std::int64_t i = 0; i < n; ++i) product *= std::uint64_t(p[i]);
        out[r] = T(product);
    }
}
template <class T> void set_floats() {
    row_kernels<T>.products = &products_of_floats<T>;
    row_kernels<T>.product_of_columns = &products_of_columns<T>;
}
template <class T> void set_integers() {
    row_kernels<T>.products = &products_of_integers<T>;
    row_kernels<T>.product_of_columns = &products_of_whole_columns<T>;
}

} // namespace

void register_products_of_rows() {
    set_integers<std::uint8_t>();
    set_integers<std::int8_t>();
    set_integers<std::int16_t>();
    set_integers<std::int32_t>();
    set_integers<std::int64_t>();
    set_floats<float>();
    set_floats<double>();
    set_floats<Half>();
    set_floats<BFloat16>();
}

} // namespace reel::cpu::REEL_ISA
