// Moving bytes that do not overlap.
#pragma once

#include <cstddef>
#include <cstring>

namespace reel::cpu {

/// Long stretches by whole cache lines of the result; set for the instruction set.
struct LineCopy {
    void (*copy)(char* to, const char* from, std::size_t n) = nullptr;
    bool short_ones = false; ///< also stretches up to 4 kB whose ends lie equal
};
inline constinit LineCopy line_copy{};

/// `memcpy`, but for long stretches: what the C library does with those whose ends lie unequal to cache lines (`rep
/// movsb`) takes ten times as long on some processors (AMD's Zen 3: 1,500 us against 140 for 4 MB in rows of 4 KB), and
/// with vectors as long as a line it is behind for short ones, too (Zen 4: 134 us against 109 for 4 MB in rows of 2
/// KB). From 4 KB on it writes lines without reading them first (Zen 5: 278 us against 399 for 12 MB in such rows).
inline void copy_bytes(void* to, const void* from, std::size_t n) {
    const auto apart = reinterpret_cast<std::size_t>(to) - reinterpret_cast<std::size_t>(from);
    if (n >= 1024 && (apart % 64 != 0 || (line_copy.short_ones && n < 4096)) && line_copy.copy != nullptr)
        return line_copy.copy(static_cast<char*>(to), static_cast<const char*>(from), n);
    std::memcpy(to, from, n);
}

} // namespace reel::cpu
