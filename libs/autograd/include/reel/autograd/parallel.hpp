// Threads: how many, and loops over them. One OpenMP pool serves Reel and OpenBLAS.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace reel {

void set_num_threads(int n);
int get_num_threads();
void set_num_interop_threads(int n);
int get_num_interop_threads();
void init_num_threads();
bool in_parallel_region();
int get_thread_num();
/// A few lines on threads for humans.
std::string get_parallel_info();
/// OpenBLAS's version and core, the instruction set in use, threads, build flags.
std::string show_config();

namespace detail {
using ChunkFn = void (*)(void* context, std::int64_t begin, std::int64_t end);
void parallel_chunks(std::int64_t begin, std::int64_t end, std::int64_t grain, ChunkFn fn, void* context);
} // namespace detail

/// Calls `fn(begin, end)` on chunks of at least `grain` elements, in parallel unless already inside a parallel region.
template <class F> void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& fn) {
    if (end - begin <= grain) {
        if (begin < end) fn(begin, end);
        return;
    }
    detail::parallel_chunks(
        begin, end, grain,
        [](void* c, std::int64_t b, std::int64_t e) { (*static_cast<std::remove_reference_t<F>*>(c))(b, e); }, &fn);
}

/// Reduces over fixed chunks of `grain` elements, so that the result does not depend on the number of threads.
template <class T, class F, class Combine>
T parallel_reduce(std::int64_t begin, std::int64_t end, std::int64_t grain, const T& identity, F&& fn,
                  Combine&& combine) {
    grain = std::max<std::int64_t>(grain, 1);
    const std::int64_t n = (end - begin + grain - 1) / grain;
    std::vector<T> partial(std::size_t(std::max<std::int64_t>(n, 0)), identity);
    parallel_for(0, n, 1, [&](std::int64_t b, std::int64_t e) {
        for (std::int64_t i = b; i < e; ++i)
            partial[std::size_t(i)] = fn(begin + i * grain, std::min(end, begin + (i + 1) * grain), identity);
    });
    T r = identity;
    for (const T& p : partial) r = combine(r, p);
    return r;
}

} // namespace reel
