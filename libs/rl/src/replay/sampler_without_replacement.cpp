#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/rl/replay/sampler_without_replacement.hpp>

#include <algorithm>

#include "replay/state.hpp"

namespace reel::rl {

Draw SamplerWithoutReplacement::sample(const ReplayStorage& storage, const RoundRobinWriter&, std::int64_t batch_size,
                                       const std::optional<Generator>& generator) {
    const std::int64_t size = storage.size();
    const bool other = !order_.defined() || order_.size(0) != size;
    if (other || next_ >= size || (drop_last_ && next_ + batch_size > size)) {
        order_ = shuffle_ ? randperm(size, generator, kLong) : arange(size, kLong);
        next_ = 0;
    }
    const std::int64_t count = std::min(batch_size, size - next_);
    const Tensor index = order_.narrow(0, next_, count);
    next_ += count;
    ran_out_ = next_ == size || (drop_last_ && next_ + batch_size > size);
    return {index, {}, {}};
}
void SamplerWithoutReplacement::clear() {
    order_ = Tensor();
    next_ = 0;
    ran_out_ = false;
}
Value SamplerWithoutReplacement::state_dict() const {
    ValueDict state{{"next", next_}, {"ran_out", ran_out_}};
    if (order_.defined()) state.set("order", order_);
    return state;
}
CommitLoad SamplerWithoutReplacement::prepare_load(const Value& state, std::int64_t size) {
    constexpr const char* name = "SamplerWithoutReplacement";
    const bool ran_out = replay::flag_in(state, name, "ran_out");
    if (!state.toGenericDict().contains("order")) return [this] { clear(); };
    const Tensor order = replay::vector_in(state, name, "order", kLong);
    const std::int64_t next = replay::count_in(state, name, "next", order.size(0));
    // each of the places once, or it would read behind the entries
    REEL_CHECK_VALUE(order.size(0) <= size && std::get<0>(order.sort()).equal(arange(order.size(0), kLong)), name,
                     ": load_state_dict: 'order' is no order of at most ", size, " entries");
    return [this, order, next, ran_out] {
        order_ = order;
        next_ = next;
        ran_out_ = ran_out;
    };
}

} // namespace reel::rl
