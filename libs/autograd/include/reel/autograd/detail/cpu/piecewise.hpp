// Functions of floats by pieces: where a register holds sixteen numbers and lanes choose among them, a short polynomial
// for each piece takes less than one good for all of them.
#pragma once

#include <reel/autograd/detail/cpu/vec_arithmetic.hpp>

#if defined(__AVX512F__)

namespace reel::cpu::REEL_ISA::detail {

/// Polynomials of degree six for a in [0, 15), each around the centre of its piece. There are four pieces to an octave
/// of 1 + a, so that the first ends at 1/4.
struct Pieces {
    alignas(64) float centre[16];
    alignas(64) float coefficients[7][16]; ///< the highest power's first
};
/// value + t slope.
struct Piece {
    VF value, slope, t;
};
inline VF lookup(const float* table, __m512i index) {
    return VF((VF::Raw)_mm512_maskz_permutexvar_ps(0xffff, index, _mm512_load_ps(table)));
}
inline Piece piece_of(const Pieces& f, VF a) {
    // of which a lookup takes the last four bits: they are zero from 2 on
    const __m512i index = (__m512i)(bits(fma(a, VF(2.f), VF(2.f))) >> 21);
    const VF t = a - lookup(f.centre, index);
    VF p = lookup(f.coefficients[0], index);
    for (int i = 1; i < 6; ++i) p = fma(p, t, lookup(f.coefficients[i], index));
    return {lookup(f.coefficients[6], index), p, t};
}

} // namespace reel::cpu::REEL_ISA::detail

#endif
