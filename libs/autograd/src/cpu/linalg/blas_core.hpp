// Which processor OpenBLAS works for.
#pragma once

namespace reel::cpu {

/// Does OpenBLAS know this processor, or was it told? Releases older than a processor take it for another one, with
/// vectors of half the width or, as 0.3.21 does with Intel's Emerald Rapids, of a quarter.
bool blas_knows_processor();

/// Gives OpenBLAS its kernels for the instruction set in use where it does not know the processor. Leaves it alone
/// where OPENBLAS_CORETYPE says what to take, where it has kernels for one processor only, and in a process with
/// several threads, of which one may be inside. Once, before anything multiplies.
void choose_blas_core();

} // namespace reel::cpu
