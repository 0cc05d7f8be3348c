// The handle through which ops receive a random number generator.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include <reel/autograd/device.hpp>

namespace reel {

class CPUGeneratorImpl; // random.hpp
class Tensor;

/// A handle to a generator; copies share it. Default-constructed with a device it makes a new one.
class Generator {
public:
    Generator() = default; ///< undefined: ops take the default generator
    explicit Generator(Device device);
    explicit Generator(std::shared_ptr<CPUGeneratorImpl> impl) : impl_(std::move(impl)) {}
    bool defined() const { return bool(impl_); }
    Generator& manual_seed(std::uint64_t s);
    void set_current_seed(std::uint64_t s) { manual_seed(s); }
    std::uint64_t current_seed() const;
    std::uint64_t seed(); ///< seeds from the system's entropy and returns the seed
    Tensor get_state() const;
    void set_state(const Tensor& state);
    Device device() const { return kCPU; }
    Generator clone() const;
    std::mutex& mutex() const;
    CPUGeneratorImpl& impl() const;

private:
    std::shared_ptr<CPUGeneratorImpl> impl_;
};

} // namespace reel
