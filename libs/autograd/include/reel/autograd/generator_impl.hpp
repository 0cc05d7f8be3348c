// What a generator is of: a state that draws advance. Each kind of device has its own.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include <reel/autograd/device.hpp>

namespace reel {

class Tensor;

/// The state behind a `Generator`: `CPUGeneratorImpl` (random.hpp) or `PhiloxGeneratorImpl` (philox_generator.hpp).
class GeneratorImpl {
public:
    explicit GeneratorImpl(Device device) : device_(device) {}
    virtual ~GeneratorImpl();
    GeneratorImpl(const GeneratorImpl&) = delete;
    GeneratorImpl& operator=(const GeneratorImpl&) = delete;
    Device device() const { return device_; } ///< whose tensors draw from it
    virtual void set_current_seed(std::uint64_t seed) = 0;
    virtual std::uint64_t current_seed() const = 0;
    /// Everything needed to go on with the stream, a uint8 tensor on the CPU.
    virtual Tensor get_state() const = 0;
    /// Goes on from such a state. TypeError, ValueError for what is none; nothing changes then.
    virtual void set_state(const Tensor& state) = 0;
    /// One that goes on with the same numbers.
    virtual std::shared_ptr<GeneratorImpl> clone() const = 0;
    std::mutex& mutex() { return mutex_; }

private:
    Device device_;
    std::mutex mutex_;
};

} // namespace reel
