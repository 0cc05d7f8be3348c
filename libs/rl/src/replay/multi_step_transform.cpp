// Frames wait until what follows them is known.
#include <reel/rl/replay/multi_step_transform.hpp>

#include <algorithm>

#include <reel/autograd/printing.hpp>

#include "postprocs/multi_step_rule.hpp"
#include "replay/state.hpp"

namespace reel::rl {

namespace {

constexpr const char* name = "MultiStepTransform";

/// Steps [begin, end) of all rows.
TensorDict steps_of(const TensorDict& data, std::int64_t begin, std::int64_t end) {
    std::vector<indexing::TensorIndex> index(std::size_t(data.batch_dims() - 1), indexing::Slice());
    index.emplace_back(indexing::Slice(begin, end));
    return data.index(index);
}

bool same_rows(IntArrayRef a, IntArrayRef b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end() - 1, b.begin());
}

} // namespace

MultiStepTransform::MultiStepTransform(const MultiStepOptions& options) : options_(options) {
    MultiStepRule::check(name, options_);
}

void MultiStepTransform::set_n_steps(std::int64_t n_steps) {
    MultiStepOptions changed = options_;
    MultiStepRule::check(name, changed.n_steps(n_steps));
    options_ = changed;
}

std::optional<TensorDict> MultiStepTransform::on_write(TensorDict data) {
    const std::int64_t dims = data.batch_dims(), keep = options_.n_steps();
    REEL_CHECK_VALUE(dims > 0, name, ": the tensordict's batch size is [], expected [*B, T] with time last");
    if (held_) {
        REEL_CHECK(same_rows(held_->batch_size(), data.batch_size()), name, ": frames of batch size ",
                   IntArrayRef(data.batch_size()), " do not follow those held back, of ",
                   IntArrayRef(held_->batch_size()), "; only the last dimension, time, may differ");
        data = cat({*held_, data}, dims - 1);
    }
    const MultiStepRule rule{name, options_, done_key, done_keys, reward_keys, mask_key};
    const TensorDict whole = rule(data);
    const std::int64_t length = data.batch_size(-1), ready = length - keep;
    // copies: the caller may write to what it handed over
    if (keep > 0) held_ = steps_of(data, std::max<std::int64_t>(ready, 0), length).clone();
    else held_.reset();
    if (ready <= 0) return std::nullopt;
    const TensorDict known = steps_of(whole, 0, ready);
    return flattens ? known.reshape({-1}) : known;
}

Value MultiStepTransform::state_dict() const {
    ValueDict state{{"n_steps", options_.n_steps()}, {"held", Value()}};
    // nobody writes to these tensors, so that they can be shared
    if (held_) state.set("held", replay::value_of(*held_, held_->batch_size(0), false));
    return state;
}

void MultiStepTransform::load_state_dict(const Value& state) {
    const std::int64_t n_steps = replay::count_in(state, name, "n_steps", std::numeric_limits<std::int64_t>::max() - 1);
    const Value& held = replay::entry(state, name, "held");
    std::optional<TensorDict> frames;
    if (!held.isNone()) {
        frames = replay::dict_in(held, name).clone();
        REEL_CHECK_VALUE(frames->batch_dims() > 0, name, ": load_state_dict: 'held' has the batch size []");
    }
    set_n_steps(n_steps);
    held_ = std::move(frames);
}

} // namespace reel::rl
