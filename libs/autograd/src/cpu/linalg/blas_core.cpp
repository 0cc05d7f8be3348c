// OpenBLAS's own name for the processor.
#include "cpu/linalg/blas_core.hpp"

#include <algorithm>
#include <array>
#include <string_view>

extern "C" char* openblas_get_corename();

namespace reel::cpu {

bool blas_has_avx512() {
    constexpr std::array<std::string_view, 3> known{"SkylakeX", "Cooperlake", "SapphireRapids"};
    return std::ranges::find(known, openblas_get_corename()) != known.end();
}

} // namespace reel::cpu
