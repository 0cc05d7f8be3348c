// How the emulated device behaves: in which order its threads run, and how late its streams work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace reel::cuda::emulation {

/// Which of the threads that could run goes first; the same for warps and for blocks.
enum class Order { forward, reverse, random };
/// When queued work runs: at once; only when somebody waits for it, and what nobody waited for not at all until then;
/// or at moments that the seed decides.
enum class Timing { eager, late, random };
/// The machine's driver: as new as the toolkit, older than it, or none.
enum class Driver { current, old, none };

/// What the device says of itself (values of NVIDIA's data sheets and of the programming guide's table for the compute
/// capability).
struct DeviceTable {
    const char* name;
    int major, minor;
    int multiprocessors;
    std::size_t shared_per_block; ///< bytes that a kernel may ask for
    std::size_t memory;           ///< bytes
    std::size_t l2_cache;         ///< bytes
};

struct Modes {
    Order order = Order::forward;
    Timing timing = Timing::eager;
    std::uint64_t seed = 1;
    int devices = 2;
    Driver driver = Driver::current;
    bool small = false; ///< a device of few multiprocessors, on which every grid-stride loop goes round more than once
    const DeviceTable& table() const;
};

/// The modes of this process. First use reads REEL_EMULATION, for example
/// `order=reverse,timing=late,seed=7,devices=1,device=small,driver=old`; a word that there is not ends the process with
/// those that there are. Tests may change them while no work is queued.
Modes& modes();
/// `modes()` from such a text.
Modes parse_modes(const std::string& text);

/// The status with which a fault of the program under test ends the process, after a line that says what it was.
inline constexpr int fault_status = 86;

} // namespace reel::cuda::emulation
