// Products of float32 and float64 matrices by the tiles that packed matrices have.
#pragma once

#include <cstdint>

namespace reel::cpu {

/// c [m, n] = a [m, k] b [k, n], added to what is there when `add`; `ta`, `tb`: the operand lies as [k, m], [n, k].
/// False, with nothing done, where OpenBLAS is as fast. The bits of an element depend on its row, its column and k.
template <class T>
bool blocked_product(bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, const T* a, std::int64_t lda,
                     const T* b, std::int64_t ldb, bool add, T* c, std::int64_t ldc);

} // namespace reel::cpu
