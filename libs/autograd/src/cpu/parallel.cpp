// OpenMP behind the public thread functions.
#include <reel/autograd/parallel.hpp>

#include <omp.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>

#include <reel/autograd/detail/cpu/isa.hpp>
#include <reel/autograd/detail/thread_limit.hpp>
#include <reel/autograd/error.hpp>

#include "waiting.hpp"

extern "C" {
char* openblas_get_config();
char* openblas_get_corename();
}

namespace reel {

namespace {
std::atomic<int> threads{0};
std::atomic<int> interop{1};
thread_local int limit = 0; ///< of this thread; 0: none
} // namespace

void set_num_threads(int n) {
    REEL_CHECK_VALUE(n > 0, "set_num_threads: expected a positive number, got ", n);
    threads.store(n);
    omp_set_num_threads(n);
}
int get_num_threads() {
    const int n = threads.load(std::memory_order_relaxed);
    if (limit > 0) [[unlikely]]
        return n > 0 ? std::min(n, limit) : limit;
    return n > 0 ? n : omp_get_max_threads();
}
ThreadLimit::ThreadLimit(int n) : previous_(limit), previous_omp_(omp_get_max_threads()) {
    REEL_CHECK_VALUE(n > 0, "ThreadLimit: expected a positive number, got ", n);
    limit = previous_ > 0 ? std::min(n, previous_) : n;
    omp_set_num_threads(std::min(limit, previous_omp_)); // for OpenBLAS, which asks OpenMP
}
ThreadLimit::~ThreadLimit() {
    limit = previous_;
    omp_set_num_threads(previous_omp_);
}
void set_num_interop_threads(int n) {
    REEL_CHECK_VALUE(n > 0, "set_num_interop_threads: expected a positive number, got ", n);
    interop.store(n);
}
int get_num_interop_threads() { return interop.load(); }
void init_num_threads() {
    if (const int n = threads.load()) omp_set_num_threads(n);
}
bool in_parallel_region() { return omp_in_parallel(); }
int get_thread_num() { return omp_get_thread_num(); }

std::string get_parallel_info() {
    return str("threads: ", get_num_threads(), " (OpenMP, max ", omp_get_max_threads(),
               ")\ninterop threads: ", get_num_interop_threads(), "\nwaiting for the next loop: ",
               cpu::waiting().told()    ? "as the environment says"
               : cpu::waiting().brief() ? "briefly, since others use the processors, too"
                                        : "for milliseconds",
               "\n");
}
std::string show_config() {
    return str("OpenBLAS: ", openblas_get_config(), " on ", openblas_get_corename(),
               "\ninstruction set: ", cpu::isa_name(cpu::isa()), "\nthreads: ", get_num_threads(), "\ncompiler: g++ ",
               __VERSION__, "\n");
}

namespace detail {
void parallel_chunks(std::int64_t begin, std::int64_t end, std::int64_t grain, ChunkFn fn, void* context) {
    const std::int64_t n = end - begin;
    grain = std::max<std::int64_t>(grain, 1);
    // Divided before anything is added: as many pieces of nothing as int64 counts are work like any other.
    const int workers = int(std::min<std::int64_t>(get_num_threads(), n / grain + (n % grain != 0)));
    if (workers <= 1 || omp_in_parallel()) return fn(context, begin, end);
    cpu::waiting().look();
    std::exception_ptr error;
    std::mutex mutex;
#pragma omp parallel num_threads(workers)
    {
        const std::int64_t count = omp_get_num_threads(), me = omp_get_thread_num();
        const std::int64_t step = n / count + (n % count != 0);
        const std::int64_t b = begin + (step > 0 && me <= n / step ? me * step : n), e = b + std::min(end - b, step);
        if (b < e) {
            try {
                fn(context, b, e);
            } catch (...) {
                std::lock_guard lock(mutex);
                if (!error) error = std::current_exception();
            }
        }
    }
    if (error) std::rethrow_exception(error);
}
} // namespace detail

namespace cpu {
Isa isa() {
    static const Isa chosen = [] {
#if defined(REEL_ONLY_ISA)
        return Isa::REEL_ONLY_ISA;
#elif defined(__x86_64__)
        __builtin_cpu_init();
        Isa best = Isa::v2;
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
            best = Isa::v3;
        if (best == Isa::v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512cd"))
            best = Isa::v4;
        if (const char* wish = std::getenv("REEL_ISA")) {
            if (std::strcmp(wish, "v2") == 0) best = Isa::v2;
            if (std::strcmp(wish, "v3") == 0 && best == Isa::v4) best = Isa::v3;
        }
        return best;
#else
        return Isa::base;
#endif
    }();
    return chosen;
}
const char* isa_name(Isa i) {
    constexpr const char* names[] = {"baseline", "x86-64-v2", "x86-64-v3 (AVX2)", "x86-64-v4 (AVX-512)"};
    return names[int(i)];
}
} // namespace cpu

} // namespace reel
