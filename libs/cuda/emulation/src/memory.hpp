// The device's memory: apart from the host's, every block against a page that nobody may touch, no address used twice.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reel::cuda::emulation {

enum class Life : std::uint8_t { not_yet, live, freed };
struct Allocation {
    std::byte* begin = nullptr;
    std::size_t bytes = 0;
    int device = 0;
    Life life = Life::not_yet;
    std::byte* pages = nullptr; ///< where its pages begin
    std::size_t page_bytes = 0;
    unsigned opened = 0; ///< parts of it that whoever runs now may touch
};

/// Address space for `bytes`, live when `make_live` says so. Null when the device has not so much.
Allocation* reserve(std::size_t bytes, int device);
/// Fills it with 0xff, since nobody has written there.
void make_live(Allocation& a);
void release(Allocation& a);
/// What the address belongs to: the allocation that holds it or lies nearest below; null outside of device memory.
Allocation* allocation_at(const void* p);
bool is_device_address(const void* p);

struct Usage {
    std::size_t now = 0, peak = 0;
};
Usage& usage(int device);

/// While it lives, the calling thread works for the device: it may touch what is live there. What it touches otherwise
/// ends the process, with the state of the address; so does any touch of device memory without one.
class DeviceWork {
public:
    DeviceWork(int device, const char* what);
    ~DeviceWork();
    DeviceWork(const DeviceWork&) = delete;
};
/// While it lives, what one work of a device has touched stays open for the next ones of that device, since nothing of
/// the host's runs between them.
class WorksInARow {
public:
    WorksInARow();
    ~WorksInARow();
    WorksInARow(const WorksInARow&) = delete;
};
/// Closes what works in a row have opened: before something of the host's runs between them.
void close_memory();

} // namespace reel::cuda::emulation
