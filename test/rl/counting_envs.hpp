// Small environments whose every number is known.
#pragma once

#include <string>
#include <vector>

#include <reel/autograd.hpp>
#include <reel/rl.hpp>

namespace reel::testing {

/// Counts its steps: the observation is the count, the reward a tenth of it, and environment i of the batch terminates
/// at `length` + i.
class CountingEnv : public rl::EnvBase {
public:
    explicit CountingEnv(std::int64_t length, std::vector<std::int64_t> batch = {})
        : EnvBase(batch), length_(length), count_(std::size_t(numel()), 0) {
        std::vector<std::int64_t> row = batch;
        row.push_back(1);
        set_specs({batch, rl::Composite({{"action", rl::Categorical(3, batch)}}, batch),
                   rl::Composite({{"observation", rl::Unbounded(IntArrayRef(row))}}, batch),
                   rl::Composite({{"reward", rl::Unbounded(IntArrayRef(row))}}, batch), rl::Composite(batch)});
    }
    std::string name() const override { return "CountingEnv"; }
    int resets = 0; ///< of single environments

protected:
    rl::TensorDict do_reset(const std::optional<rl::TensorDict>& td) override {
        const Tensor mask = reset_mask(td);
        for (std::size_t i = 0; i < count_.size(); ++i)
            if (!mask.defined() || mask.data_ptr<bool>()[i]) {
                count_[i] = 0;
                ++resets;
            }
        return rl::TensorDict({{"observation", counts()}}, batch_size());
    }
    rl::TensorDict do_step(const rl::TensorDict&) override {
        Tensor ended = reel::zeros(full_done_spec()["done"].shape(), TensorOptions(kBool));
        for (std::size_t i = 0; i < count_.size(); ++i)
            ended.data_ptr<bool>()[i] = ++count_[i] >= length_ + std::int64_t(i);
        return rl::TensorDict({{"observation", counts()}, {"reward", reel::mul(counts(), 0.1)}, {"terminated", ended}},
                              batch_size());
    }

private:
    Tensor counts() const {
        return reel::tensor(count_).to(kFloat).reshape(full_observation_spec()["observation"].shape());
    }
    std::int64_t length_;
    std::vector<std::int64_t> count_;
};

/// Two groups of a batch of two, each with flags, a reward and an action of its own; the "left" one ends after 2 steps,
/// the "right" one after 3.
class GroupsEnv : public rl::EnvBase {
public:
    GroupsEnv() : EnvBase({2}) {
        rl::EnvSpecs specs{{2}, rl::Composite({2}), rl::Composite({2}), rl::Composite({2}), rl::Composite({2})};
        for (const char* group : {"left", "right"}) {
            specs.action.set({group, "action"}, rl::Bounded(-1, 1, {2, 3}));
            specs.observation.set({group, "observation"}, rl::Unbounded({2, 1}));
            specs.reward.set({group, "reward"}, rl::Unbounded({2, 1}));
            specs.done.set({group, "done"}, rl::Categorical(2, {2, 1}, kBool));
        }
        set_specs(specs);
    }
    std::string name() const override { return "GroupsEnv"; }

protected:
    rl::TensorDict do_reset(const std::optional<rl::TensorDict>& td) override {
        rl::TensorDict out({2});
        for (int g = 0; g < 2; ++g) {
            const std::string group = g ? "right" : "left";
            const std::optional<Tensor> mask =
                td ? td->get(rl::NestedKey(std::vector<std::string>{group, "_reset"})) : std::nullopt;
            for (std::int64_t i = 0; i < 2; ++i)
                if (!mask || mask->reshape({2})[i].item<bool>()) count_[g][i] = 0;
            write(out, g);
        }
        return out;
    }
    rl::TensorDict do_step(const rl::TensorDict&) override {
        rl::TensorDict out({2});
        for (int g = 0; g < 2; ++g) {
            for (std::int64_t i = 0; i < 2; ++i) ++count_[g][i];
            write(out, g);
            const Tensor counts = reel::tensor({{count_[g][0]}, {count_[g][1]}});
            const std::string group = g ? "right" : "left";
            out.set(rl::NestedKey(std::vector<std::string>{group, "reward"}), counts.to(kFloat));
            out.set(rl::NestedKey(std::vector<std::string>{group, "done"}), reel::ge(counts, 2 + g));
        }
        return out;
    }

private:
    void write(rl::TensorDict& out, int g) const {
        out.set(rl::NestedKey(std::vector<std::string>{g ? "right" : "left", "observation"}),
                reel::tensor({{float(count_[g][0])}, {float(count_[g][1])}}));
    }
    std::int64_t count_[2][2] = {{0, 0}, {0, 0}};
};

} // namespace reel::testing
