#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/rl/envs/classic_control/classic_control_env.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>

#include <reel/autograd/random.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/rl/specs/unbounded.hpp>

#include "detail/host_tensor.hpp"
#include "envs/render/canvas.hpp"
#include "specs/spec_impl.hpp"
#include "tensordict/dict_impl.hpp"

namespace reel::rl {
namespace {

std::vector<std::int64_t> followed_by(const std::vector<std::int64_t>& batch, IntArrayRef last) {
    std::vector<std::int64_t> sizes = batch;
    sizes.insert(sizes.end(), last.begin(), last.end());
    return sizes;
}
TensorSpec batched(const TensorSpec& spec, const std::vector<std::int64_t>& batch) {
    return spec.expand(followed_by(batch, spec.shape()));
}

} // namespace

ClassicControlEnv::ClassicControlEnv(Setup setup)
    : EnvBase(setup.batch_size), name_(std::move(setup.name)), state_size_(setup.state_size),
      observation_size_(setup.observation.shape().back()), choices_(setup.action.is_discrete() ? setup.action.n() : 0),
      categorical_(setup.categorical), max_episode_steps_(setup.max_episode_steps) {
    REEL_CHECK_VALUE(!max_episode_steps_ || *max_episode_steps_ >= 1, name_, ": expected at least one step, got ",
                     "max_episode_steps ", *max_episode_steps_);
    const std::vector<std::int64_t>& batch = setup.batch_size;
    const auto composite = [&](const char* key, const TensorSpec& spec) {
        return Composite({{key, batched(spec, batch)}}, batch);
    };
    EnvSpecs specs{batch, composite("action", setup.action), composite("observation", setup.observation),
                   composite("reward", Unbounded({1})), Composite(IntArrayRef(batch))};
    set_specs(std::move(specs));
    const std::size_t n = std::size_t(numel());
    state_.assign(n * std::size_t(state_size_), 0.0);
    elapsed_.assign(n, 0);
    choice_.assign(choices_ ? n : 0, 0);
    row_sizes_ = followed_by(batch, {1});
    observation_sizes_ = followed_by(batch, {observation_size_});
}

// --- states
Tensor ClassicControlEnv::state() const {
    const auto [out, values] = detail::host_tensor<double>(followed_by(batch_size(), {state_size_}));
    std::copy(state_.begin(), state_.end(), values);
    return out;
}
void ClassicControlEnv::set_state(const Tensor& state) {
    const std::vector<std::int64_t> sizes = followed_by(batch_size(), {state_size_});
    REEL_CHECK(state.defined() && (state.sizes().equals(sizes) || state.sizes().equals({state_size_})), name_,
               ".set_state: expected sizes ", detail::sizes_text(sizes), " or [", state_size_, "], got ",
               state.defined() ? detail::sizes_text(state.sizes().vec()) : std::string("an undefined tensor"));
    const Tensor values = state.detach().cpu().to(kDouble).expand(sizes).contiguous();
    const double* const from = values.data_ptr<double>();
    for (std::size_t i = 0; i < state_.size(); ++i)
        REEL_CHECK_VALUE(std::isfinite(from[i]), name_, ".set_state: element ", i % std::size_t(state_size_),
                         " of environment ", i / std::size_t(state_size_), " is ", from[i],
                         "; expected finite numbers");
    std::copy_n(from, state_.size(), state_.begin());
    std::fill(elapsed_.begin(), elapsed_.end(), 0);
    for (std::int64_t i = 0; i < numel(); ++i) forget(i);
    begun_ = true;
}
TensorDict ClassicControlEnv::reset_to(const Tensor& state) {
    set_state(state);
    return observed();
}
TensorDict ClassicControlEnv::observed() const {
    auto dict = detail::DictImpl::make(batch_size(), std::nullopt, 4);
    auto [observation, observed] = detail::host_tensor<float>(observation_sizes_);
    observe(state_.data(), numel(), observed);
    dict->slots.push_back({"observation", std::move(observation)});
    for (const char* flag : {"done", "terminated", "truncated"})
        dict->slots.push_back({flag, reel::zeros(row_sizes_, TensorOptions(kBool))});
    return detail::DictImpl::handle(std::move(dict));
}

// --- running
TensorDict ClassicControlEnv::do_reset(const std::optional<TensorDict>& td) {
    const Tensor mask = reset_mask(td);
    REEL_CHECK(!mask.defined() || begun_, name_, ".reset: the first reset must be of all environments, got a mask");
    const bool* const chosen = mask.defined() ? mask.data_ptr<bool>() : nullptr;
    const Generator& source = generator().defined() ? generator() : reel::detail::getDefaultCPUGenerator();
    {
        const std::lock_guard lock(source.mutex());
        for (std::int64_t i = 0; i < numel(); ++i) {
            if (chosen && !chosen[i]) continue;
            draw_state(state_.data() + i * state_size_, source.impl());
            elapsed_[std::size_t(i)] = 0;
            forget(i);
        }
    }
    begun_ = true;
    return observed();
}

void ClassicControlEnv::decode(const Tensor& action) {
    const std::int64_t* const given = action.data_ptr<std::int64_t>();
    const std::int64_t n = numel();
    if (categorical_) {
        for (std::int64_t i = 0; i < n; ++i)
            choice_[std::size_t(i)] = std::clamp<std::int64_t>(given[i], 0, choices_ - 1);
        return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t* const row = given + i * choices_;
        std::int64_t at = 0; // without branches: choices cannot be predicted
        for (std::int64_t k = 1; k < choices_; ++k) at += row[k] != 0 ? k : 0;
        choice_[std::size_t(i)] = std::min(at, choices_ - 1);
    }
}

TensorDict ClassicControlEnv::do_step(const TensorDict& td) {
    REEL_CHECK(begun_, name_, ".step: expected a reset before the first step");
    Tensor action = td["action"];
    if (!action.device().is_cpu()) action = action.cpu();
    action = action.contiguous();
    if (choices_) decode(action);
    auto [observation, observed] = detail::host_tensor<float>(observation_sizes_);
    auto [reward, gained] = detail::host_tensor<float>(row_sizes_);
    auto [done, d] = detail::host_tensor<bool>(row_sizes_);
    auto [terminated, te] = detail::host_tensor<bool>(row_sizes_);
    auto [truncated, tr] = detail::host_tensor<bool>(row_sizes_);
    const std::int64_t n = numel();
    advance({n, state_.data(), choices_ ? choice_.data() : nullptr, choices_ ? nullptr : action.data_ptr<float>(),
             gained, te});
    observe(state_.data(), n, observed);
    const std::int64_t limit = max_episode_steps_.value_or(INT64_MAX);
    for (std::int64_t i = 0; i < n; ++i) {
        tr[i] = ++elapsed_[std::size_t(i)] >= limit;
        d[i] = te[i] || tr[i];
    }
    auto dict = detail::DictImpl::make(batch_size(), std::nullopt, 5);
    dict->slots.push_back({"observation", std::move(observation)});
    dict->slots.push_back({"reward", std::move(reward)});
    dict->slots.push_back({"done", std::move(done)});
    dict->slots.push_back({"terminated", std::move(terminated)});
    dict->slots.push_back({"truncated", std::move(truncated)});
    return detail::DictImpl::handle(std::move(dict));
}

// --- pictures, saved states
Tensor ClassicControlEnv::render(std::int64_t index) const {
    REEL_CHECK_INDEX(index >= 0 && index < numel(), name_, ".render: there is no environment ", index,
                     " in a batch of ", numel());
    REEL_CHECK(begun_, name_, ".render: expected a reset before");
    const auto [height, width] = render_size();
    detail::Canvas canvas(height, width);
    draw(canvas, state_.data() + index * state_size_);
    return canvas.picture();
}
void ClassicControlEnv::do_state_dict(TensorDict& to) const {
    to.set("state", state());
    to.set("elapsed", reel::tensor(elapsed_));
    to.set("begun", reel::tensor(begun_));
}
void ClassicControlEnv::do_load_state_dict(const TensorDict& from) {
    const Tensor state = from["state"], elapsed = from["elapsed"], begun = from["begun"];
    const std::vector<std::int64_t> sizes = followed_by(batch_size(), {state_size_});
    REEL_CHECK(state.sizes().equals(sizes) && state.scalar_type() == kDouble, name_,
               ".load_state_dict: expected 'state' of sizes ", detail::sizes_text(sizes), " and dtype float64, got ",
               detail::sizes_text(state.sizes().vec()), " and ", dtype_name(state.scalar_type()));
    REEL_CHECK(elapsed.sizes().equals({numel()}) && elapsed.scalar_type() == kLong, name_,
               ".load_state_dict: expected 'elapsed' of sizes [", numel(), "] and dtype int64, got ",
               detail::sizes_text(elapsed.sizes().vec()), " and ", dtype_name(elapsed.scalar_type()));
    const bool was_begun = begun.item<bool>();
    const Tensor s = state.contiguous(), e = elapsed.contiguous();
    std::copy_n(s.data_ptr<double>(), state_.size(), state_.begin());
    std::copy_n(e.data_ptr<std::int64_t>(), elapsed_.size(), elapsed_.begin());
    begun_ = was_begun;
}

} // namespace reel::rl
