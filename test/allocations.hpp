// Counts what a program asks of the heap: an algorithm whose work grows faster than its input shows it there, whatever
// else the machine does. Included by one source of a program, whose `operator new` this replaces.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace reel::testing {
inline std::atomic<std::int64_t> allocations{0};

/// How often `fn` asks for memory.
template <class F> std::int64_t allocations_of(F fn) {
    const std::int64_t before = allocations.load();
    fn();
    return allocations.load() - before;
}
} // namespace reel::testing

void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    reel::testing::allocations.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(n ? n : 1);
}
void* operator new(std::size_t n) {
    if (void* const p = ::operator new(n, std::nothrow)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
