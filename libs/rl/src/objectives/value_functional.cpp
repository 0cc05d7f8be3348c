// Every estimate is one linear recurrence backwards through time.
#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/stack.hpp>
#include <reel/rl/objectives/value/functional.hpp>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel::rl {

namespace {

/// y(t) = a(t) + b(t) y(t + 1) along the last dimension but one, with y(T) = `after` [*B, F]; where b is 0, what
/// follows does not count even when it is not finite.
template <class T>
void scan(const T* a, const T* b, const T* after, T* y, std::int64_t rows, std::int64_t steps, std::int64_t features) {
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t first = r * steps * features;
        const T* next = after + r * features;
        for (std::int64_t t = steps; t-- > 0; next = y + first + t * features)
            for (std::int64_t f = 0; f < features; ++f) {
                const std::int64_t i = first + t * features + f;
                y[i] = b[i] == 0 ? a[i] : a[i] + b[i] * next[f];
            }
    }
}

Tensor recurrence(const Tensor& a, const Tensor& b, const Tensor& after) {
    const std::int64_t steps = a.size(-2), features = a.size(-1);
    const ScalarType type = a.scalar_type();
    const bool recorded = GradMode::is_enabled() && (a.requires_grad() || b.requires_grad() || after.requires_grad());
    if (!recorded && a.is_cpu() && (type == kFloat || type == kDouble) && b.scalar_type() == type &&
        after.scalar_type() == type) {
        const Tensor x = a.contiguous(), z = b.expand(a.sizes()).contiguous(),
                     last = after.expand(a.select(-2, 0).sizes()).contiguous(), y = empty_like(x);
        const std::int64_t rows = x.numel() / std::max<std::int64_t>(1, steps * features);
        const auto run = [&]<class T>(T) {
            scan(x.const_data_ptr<T>(), z.const_data_ptr<T>(), last.const_data_ptr<T>(), y.mutable_data_ptr<T>(), rows,
                 steps, features);
        };
        if (type == kFloat) run(float());
        else run(double());
        return y;
    }
    std::vector<Tensor> y(std::size_t(steps), after);
    Tensor next = after;
    for (std::int64_t t = steps; t-- > 0;) {
        const Tensor factor = b.select(-2, t), cut = factor == 0;
        next = a.select(-2, t) + factor * next.masked_fill(cut, 0);
        y[std::size_t(t)] = next;
    }
    return stack(y, -2);
}

/// What an estimate is made of, with the time as last dimension but one.
struct Trajectories {
    Tensor value, next_value, reward, done, terminated;
};

void check_flag(const char* op, const char* name, const Tensor& flag) {
    REEL_CHECK_VALUE(flag.defined(), op, ": ", name, " is undefined");
    REEL_CHECK_TYPE(flag.scalar_type() == kBool, op, ": ", name, " must be bool, got ", flag.scalar_type());
}
void check_shape(const char* op, const char* name, const Tensor& t, const Tensor& reward) {
    REEL_CHECK_VALUE(t.defined(), op, ": ", name, " is undefined");
    REEL_CHECK_VALUE(t.sizes().equals(reward.sizes()), op, ": ", name, " has shape ", t.sizes(), " and reward ",
                     reward.sizes(), "; expected the same, with a trailing dimension for the features (unsqueeze(-1))");
}
void check_factor(const char* op, const char* name, const Factor& f, const Tensor& reward) {
    if (!f.is_number()) check_shape(op, name, f.values(), reward);
}
std::int64_t checked_time(const char* op, const Tensor& reward, std::int64_t time_dim) {
    REEL_CHECK_VALUE(reward.defined(), op, ": reward is undefined");
    REEL_CHECK_VALUE(reward.dim() >= 2, op, ": expected tensors [*B, T, F], got a reward of shape ", reward.sizes());
    const std::int64_t at = time_dim < 0 ? time_dim + reward.dim() : time_dim;
    REEL_CHECK_INDEX(at >= 0 && at < reward.dim(), op, ": time_dim is ", time_dim, ", the reward has shape ",
                     reward.sizes());
    REEL_CHECK_VALUE(reward.size(at) > 0, op, ": there is no step, the reward has shape ", reward.sizes());
    return at;
}
Tensor with_time(const Tensor& t, std::int64_t time) {
    return !t.defined() || time == t.dim() - 2 ? t : t.transpose(time, -2);
}
/// Values after the end do not count, whatever they are.
Trajectories arranged(const char* op, const Tensor& value, const Tensor& next_value, const Tensor& reward,
                      const Tensor& done, const Tensor& terminated, std::int64_t time) {
    const Tensor& ends = terminated.defined() ? terminated : done;
    check_flag(op, "done", done);
    check_flag(op, "terminated", ends);
    if (value.defined()) check_shape(op, "state_value", value, reward);
    check_shape(op, "next_state_value", next_value, reward);
    check_shape(op, "done", done, reward);
    check_shape(op, "terminated", ends, reward);
    return {with_time(value, time), with_time(next_value, time).masked_fill(with_time(ends, time), 0),
            with_time(reward, time), with_time(done, time), with_time(ends, time)};
}
Tensor times(const Factor& f, const Tensor& t, std::int64_t time) {
    return f.is_number() ? t * f.value() : t * with_time(f.values(), time);
}
/// The factor as a tensor of the steps' shape, 0 where `cut`.
Tensor unless(const Tensor& cut, const Factor& a, const Factor& b, const Tensor& like, std::int64_t time) {
    Tensor f = a.is_number() && b.is_number()
                   ? full({}, a.value() * b.value(), TensorOptions(like.scalar_type()).device(like.device()))
                   : times(b, times(a, ones_like(like), time), time);
    return f.expand(like.sizes()).masked_fill(cut, 0);
}

} // namespace

AdvantageEstimate generalized_advantage_estimate(const Factor& gamma, const Factor& lmbda, const Tensor& state_value,
                                                 const Tensor& next_state_value, const Tensor& reward,
                                                 const Tensor& done, const Tensor& terminated, std::int64_t time_dim) {
    const std::int64_t time = checked_time("generalized_advantage_estimate", reward, time_dim);
    check_factor("generalized_advantage_estimate", "gamma", gamma, reward);
    check_factor("generalized_advantage_estimate", "lmbda", lmbda, reward);
    const Trajectories s =
        arranged("generalized_advantage_estimate", state_value, next_state_value, reward, done, terminated, time);
    const Tensor delta = s.reward + times(gamma, s.next_value, time) - s.value;
    const Tensor after = delta.new_zeros(delta.select(-2, 0).sizes());
    const Tensor advantage = recurrence(delta, unless(s.done, gamma, lmbda, delta, time), after);
    return {with_time(advantage, time), with_time(advantage + s.value, time)};
}

Tensor td0_return_estimate(const Factor& gamma, const Tensor& next_state_value, const Tensor& reward,
                           const Tensor& terminated) {
    REEL_CHECK_VALUE(reward.defined(), "td0_return_estimate: reward is undefined");
    check_flag("td0_return_estimate", "terminated", terminated);
    check_shape("td0_return_estimate", "next_state_value", next_state_value, reward);
    check_shape("td0_return_estimate", "terminated", terminated, reward);
    check_factor("td0_return_estimate", "gamma", gamma, reward);
    const Tensor next = next_state_value.masked_fill(terminated, 0);
    return reward + (gamma.is_number() ? next * gamma.value() : next * gamma.values());
}
Tensor td0_advantage_estimate(const Factor& gamma, const Tensor& state_value, const Tensor& next_state_value,
                              const Tensor& reward, const Tensor& terminated) {
    check_shape("td0_advantage_estimate", "state_value", state_value, reward);
    return td0_return_estimate(gamma, next_state_value, reward, terminated) - state_value;
}

Tensor td_lambda_return_estimate(const Factor& gamma, const Factor& lmbda, const Tensor& next_state_value,
                                 const Tensor& reward, const Tensor& done, const Tensor& terminated,
                                 std::int64_t time_dim) {
    const std::int64_t time = checked_time("td_lambda_return_estimate", reward, time_dim);
    check_factor("td_lambda_return_estimate", "gamma", gamma, reward);
    check_factor("td_lambda_return_estimate", "lmbda", lmbda, reward);
    const Trajectories s = arranged("td_lambda_return_estimate", {}, next_state_value, reward, done, terminated, time);
    // (1 - lmbda) V of the next state, all of V at the end of a trajectory
    const Tensor share =
        lmbda.is_number()
            ? full({}, 1 - lmbda.value(), TensorOptions(s.next_value.scalar_type()).device(s.next_value.device()))
            : 1 - with_time(lmbda.values(), time);
    const Tensor own = s.next_value * share.expand(s.next_value.sizes()).masked_fill(s.done, 1);
    const Tensor returns =
        recurrence(s.reward + times(gamma, own, time), unless(s.done, gamma, lmbda, s.next_value, time),
                   s.next_value.select(-2, s.next_value.size(-2) - 1));
    return with_time(returns, time);
}
Tensor td_lambda_advantage_estimate(const Factor& gamma, const Factor& lmbda, const Tensor& state_value,
                                    const Tensor& next_state_value, const Tensor& reward, const Tensor& done,
                                    const Tensor& terminated, std::int64_t time_dim) {
    check_shape("td_lambda_advantage_estimate", "state_value", state_value, reward);
    return td_lambda_return_estimate(gamma, lmbda, next_state_value, reward, done, terminated, time_dim) - state_value;
}

Tensor td1_return_estimate(const Factor& gamma, const Tensor& next_state_value, const Tensor& reward,
                           const Tensor& done, const Tensor& terminated, std::int64_t time_dim) {
    return td_lambda_return_estimate(gamma, 1.0, next_state_value, reward, done, terminated, time_dim);
}
Tensor td1_advantage_estimate(const Factor& gamma, const Tensor& state_value, const Tensor& next_state_value,
                              const Tensor& reward, const Tensor& done, const Tensor& terminated,
                              std::int64_t time_dim) {
    return td_lambda_advantage_estimate(gamma, 1.0, state_value, next_state_value, reward, done, terminated, time_dim);
}

AdvantageEstimate vtrace_advantage_estimate(const Factor& gamma, const Tensor& log_pi, const Tensor& log_mu,
                                            const Tensor& state_value, const Tensor& next_state_value,
                                            const Tensor& reward, const Tensor& done, const Tensor& terminated,
                                            double rho_thresh, double c_thresh, std::int64_t time_dim) {
    const std::int64_t time = checked_time("vtrace_advantage_estimate", reward, time_dim);
    check_factor("vtrace_advantage_estimate", "gamma", gamma, reward);
    const Trajectories s =
        arranged("vtrace_advantage_estimate", state_value, next_state_value, reward, done, terminated, time);
    check_shape("vtrace_advantage_estimate", "log_pi", log_pi, reward);
    check_shape("vtrace_advantage_estimate", "log_mu", log_mu, reward);
    const Tensor ratio = with_time(log_pi - log_mu, time).exp(), rho = ratio.clamp_max(rho_thresh);
    const Tensor delta = rho * (s.reward + times(gamma, s.next_value, time) - s.value);
    const Tensor after = delta.new_zeros(delta.select(-2, 0).sizes());
    const Tensor factor = unless(s.done, gamma, 1.0, delta, time) * ratio.clamp_max(c_thresh);
    const Tensor target = recurrence(delta, factor, after) + s.value;
    // the corrected value of the next state, its own at the end of a trajectory
    const std::int64_t steps = target.size(-2);
    const Tensor shifted = cat({target.narrow(-2, 1, steps - 1), s.next_value.narrow(-2, steps - 1, 1)}, -2);
    const Tensor next = s.next_value.where(s.done, shifted);
    const Tensor advantage = rho * (s.reward + times(gamma, next, time) - s.value);
    return {with_time(advantage, time), with_time(target, time)};
}

Tensor reward2go(const Tensor& reward, const Tensor& done, const Factor& gamma, std::int64_t time_dim) {
    const std::int64_t time = checked_time("reward2go", reward, time_dim);
    check_factor("reward2go", "gamma", gamma, reward);
    check_flag("reward2go", "done", done);
    check_shape("reward2go", "done", done, reward);
    const Tensor r = with_time(reward, time);
    const Tensor after = r.new_zeros(r.select(-2, 0).sizes());
    return with_time(recurrence(r, unless(with_time(done, time), gamma, 1.0, r, time), after), time);
}

} // namespace reel::rl
