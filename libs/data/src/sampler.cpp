#include <reel/data/sampler.hpp>

#include <algorithm>

#include <reel/autograd/ops.hpp>

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

RandomSampler::RandomSampler(std::size_t size, std::optional<Generator> generator)
    : size_(size), generator_(std::move(generator)) {
    RandomSampler::reset();
}
void RandomSampler::reset(std::optional<std::size_t> new_size) {
    size_ = new_size.value_or(size_);
    index_ = 0;
    const Tensor order = reel::randperm(std::int64_t(size_), generator_);
    const std::int64_t* p = order.data_ptr<std::int64_t>();
    order_.assign(p, p + size_);
}
std::optional<std::vector<std::size_t>> RandomSampler::next(std::size_t batch_size) {
    if (index_ >= size_) return std::nullopt;
    const std::size_t end = std::min(index_ + batch_size, size_);
    std::vector<std::size_t> r(order_.begin() + std::ptrdiff_t(index_), order_.begin() + std::ptrdiff_t(end));
    index_ = end;
    return r;
}

} // namespace reel::data::samplers
