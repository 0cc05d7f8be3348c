#include "episodes.hpp"

#include <algorithm>
#include <numeric>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>

namespace agents {

using namespace reel;
using rl::TensorDict;

std::vector<double> episode_returns(rl::EnvBase& env, const rl::Policy& policy, std::int64_t max_steps) {
    const NoGradGuard no_grad;
    std::vector<double> returns(std::size_t(env.numel()));
    std::vector<bool> over(returns.size());
    const rl::NestedKey reward_key = env.reward_key().under("next");
    TensorDict now = env.reset();
    for (std::int64_t t = 0; t < max_steps && !std::all_of(over.begin(), over.end(), [](bool o) { return o; }); ++t) {
        auto [step, next] = env.step_and_maybe_reset(policy(now));
        const Tensor reward = step[reward_key].to(kDouble).contiguous(), done = step[{"next", "done"}].contiguous();
        for (std::size_t i = 0; i < returns.size(); ++i) {
            if (!over[i]) returns[i] += reward.data_ptr<double>()[i];
            over[i] = over[i] || done.data_ptr<bool>()[i];
        }
        now = next;
    }
    return returns;
}
double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.) / double(std::max<std::size_t>(values.size(), 1));
}

Film film_of(rl::EnvBase& env, const rl::Policy& policy, std::int64_t max_steps, std::size_t count) {
    const NoGradGuard no_grad;
    std::vector<Tensor> pictures;
    TensorDict now = env.reset();
    pictures.push_back(env.render());
    for (std::int64_t t = 0; t < max_steps; ++t) {
        const TensorDict step = env.step(policy(now));
        pictures.push_back(env.render());
        if (step[{"next", "done"}].any().item<bool>()) break;
        now = env.step_mdp(step);
    }
    Film film;
    film.steps = std::int64_t(pictures.size()) - 1;
    count = std::min(count, pictures.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = count > 1 ? i * (pictures.size() - 1) / (count - 1) : 0;
        film.frames.push_back(pictures[at]);
        film.captions.push_back("step " + std::to_string(at));
    }
    return film;
}

} // namespace agents
