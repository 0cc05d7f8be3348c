// Returns and advantages of trajectories.
#pragma once

#include <cstdint>

#include <reel/autograd/tensor.hpp>

/// All tensors are [*B, T, F]: any batch, time, features (mostly one); `time_dim` says where the time is when it is not
/// the last but one. `done` (bool) marks the last step of a trajectory: what follows belongs to another one. Where it
/// is also `terminated`, nothing comes after, and the value of the next state does not count, whatever it is (NaN,
/// too); where it is not (truncated, or the batch just ends), the estimate continues with that value. `terminated` is
/// `done` when it is undefined. Results have gradients where the inputs do. Errors: ValueError naming both shapes when
/// they differ, TypeError when a flag is not bool.
namespace reel::rl {

/// A discount or mixing factor: one for all steps, or a tensor of the steps' shape with one for each.
class Factor {
public:
    Factor(double value) : value_(value) {}
    Factor(Tensor values) : values_(std::move(values)) {}
    bool is_number() const { return !values_.defined(); }
    double value() const { return value_; }
    const Tensor& values() const { return values_; }

private:
    double value_ = 0;
    Tensor values_;
};

struct AdvantageEstimate {
    Tensor advantage, value_target;
};

/// A(t) = d(t) + gamma lmbda A(t + 1) with d(t) = r(t) + gamma V(t + 1) - V(t); the target is A + V. (Schulman et al.,
/// "High-dimensional continuous control using generalized advantage estimation", 2016)
AdvantageEstimate generalized_advantage_estimate(const Factor& gamma, const Factor& lmbda, const Tensor& state_value,
                                                 const Tensor& next_state_value, const Tensor& reward,
                                                 const Tensor& done, const Tensor& terminated = {},
                                                 std::int64_t time_dim = -2);

/// r(t) + gamma V(t + 1), and how far it is from V(t). No trajectory is needed, thus no `done`.
Tensor td0_return_estimate(const Factor& gamma, const Tensor& next_state_value, const Tensor& reward,
                           const Tensor& terminated);
Tensor td0_advantage_estimate(const Factor& gamma, const Tensor& state_value, const Tensor& next_state_value,
                              const Tensor& reward, const Tensor& terminated);

/// The discounted sum of rewards to the trajectory's end and the value of the state there.
Tensor td1_return_estimate(const Factor& gamma, const Tensor& next_state_value, const Tensor& reward,
                           const Tensor& done, const Tensor& terminated = {}, std::int64_t time_dim = -2);
Tensor td1_advantage_estimate(const Factor& gamma, const Tensor& state_value, const Tensor& next_state_value,
                              const Tensor& reward, const Tensor& done, const Tensor& terminated = {},
                              std::int64_t time_dim = -2);

/// G(t) = r(t) + gamma ((1 - lmbda) V(t + 1) + lmbda G(t + 1)), with V(t + 1) for G(t + 1) at the end. (Sutton and
/// Barto, "Reinforcement learning", 2018, chapter 12)
Tensor td_lambda_return_estimate(const Factor& gamma, const Factor& lmbda, const Tensor& next_state_value,
                                 const Tensor& reward, const Tensor& done, const Tensor& terminated = {},
                                 std::int64_t time_dim = -2);
Tensor td_lambda_advantage_estimate(const Factor& gamma, const Factor& lmbda, const Tensor& state_value,
                                    const Tensor& next_state_value, const Tensor& reward, const Tensor& done,
                                    const Tensor& terminated = {}, std::int64_t time_dim = -2);

/// Off-policy: `log_pi` of the policy that learns and `log_mu` of the one that acted, both of the steps' shape.
/// (Espeholt et al., "IMPALA", 2018)
AdvantageEstimate vtrace_advantage_estimate(const Factor& gamma, const Tensor& log_pi, const Tensor& log_mu,
                                            const Tensor& state_value, const Tensor& next_state_value,
                                            const Tensor& reward, const Tensor& done, const Tensor& terminated = {},
                                            double rho_thresh = 1, double c_thresh = 1, std::int64_t time_dim = -2);

/// The discounted sum of the rewards from each step to its trajectory's end.
Tensor reward2go(const Tensor& reward, const Tensor& done, const Factor& gamma, std::int64_t time_dim = -2);

} // namespace reel::rl
