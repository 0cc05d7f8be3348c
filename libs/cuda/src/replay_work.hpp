// What the host does before each replay of a graph.
#pragma once

#include <functional>
#include <memory>

#include <reel/autograd/device.hpp>

namespace reel::cuda {

class Allocator;

bool is_capturing(DeviceIndex index);
/// Adds to what the capture of the device has; Error without one. `work` is called with the device current.
void before_replay(DeviceIndex index, std::function<void()> work);

/// While one lives, what the capture of the device asks memory for has its own: what is written before a replay must
/// not lie where the replay had something else before.
class MemoryBeforeReplay {
public:
    explicit MemoryBeforeReplay(DeviceIndex index);
    ~MemoryBeforeReplay();
    MemoryBeforeReplay(const MemoryBeforeReplay&) = delete;

private:
    std::shared_ptr<Allocator> reused_;
};

} // namespace reel::cuda
