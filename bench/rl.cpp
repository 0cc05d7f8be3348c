// Environments, collection of experience, n-step returns, prioritised replay: the work of bench/peers/rl.py. Only on
// request (reel-bench THREADS rl_). Figures are microseconds a step, a frame or a call.
#include <memory>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/rl/collectors/collector.hpp>
#include <reel/rl/collectors/multi_collector.hpp>
#include <reel/rl/envs/gym_env.hpp>
#include <reel/rl/envs/vector_env.hpp>
#include <reel/rl/modules/actors.hpp>
#include <reel/rl/modules/mlp.hpp>
#include <reel/rl/postprocs/multi_step.hpp>
#include <reel/rl/replay/lazy_tensor_storage.hpp>
#include <reel/rl/replay/prioritized_replay_buffer.hpp>

#include "bench.hpp"

namespace bench {

using namespace reel;
using namespace reel::rl;

namespace {

/// Random actions, a reset wherever an episode ends: the time of a step of the whole batch.
void steps_of(const char* name, const std::function<EnvPtr()>& make, int inner) {
    if (!wanted(name)) return;
    const EnvPtr env = make();
    env->set_seed(0);
    TensorDict td = env->reset();
    row(name, median_us([&] { td = env->step_and_maybe_reset(env->rand_action(td)).second; }, 50, 11, inner));
}

/// A greedy policy of two layers.
Policy two_layers(const EnvPtr& env) {
    const QValueActor actor(MLP(MLPOptions(4, 2).num_cells({64})), {"observation"},
                            QValueActorOptions().spec(env->action_spec()));
    return [actor](TensorDict td) mutable { return actor->forward(td); };
}
void collectors() {
    constexpr std::int64_t frames = 1024;
    if (wanted("rl_collector_frame")) {
        const EnvPtr env = GymEnv("CartPole-v1");
        Collector collector(env, two_layers(env), CollectorOptions(frames));
        collector.set_seed(0);
        row("rl_collector_frame", median_us([&] { collector.next(); }, 2, 11, 1) / frames);
    }
    if (wanted("rl_collector_2_envs_frame") && get_num_threads() > 1) {
        const auto make = [] { return GymEnv("CartPole-v1"); };
        MultiCollector collector({make, make}, two_layers(make()), CollectorOptions(frames), get_num_threads());
        collector.set_seed(0);
        row("rl_collector_2_envs_frame", median_us([&] { collector.next(); }, 2, 11, 1) / frames);
    }
}

/// 256 rows of 64 steps, of which every twentieth ends a trajectory; four entries move beside reward and flags.
TensorDict trajectories() {
    const std::int64_t b = 256, t = 64;
    const Tensor done = rand({b, t, 1}).lt(0.05);
    return TensorDict({{"observation", randn({b, t, 4})},
                       {"action", randint(2, {b, t})},
                       {{"next", "observation"}, randn({b, t, 4})},
                       {{"next", "state"}, randn({b, t, 8})},
                       {{"next", "goal"}, randn({b, t, 2})},
                       {{"next", "step_count"}, randint(500, {b, t, 1})},
                       {{"next", "reward"}, randn({b, t, 1})},
                       {{"next", "done"}, done},
                       {{"next", "terminated"}, done},
                       {{"next", "truncated"}, zeros({b, t, 1}, kBool)}},
                      {b, t});
}

void replay() {
    if (!wanted("rl_replay_sample") && !wanted("rl_replay_update") && !wanted("rl_replay_extend")) return;
    constexpr std::int64_t n = 1000000, batch = 256;
    TensorDictPrioritizedReplayBuffer buffer(0.6, 0.4, TensorDictReplayBufferOptions().storage(LazyTensorStorage(n)));
    const auto rows = [](std::int64_t count) {
        return TensorDict({{"observation", randn({count, 4})},
                           {"action", randint(2, {count})},
                           {{"next", "observation"}, randn({count, 4})},
                           {{"next", "reward"}, randn({count, 1})},
                           {{"next", "done"}, zeros({count, 1}, kBool)}},
                          {count});
    };
    buffer.extend(rows(n));
    buffer.update_priority(arange(n), rand({n}));
    const Tensor index = randint(n, {batch}), priority = rand({batch});
    const TensorDict more = rows(batch);
    if (wanted("rl_replay_sample_256_of_1M"))
        row("rl_replay_sample_256_of_1M", median_us([&] { buffer.sample(batch); }, 20, 101, 5));
    if (wanted("rl_replay_update_256_of_1M"))
        row("rl_replay_update_256_of_1M", median_us([&] { buffer.update_priority(index, priority); }, 20, 101, 5));
    if (wanted("rl_replay_extend_256"))
        row("rl_replay_extend_256", median_us([&] { buffer.extend(more); }, 20, 101, 5));
}

} // namespace

void rl() {
    steps_of(
        "rl_cartpole_step", [] { return GymEnv("CartPole-v1"); }, 1000);
    steps_of(
        "rl_cartpole_256_step", [] { return GymEnv("CartPole-v1", GymEnvOptions().batch_size({256})); }, 100);
    steps_of(
        "rl_cartpole_vector_env_256_step",
        [] {
            return as_env(VectorEnv(
                256, [] { return GymEnv("CartPole-v1"); }, VectorEnvOptions().num_threads(get_num_threads())));
        },
        20);
    collectors();
    if (wanted("rl_multi_step_256x64")) {
        const NoGradGuard no_grad;
        const TensorDict batch = trajectories();
        MultiStep multi_step(0.99, 3);
        row("rl_multi_step_256x64", median_us([&] { multi_step->forward(batch); }, 5, 51, 1));
    }
    replay();
}

} // namespace bench
