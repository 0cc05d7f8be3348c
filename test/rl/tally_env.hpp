// An environment whose every number is known.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <reel/autograd/ops.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/rl/envs/env_base.hpp>
#include <reel/rl/specs/unbounded.hpp>

namespace reel::testing {

/// "observation" [*B, 1] counts steps since the reset, "noise" [*B, 1] is drawn from the environment's generator; the
/// reward is the action times ten plus the count. Environment e of the batch ends after `limit` + e steps.
class TallyEnv : public rl::EnvBase {
public:
    explicit TallyEnv(std::int64_t limit, std::vector<std::int64_t> batch = {}) : EnvBase(batch), limit_(limit) {
        std::vector<std::int64_t> sizes = batch;
        sizes.push_back(1);
        rl::EnvSpecs specs;
        specs.batch_size = batch;
        const rl::Unbounded number(sizes);
        for (rl::Composite* c : {&specs.action, &specs.observation, &specs.reward, &specs.done})
            *c = rl::Composite(batch);
        specs.action.set("action", rl::TensorSpec(number));
        specs.observation.set("observation", rl::TensorSpec(number));
        specs.observation.set("noise", rl::TensorSpec(number));
        specs.reward.set("reward", rl::TensorSpec(number));
        set_specs(specs);
        count_.assign(std::size_t(numel()), 0);
    }
    std::string name() const override { return "TallyEnv"; }
    /// Called with the number of a step since the beginning, before it is made.
    std::function<void(int)> before_step;
    int resets = 0;

protected:
    rl::TensorDict do_reset(const std::optional<rl::TensorDict>& td) override {
        const Tensor mask = reset_mask(td);
        for (std::size_t e = 0; e < count_.size(); ++e)
            if (!mask.defined() || mask.data_ptr<bool>()[e]) count_[e] = 0;
        ++resets;
        return observed();
    }
    rl::TensorDict do_step(const rl::TensorDict& td) override {
        if (before_step) before_step(steps_);
        ++steps_;
        for (double& count : count_) ++count;
        rl::TensorDict next = observed();
        const Tensor count = next["observation"];
        next.set("reward", td["action"] * 10 + count);
        std::vector<std::int64_t> sizes = batch_size();
        sizes.push_back(1);
        const Tensor ends = reel::empty(sizes, kBool);
        for (std::size_t e = 0; e < count_.size(); ++e)
            ends.data_ptr<bool>()[e] = count_[e] >= double(limit_ + std::int64_t(e));
        next.set("terminated", ends);
        next.set("truncated", reel::zeros_like(ends));
        return next;
    }
    void do_state_dict(rl::TensorDict& state) const override {
        const Tensor counts = reel::empty({std::int64_t(count_.size())}, kDouble);
        for (std::size_t e = 0; e < count_.size(); ++e) counts.data_ptr<double>()[e] = count_[e];
        state.set("count", counts);
    }
    void do_load_state_dict(const rl::TensorDict& state) override {
        const Tensor counts = state["count"];
        REEL_CHECK(counts.numel() == std::int64_t(count_.size()), "TallyEnv: state of ", counts.numel(),
                   " environments, expected ", count_.size());
        for (std::size_t e = 0; e < count_.size(); ++e) count_[e] = counts.data_ptr<double>()[e];
    }

private:
    rl::TensorDict observed() {
        std::vector<std::int64_t> sizes = batch_size();
        sizes.push_back(1);
        const Tensor counts = reel::empty(sizes);
        for (std::size_t e = 0; e < count_.size(); ++e) counts.data_ptr<float>()[e] = float(count_[e]);
        rl::TensorDict td{IntArrayRef(batch_size())};
        td.set("observation", counts);
        td.set("noise", reel::rand(sizes, generator()));
        return td;
    }
    std::int64_t limit_;
    int steps_ = 0;
    std::vector<double> count_;
};

} // namespace reel::testing
