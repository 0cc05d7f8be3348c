// Reciprocals and roots of float32 vectors where a guess and a step of Newton's take less than a division.
#pragma once

#include <reel/autograd/detail/cpu/vec_arithmetic.hpp>

namespace reel::cpu::REEL_ISA::detail {

/// 1 / x, to 14 bits where such an instruction is.
inline VF reciprocal_guess(VF x) {
#if defined(__AVX512F__)
    return VF((VF::Raw)_mm512_maskz_rcp14_ps(0xffff, (__m512)x.v));
#else
    return VF(1.f) / x;
#endif
}
/// 1 / x for numbers that are not huge.
inline VF quick_reciprocal(VF x) {
    const VF guess = reciprocal_guess(x);
#if defined(__AVX512F__)
    return fma(fma(-x, guess, VF(1.f)), guess, guess);
#else
    return guess;
#endif
}
/// The root, to a unit in the last place, of numbers that are neither subnormal nor huge.
inline VF quick_root(VF x) {
#if defined(__AVX512F__)
    const __mmask16 not_zero = _mm512_cmp_ps_mask((__m512)x.v, _mm512_setzero_ps(), _CMP_NEQ_UQ);
    const VF inverse((VF::Raw)_mm512_maskz_rsqrt14_ps(not_zero, (__m512)x.v)), root = x * inverse;
    return fma(fma(-root, root, x), inverse * VF(0.5f), root);
#else
    return sqrt(x);
#endif
}

} // namespace reel::cpu::REEL_ISA::detail
