#include <reel/data/samplers/stream.hpp>

#include "samplers/state.hpp"

namespace reel::data::samplers {

void StreamSampler::reset(std::optional<std::size_t> new_size) {
    epoch_size_ = new_size.value_or(epoch_size_);
    examples_retrieved_so_far_ = 0;
}
std::optional<BatchSize> StreamSampler::next(std::size_t batch_size) {
    if (examples_retrieved_so_far_ >= epoch_size_) return std::nullopt;
    const std::size_t n = std::min(batch_size, epoch_size_ - examples_retrieved_so_far_);
    examples_retrieved_so_far_ += n;
    return BatchSize(n);
}
Value StreamSampler::state_dict() const { return ValueDict{{"examples_retrieved_so_far", examples_retrieved_so_far_}}; }
void StreamSampler::load_state_dict(const Value& state) {
    const std::size_t n = count_in(state, "StreamSampler", "examples_retrieved_so_far");
    REEL_CHECK_VALUE(n <= epoch_size_, "StreamSampler: load_state_dict: 'examples_retrieved_so_far' is ", n,
                     ", but a pass has only ", epoch_size_, " elements");
    examples_retrieved_so_far_ = n;
}

} // namespace reel::data::samplers
