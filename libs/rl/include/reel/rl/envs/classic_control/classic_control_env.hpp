// What the classic control environments share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <reel/rl/envs/env_base.hpp>

namespace reel::rl {

namespace detail {
class Canvas; // src/envs/render/canvas.hpp
}

/// A batch of environments with a state vector each. States are float64 [*batch_size, n], observations float32
/// [*batch_size, m] under "observation", rewards float32 [*batch_size, 1]; a step runs plain loops over all of them.
class ClassicControlEnv : public EnvBase {
public:
    std::string name() const override { return name_; }
    /// A copy of the states, float64 [*batch_size, n].
    Tensor state() const;
    /// Puts every environment into a state of its own: floating [*batch_size, n], or [n] for all. What was counted
    /// since the last reset (steps, ends) starts anew. Error for other shapes, ValueError for values not finite.
    void set_state(const Tensor& state);
    /// The dictionary that a reset into these states would return.
    TensorDict reset_to(const Tensor& state);
    std::optional<std::int64_t> max_episode_steps() const { return max_episode_steps_; }
    Tensor render(std::int64_t index = 0) const override;
    std::pair<std::int64_t, std::int64_t> render_size() const override { return {200, 300}; }

protected:
    struct Setup {
        std::string name;
        std::vector<std::int64_t> batch_size;
        std::int64_t state_size;
        TensorSpec observation; ///< of a single environment
        TensorSpec action;      ///< of a single environment
        bool categorical;       ///< discrete actions are numbers
        std::optional<std::int64_t> max_episode_steps;
    };
    /// What a step reads and writes: arrays over the batch, contiguous.
    struct StepArrays {
        std::int64_t n;
        double* state;
        const std::int64_t* choice; ///< discrete actions, else null
        const float* action;        ///< continuous actions, else null
        float* reward;
        bool* terminated;
    };
    explicit ClassicControlEnv(Setup setup);
    /// A first state.
    virtual void draw_state(double* state, CPUGeneratorImpl& generator) = 0;
    virtual void advance(const StepArrays& arrays) = 0;
    virtual void observe(const double* state, std::int64_t n, float* observation) const = 0;
    /// Environment i begins anew.
    virtual void forget(std::int64_t) {}
    virtual void draw(detail::Canvas& canvas, const double* state) const = 0;
    void do_state_dict(TensorDict& state) const override;
    void do_load_state_dict(const TensorDict& state) override;
    TensorDict do_reset(const std::optional<TensorDict>& td) final;
    TensorDict do_step(const TensorDict& td) final;

private:
    TensorDict observed() const;
    void decode(const Tensor& action);

    std::string name_;
    std::int64_t state_size_, observation_size_, choices_;
    bool categorical_;
    std::optional<std::int64_t> max_episode_steps_;
    std::vector<double> state_;
    std::vector<std::int64_t> elapsed_, choice_;
    std::vector<std::int64_t> observation_sizes_, row_sizes_;
    bool begun_ = false;
};

} // namespace reel::rl
