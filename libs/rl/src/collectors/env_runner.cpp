#include "collectors/env_runner.hpp"

#include <cstring>
#include <utility>

#include <reel/autograd/generator_scope.hpp>
#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/tensor_factory.hpp>
#include <reel/rl/envs/transforms/step_counter.hpp>
#include <reel/rl/envs/transforms/transformed_env.hpp>
#include <reel/rl/modules/random_policy.hpp>

#include "detail/seeds.hpp"

namespace reel::rl::detail {

namespace {
EnvPtr limited(const std::string& whose, EnvPtr env, std::int64_t max_frames) {
    REEL_CHECK_VALUE(env, whose, ": the environment is empty");
    if (max_frames == 0) return env;
    REEL_CHECK_VALUE(!env->full_observation_spec().contains("step_count"), whose,
                     ": max_frames_per_traj counts steps under 'step_count', but ", env->name(),
                     " has such an entry already; give its StepCounter max_steps instead");
    return std::make_shared<TransformedEnv>(std::move(env), StepCounter(max_frames));
}
} // namespace

EnvRunner::EnvRunner(const std::string& whose, EnvPtr env, Policy policy, const CollectorOptions& options,
                     std::int64_t first_id, std::int64_t id_stride)
    : whose_(whose), env_(limited(whose, std::move(env), options.max_frames_per_traj())), policy_(std::move(policy)),
      reset_at_each_iter_(options.reset_at_each_iter()), exploration_type_(options.exploration_type()),
      first_id_(first_id), id_stride_(id_stride), generator_(kCPU), root_rows_(whose, "next"),
      next_rows_(whose + ", 'next'"), ids_(std::size_t(env_->numel())) {
    if (RandomPolicy* random = policy_.target<RandomPolicy>(); random && !random->has_action_spec())
        random->set_action_spec(env_->full_action_spec());
    for (const NestedKey& key : env_->done_keys())
        if (key.back() == "done") done_keys_.push_back(key);
}

TensorDict EnvRunner::collect(std::int64_t steps, bool random) {
    const NoGradGuard no_grad;
    const GeneratorScope draws(generator_);
    const set_exploration_type exploration(exploration_type_ ? exploration_type_ : exploration_type());
    if (!begun_ || reset_at_each_iter_) begin();
    std::vector<std::int64_t> sizes = env_->batch_size();
    const auto dim = std::int64_t(sizes.size());
    sizes.push_back(steps);
    const Tensor ids = reel::empty(sizes, kLong);
    root_rows_.start(steps, dim);
    next_rows_.start(steps, dim);
    for (std::int64_t t = 0; t < steps; ++t) {
        act(random || !policy_);
        root_rows_.write(t, root_);
        write_ids(ids.data_ptr<std::int64_t>(), t, steps);
        auto [step, root] = env_->step_and_maybe_reset(root_);
        const TensorDict next = step.dict("next");
        next_rows_.write(t, next);
        give_new_ids(next);
        root_ = std::move(root);
    }
    TensorDict batch = root_rows_.take();
    batch.set("next", next_rows_.take());
    batch.set({"collector", "traj_ids"}, ids);
    return batch;
}

void EnvRunner::begin() {
    begun_ = false;
    root_ = env_->reset();
    for (std::int64_t& id : ids_) id = first_id_ + id_stride_ * trajectories_++;
    begun_ = true;
}
void EnvRunner::act(bool random) {
    if (random) {
        root_ = env_->rand_action(root_);
        return;
    }
    const TensorDict chosen = policy_(root_);
    if (!chosen.is(root_)) root_.update(chosen);
}
/// Environments that are done have been reset.
void EnvRunner::give_new_ids(const TensorDict& next) {
    for (std::size_t e = 0; e < ids_.size(); ++e) {
        bool ended = false;
        for (const NestedKey& key : done_keys_) {
            const Tensor flags = next[key].contiguous();
            const std::size_t each = std::size_t(flags.numel()) / ids_.size();
            if (each) ended = ended || std::memchr(flags.data_ptr<bool>() + e * each, 1, each);
        }
        if (ended) ids_[e] = first_id_ + id_stride_ * trajectories_++;
    }
}
void EnvRunner::write_ids(std::int64_t* to, std::int64_t row, std::int64_t count) const {
    for (std::size_t e = 0; e < ids_.size(); ++e) to[std::int64_t(e) * count + row] = ids_[e];
}

void EnvRunner::seed_generator(std::int64_t seed) { generator_.manual_seed(std::uint64_t(seed_of_part(seed, -1))); }
std::int64_t EnvRunner::set_seed(std::int64_t seed) {
    seed_generator(seed);
    return env_->set_seed(seed);
}

TensorDict EnvRunner::state_dict() const {
    TensorDict state;
    state.set("env", env_->state_dict());
    state.set("generator", generator_.get_state());
    state.set("trajectories", reel::tensor(trajectories_, kLong));
    if (begun_) {
        state.set("root", (root_.contains("next") ? root_.exclude({"next"}) : root_).clone());
        state.set("traj_ids", reel::tensor(ids_, kLong));
    }
    return state;
}
void EnvRunner::load_state_dict(const TensorDict& state) {
    Generator generator(kCPU);
    generator.set_state(state["generator"]);
    const std::int64_t trajectories = state["trajectories"].item<std::int64_t>();
    const bool begun = state.contains("root");
    TensorDict root;
    std::vector<std::int64_t> ids = ids_;
    if (begun) {
        root = state.dict("root").clone();
        const Tensor saved = state["traj_ids"].contiguous();
        REEL_CHECK(root.batch_size() == env_->batch_size() && saved.scalar_type() == kLong &&
                       saved.numel() == std::int64_t(ids.size()),
                   whose_, ".load_state_dict: the state is that of environments of batch size ",
                   IntArrayRef(root.batch_size()), " (", saved.numel(), " trajectories), here it is ",
                   IntArrayRef(env_->batch_size()));
        ids.assign(saved.data_ptr<std::int64_t>(), saved.data_ptr<std::int64_t>() + saved.numel());
    }
    env_->load_state_dict(state.dict("env")); // changes nothing when it throws
    generator_ = generator;
    trajectories_ = trajectories;
    begun_ = begun;
    root_ = root;
    ids_ = ids;
}

} // namespace reel::rl::detail
