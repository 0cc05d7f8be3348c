// The handle through which ops receive a random number generator.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include <reel/autograd/device.hpp>

namespace reel {

class CPUGeneratorImpl; // random.hpp
class GeneratorImpl;    // generator_impl.hpp
class Tensor;

/// A handle to a generator; copies share it. Tensors draw from generators of their own device. Default-constructed with
/// a device it makes a new one; Error with the reason for a CUDA device that there is not.
class Generator {
public:
    Generator() = default; ///< undefined: ops take the default generator of the tensor's device
    explicit Generator(Device device);
    explicit Generator(std::shared_ptr<GeneratorImpl> impl) : impl_(std::move(impl)) {}
    bool defined() const { return bool(impl_); }
    Generator& manual_seed(std::uint64_t s);
    void set_current_seed(std::uint64_t s) { manual_seed(s); }
    std::uint64_t current_seed() const;
    std::uint64_t seed(); ///< seeds from the system's entropy and returns the seed
    /// A uint8 tensor: 5,056 bytes for the CPU's, 16 (seed and offset) for a device's, as PyTorch's generators give.
    Tensor get_state() const;
    void set_state(const Tensor& state);
    Device device() const;
    Generator clone() const;
    std::mutex& mutex() const;
    /// The CPU's; Error for another device's.
    CPUGeneratorImpl& impl() const;
    /// What this is a handle of, of whatever device.
    GeneratorImpl& any_impl() const;
    friend bool operator==(const Generator& a, const Generator& b) { return a.impl_ == b.impl_; }

private:
    std::shared_ptr<GeneratorImpl> impl_;
};

} // namespace reel
