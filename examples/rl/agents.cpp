// Agents: dictionaries of tensors, environments, policies, collectors, n-step returns, replay, and a loss, step by
// step.
#include <cstdio>

#include <reel/reel.hpp>
#include <reel/rl.hpp>

using namespace reel;
using namespace reel::rl;

void dictionaries() {
    TensorDict steps({2, 5}); // two rows of five steps: all entries begin with these sizes
    steps.set("observation", randn({2, 5, 4}));
    steps.set({"next", "reward"}, ones({2, 5, 1}));
    const Tensor reward = steps[{"next", "reward"}]; // the tensor itself, no copy
    const TensorDict row = steps[0];                 // a view of every entry
    std::printf("%s\n", row.str().c_str());
    try {
        steps["observatoin"];
    } catch (const KeyError& e) {
        std::printf("%s\n", e.msg().c_str());
    }
}

void environments() {
    TransformedEnv env(GymEnv("CartPole-v1"), StepCounter(), RewardSum());
    env.set_seed(0);
    const TensorDict rollout = env.rollout(500); // random actions until it falls
    std::printf("fell after %d steps, return %g\n", int(rollout.batch_size(0)),
                rollout[{"next", "episode_reward"}][-1].item<double>());

    TensorDict td = env.reset();
    for (int t = 0; t < 3; ++t) {
        env.rand_action(td);
        env.step(td);          // writes what came of the action under "next"
        td = env.step_mdp(td); // which is the root of the next step
    }
}

/// Mean return of ten episodes.
double evaluate(const Policy& policy) {
    const EnvPtr env = GymEnv("CartPole-v1");
    env->set_seed(100);
    const NoGradGuard no_grad;
    double sum = 0;
    for (int episode = 0; episode < 10; ++episode)
        sum += env->rollout(500, policy)[{"next", "reward"}].sum().item<double>();
    return sum / 10;
}

int main() {
    manual_seed(0);
    dictionaries();
    environments();

    const EnvPtr env = GymEnv("CartPole-v1", GymEnvOptions().batch_size({8}));
    const MLP network(MLPOptions(4, 2).num_cells({64, 64}).activation_class(module_class<nn::ReLU>()));
    const QValueActor actor(network, {"observation"}, QValueActorOptions().spec(GymEnv("CartPole-v1")->action_spec()));
    const EGreedyModule explore(env->action_spec(),
                                EGreedyModuleOptions().eps_init(1).eps_end(0.05).annealing_num_steps(6000));
    const TensorDictSequential policy(actor, explore);

    SyncDataCollector collector(env, policy, CollectorOptions(/*frames_per_batch=*/128, /*total_frames=*/40960));
    collector.set_seed(0);

    MultiStepTransform returns(MultiStepOptions(/*gamma=*/0.99, /*n_steps=*/2).move_done(true));
    returns.flattens = true; // eight rows of steps become single ones
    TensorDictReplayBuffer buffer(
        TensorDictReplayBufferOptions().storage(LazyTensorStorage(16384)).batch_size(128).transform(returns));

    const DQNLoss loss(actor, DQNLossOptions().double_dqn(true).loss_function("smooth_l1"));
    SoftUpdate target(loss, SoftUpdateOptions().tau(0.01));
    optim::Adam adam(actor->parameters(), optim::AdamOptions(1e-3));

    const double before = evaluate(actor);
    for (const TensorDict& batch : collector) {
        buffer.extend(batch.exclude({"collector"}));
        explore->step(batch.numel());
        if (buffer.size() < 1024) continue;
        for (int i = 0; i < 64; ++i) {
            adam.zero_grad();
            loss(buffer.sample())["loss"].backward();
            nn::utils::clip_grad_norm_(actor->parameters(), 10);
            adam.step();
            target.step();
        }
    }
    std::printf("mean return before %.1f, after %d steps %.1f\n", before, int(collector.frames()), evaluate(actor));
    return 0;
}
