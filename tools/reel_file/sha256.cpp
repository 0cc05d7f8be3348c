#include "sha256.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace reel_file {

namespace {
/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const std::uint32_t* constants() {
    static const auto table = [] {
        struct Table {
            std::uint32_t k[64];
        } t;
        int n = 0;
        for (int p = 2; n < 64; ++p) {
            bool prime = true;
            for (int d = 2; d * d <= p; ++d) prime &= p % d != 0;
            if (!prime) continue;
            // long double has 64 bits, 3 of them before the point
            const long double root = std::cbrt((long double)(p));
            t.k[n++] = std::uint32_t((root - std::floor(root)) * 4294967296.0L);
        }
        return t;
    }();
    return table.k;
}
} // namespace

void Sha256::block(const unsigned char* p) {
    const std::uint32_t* k = constants();
    std::uint32_t w[64];
    for (int i = 0; i < 16; ++i)
        w[i] = std::uint32_t(p[4 * i]) << 24 | std::uint32_t(p[4 * i + 1]) << 16 | std::uint32_t(p[4 * i + 2]) << 8 |
               p[4 * i + 3];
    for (int i = 16; i < 64; ++i) {
        const std::uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    std::uint32_t s[8];
    std::copy(state_, state_ + 8, s);
    for (int i = 0; i < 64; ++i) {
        const std::uint32_t t1 = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                                 ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        const std::uint32_t t2 = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) +
                                 ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        std::copy_backward(s, s + 7, s + 8);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i) state_[i] += s[i];
}
void Sha256::update(const void* data, std::size_t n) {
    const auto* p = static_cast<const unsigned char*>(data);
    length_ += n;
    while (n) {
        if (!filled_ && n >= 64) {
            block(p);
            p += 64, n -= 64;
            continue;
        }
        const std::size_t step = std::min(n, 64 - filled_);
        std::memcpy(pending_ + filled_, p, step);
        filled_ += step, p += step, n -= step;
        if (filled_ == 64) block(pending_), filled_ = 0;
    }
}
std::string Sha256::hex() {
    const std::uint64_t bits = length_ * 8;
    const unsigned char one = 0x80, zero = 0;
    update(&one, 1);
    while (filled_ != 56) update(&zero, 1);
    unsigned char end[8];
    for (int i = 0; i < 8; ++i) end[i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
    update(end, 8);
    std::string out;
    for (const std::uint32_t s : state_)
        for (int shift = 28; shift >= 0; shift -= 4) out += "0123456789abcdef"[s >> shift & 15];
    return out;
}

} // namespace reel_file
