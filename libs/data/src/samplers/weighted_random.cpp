#include <reel/autograd/ops/random/sampling.hpp>
#include <reel/data/samplers/weighted_random.hpp>

#include <reel/autograd/tensor_factory.hpp>

#include "samplers/state.hpp"

namespace reel::data::samplers {

WeightedRandomSampler::WeightedRandomSampler(const Tensor& weights, std::size_t num_samples, bool replacement,
                                             std::optional<Generator> generator)
    : num_samples_(num_samples), replacement_(replacement), generator_(std::move(generator)) {
    REEL_CHECK_VALUE(weights.defined() && weights.dim() == 1,
                     "WeightedRandomSampler: weights should be one number per "
                     "element, got ",
                     weights.defined() ? str("shape ", weights.sizes()) : "an undefined tensor");
    weights_ = weights.detach().to(kDouble).clone();
    WeightedRandomSampler::reset();
}
WeightedRandomSampler::WeightedRandomSampler(const std::vector<double>& weights, std::size_t num_samples,
                                             bool replacement, std::optional<Generator> generator)
    : WeightedRandomSampler(reel::tensor(weights), num_samples, replacement, std::move(generator)) {}

void WeightedRandomSampler::check(std::size_t num_samples) const {
    REEL_CHECK_VALUE(num_samples > 0, "WeightedRandomSampler: num_samples must be positive");
    REEL_CHECK_VALUE(replacement_ || num_samples <= std::size_t(weights_.size(0)),
                     "WeightedRandomSampler: cannot draw ", num_samples, " of ", weights_.size(0),
                     " elements without replacement");
}
void WeightedRandomSampler::reset(std::optional<std::size_t> new_size) {
    const std::size_t n = new_size.value_or(num_samples_);
    check(n);
    indices_ = reel::multinomial(weights_, std::int64_t(n), replacement_, generator_);
    num_samples_ = n;
    index_ = 0;
}
std::optional<std::vector<std::size_t>> WeightedRandomSampler::next(std::size_t batch_size) {
    return take_indices(indices_, index_, batch_size);
}
Value WeightedRandomSampler::state_dict() const {
    ValueDict state{{"index", index_}, {"indices", indices_}};
    put_generator(state, generator_);
    return state;
}
void WeightedRandomSampler::load_state_dict(const Value& state) {
    const std::size_t index = count_in(state, "WeightedRandomSampler", "index");
    Tensor indices = indices_in(state, "WeightedRandomSampler", "indices");
    REEL_CHECK_VALUE(index <= std::size_t(indices.size(0)), "WeightedRandomSampler: load_state_dict: 'index' is ",
                     index, ", but there are only ", indices.size(0), " indices");
    get_generator(state, "WeightedRandomSampler", generator_);
    indices_ = std::move(indices);
    index_ = index;
}

} // namespace reel::data::samplers
