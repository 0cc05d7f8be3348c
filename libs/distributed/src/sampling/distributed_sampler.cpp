#include <reel/distributed/distributed_sampler.hpp>

#include <algorithm>
#include <numeric>

#include <reel/autograd/generator.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/random.hpp>
#include <reel/distributed/session.hpp>

namespace reel::distributed {

namespace {
using Base = data::samplers::DistributedSampler;

std::size_t checked_size(std::int64_t size) {
    REEL_CHECK_VALUE(size >= 0, "DistributedSampler: size is ", size, "; expected the number of elements");
    return std::size_t(size);
}
std::size_t checked_replicas(std::int64_t replicas) {
    REEL_CHECK_VALUE(replicas > 0, "DistributedSampler: num_replicas is ", replicas, "; expected at least one");
    return std::size_t(replicas);
}
std::size_t checked_rank(std::int64_t rank, std::int64_t replicas) {
    checked_replicas(replicas); // of no replicas every rank is wrong
    REEL_CHECK_VALUE(rank >= 0 && rank < replicas, "DistributedSampler: rank is ", rank, "; expected one of 0 to ",
                     replicas - 1, " for ", replicas, " replicas");
    return std::size_t(rank);
}
std::size_t entry(const ValueDict& state, const char* key) {
    const Value* v = state.find(std::string_view(key));
    REEL_CHECK_WITH(KeyError, v, "DistributedSampler: load_state_dict: there is no '", key, "'");
    REEL_CHECK_TYPE(v->isInt(), "DistributedSampler: load_state_dict: '", key, "' is a ", v->kind_name(),
                    "; expected an int");
    REEL_CHECK_VALUE(v->toInt() >= 0, "DistributedSampler: load_state_dict: '", key, "' is ", v->toInt(),
                     "; expected no negative number");
    return std::size_t(v->toInt());
}
} // namespace

DistributedSampler::DistributedSampler(std::int64_t size, std::optional<std::int64_t> num_replicas,
                                       std::optional<std::int64_t> rank, bool shuffle, std::uint64_t seed,
                                       bool drop_last)
    : Base(checked_size(size), checked_replicas(num_replicas ? *num_replicas : world_size()),
           checked_rank(rank ? *rank : distributed::rank(), num_replicas ? *num_replicas : world_size()), !drop_last),
      shuffle_(shuffle), drop_last_(drop_last), seed_(seed) {
    fill();
}

std::vector<std::size_t> DistributedSampler::share_from(std::size_t begin) const {
    const std::size_t length = Base::size(), n = num_replicas();
    std::vector<std::size_t> order(length);
    if (!shuffle_) std::iota(order.begin(), order.end(), std::size_t(0));
    else if (length > 0) {
        const Tensor drawn = reel::randperm(std::int64_t(length), reel::detail::createCPUGenerator(seed_ + epoch()));
        const std::int64_t* at = drawn.const_data_ptr<std::int64_t>();
        std::copy(at, at + length, order.begin());
    }
    // What other replicas left over need not be a multiple of this number of them.
    const std::size_t left = length - std::min(begin, length), each = (left + (drop_last_ ? 0 : n - 1)) / n;
    std::vector<std::size_t> r(each);
    for (std::size_t i = 0; i < each; ++i) r[i] = order[(begin + rank() + i * n) % length];
    return r;
}
std::vector<std::size_t> DistributedSampler::share() const { return share_from(begin_); }
std::vector<std::int64_t> DistributedSampler::indices() const {
    const std::vector<std::size_t> r = share_from(0);
    return {r.begin(), r.end()};
}
void DistributedSampler::reset(std::optional<std::size_t> new_size) {
    if (going_on_ != epoch() || index() > 0) begin_ = 0;
    going_on_.reset();
    Base::reset(new_size);
}

Value DistributedSampler::state_dict() const {
    return ValueDict{
        {"size", Base::size()}, {"epoch", epoch()}, {"index", index()}, {"seen", begin_ + index() * num_replicas()}};
}
void DistributedSampler::load_state_dict(const Value& state) {
    REEL_CHECK_TYPE(state.isGenericDict(), "DistributedSampler: load_state_dict: expected a dict, got ",
                    state.kind_name());
    const ValueDict& dict = state.toGenericDict();
    const std::size_t length = entry(dict, "size"), epoch = entry(dict, "epoch"), seen = entry(dict, "seen");
    REEL_CHECK_VALUE(length == Base::size(), "DistributedSampler: load_state_dict: the saved sampler visited ", length,
                     " elements, this one visits ", Base::size());
    set_epoch(epoch);
    begin_ = seen;
    Base::reset(std::nullopt);
    going_on_ = epoch;
}

} // namespace reel::distributed
