// The CPU generator: a 32-bit Mersenne Twister (Matsumoto and Nishimura, 1998) with PyTorch's way of drawing from it.
#include <reel/autograd/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

#include <reel/autograd/value.hpp>

#include "cpu/random/twister.hpp"
#include "tensor/raw.hpp"

namespace reel {

namespace {
constexpr int n = 624;
} // namespace

CPUGeneratorImpl::CPUGeneratorImpl(std::uint64_t seed) : GeneratorImpl(kCPU) { set_current_seed(seed); }

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
    cpu::twister_kernels.refill(state_);
    left_ = n;
    next_ = 0;
}
std::uint32_t CPUGeneratorImpl::random() {
    if (--left_ == 0) refill();
    std::uint32_t y = state_[next_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}
void CPUGeneratorImpl::random(std::uint32_t* to, std::int64_t count) {
    while (count > 0) {
        if (left_ == 1) {
            refill();
            ++left_; // nothing of it is drawn yet
        }
        const int some = int(std::min<std::int64_t>(count, left_ - 1));
        cpu::twister_kernels.temper(to, state_ + next_, some);
        left_ -= some;
        next_ += std::uint32_t(some);
        to += some;
        count -= some;
    }
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
/// The state as PyTorch's get_rng_state writes it: these bytes are public there and part of checkpoints.
struct SavedState {
    std::uint64_t seed;
    std::int32_t left, seeded;
    std::uint64_t next;
    std::uint64_t state[n]; ///< 32 bits each
    double unused_x, normal, unused_rho;
    std::int32_t has_normal, padding;
    float float_normal;
    std::uint8_t has_float_normal, tail[3];
};
static_assert(sizeof(SavedState) == 5056 && offsetof(SavedState, float_normal) == 5048);
} // namespace

Tensor CPUGeneratorImpl::get_state() const {
    SavedState s{};
    std::copy(std::begin(state_), std::end(state_), s.state);
    s.seed = seed_, s.left = left_, s.seeded = 1, s.next = next_;
    s.normal = next_normal.value_or(0), s.has_normal = next_normal.has_value();
    s.float_normal = next_float_normal.value_or(0), s.has_float_normal = next_float_normal.has_value();
    Tensor t = detail::empty_raw({std::int64_t(sizeof(s))}, kByte);
    std::memcpy(t.data_ptr(), &s, sizeof(s));
    return t;
}
void CPUGeneratorImpl::set_state(const Tensor& state) {
    SavedState s;
    REEL_CHECK_TYPE(state.defined() && state.scalar_type() == kByte && state.is_cpu(), "Generator.set_state: state is ",
                    Value(state).repr(), "; expected a uint8 tensor on the CPU, as get_state returns it");
    REEL_CHECK_VALUE(state.numel() == std::int64_t(sizeof(s)), "Generator.set_state: state has ", state.numel(),
                     " bytes; expected the ", sizeof(s), " that get_state and PyTorch's get_rng_state return");
    const Tensor c = state.contiguous();
    std::memcpy(&s, c.data_ptr(), sizeof(s));
    const bool words = std::all_of(s.state, s.state + n, [](std::uint64_t w) { return w <= 0xffffffffu; });
    const bool inside = s.left >= 1 && s.left <= n && s.next <= std::uint64_t(n + 1 - s.left);
    REEL_CHECK_VALUE(inside && words, "Generator.set_state: state holds no state of a generator: left is ", s.left,
                     ", next is ", s.next, "; expected 1 to ", n, ", 0 to ", n, ", ", n + 1,
                     " together at most, and words of 32 bits");
    std::copy(s.state, s.state + n, state_);
    left_ = s.left, next_ = std::uint32_t(s.next), seed_ = s.seed;
    next_normal = s.has_normal ? std::optional(s.normal) : std::nullopt;
    next_float_normal = s.has_float_normal ? std::optional(s.float_normal) : std::nullopt;
}

std::shared_ptr<GeneratorImpl> CPUGeneratorImpl::clone() const {
    auto copy = std::make_shared<CPUGeneratorImpl>(seed_);
    copy->set_state(get_state());
    return copy;
}

} // namespace reel
