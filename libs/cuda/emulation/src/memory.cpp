#include "memory.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <map>
#include <sstream>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include <reel/cuda/emulation/modes.hpp>

#if defined(REEL_SANITIZE) && defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(begin, bytes) ((void)(begin), (void)(bytes))
#endif

#include "block.hpp"
#include "fault.hpp"

namespace reel::cuda::emulation {

namespace {

constexpr std::size_t reserved_bytes = std::size_t(1) << 40;
constexpr std::size_t alignment = 256;          // what the device's allocator promises
constexpr std::size_t least_opened = 64 * 1024; // of an allocation, where a work first touches it

struct Work {
    int device = -1;
    const char* what = nullptr;
};
thread_local Work work_now;

void watch_faults();
struct Space {
    std::byte* begin;
    std::size_t page = std::size_t(::sysconf(_SC_PAGESIZE)), used = 0;
    std::map<std::byte*, Allocation> allocations; ///< by their first page
    std::map<int, Usage> usage;
    struct Part {
        Allocation* of;
        std::byte* begin;
        std::size_t bytes;
    };
    std::vector<Part> opened; ///< all of one device
    int works_in_a_row = 0;
    Space();
};
Space& space() {
    static auto& one = *new Space(); // tensors of static life are freed late
    return one;
}

struct sigaction handler_before {};

std::string describe(const Allocation& a, const std::byte* p) {
    std::ostringstream s;
    if (p < a.begin || p >= a.begin + a.bytes)
        s << std::abs(p - a.begin - (p < a.begin ? 0 : std::ptrdiff_t(a.bytes))) << " bytes "
          << (p < a.begin ? "before" : "past the end of") << " an allocation of " << a.bytes << " bytes";
    else
        s << "byte " << p - a.begin << " of " << (a.life == Life::freed ? "a freed" : "an") << " allocation of "
          << a.bytes << " bytes";
    s << " on device " << a.device;
    if (a.life == Life::not_yet) s << ", which its stream has not made yet";
    return s.str();
}

void open(Allocation& a, std::byte* begin, std::size_t bytes) {
    ::mprotect(begin, bytes, PROT_READ | PROT_WRITE);
    ++a.opened;
    space().opened.push_back({&a, begin, bytes});
}
/// The neighbourhood of `p`, each time a larger one: opening and closing cost by the page, and most works touch little
/// of what an allocator keeps.
void open_around(Allocation& a, std::byte* p) {
    const std::size_t some = least_opened << std::min(a.opened, 20U), first = std::size_t(p - a.pages) / some * some;
    open(a, a.pages + first, std::min(some, a.page_bytes - first));
}

/// Opens what the running work may touch; ends the process for anything else.
void on_fault(int signal, siginfo_t* info, void*) {
    auto* const p = static_cast<std::byte*>(info->si_addr);
    if (!is_device_address(p)) {
        ::sigaction(signal, &handler_before, nullptr); // not ours: it comes again, to whom it would have come
        return;
    }
    Allocation* const a = allocation_at(p);
    const std::string where = a ? describe(*a, p) : "device memory that nobody allocated";
    if (!work_now.what)
        fault("host code touches " + where + ": only kernels and copies may (is a data_ptr() read on the host?)");
    std::string who = work_now.what;
    if (const Lane* const lane = Block::running()) {
        const auto &t = lane->position.thread, &b = lane->position.block;
        std::ostringstream s;
        s << who << ", thread (" << t.x << ", " << t.y << ", " << t.z << ") of block (" << b.x << ", " << b.y << ", "
          << b.z << "),";
        who = s.str();
    }
    const bool inside = a && p < a->pages + a->page_bytes;
    if (!inside || a->life != Life::live) fault(who + " touches " + where);
    if (a->device != work_now.device)
        fault(who + " of device " + std::to_string(work_now.device) + " touches " + where);
    open_around(*a, p);
}

/// Others set handlers too: a test framework one for each test.
void watch_faults() {
    struct sigaction action {};
    struct sigaction before {};
    action.sa_sigaction = &on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    ::sigaction(SIGSEGV, &action, &before);
    if (before.sa_sigaction != &on_fault) handler_before = before;
}

Space::Space() {
    void* const p = ::mmap(nullptr, reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) fault("no address space for the device's memory");
    begin = static_cast<std::byte*>(p);
    watch_faults();
}

} // namespace

Usage& usage(int device) { return space().usage[device]; }

bool is_device_address(const void* p) {
    const Space& s = space();
    const auto* const b = static_cast<const std::byte*>(p);
    return b >= s.begin && b < s.begin + reserved_bytes;
}

Allocation* allocation_at(const void* p) {
    auto& all = space().allocations;
    auto after = all.upper_bound(static_cast<std::byte*>(const_cast<void*>(p)));
    return after == all.begin() ? nullptr : &std::prev(after)->second;
}

Allocation* reserve(std::size_t bytes, int device) {
    Space& s = space();
    Usage& u = s.usage[device];
    if (bytes > modes().table().memory - std::min(u.now, modes().table().memory)) return nullptr;
    Allocation a;
    a.bytes = bytes;
    a.device = device;
    const std::size_t held = (bytes + alignment - 1) / alignment * alignment;
    a.page_bytes = (std::max<std::size_t>(held, 1) + s.page - 1) / s.page * s.page;
    if (s.used + a.page_bytes + s.page > reserved_bytes) fault("the addresses of the device's memory are used up");
    a.pages = s.begin + s.used;
    a.begin = a.pages + (a.page_bytes - held); // the end lies against the page that stays closed
    s.used += a.page_bytes + s.page;
    u.now += bytes;
    u.peak = std::max(u.peak, u.now);
    return &(s.allocations[a.pages] = a);
}

void make_live(Allocation& a) {
    const WorksInARow row; // closed at its end, unless this belongs to a longer one
    if (!space().opened.empty() && space().opened.front().of->device != a.device) close_memory();
    open(a, a.pages, a.page_bytes);
    std::memset(a.pages, 0xff, a.page_bytes);
    // The pages' own bounds are those of the alignment; what is closer, the address sanitizer sees. The word that holds
    // the last bytes stays open: indivisible updates of parts of words read it whole.
    const std::size_t words = (a.bytes + 3) / 4 * 4;
    ASAN_POISON_MEMORY_REGION(a.pages, std::size_t(a.begin - a.pages));
    ASAN_POISON_MEMORY_REGION(a.begin + words, std::size_t(a.pages + a.page_bytes - a.begin) - words);
    a.life = Life::live;
}

void release(Allocation& a) {
    a.life = Life::freed;
    space().usage[a.device].now -= a.bytes;
    if (a.opened > 0) ::mprotect(a.pages, a.page_bytes, PROT_NONE);
    ::madvise(a.pages, a.page_bytes, MADV_DONTNEED);
}

void close_memory() {
    for (const Space::Part& part : space().opened) {
        ::mprotect(part.begin, part.bytes, PROT_NONE);
        part.of->opened = 0;
    }
    space().opened.clear();
}

DeviceWork::DeviceWork(int device, const char* what) {
    if (!space().opened.empty() && space().opened.front().of->device != device) close_memory();
    watch_faults();
    work_now = {device, what};
}
DeviceWork::~DeviceWork() {
    if (space().works_in_a_row == 0) close_memory();
    work_now = {};
}

WorksInARow::WorksInARow() { ++space().works_in_a_row; }
WorksInARow::~WorksInARow() {
    if (--space().works_in_a_row == 0) close_memory();
}

} // namespace reel::cuda::emulation
