// The generator of a device: a seed, and how many numbers were drawn.
#pragma once

#include <reel/autograd/generator.hpp>
#include <reel/autograd/generator_impl.hpp>

namespace reel {

/// Philox 4x32-10 (Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011): the seed is the key, the
/// offset says which counter comes next, and what a counter gives depends on neither device nor grid. Host memory
/// alone: no driver is asked. libtorch's CUDAGeneratorImpl.
class PhiloxGeneratorImpl : public GeneratorImpl {
public:
    static constexpr std::uint64_t default_seed = 67280421310721;
    explicit PhiloxGeneratorImpl(Device device, std::uint64_t seed = default_seed)
        : GeneratorImpl(device), seed_(seed) {}
    void set_current_seed(std::uint64_t seed) override; ///< and begins its stream anew
    std::uint64_t current_seed() const override { return seed_; }
    /// Numbers of 32 bits drawn since; four to a counter.
    std::uint64_t get_offset() const { return offset_; }
    /// ValueError unless it is a multiple of four.
    void set_offset(std::uint64_t offset);
    /// 16 bytes: seed and offset.
    Tensor get_state() const override;
    void set_state(const Tensor& state) override;
    std::shared_ptr<GeneratorImpl> clone() const override;
    /// Takes the next `counters` and returns the first; whoever calls it holds the generator.
    std::uint64_t take(std::uint64_t counters);

private:
    std::uint64_t seed_, offset_ = 0;
};

} // namespace reel
