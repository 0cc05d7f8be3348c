// What a function of floats loses too much in, in double precision and still by whole vectors.
#pragma once

#include <cstring>

#include <reel/autograd/detail/cpu/vec_math.hpp>

namespace reel::cpu::REEL_ISA {

/// The float32 results of a function of double vectors: each half of the operands is one of them.
template <class F> VF in_double(VF x, F f) {
    typedef float Lanes __attribute__((vector_size(vector_bytes / 2)));
    Lanes half[2];
    std::memcpy(half, &x.v, sizeof(half));
    for (Lanes& h : half) h = __builtin_convertvector(f(VD(__builtin_convertvector(h, VD::Raw))).v, Lanes);
    VF y;
    std::memcpy(&y.v, half, sizeof(half));
    return y;
}
template <class F> VF in_double(VF x, VF o, F f) {
    typedef float Lanes __attribute__((vector_size(vector_bytes / 2)));
    Lanes half[2], other[2];
    std::memcpy(half, &x.v, sizeof(half));
    std::memcpy(other, &o.v, sizeof(other));
    for (int i = 0; i < 2; ++i)
        half[i] = __builtin_convertvector(
            f(VD(__builtin_convertvector(half[i], VD::Raw)), VD(__builtin_convertvector(other[i], VD::Raw))).v, Lanes);
    VF y;
    std::memcpy(&y.v, half, sizeof(half));
    return y;
}

} // namespace reel::cpu::REEL_ISA
