// Trajectories that gymnasium computed (test/rl/trajectories), replayed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <reel/autograd.hpp>
#include <reel/rl.hpp>

namespace reel::testing {

/// Representable numbers between two floats; 0 for equal ones.
inline std::int64_t ulps(float a, float b) {
    if (std::isnan(a) || std::isnan(b)) return INT64_MAX;
    const auto place = [](float f) {
        std::int32_t bits;
        std::memcpy(&bits, &f, sizeof bits);
        return bits < 0 ? std::int64_t(INT32_MIN) - bits : std::int64_t(bits);
    };
    return std::abs(place(a) - place(b));
}

inline std::filesystem::path trajectory_file(const std::string& name) {
    std::filesystem::path p = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    while (p.has_relative_path() && !std::filesystem::exists(p / "Jamroot")) p = p.parent_path();
    return p / "test/rl/trajectories" / (name + ".txt");
}

struct Replayed {
    std::int64_t steps = 0, ends = 0, worst_observation = 0, worst_reward = 0, wrong_flags = 0;
};
/// Runs the actions of a file from its states and compares what comes of them.
inline Replayed replay(const std::string& name, rl::ClassicControlEnv& env) {
    Replayed result;
    std::ifstream in(trajectory_file(name));
    rl::TensorDict td;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string kind;
        words >> kind;
        if (kind == "state") {
            std::vector<double> state;
            for (double x; words >> x;) state.push_back(x);
            td = env.reset_to(reel::tensor(state, TensorOptions(kDouble)));
            continue;
        }
        double action, reward;
        int terminated;
        words >> action >> reward >> terminated;
        std::vector<float> observation;
        for (float x; words >> x;) observation.push_back(x);
        const rl::TensorSpec spec = env.action_spec();
        if (spec.is_discrete()) td.set("action", reel::one_hot(reel::tensor(std::int64_t(action)), spec.n()));
        else td.set("action", reel::tensor({float(action)}));
        const rl::TensorDict next = env.step(td).dict("next");
        const Tensor seen = next["observation"];
        for (std::size_t i = 0; i < observation.size(); ++i)
            result.worst_observation =
                std::max(result.worst_observation, ulps(seen.data_ptr<float>()[i], observation[i]));
        result.worst_reward = std::max(result.worst_reward, ulps(next["reward"].item<float>(), float(reward)));
        result.wrong_flags += next["terminated"].item<bool>() != bool(terminated);
        result.wrong_flags += next["done"].item<bool>() != bool(terminated) || next["truncated"].item<bool>();
        result.ends += terminated;
        ++result.steps;
    }
    return result;
}

} // namespace reel::testing
