#include <reel/autograd/ops/random/random.hpp>
#include <reel/data/samplers/distributed.hpp>

#include <reel/autograd/random.hpp>

#include "samplers/state.hpp"

namespace reel::data::samplers {

DistributedSampler::DistributedSampler(std::size_t size, std::size_t num_replicas, std::size_t rank,
                                       bool allow_duplicates)
    : size_(size), num_replicas_(num_replicas), rank_(rank), allow_duplicates_(allow_duplicates) {
    REEL_CHECK_VALUE(num_replicas > 0, "DistributedSampler: num_replicas is 0; expected at least one");
    REEL_CHECK_VALUE(rank < num_replicas, "DistributedSampler: rank is ", rank, "; expected less than num_replicas, ",
                     num_replicas);
}
std::size_t DistributedSampler::local_count() const noexcept {
    return (size_ + (allow_duplicates_ ? num_replicas_ - 1 : 0)) / num_replicas_;
}
void DistributedSampler::reset(std::optional<std::size_t> new_size) {
    size_ = new_size.value_or(size_);
    index_ = 0;
    fill();
}
std::optional<std::vector<std::size_t>> DistributedSampler::next(std::size_t batch_size) {
    if (index_ >= indices_.size()) return std::nullopt;
    const auto from = indices_.begin() + std::ptrdiff_t(index_);
    const std::size_t n = std::min(batch_size, indices_.size() - index_);
    index_ += n;
    return std::vector<std::size_t>(from, from + std::ptrdiff_t(n));
}
Value DistributedSampler::state_dict() const { return ValueDict{{"index", index_}, {"epoch", epoch_}}; }
void DistributedSampler::load_state_dict(const Value& state) {
    const std::size_t index = count_in(state, "DistributedSampler", "index");
    const std::size_t epoch = count_in(state, "DistributedSampler", "epoch");
    REEL_CHECK_VALUE(index <= local_count(), "DistributedSampler: load_state_dict: 'index' is ", index,
                     ", but each of ", num_replicas_, " replicas has only ", local_count(), " elements");
    epoch_ = epoch;
    fill(); // the order of that epoch
    index_ = index;
}

DistributedRandomSampler::DistributedRandomSampler(std::size_t size, std::size_t num_replicas, std::size_t rank,
                                                   bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
    fill();
}
std::vector<std::size_t> DistributedRandomSampler::share() const {
    std::vector<std::size_t> r(local_count());
    if (r.empty()) return r;
    const Tensor order =
        reel::randperm(std::int64_t(r.size() * num_replicas()), reel::detail::createCPUGenerator(epoch()));
    const std::int64_t* at = order.const_data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = std::size_t(at[rank() + i * num_replicas()]) % size();
    return r;
}

DistributedSequentialSampler::DistributedSequentialSampler(std::size_t size, std::size_t num_replicas, std::size_t rank,
                                                           bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
    fill();
}
std::vector<std::size_t> DistributedSequentialSampler::share() const {
    std::vector<std::size_t> r(local_count());
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = (rank() * r.size() + i) % size();
    return r;
}

} // namespace reel::data::samplers
