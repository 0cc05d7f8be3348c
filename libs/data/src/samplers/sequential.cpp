#include <reel/data/samplers/sequential.hpp>

#include "samplers/state.hpp"

namespace reel::data::samplers {

void SequentialSampler::reset(std::optional<std::size_t> new_size) {
    size_ = new_size.value_or(size_);
    index_ = 0;
}
std::optional<std::vector<std::size_t>> SequentialSampler::next(std::size_t batch_size) {
    if (index_ >= size_) return std::nullopt;
    std::vector<std::size_t> r(std::min(batch_size, size_ - index_));
    for (std::size_t& i : r) i = index_++;
    return r;
}
Value SequentialSampler::state_dict() const { return ValueDict{{"index", index_}}; }
void SequentialSampler::load_state_dict(const Value& state) {
    const std::size_t index = count_in(state, "SequentialSampler", "index");
    // one without elements learns from reset() how many there are
    REEL_CHECK_VALUE(size_ == 0 || index <= size_, "SequentialSampler: load_state_dict: 'index' is ", index,
                     ", but there are only ", size_, " elements");
    index_ = index;
}

} // namespace reel::data::samplers
