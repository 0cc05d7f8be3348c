// Running sums: within a vector by a scan over its lanes, which waits for nothing, then what came before.
#include "cpu/reduce/running_sums.hpp"

#include <reel/autograd/detail/cpu/vec.hpp>

namespace reel::cpu::REEL_ISA {

#if defined(__AVX512F__)
namespace {

using V = Vec<double>;
using Lanes = V::RawInt;
constexpr int w = V::size;
typedef float Narrow __attribute__((vector_size(vector_bytes / 2)));

/// For each lane the one that lies some steps before it, w for a zero; and the last lane for all. A table, which the
/// compiler would build at every use.
template <bool backwards> struct Moves {
    std::int64_t from[w][w], last[w];
    constexpr Moves() : from(), last() {
        for (int l = 0; l < w; ++l) {
            for (int step = 0; step < w; ++step)
                from[step][l] = backwards ? (l + step < w ? l + step : w) : (l >= step ? l - step : w);
            last[l] = backwards ? 0 : w - 1;
        }
    }
};
template <bool backwards> constexpr Moves<backwards> moves;

Lanes lanes(const std::int64_t* p) {
    Lanes r;
    std::memcpy(&r, p, sizeof(r));
    return r;
}

template <bool backwards> void scan(const float* in, float* out, std::int64_t n) {
    const V::Raw zero = {};
    V::Raw before = {};
    std::int64_t done = 0;
    for (; done + w <= n; done += w) {
        const std::int64_t i = backwards ? n - done - w : done;
        Narrow x;
        std::memcpy(&x, in + i, sizeof(x));
        V::Raw sum = __builtin_convertvector(x, V::Raw);
#pragma GCC unroll 3
        for (int step = 1; step < w; step *= 2) sum += __builtin_shuffle(sum, zero, lanes(moves<backwards>.from[step]));
        const Narrow rounded = __builtin_convertvector(sum + before, Narrow);
        std::memcpy(out + i, &rounded, sizeof(rounded));
        before += __builtin_shuffle(sum, lanes(moves<backwards>.last));
    }
    double sum = before[0];
    for (; done < n; ++done) {
        const std::int64_t i = backwards ? n - 1 - done : done;
        sum += double(in[i]);
        out[i] = float(sum);
    }
}

} // namespace
void register_running_sums() { running_sums = {&scan<false>, &scan<true>}; }
#else
void register_running_sums() {}
#endif

} // namespace reel::cpu::REEL_ISA
