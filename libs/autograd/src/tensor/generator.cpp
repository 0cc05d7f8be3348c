// The CPU generator: a 32-bit Mersenne Twister (Matsumoto and Nishimura, 1998) with PyTorch's way of drawing from it.
#include <reel/autograd/ops/factory/factories.hpp>
#include <reel/autograd/random.hpp>

#include <cstring>
#include <random>

#include <reel/autograd/detail/private_generator.hpp>
#include <reel/autograd/generator_scope.hpp>

#include "tensor/drawing.hpp"

namespace reel {

namespace {
constexpr int n = 624, m = 397;
std::uint32_t twist(std::uint32_t u, std::uint32_t v) {
    return (((u & 0x80000000u) | (v & 0x7fffffffu)) >> 1) ^ ((v & 1u) ? 0x9908b0dfu : 0u);
}
} // namespace

CPUGeneratorImpl::CPUGeneratorImpl(std::uint64_t seed) { set_current_seed(seed); }

void CPUGeneratorImpl::set_current_seed(std::uint64_t seed) {
    seed_ = seed;
    state_[0] = std::uint32_t(seed);
    for (int j = 1; j < n; ++j) state_[j] = 1812433253u * (state_[j - 1] ^ (state_[j - 1] >> 30)) + std::uint32_t(j);
    left_ = 1;
    next_ = 0;
    next_normal.reset();
    next_float_normal.reset();
}
void CPUGeneratorImpl::refill() {
    std::uint32_t* p = state_;
    left_ = n;
    next_ = 0;
    for (int j = n - m + 1; --j; p++) *p = p[m] ^ twist(p[0], p[1]);
    for (int j = m; --j; p++) *p = p[m - n] ^ twist(p[0], p[1]);
    *p = p[m - n] ^ twist(p[0], state_[0]);
}
std::uint32_t CPUGeneratorImpl::random() {
    if (--left_ == 0) refill();
    std::uint32_t y = state_[next_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}
std::uint64_t CPUGeneratorImpl::random64() {
    const std::uint64_t high = random();
    return high << 32 | random();
}
float CPUGeneratorImpl::uniform_float() { return float(random() & ((1u << 24) - 1)) * (1.f / float(1u << 24)); }
double CPUGeneratorImpl::uniform_double() {
    return double(random64() & ((1ull << 53) - 1)) * (1.0 / double(1ull << 53));
}

namespace {
struct SavedState {
    std::uint32_t state[n];
    std::int32_t left;
    std::uint32_t next;
    std::uint64_t seed;
    double normal;
    float float_normal;
    std::uint8_t has_normal, has_float_normal;
};
} // namespace

Tensor CPUGeneratorImpl::get_state() const {
    SavedState s{};
    std::memcpy(s.state, state_, sizeof(state_));
    s.left = left_, s.next = next_, s.seed = seed_;
    s.normal = next_normal.value_or(0), s.has_normal = next_normal.has_value();
    s.float_normal = next_float_normal.value_or(0), s.has_float_normal = next_float_normal.has_value();
    Tensor t = reel::empty({std::int64_t(sizeof(s))}, kByte);
    std::memcpy(t.data_ptr(), &s, sizeof(s));
    return t;
}
void CPUGeneratorImpl::set_state(const Tensor& state) {
    SavedState s;
    REEL_CHECK_TYPE(state.scalar_type() == kByte, "Generator.set_state: expected a uint8 tensor, got ",
                    dtype_name(state.scalar_type()));
    REEL_CHECK_VALUE(state.numel() == std::int64_t(sizeof(s)), "Generator.set_state: expected ", sizeof(s),
                     " bytes, got ", state.numel());
    const Tensor c = state.contiguous();
    std::memcpy(&s, c.data_ptr(), sizeof(s));
    REEL_CHECK_VALUE(s.left >= 1 && s.left <= n && s.next <= std::uint32_t(n),
                     "Generator.set_state: the state is corrupt");
    std::memcpy(state_, s.state, sizeof(state_));
    left_ = s.left, next_ = s.next, seed_ = s.seed;
    next_normal = s.has_normal ? std::optional(s.normal) : std::nullopt;
    next_float_normal = s.has_float_normal ? std::optional(s.float_normal) : std::nullopt;
}

Generator::Generator(Device device) : impl_(std::make_shared<CPUGeneratorImpl>()) {
    REEL_CHECK_NOT_IMPLEMENTED(device.is_cpu(), "Generator: there are generators for cpu only, not for ", device);
}
CPUGeneratorImpl& Generator::impl() const {
    REEL_CHECK(impl_, "an undefined Generator was used");
    return *impl_;
}
Generator& Generator::manual_seed(std::uint64_t s) {
    impl().set_current_seed(s);
    return *this;
}
std::uint64_t Generator::current_seed() const { return impl().current_seed(); }
std::uint64_t Generator::seed() {
    std::random_device entropy;
    const std::uint64_t s = std::uint64_t(entropy()) << 32 | entropy();
    manual_seed(s);
    return s;
}
Tensor Generator::get_state() const { return impl().get_state(); }
void Generator::set_state(const Tensor& state) { impl().set_state(state); }
Generator Generator::clone() const {
    Generator g(kCPU);
    g.set_state(get_state());
    return g;
}
std::mutex& Generator::mutex() const { return impl().mutex(); }

namespace {
thread_local const Generator* private_generator = nullptr;
} // namespace
PrivateGenerator::PrivateGenerator() : own_(kCPU), before_(private_generator) { private_generator = &own_; }
PrivateGenerator::~PrivateGenerator() { private_generator = before_; }
GeneratorScope::GeneratorScope(Generator generator) : generator_(std::move(generator)), before_(private_generator) {
    static_cast<void>(generator_.impl()); // throws when there is none
    private_generator = &generator_;
}
GeneratorScope::~GeneratorScope() { private_generator = before_; }

namespace detail {
const Generator& getDefaultCPUGenerator() {
    static const Generator g(kCPU);
    return private_generator ? *private_generator : g;
}
Generator createCPUGenerator(std::uint64_t seed) { return Generator(std::make_shared<CPUGeneratorImpl>(seed)); }
} // namespace detail
void manual_seed(std::uint64_t seed) { detail::Drawing().generator().set_current_seed(seed); }

} // namespace reel
