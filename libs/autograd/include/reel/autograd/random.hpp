// Random number generators. The CPU one yields PyTorch's stream.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/generator_impl.hpp>
#include <reel/autograd/tensor.hpp>

namespace reel {

/// State of the CPU generator: a 32-bit Mersenne Twister and the cached partner of a normal pair.
class CPUGeneratorImpl : public GeneratorImpl {
public:
    explicit CPUGeneratorImpl(std::uint64_t seed = default_seed);
    static constexpr std::uint64_t default_seed = 67280421310721;
    void set_current_seed(std::uint64_t seed) override;
    std::uint64_t current_seed() const override { return seed_; }
    std::uint32_t random();
    void random(std::uint32_t* to, std::int64_t count); ///< what `count` calls would give
    std::uint64_t random64();
    float uniform_float();             ///< low 24 bits of one draw
    double uniform_double();           ///< low 53 bits of two draws, the first is the high half
    std::optional<double> next_normal; ///< cached partner, double precision
    std::optional<float> next_float_normal;
    /// Everything needed to continue the stream, as PyTorch's generator gives it: 5,056 bytes.
    Tensor get_state() const override;
    void set_state(const Tensor& state) override;
    std::shared_ptr<GeneratorImpl> clone() const override;

private:
    void refill();
    std::uint32_t state_[624];
    int left_ = 1;
    std::uint32_t next_ = 0;
    std::uint64_t seed_;
};

namespace detail {
/// The process-wide CPU generator.
const Generator& getDefaultCPUGenerator();
/// The one that tensors of the device draw from where no other is given; no driver is asked.
Generator default_generator(Device device);
Generator createCPUGenerator(std::uint64_t seed = CPUGeneratorImpl::default_seed);
} // namespace detail
template <class Impl> Generator make_generator(std::uint64_t seed = Impl::default_seed) {
    return Generator(std::shared_ptr<GeneratorImpl>(std::make_shared<Impl>(seed)));
}
/// Seeds the default generators of all devices, also of those that nobody has drawn on yet.
void manual_seed(std::uint64_t seed);
/// The state of the CPU's default generator, as `torch.get_rng_state` returns it (a uint8 tensor of 5,056 bytes):
/// either library goes on, number by number, where the other one stopped.
Tensor get_rng_state();
/// Goes on from such a state. TypeError, ValueError for what is none; nothing changes then.
void set_rng_state(const Tensor& state);

} // namespace reel
