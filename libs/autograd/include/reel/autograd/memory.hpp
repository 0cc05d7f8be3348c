// The caching CPU allocator: requests, statistics, release (architecture decision 2).
#pragma once

#include <cstddef>
#include <cstdint>

namespace reel {

/// 64-byte aligned memory from the cache. Throws OutOfMemoryError naming the request.
void* cpu_alloc(std::size_t nbytes);
/// Gives memory back; `nbytes` is what was asked for. May be called on another thread.
void cpu_free(void* p, std::size_t nbytes) noexcept;

/// Counters of the CPU allocator, in bytes and blocks.
struct MemoryStats {
    std::size_t allocated_bytes = 0; ///< handed out now
    std::size_t reserved_bytes = 0;  ///< taken from the system, in use or cached
    std::size_t peak_allocated_bytes = 0;
    std::uint64_t allocations = 0;        ///< requests so far
    std::uint64_t system_allocations = 0; ///< those that the cache could not serve
};
MemoryStats memory_stats();
void reset_peak_memory_stats();
/// Returns cached blocks of this thread and the shared cache to the system.
void empty_cache();

} // namespace reel
