// n-step returns: ten random steps of a pole on a cart, and what MultiStep makes of them.
#include <cstdio>

#include <reel/reel.hpp>
#include <reel/rl.hpp>

using namespace reel;
using namespace reel::rl;

/// "1 2 3"
std::string row(const Tensor& t) {
    std::string text;
    const Tensor flat = t.reshape({-1});
    for (std::int64_t i = 0; i < flat.numel(); ++i) text += (i ? " " : "") + str(flat[i].item<double>());
    return text;
}

int main() {
    manual_seed(0);
    const auto env = std::make_shared<TransformedEnv>(GymEnv("CartPole-v1"), StepCounter());
    env->set_seed(0);
    SyncDataCollector collector(env, RandomPolicy(env->action_spec()),
                                CollectorOptions(10, 2000).postproc(MultiStep(/*gamma=*/0.99, /*n_steps=*/4)));
    TensorDict data;
    for (const TensorDict& batch : collector) {
        data = batch;
        break;
    }
    std::printf("step_count          %s\n", row(data["step_count"]).c_str());
    // what stands under "next" comes from up to four steps later
    std::printf("next step_count     %s\n", row(data[{"next", "step_count"}]).c_str());
    std::printf("steps_to_next_obs   %s\n", row(data["steps_to_next_obs"]).c_str());
    std::printf("rewards             %s\n", row(data[{"next", "original_reward"}]).c_str());
    std::printf("discounted sums     %s\n", row(data[{"next", "reward"}]).c_str());

    // The Python package counts the current step as one of the four.
    const MultiStep counted(MultiStepOptions(0.99, 4).counts_current_step(true));
    SyncDataCollector again(env, RandomPolicy(env->action_spec()), CollectorOptions(10, 10).postproc(counted));
    std::printf("as Python counts    %s\n", row((*again.next())[{"next", "step_count"}]).c_str());
    return 0;
}
