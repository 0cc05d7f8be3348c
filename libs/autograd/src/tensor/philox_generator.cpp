// The generator of a device.
#include <reel/autograd/philox_generator.hpp>

#include <cstring>

#include <reel/autograd/error.hpp>
#include <reel/autograd/value.hpp>

#include "tensor/raw.hpp"

namespace reel {

void PhiloxGeneratorImpl::set_current_seed(std::uint64_t seed) {
    seed_ = seed;
    offset_ = 0;
}
void PhiloxGeneratorImpl::set_offset(std::uint64_t offset) {
    REEL_CHECK_VALUE(offset % 4 == 0, "Generator.set_offset: ", offset,
                     " is not a multiple of 4; a counter gives four "
                     "numbers of 32 bits");
    offset_ = offset;
}
std::uint64_t PhiloxGeneratorImpl::take(std::uint64_t counters) {
    const std::uint64_t first = offset_ / 4;
    offset_ += 4 * counters;
    return first;
}
Tensor PhiloxGeneratorImpl::get_state() const {
    const std::uint64_t words[] = {seed_, offset_};
    Tensor t = detail::empty_raw({std::int64_t(sizeof words)}, kByte);
    std::memcpy(t.data_ptr(), words, sizeof words);
    return t;
}
void PhiloxGeneratorImpl::set_state(const Tensor& state) {
    std::uint64_t words[2];
    REEL_CHECK_TYPE(state.defined() && state.scalar_type() == kByte && state.is_cpu(), "Generator.set_state: state is ",
                    Value(state).repr(), "; expected a uint8 tensor on the CPU, as get_state returns it");
    REEL_CHECK_VALUE(state.numel() == std::int64_t(sizeof words), "Generator.set_state: state has ", state.numel(),
                     " bytes; expected the ", sizeof words, " of a generator of ", device(), ", seed and offset");
    std::memcpy(words, state.contiguous().data_ptr(), sizeof words);
    REEL_CHECK_VALUE(words[1] % 4 == 0, "Generator.set_state: the state's offset is ", words[1],
                     "; expected a multiple of 4");
    seed_ = words[0];
    offset_ = words[1];
}
std::shared_ptr<GeneratorImpl> PhiloxGeneratorImpl::clone() const {
    auto copy = std::make_shared<PhiloxGeneratorImpl>(device(), seed_);
    copy->offset_ = offset_;
    return copy;
}

} // namespace reel
