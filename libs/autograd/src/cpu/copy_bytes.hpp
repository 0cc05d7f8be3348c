// Moving bytes that do not overlap.
#pragma once

#include <cstddef>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace reel::cpu {

/// `memcpy`, but for long stretches whose ends lie unequal to cache lines: what the C library does with these (`rep
/// movsb`) takes ten times as long on some processors (AMD's Zen 3: 1,500 us against 140 for 4 MB in rows of 4 KB).
inline void copy_bytes(void* to, const void* from, std::size_t n) {
#if defined(__SSE2__)
    const auto apart = reinterpret_cast<std::size_t>(to) - reinterpret_cast<std::size_t>(from);
    if (n >= 1024 && apart % 64 != 0) {
        char* t = static_cast<char*>(to);
        const char* f = static_cast<const char*>(from);
        for (; n >= 64; n -= 64, t += 64, f += 64) {
            __m128i v[4];
            for (int i = 0; i < 4; ++i) v[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(f) + i);
            for (int i = 0; i < 4; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(t) + i, v[i]);
        }
        to = t;
        from = f;
    }
#endif
    std::memcpy(to, from, n);
}

} // namespace reel::cpu
