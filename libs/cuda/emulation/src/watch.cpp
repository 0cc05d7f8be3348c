#include "watch.hpp"

#include <cstdint>
#include <sstream>

#include <reel/cuda/emulation/grid.hpp>

#include "block.hpp"
#include "fault.hpp"
#include "memory.hpp"
#include "watched_words.hpp"

namespace reel::cuda::emulation {

namespace {

enum class Kind : std::uint8_t { read, write, atomic };
/// Who touched a word last, and when: phases count the barriers and the full collectives passed so far.
struct Access {
    std::uint64_t thread : 56 = 0; ///< of the grid, counted from one; 0: nobody
    std::uint64_t bytes : 4 = 0;   ///< a bit for each byte of the word
    Kind kind : 4 = Kind::read;
    std::uint32_t phase = 0, warp_phase = 0;
};
/// Of the readers the last two that differ: whoever writes what it has just read itself is compared with the other one.
struct Word {
    Access written, read, read_before;
};
struct Watch {
    WatchedWords<Word> words; ///< by address / 4
    std::string what;
    Arguments arguments;

    bool is_argument(const void* p) const {
        const auto* const begin = static_cast<const std::byte*>(arguments.begin);
        return p >= begin && p < begin + arguments.bytes;
    }
};
Watch& watch() {
    static auto& one = *new Watch();
    return one;
}

std::string thread_text(std::uint64_t number) {
    const Lane* const now = Block::running();
    const auto& b = now->position.block_size;
    const std::uint64_t block_threads = std::uint64_t(b.x) * b.y * b.z, n = (number - 1) % block_threads;
    std::ostringstream s;
    s << "thread " << n << " of block " << (number - 1) / block_threads;
    return s.str();
}
const char* verb(Kind k) { return k == Kind::read ? "reads" : k == Kind::write ? "writes" : "changes atomically"; }
[[noreturn]] void race(std::uintptr_t word, const Access& before, const Access& now) {
    const auto* const p = reinterpret_cast<const std::byte*>(word * 4);
    std::ostringstream s;
    s << "race in " << watch().what << ": " << thread_text(now.thread) << ' ' << verb(now.kind) << ' ';
    const Allocation* const a = is_device_address(p) ? allocation_at(p) : nullptr;
    if (a) s << "byte " << p - a->begin << " of an allocation of " << a->bytes << " bytes";
    else s << "shared memory";
    s << " that " << thread_text(before.thread) << ' ' << verb(before.kind) << ", with no barrier between them";
    fault(s.str());
}

bool ordered(const Access& before, const Access& now, std::uint64_t block_threads, bool device) {
    if (before.thread == 0 || before.thread == now.thread || (before.bytes & now.bytes) == 0) return true;
    const std::uint64_t a = before.thread - 1, b = now.thread - 1;
    // blocks are ordered by nothing; each has shared memory of its own, though at the same address here
    if (a / block_threads != b / block_threads) return !device;
    if (before.phase != now.phase) return true;
    return a % block_threads / 32 == b % block_threads / 32 && before.warp_phase != now.warp_phase;
}

void touch_word(std::uintptr_t word, std::uint8_t bytes, Kind kind, const Lane& lane, Block& block, bool device) {
    Word& w = watch().words.at(word);
    const auto& size = lane.position.block_size;
    const std::uint64_t block_threads = std::uint64_t(size.x) * size.y * size.z;
    const Access now{block.number_in_grid(lane) + 1, bytes, kind, block.phase(), block.warp_phase(lane.number)};
    const bool both_atomic = kind == Kind::atomic && w.written.kind == Kind::atomic;
    if (!both_atomic && !ordered(w.written, now, block_threads, device)) race(word, w.written, now);
    if (kind != Kind::read)
        for (const Access& reader : {w.read, w.read_before})
            if (!ordered(reader, now, block_threads, device)) race(word, reader, now);
    if (kind == Kind::read && w.read.thread != now.thread) w.read_before = w.read;
    (kind == Kind::read ? w.read : w.written) = now;
}

void touch(const void* p, std::size_t n, Kind kind) {
    const Lane* const lane = Block::running();
    if (!lane || n == 0 || Fiber::of_running(p) || watch().is_argument(p)) return;
    const bool device = is_device_address(p);
    const auto first = reinterpret_cast<std::uintptr_t>(p), last = first + n - 1;
    for (std::uintptr_t word = first / 4; word <= last / 4; ++word) {
        std::uint8_t bytes = 0;
        for (std::uintptr_t i = 0; i < 4; ++i)
            if (word * 4 + i >= first && word * 4 + i <= last) bytes |= std::uint8_t(1U << i);
        touch_word(word, bytes, kind, *lane, *Block::current(), device);
    }
}

} // namespace

WatchedLaunch::WatchedLaunch(const std::string& what, const Arguments& arguments) {
    watch().what = what;
    watch().arguments = arguments;
}
WatchedLaunch::~WatchedLaunch() { watch().words.forget(); }

void note_atomic(const void* p, std::size_t bytes) { touch(p, bytes, Kind::atomic); }

} // namespace reel::cuda::emulation

using reel::cuda::emulation::Kind;
using reel::cuda::emulation::touch;

// What the compiler calls at each access (-fsanitize=thread); the sanitizer's own runtime is not linked.
extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define REEL_ACCESS(n)                                                                                                 \
    void __tsan_read##n(void* p) { touch(p, n, Kind::read); }                                                          \
    void __tsan_write##n(void* p) { touch(p, n, Kind::write); }                                                        \
    void __tsan_unaligned_read##n(void* p) { touch(p, n, Kind::read); }                                                \
    void __tsan_unaligned_write##n(void* p) { touch(p, n, Kind::write); }
REEL_ACCESS(1)
REEL_ACCESS(2)
REEL_ACCESS(4)
REEL_ACCESS(8)
REEL_ACCESS(16)
#undef REEL_ACCESS
void __tsan_read_range(void* p, long n) { touch(p, std::size_t(n), Kind::read); }
void __tsan_write_range(void* p, long n) { touch(p, std::size_t(n), Kind::write); }

// the host's part of a source counts references in these
#define REEL_ATOMIC(bits, T)                                                                                           \
    T __tsan_atomic##bits##_load(const volatile T* p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }            \
    void __tsan_atomic##bits##_store(volatile T* p, T v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }            \
    T __tsan_atomic##bits##_exchange(volatile T* p, T v, int) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }  \
    T __tsan_atomic##bits##_fetch_add(volatile T* p, T v, int) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }  \
    T __tsan_atomic##bits##_fetch_sub(volatile T* p, T v, int) { return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST); }  \
    T __tsan_atomic##bits##_fetch_or(volatile T* p, T v, int) { return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST); }    \
    T __tsan_atomic##bits##_fetch_and(volatile T* p, T v, int) { return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST); }  \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T v, int, int) {                     \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                 \
    }                                                                                                                  \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T v, int, int) {                       \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                 \
    }
REEL_ATOMIC(8, std::uint8_t)
REEL_ATOMIC(16, std::uint16_t)
REEL_ATOMIC(32, std::uint32_t)
REEL_ATOMIC(64, std::uint64_t)
#undef REEL_ATOMIC
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

} // extern "C"
