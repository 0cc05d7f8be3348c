// Weighted sums of rows; numbers of a line are handled as rows of as many lines as a vector has lanes.
#include "cpu/nn/resample.hpp"

#include <cstring>

#include "cpu/shape/vec_transpose.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

template <class T> void rows(const ResampleTable<T>& t, const T* in, T* out, std::int64_t inner) {
    for (std::int64_t i = 0; i < t.targets; ++i, out += inner) {
        std::int32_t k = t.start[i];
        const std::int32_t end = t.start[i + 1];
        if (k == end) {
            for (std::int64_t c = 0; c < inner; ++c) out[c] = T(0);
            continue;
        }
        const T *const a = in + t.index[k] * inner, wa = t.weight[k];
        if (++k == end) {
            if (wa == T(1)) std::memcpy(out, a, std::size_t(inner) * sizeof(T));
            else
                for (std::int64_t c = 0; c < inner; ++c) out[c] = wa * a[c];
            continue;
        }
        const T *const b = in + t.index[k] * inner, wb = t.weight[k];
        for (std::int64_t c = 0; c < inner; ++c) out[c] = wa * a[c] + wb * b[c];
        for (++k; k < end; ++k) {
            const T *const more = in + t.index[k] * inner, w = t.weight[k];
            for (std::int64_t c = 0; c < inner; ++c) out[c] += w * more[c];
        }
    }
}

template <class T> constexpr int lanes = Vec<T>::size;

/// to[column][row], `from` and `to` having rows of `ld` and `ldto` elements, of a block of as many of both as vectors
/// have lanes.
template <class T> void turn_block(const T* from, std::int64_t ld, T* to, std::int64_t ldto) {
    constexpr int n = lanes<T>;
    using V = typename Vec<T>::Raw;
    V block[n];
    for (int r = 0; r < n; ++r) std::memcpy(&block[r], from + r * ld, sizeof(V));
    transpose_rows<n / 2, n, V, typename RawOf<T>::mask>(block);
    for (int r = 0; r < n; ++r) std::memcpy(to + r * ldto, &block[r], sizeof(V));
}
/// to[column][row] for as many rows as vectors have lanes; rows from `count` on are zero.
template <class T>
void turn(const T* from, std::int64_t ld, std::int64_t count, std::int64_t columns, T* to, std::int64_t ldto) {
    constexpr int n = lanes<T>;
    std::int64_t c = 0;
    for (; count == n && c + n <= columns; c += n) turn_block(from + c, ld, to + c * ldto, ldto);
    for (; c < columns; ++c)
        for (int r = 0; r < n; ++r) to[c * ldto + r] = r < count ? from[r * ld + c] : T(0);
}
/// The way back: to[row][column], `count` rows.
template <class T> void turn_back(const T* from, std::int64_t columns, T* to, std::int64_t ld, std::int64_t count) {
    constexpr int n = lanes<T>;
    std::int64_t c = 0;
    for (; count == n && c + n <= columns; c += n) turn_block(from + c * n, n, to + c, ld);
    for (; c < columns; ++c)
        for (std::int64_t r = 0; r < count; ++r) to[r * ld + c] = from[c * n + r];
}

template <class T> void lines(const ResampleTable<T>& t, const T* in, T* out, std::int64_t count, T* turned) {
    constexpr int n = lanes<T>;
    constexpr std::int64_t most = 64; // targets whose numbers stay on the stack
    T made[most * n];
    for (std::int64_t l = 0; l < count; l += n, in += n * t.sources, out += n * t.targets) {
        const std::int64_t used = count - l < n ? count - l : n;
        turn(in, t.sources, used, t.sources, turned, n);
        for (std::int64_t i0 = 0; i0 < t.targets; i0 += most) {
            const std::int64_t m = t.targets - i0 < most ? t.targets - i0 : most;
            for (std::int64_t i = 0; i < m; ++i) {
                Vec<T> sum(T(0));
                std::int32_t k = t.start[i0 + i];
                const std::int32_t end = t.start[i0 + i + 1];
                if (k < end) sum = Vec<T>(t.weight[k]) * Vec<T>::load(turned + t.index[k] * n), ++k;
                for (; k < end; ++k) sum += Vec<T>(t.weight[k]) * Vec<T>::load(turned + t.index[k] * n);
                sum.store(made + i * n);
            }
            turn_back(made, m, out + i0, t.targets, used);
        }
    }
}

template <class T> void fill() { resample_kernels<T> = {lanes<T>, &rows<T>, &lines<T>}; }

} // namespace

void register_resample() {
    fill<float>();
    fill<double>();
}

} // namespace reel::cpu::REEL_ISA
