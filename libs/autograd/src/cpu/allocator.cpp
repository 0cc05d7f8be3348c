// Thread-local free lists for small blocks, shared by the listful where a thread has too many; a shared cache for large
// ones.
#include <reel/autograd/memory.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <utility>
#include <vector>

#include <reel/autograd/error.hpp>

#include "cpu/linalg/blas_core.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REEL_BYPASS_CACHE 1
#endif

namespace reel {

namespace cpu {
void register_kernels(); // generated
}

namespace {

// When the library is loaded. It stands here because whatever computes on the host allocates, so that the linker of a
// static library keeps the kernels, and comes before a program's own initialisers, which may compute.
[[gnu::constructor(200)]] void register_cpu_kernels() {
    cpu::choose_blas_core();
    cpu::register_kernels();
}

constexpr std::size_t alignment = 64;
constexpr std::size_t small_limit = std::size_t(1) << 20;
constexpr std::size_t huge_page = std::size_t(2) << 20;
constexpr std::size_t list_limit = std::size_t(2) << 20; // bytes of one list; a thread has up to two of a class
constexpr std::size_t depot_limit = std::size_t(1) << 29;
constexpr std::size_t cache_limit = std::size_t(1) << 31;

// Size classes: four per power of two, from 64 bytes.
constexpr int num_classes = 64;
constexpr int computed_class(std::size_t n) {
    if (n <= 64) return 0;
    const unsigned log = unsigned(std::bit_width(n - 1)) - 1; // 2^log < n <= 2^(log+1)
    const std::size_t quarter = ((n - 1) >> (log - 2)) & 3;
    return int((log - 6) * 4 + quarter) + 1;
}
constexpr std::size_t computed_bytes(int c) {
    if (c == 0) return 64;
    const int log = (c - 1) / 4 + 6, quarter = (c - 1) % 4;
    return (std::size_t(1) << log) + std::size_t(quarter + 1) * (std::size_t(1) << (log - 2));
}
// What nodes and tensors take is looked up: a table costs less than the bits of a number.
constexpr std::size_t granule = 16, in_table = 4096;
struct Tables {
    std::uint8_t class_of[in_table / granule + 1]; ///< by granules, rounded up: bounds of classes are multiples of one
    std::uint32_t bytes[num_classes];
    std::uint32_t most[num_classes]; ///< blocks in one list
    constexpr Tables() : class_of(), bytes(), most() {
        for (std::size_t i = 0; i <= in_table / granule; ++i) class_of[i] = std::uint8_t(computed_class(i * granule));
        for (int c = 0; c < num_classes; ++c) {
            const std::size_t n = computed_bytes(c);
            bytes[c] = std::uint32_t(n);
            most[c] = std::uint32_t((list_limit + n - 1) / n);
        }
    }
};
constexpr Tables tables;
[[gnu::always_inline]] inline int size_class(std::size_t n) {
    if (n <= in_table) [[likely]]
        return tables.class_of[(n + granule - 1) / granule];
    return computed_class(n);
}
std::size_t class_bytes(int c) { return tables.bytes[c]; }
/// Bytes that a request really takes; a multiple of the alignment.
std::size_t rounded(std::size_t n) {
    n = std::max<std::size_t>(n, 1);
    if (n <= small_limit) return (class_bytes(size_class(n)) + alignment - 1) / alignment * alignment;
    const std::size_t step = std::max(std::bit_floor(n) / 8, std::size_t(1) << 18);
    return (n + step - 1) / step * step;
}

// Counters are kept per thread and summed on demand, so that the hot path touches no shared line.
struct Counters {
    std::atomic<std::int64_t> allocated{0};
    std::atomic<std::uint64_t> requests{0};
};
std::atomic<std::size_t> reserved{0}, peak{0}, large_allocated{0};
std::atomic<std::uint64_t> system_calls{0}, retired_requests{0};
std::atomic<std::int64_t> retired_allocated{0};

/// A block that nobody has, in its own memory.
struct FreeBlock {
    FreeBlock* next;
    FreeBlock* next_list; ///< in the depot, of the first block of a list
};
struct ThreadCache;
std::mutex registry_mutex;
std::vector<ThreadCache*>& registry() {
    static auto* r = new std::vector<ThreadCache*>;
    return *r;
}

[[noreturn]] void out_of_memory(std::size_t n) {
    REEL_THROW(OutOfMemoryError, "the CPU allocator could not get ", n, " bytes (", memory_stats().reserved_bytes,
               " reserved); use smaller tensors or release cached memory with empty_cache()");
}
void* system_alloc(std::size_t n) {
    system_calls.fetch_add(1, std::memory_order_relaxed);
    const auto attempt = [n] {
        return n >= huge_page ? std::aligned_alloc(huge_page, (n + huge_page - 1) / huge_page * huge_page)
                              : std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment);
    };
    void* p = attempt();
    if (!p) { // what is kept for later may be what is missing now
        empty_cache();
        p = attempt();
    }
    if (!p) out_of_memory(n);
    if (n >= huge_page) madvise(p, n, MADV_HUGEPAGE);
    reserved.fetch_add(n, std::memory_order_relaxed);
    return p;
}
void system_free(void* p, std::size_t n) noexcept {
    reserved.fetch_sub(n, std::memory_order_relaxed);
    std::free(p);
}

void free_all(FreeBlock* list, int c) noexcept {
    while (FreeBlock* b = list) {
        list = b->next;
        system_free(b, rounded(class_bytes(c)));
    }
}

/// Full lists that threads have no room for, until one has none left: work over more items than a thread's own lists
/// hold costs the same per item as work over few.
class Depot {
public:
    /// False where there is no room.
    bool put(int c, FreeBlock* list) noexcept {
        const std::lock_guard lock(mutex_);
        if (bytes_ + list_bytes(c) > depot_limit) return false;
        bytes_ += list_bytes(c);
        list->next_list = lists_[c];
        lists_[c] = list;
        return true;
    }
    /// Null where there is none.
    FreeBlock* take(int c) noexcept {
        const std::lock_guard lock(mutex_);
        FreeBlock* const list = lists_[c];
        if (!list) return nullptr;
        lists_[c] = list->next_list;
        bytes_ -= list_bytes(c);
        return list;
    }
    void release() noexcept {
        for (int c = 0; c < num_classes; ++c)
            while (FreeBlock* const list = take(c)) free_all(list, c);
    }

private:
    static std::size_t list_bytes(int c) { return tables.most[c] * class_bytes(c); }
    std::mutex mutex_;
    FreeBlock* lists_[num_classes] = {};
    std::size_t bytes_ = 0;
};
Depot& depot() {
    static auto* d = new Depot; // threads end after static objects
    return *d;
}

struct ThreadCache {
    FreeBlock* lists[num_classes] = {};
    std::uint32_t counts[num_classes] = {};
    FreeBlock* spare[num_classes] = {}; ///< a full list, or none
    Counters counters;

    ThreadCache() {
        std::lock_guard lock(registry_mutex);
        registry().push_back(this);
    }
    ~ThreadCache() {
        release();
        std::lock_guard lock(registry_mutex);
        retired_requests += counters.requests.load();
        retired_allocated += counters.allocated.load();
        std::erase(registry(), this);
    }
    /// Of a list that is empty; false where there is none to fill it.
    [[gnu::noinline]] bool refill(int c) noexcept {
        FreeBlock* const list = spare[c] ? std::exchange(spare[c], nullptr) : depot().take(c);
        if (!list) return false;
        lists[c] = list;
        counts[c] = tables.most[c];
        return true;
    }
    /// Of a list that is full; false where it has to stay so.
    [[gnu::noinline]] bool make_room(int c) noexcept {
        if (spare[c] && !depot().put(c, spare[c])) return false;
        spare[c] = std::exchange(lists[c], nullptr);
        counts[c] = 0;
        return true;
    }
    void release() noexcept {
        for (int c = 0; c < num_classes; ++c) {
            free_all(std::exchange(lists[c], nullptr), c);
            free_all(std::exchange(spare[c], nullptr), c);
            counts[c] = 0;
        }
    }
};
// Destroyed at thread exit; blocks freed later still go to the system.
struct CacheHolder {
    ThreadCache* cache = new ThreadCache;
    ~CacheHolder();
};
thread_local bool cache_gone = false;
thread_local ThreadCache* fast_cache = nullptr;
CacheHolder::~CacheHolder() {
    cache_gone = true;
    fast_cache = nullptr;
    delete cache;
}
[[gnu::noinline]] ThreadCache* make_thread_cache() {
    if (cache_gone) return nullptr;
    thread_local CacheHolder holder;
    return fast_cache = holder.cache;
}
ThreadCache* thread_cache() {
    if (fast_cache) [[likely]]
        return fast_cache;
    return make_thread_cache();
}

struct LargeBlock {
    void* p;
    std::size_t n;
};
std::mutex large_mutex;
std::vector<LargeBlock>& large_cache() {
    static auto* c = new std::vector<LargeBlock>;
    return *c;
}
std::size_t large_cached = 0;

void note_peak() {
    std::int64_t now = std::int64_t(large_allocated.load(std::memory_order_relaxed));
    if (fast_cache) now += fast_cache->counters.allocated.load(std::memory_order_relaxed);
    std::size_t old = peak.load(std::memory_order_relaxed);
    while (now > std::int64_t(old) && !peak.compare_exchange_weak(old, std::size_t(now))) {
    }
}

void* large_alloc(std::size_t n) {
    {
        std::lock_guard lock(large_mutex);
        auto& cache = large_cache();
        // Best fit, at most a quarter wasted; the most recent of equals is the warmest.
        std::size_t best = cache.size();
        for (std::size_t i = cache.size(); i-- > 0;)
            if (cache[i].n >= n && cache[i].n <= n + n / 4 && (best == cache.size() || cache[i].n < cache[best].n))
                best = i;
        if (best != cache.size() && cache[best].n == n) {
            void* p = cache[best].p;
            large_cached -= cache[best].n;
            cache.erase(cache.begin() + std::ptrdiff_t(best));
            return p;
        }
    }
    return system_alloc(n);
}
void large_free(void* p, std::size_t n) noexcept {
    {
        std::lock_guard lock(large_mutex);
        if (large_cached + n <= cache_limit) {
            large_cache().push_back({p, n});
            large_cached += n;
            return;
        }
    }
    system_free(p, n);
}

} // namespace

void* cpu_alloc(std::size_t nbytes) {
#ifdef REEL_BYPASS_CACHE
    return system_alloc(std::max<std::size_t>(nbytes, 1));
#else
    if (nbytes <= small_limit) [[likely]] {
        const int c = size_class(nbytes);
        if (ThreadCache* t = thread_cache()) [[likely]] {
            const auto count = [&k = t->counters, c] {
                k.requests.store(k.requests.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
                k.allocated.store(k.allocated.load(std::memory_order_relaxed) + std::int64_t(class_bytes(c)),
                                  std::memory_order_relaxed);
            };
            if (t->lists[c] || t->refill(c)) [[likely]] {
                FreeBlock* const b = t->lists[c];
                t->lists[c] = b->next;
                --t->counts[c];
                count();
                return b;
            }
            void* const p = system_alloc(rounded(nbytes)); // counted only once it is there
            count();
            note_peak();
            return p;
        }
        return system_alloc(rounded(nbytes));
    }
    const std::size_t n = rounded(nbytes);
    void* const p = large_alloc(n);
    large_allocated.fetch_add(n, std::memory_order_relaxed);
    note_peak();
    return p;
#endif
}

void cpu_free(void* p, std::size_t nbytes) noexcept {
#ifdef REEL_BYPASS_CACHE
    system_free(p, std::max<std::size_t>(nbytes, 1));
#else
    if (nbytes <= small_limit) [[likely]] {
        const int c = size_class(nbytes);
        ThreadCache* t = thread_cache();
        if (t) [[likely]] {
            auto& k = t->counters;
            k.allocated.store(k.allocated.load(std::memory_order_relaxed) - std::int64_t(class_bytes(c)),
                              std::memory_order_relaxed);
            if (t->counts[c] < tables.most[c] || t->make_room(c)) [[likely]] {
                auto* b = static_cast<FreeBlock*>(p);
                b->next = t->lists[c];
                t->lists[c] = b;
                ++t->counts[c];
                return;
            }
        }
        return system_free(p, rounded(nbytes));
    }
    const std::size_t n = rounded(nbytes);
    large_allocated.fetch_sub(n, std::memory_order_relaxed);
    large_free(p, n);
#endif
}

MemoryStats memory_stats() {
    MemoryStats s;
    std::int64_t allocated = retired_allocated.load() + std::int64_t(large_allocated.load());
    s.allocations = retired_requests.load();
    {
        std::lock_guard lock(registry_mutex);
        for (const ThreadCache* t : registry()) {
            allocated += t->counters.allocated.load(std::memory_order_relaxed);
            s.allocations += t->counters.requests.load(std::memory_order_relaxed);
        }
    }
    s.allocated_bytes = std::size_t(std::max<std::int64_t>(allocated, 0));
    s.reserved_bytes = reserved.load();
    s.peak_allocated_bytes = std::max(peak.load(), s.allocated_bytes);
    s.system_allocations = system_calls.load();
    return s;
}
void reset_peak_memory_stats() { peak.store(memory_stats().allocated_bytes); }
void empty_cache() {
    if (ThreadCache* t = thread_cache()) t->release();
    depot().release();
    std::lock_guard lock(large_mutex);
    for (const LargeBlock& b : large_cache()) system_free(b.p, b.n);
    large_cache().clear();
    large_cached = 0;
}

} // namespace reel
