// Handles to generators.
#include <reel/autograd/generator.hpp>

#include <random>

#include <reel/autograd/cuda.hpp>
#include <reel/autograd/detail/default_generators.hpp>
#include <reel/autograd/philox_generator.hpp>
#include <reel/autograd/random.hpp>

namespace reel {

GeneratorImpl::~GeneratorImpl() = default;

namespace {
std::shared_ptr<GeneratorImpl> made_for(Device device) {
    if (device.is_cpu()) return std::make_shared<CPUGeneratorImpl>();
    REEL_CHECK_NOT_IMPLEMENTED(device.is_cuda(), "Generator: there are generators for cpu and cuda, not for ", device);
    REEL_CHECK(cuda::is_available(), "Generator: no generator for ", device, ": ", cuda::unavailable_reason());
    const DeviceIndex index = device.has_index() ? device.index() : detail::current_cuda_device();
    REEL_CHECK(index < cuda::device_count(), "Generator: no generator for ", device, ": there are ",
               cuda::device_count(), " CUDA devices");
    return std::make_shared<PhiloxGeneratorImpl>(Device(kCUDA, index));
}
} // namespace

Generator::Generator(Device device) : impl_(made_for(device)) {}
GeneratorImpl& Generator::any_impl() const {
    REEL_CHECK(impl_, "an undefined Generator was used");
    return *impl_;
}
CPUGeneratorImpl& Generator::impl() const {
    REEL_CHECK(any_impl().device().is_cpu(), "a generator of ", impl_->device(),
               " was given where the cpu draws; give one made by Generator(kCPU), or draw on a tensor of ",
               impl_->device());
    return static_cast<CPUGeneratorImpl&>(*impl_);
}
Generator& Generator::manual_seed(std::uint64_t s) {
    any_impl().set_current_seed(s);
    return *this;
}
std::uint64_t Generator::current_seed() const { return any_impl().current_seed(); }
std::uint64_t Generator::seed() {
    std::random_device entropy;
    const std::uint64_t s = std::uint64_t(entropy()) << 32 | entropy();
    manual_seed(s);
    return s;
}
Tensor Generator::get_state() const { return any_impl().get_state(); }
void Generator::set_state(const Tensor& state) { any_impl().set_state(state); }
Device Generator::device() const { return any_impl().device(); }
Generator Generator::clone() const { return Generator(any_impl().clone()); }
std::mutex& Generator::mutex() const { return any_impl().mutex(); }

} // namespace reel
