// What happens to one dense row: it is filled, another is added to it, it is copied scaled or backwards.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// Set for the instruction set.
template <class T> struct RowUpdates {
    void (*add)(T* to, const T* from, std::int64_t n) = nullptr; ///< to[i] = T(to[i] + from[i]); floating types
    void (*scale)(T* to, const T* from, T factor,
                  std::int64_t n) = nullptr;                         ///< to[i] = factor * from[i]; float32 and float64
    void (*reverse)(T* to, const T* from, std::int64_t n) = nullptr; ///< to[i] = from[-i]; unsigned types
    void (*fill)(T* to, T value, std::int64_t n) = nullptr;          ///< to[i] = value; unsigned types
    void (*count)(T* to, T from, T by, std::int64_t first,
                  std::int64_t n) = nullptr; ///< to[i] = from + (first + i) * by, wrapping; int64
};
template <class T> inline constinit RowUpdates<T> row_updates{};

} // namespace reel::cpu
