#include <reel/data/samplers/subset_random.hpp>

#include <reel/autograd/error.hpp>

#include "samplers/state.hpp"

namespace reel::data::samplers {

SubsetRandomSampler::SubsetRandomSampler(std::vector<std::size_t> indices, std::optional<Generator> generator)
    : indices_(std::move(indices)), order_(std::int64_t(indices_.size()), std::move(generator)) {}
void SubsetRandomSampler::reset(std::optional<std::size_t> new_size) {
    REEL_CHECK_VALUE(!new_size || *new_size == indices_.size(), "SubsetRandomSampler: reset to ", new_size.value_or(0),
                     " elements, but it has ", indices_.size(), " indices");
    order_.reset();
}
std::optional<std::vector<std::size_t>> SubsetRandomSampler::next(std::size_t batch_size) {
    auto r = order_.next(batch_size);
    if (r)
        for (std::size_t& i : *r) i = indices_[i];
    return r;
}
Value SubsetRandomSampler::state_dict() const { return order_.state_dict(); }
void SubsetRandomSampler::load_state_dict(const Value& state) {
    const Tensor order = indices_in(state, "SubsetRandomSampler", "indices");
    REEL_CHECK_VALUE(std::size_t(order.size(0)) == indices_.size(),
                     "SubsetRandomSampler: load_state_dict: the state "
                     "is one of ",
                     order.size(0), " elements, but it has ", indices_.size(), " indices");
    std::size_t begin = 0;
    for (const std::size_t i : take_indices(order, begin, indices_.size()).value_or(std::vector<std::size_t>()))
        REEL_CHECK_VALUE(i < indices_.size(), "SubsetRandomSampler: load_state_dict: place ", i, " of ",
                         indices_.size());
    order_.load_state_dict(state);
}

} // namespace reel::data::samplers
