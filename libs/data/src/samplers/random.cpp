#include <reel/autograd/ops/random/random.hpp>
#include <reel/data/samplers/random.hpp>

#include "samplers/state.hpp"

namespace reel::data::samplers {

RandomSampler::RandomSampler(std::int64_t size, Dtype index_dtype) : RandomSampler(size, std::nullopt, index_dtype) {}
RandomSampler::RandomSampler(std::int64_t size, std::optional<Generator> generator, Dtype index_dtype)
    : generator_(std::move(generator)) {
    REEL_CHECK_VALUE(size >= 0, "RandomSampler: size is ", size);
    REEL_CHECK_TYPE(isIntegralType(index_dtype, false), "RandomSampler: index_dtype is ", index_dtype,
                    ", expected an integer type");
    indices_ = reel::randperm(size, generator_, index_dtype);
}
void RandomSampler::reset(std::optional<std::size_t> new_size) {
    const std::int64_t size = new_size ? std::int64_t(*new_size) : indices_.size(0);
    indices_ = reel::randperm(size, generator_, indices_.scalar_type());
    index_ = 0;
}
std::optional<std::vector<std::size_t>> RandomSampler::next(std::size_t batch_size) {
    return take_indices(indices_, index_, batch_size);
}
Value RandomSampler::state_dict() const {
    ValueDict state{{"index", index_}, {"indices", indices_}};
    put_generator(state, generator_);
    return state;
}
void RandomSampler::load_state_dict(const Value& state) {
    const std::size_t index = count_in(state, "RandomSampler", "index");
    Tensor indices = indices_in(state, "RandomSampler", "indices");
    REEL_CHECK_VALUE(index <= std::size_t(indices.size(0)), "RandomSampler: load_state_dict: 'index' is ", index,
                     ", but there are only ", indices.size(0), " indices");
    get_generator(state, "RandomSampler", generator_);
    indices_ = std::move(indices);
    index_ = index;
}

} // namespace reel::data::samplers
