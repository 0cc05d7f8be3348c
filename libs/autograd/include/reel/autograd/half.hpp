// The 16-bit floating element types: storage, conversion from and to float, arithmetic through float.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define REEL_HD __host__ __device__
#else
#define REEL_HD
#endif

namespace reel {

/// bfloat16: the upper half of a float32, rounded to nearest even.
struct BFloat16 {
    std::uint16_t bits = 0;
    BFloat16() = default;
    REEL_HD BFloat16(float f) : bits(from_float(f)) {}
    REEL_HD operator float() const { return std::bit_cast<float>(std::uint32_t(bits) << 16); }
    static REEL_HD std::uint16_t from_float(float f) {
        const std::uint32_t u = std::bit_cast<std::uint32_t>(f);
        if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;
        return std::uint16_t((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
    }
    static REEL_HD BFloat16 from_bits(std::uint16_t b) {
        BFloat16 r;
        r.bits = b;
        return r;
    }
};

/// IEEE 754 binary16.
struct Half {
    std::uint16_t bits = 0;
    Half() = default;
    REEL_HD Half(float f) : bits(from_float(f)) {}
    REEL_HD operator float() const { return to_float(bits); }
    static REEL_HD std::uint16_t from_float(float f) {
        const std::uint32_t u = std::bit_cast<std::uint32_t>(f);
        const std::uint32_t sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
        if (a > 0x7f800000u) return std::uint16_t(sign | 0x7e00u);
        if (a >= 0x47800000u) return std::uint16_t(sign | 0x7c00u); // 65536 and up: infinity
        if (a < 0x38800000u) {                                      // subnormal result: let float addition round
            const float r = std::bit_cast<float>(a) + 0.5f;
            return std::uint16_t(sign | (std::bit_cast<std::uint32_t>(r) - 0x3f000000u));
        }
        const std::uint32_t r = a - 0x38000000u + 0xfffu + ((a >> 13) & 1u);
        return std::uint16_t(sign | (r >> 13));
    }
    static REEL_HD float to_float(std::uint16_t h) {
        const std::uint32_t sign = std::uint32_t(h & 0x8000u) << 16, e = (h >> 10) & 31u, m = h & 0x3ffu;
        if (e == 31u) return std::bit_cast<float>(sign | 0x7f800000u | (m << 13));
        if (e == 0u) {
            const float v = float(m) * 5.9604644775390625e-8f; // 2^-24
            return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(v));
        }
        return std::bit_cast<float>(sign | ((e + 112u) << 23) | (m << 13));
    }
    static REEL_HD Half from_bits(std::uint16_t b) {
        Half r;
        r.bits = b;
        return r;
    }
};

static_assert(sizeof(BFloat16) == 2 && sizeof(Half) == 2);

} // namespace reel
