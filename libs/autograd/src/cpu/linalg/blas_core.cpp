// OpenBLAS's own name for the processor, and a better one.
#include "cpu/linalg/blas_core.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include <sys/single_threaded.h>

#include <reel/autograd/detail/cpu/isa.hpp>

extern "C" {
char* openblas_get_corename();
// How a library with kernels for many processors chooses among them; others have no such functions.
[[gnu::weak]] void gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
}

namespace reel::cpu {

namespace {

constexpr const char* told = "OPENBLAS_CORETYPE";
bool known = true; ///< as `choose_blas_core` found it

bool core_is_one_of(std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, std::string_view(openblas_get_corename())) != names.end();
}
bool has_avx512_kernels() { return core_is_one_of({"SkylakeX", "Cooperlake", "SapphireRapids"}); }
bool has_avx2_kernels() { return has_avx512_kernels() || core_is_one_of({"Haswell", "Zen", "Excavator"}); }

/// The core to take instead of OpenBLAS's choice; null where that is as good.
const char* better_core() {
    if (isa() == Isa::v4 && !has_avx512_kernels()) return "SkylakeX";
    if (isa() == Isa::v3 && !has_avx2_kernels()) return "Haswell";
    return nullptr;
}

} // namespace

bool blas_knows_processor() { return known; }

void choose_blas_core() {
    const char* const core = better_core();
    known = !core || std::getenv(told);
    if (known || !gotoblas_dynamic_init || !gotoblas_dynamic_quit || !__libc_single_threaded) return;
    setenv(told, core, 1); // it reads its choice there
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    unsetenv(told);
}

} // namespace reel::cpu
