// Which generator a thread draws from where none is given.
#include <reel/autograd/detail/default_generators.hpp>

#include <reel/autograd/cuda.hpp>
#include <reel/autograd/detail/private_generator.hpp>
#include <reel/autograd/error.hpp>
#include <reel/autograd/generator_scope.hpp>
#include <reel/autograd/philox_generator.hpp>
#include <reel/autograd/random.hpp>

#include "tensor/drawing.hpp"

namespace reel {

namespace detail {

namespace {
PhiloxGeneratorImpl& philox(const Generator& g) { return static_cast<PhiloxGeneratorImpl&>(g.any_impl()); }
} // namespace

DeviceGenerators::DeviceGenerators() : seed_(PhiloxGeneratorImpl::default_seed) {}
Generator DeviceGenerators::at(DeviceIndex index) {
    const std::lock_guard lock(mutex_);
    REEL_CHECK(index >= 0, "Generator: ", int(index), " is no index of a device");
    while (made_.size() <= std::size_t(index))
        made_.emplace_back(std::shared_ptr<GeneratorImpl>(
            std::make_shared<PhiloxGeneratorImpl>(Device(kCUDA, DeviceIndex(made_.size())), seed_)));
    return made_[std::size_t(index)];
}
void DeviceGenerators::seed_all(std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    seed_ = seed;
    for (const Generator& g : made_) {
        const std::lock_guard drawing(g.mutex());
        g.any_impl().set_current_seed(seed);
    }
}
DeviceGenerators::State DeviceGenerators::state() const {
    const std::lock_guard lock(mutex_);
    State s{seed_, {}};
    for (const Generator& g : made_) {
        const std::lock_guard drawing(g.mutex());
        s.generators.emplace_back(philox(g).current_seed(), philox(g).get_offset());
    }
    return s;
}
void DeviceGenerators::set_state(const State& state) {
    const std::lock_guard lock(mutex_);
    seed_ = state.seed;
    for (std::size_t i = 0; i < made_.size(); ++i) {
        const std::lock_guard drawing(made_[i].mutex());
        // one that was made since is where it would have begun
        const auto [seed, offset] =
            i < state.generators.size() ? state.generators[i] : std::pair(state.seed, std::uint64_t(0));
        philox(made_[i]).set_current_seed(seed);
        philox(made_[i]).set_offset(offset);
    }
}

const GeneratorsOfScope*& generators_of_scope() {
    static thread_local const GeneratorsOfScope* innermost = nullptr;
    return innermost;
}
DeviceGenerators& device_generators() {
    static DeviceGenerators everywhere;
    for (const GeneratorsOfScope* s = generators_of_scope(); s; s = s->before)
        if (s->devices) return *s->devices;
    return everywhere;
}

const Generator& getDefaultCPUGenerator() {
    static const Generator everywhere(kCPU);
    for (const GeneratorsOfScope* s = generators_of_scope(); s; s = s->before)
        if (s->one && s->one->device().is_cpu()) return *s->one;
    return everywhere;
}
Generator default_generator(Device device) {
    if (device.is_cpu()) return getDefaultCPUGenerator();
    REEL_CHECK_NOT_IMPLEMENTED(device.is_cuda(), "Generator: there are generators for cpu and cuda, not for ", device);
    const DeviceIndex index = device.has_index() ? device.index() : current_cuda_device();
    for (const GeneratorsOfScope* s = generators_of_scope(); s; s = s->before) {
        if (s->devices) break;
        if (s->one->device() == Device(kCUDA, index)) return *s->one;
    }
    return device_generators().at(index);
}
Generator createCPUGenerator(std::uint64_t seed) { return make_generator<CPUGeneratorImpl>(seed); }

} // namespace detail

namespace {
/// Puts the scope's generators in place while it lives.
struct InPlace {
    detail::GeneratorsOfScope scope;
    InPlace(const Generator* one, detail::DeviceGenerators* devices)
        : scope{one, devices, detail::generators_of_scope()} {
        static_cast<void>(one->any_impl()); // throws when there is none
        detail::generators_of_scope() = &scope;
    }
    ~InPlace() { detail::generators_of_scope() = scope.before; }
    InPlace(const InPlace&) = delete;
};
} // namespace

struct PrivateGenerator::Impl {
    Generator own{kCPU};
    detail::DeviceGenerators devices;
    InPlace in_place{&own, &devices};
};
PrivateGenerator::PrivateGenerator() : impl_(std::make_unique<Impl>()) {}
PrivateGenerator::~PrivateGenerator() = default;

struct GeneratorScope::Impl {
    Generator generator;
    InPlace in_place{&generator, nullptr};
};
GeneratorScope::GeneratorScope(Generator generator) : impl_(new Impl{std::move(generator)}) {}
GeneratorScope::~GeneratorScope() = default;

Tensor get_rng_state() {
    detail::Drawing drawing;
    return drawing.generator().get_state();
}
void set_rng_state(const Tensor& state) { detail::Drawing().generator().set_state(state); }
void manual_seed(std::uint64_t seed) {
    detail::Drawing().generator().set_current_seed(seed);
    cuda::manual_seed_all(seed);
}

} // namespace reel
