// Loops over one row.
#include "cpu/shape/row_updates.hpp"

#include <cstring>

#include <reel/autograd/detail/cpu/vec.hpp>

#include "cpu/copy_bytes.hpp"

namespace reel::cpu::REEL_ISA {

namespace {

template <class T> void add(T* to, const T* from, std::int64_t n) {
    using C = Compute<T>;
    constexpr int w = Vec<C>::size;
    std::int64_t i = 0;
    for (; i + w <= n; i += w) store_as(to + i, load_as(to + i) + load_as(from + i));
    for (; i < n; ++i) to[i] = T(C(to[i]) + C(from[i]));
}
template <class T> void reverse(T* to, const T* from, std::int64_t n) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) to[i] = from[-i];
}
template <class T> void fill(T* to, T value, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = value;
}
template <class T> void scale(T* to, const T* from, T factor, std::int64_t n) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) to[i] = factor * from[i];
}
void count(std::int64_t* to, std::int64_t from, std::int64_t by, std::int64_t first, std::int64_t n) {
    // A sum that runs on: processors before AVX-512 multiply no vectors of 64 bits.
    std::uint64_t next = std::uint64_t(from) + std::uint64_t(first) * std::uint64_t(by);
    for (std::int64_t i = 0; i < n; ++i, next += std::uint64_t(by)) to[i] = std::int64_t(next);
}
void copy_lines(char* to, const char* from, std::size_t n) {
    using Line = char __attribute__((vector_size(64), may_alias));
    using AnyLine = char __attribute__((vector_size(64), aligned(1), may_alias));
    const std::size_t head = -reinterpret_cast<std::uintptr_t>(to) % 64;
    std::memcpy(to, from, head);
    to += head, from += head, n -= head;
    for (; n >= 256; n -= 256, to += 256, from += 256) {
        Line line[4];
        for (int i = 0; i < 4; ++i) line[i] = *reinterpret_cast<const AnyLine*>(from + 64 * i);
        for (int i = 0; i < 4; ++i) *reinterpret_cast<Line*>(to + 64 * i) = line[i];
    }
    std::memcpy(to, from, n);
}
template <class T> void set_bytes() {
    row_updates<T>.reverse = &reverse<T>;
    row_updates<T>.fill = &fill<T>;
}

} // namespace

void register_row_updates() {
    row_updates<float>.add = &add<float>;
    row_updates<double>.add = &add<double>;
    row_updates<Half>.add = &add<Half>;
    row_updates<BFloat16>.add = &add<BFloat16>;
    set_bytes<std::uint8_t>();
    set_bytes<std::uint16_t>();
    set_bytes<std::uint32_t>();
    set_bytes<std::uint64_t>();
    row_updates<std::int64_t>.count = &count;
#if defined(__AVX512F__)
    line_copy = {&copy_lines, true};
#else
    line_copy = {&copy_lines, false};
#endif
    row_updates<float>.scale = &scale<float>;
    row_updates<double>.scale = &scale<double>;
}

} // namespace reel::cpu::REEL_ISA
