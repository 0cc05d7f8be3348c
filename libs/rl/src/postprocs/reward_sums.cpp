// One filter over time per trajectory, and its transpose for the gradient.
#include "postprocs/reward_sums.hpp"

#include <cmath>
#include <complex>
#include <type_traits>

#include <reel/autograd/function.hpp>
#include <reel/autograd/parallel.hpp>

namespace reel::rl {

namespace {

using autograd::AutogradContext;
using autograd::variable_list;

/// What sums of `T` are computed in: integers wrap, halves are rounded at the end.
template <class T> struct SumType { using type = T; };
template <> struct SumType<Half> { using type = float; };
template <> struct SumType<BFloat16> { using type = float; };
template <class T>
requires std::is_integral_v<T>
struct SumType<T> {
    using type = std::make_unsigned_t<T>;
};

/// gamma^k as the dtype has it.
template <class T> typename SumType<T>::type factor(double power) {
    using Sum = typename SumType<T>::type;
    if constexpr (std::is_integral_v<T>) return Sum(T(power));
    else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) return Sum(T(float(power)));
    else return Sum(power);
}

/// One row of steps of one lane, `width` elements each.
struct Lane {
    std::int64_t length, width;
    const bool* done;
    std::int64_t stride; ///< of `done`
};

/// Calls `f(first, last)` for every trajectory [first, last) of a lane.
template <class F> void each_trajectory(const Lane& lane, F f) {
    for (std::int64_t first = 0, t = 0; t < lane.length; ++t)
        if (t + 1 == lane.length || lane.done[t * lane.stride]) {
            f(first, t + 1);
            first = t + 1;
        }
}

template <class Sum> void add_scaled(Sum* out, const Sum* in, Sum by, std::int64_t n) {
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) out[i] += by * in[i];
}

/// Within each trajectory step t gets from step t + k for k up to `reach`; with `transposed`, gives to it.
template <class Sum>
void filter(const Lane& lane, const std::vector<Sum>& powers, bool transposed, const Sum* in, Sum* out) {
    const std::int64_t w = lane.width;
    std::copy_n(in, lane.length * w, out);
    each_trajectory(lane, [&](std::int64_t first, std::int64_t last) {
        const std::int64_t reach = std::min(std::int64_t(powers.size()), last - first) - 1;
        for (std::int64_t k = 1; k <= reach; ++k) {
            const std::int64_t to = transposed ? first + k : first, from = transposed ? first : first + k;
            add_scaled(out + to * w, in + from * w, powers[std::size_t(k)], (last - first - k) * w);
        }
    });
}
/// The same without a limit: one pass per trajectory.
template <class Sum> void accumulate(const Lane& lane, Sum gamma, bool transposed, const Sum* in, Sum* out) {
    const std::int64_t w = lane.width;
    std::copy_n(in, lane.length * w, out);
    each_trajectory(lane, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = 1; i < last - first; ++i) {
            const std::int64_t t = transposed ? first + i : last - 1 - i;
            add_scaled(out + t * w, out + (transposed ? t - 1 : t + 1) * w, gamma, w);
        }
    });
}

struct SumRule {
    double gamma;
    bool to_the_end;
    bool transposed = false;
};

template <class T> Tensor sums(const Tensor& given, const Lookahead& lookahead, const SumRule& rule) {
    using Sum = typename SumType<T>::type;
    const Tensor reward = given.contiguous();
    const Tensor out = reward.new_empty(reward.sizes());
    const StepLayout l = lookahead.layout;
    const std::int64_t width = l.steps() ? reward.numel() / l.steps() : 0, length = l.length;
    if (width == 0) return out;
    std::vector<Sum> powers;
    for (std::int64_t k = 0; !rule.to_the_end && k <= std::min(lookahead.reach, length - 1); ++k)
        powers.push_back(factor<T>(std::pow(rule.gamma, double(k))));
    const T* in = reward.const_data_ptr<T>();
    T* to = out.mutable_data_ptr<T>();
    const bool* done = lookahead.done.const_data_ptr<bool>();
    const std::int64_t row = length * l.lanes * width;
    parallel_for(0, l.rows, std::max<std::int64_t>(1, 8192 / row), [&](std::int64_t first, std::int64_t last) {
        std::vector<Sum> buffer(std::size_t(2 * length * width));
        Sum *x = buffer.data(), *y = x + length * width;
        for (std::int64_t r = first; r < last; ++r)
            for (std::int64_t e = 0; e < l.lanes; ++e) {
                const std::int64_t start = r * row + e * width, jump = l.lanes * width;
                for (std::int64_t t = 0; t < length; ++t)
                    for (std::int64_t c = 0; c < width; ++c) x[t * width + c] = Sum(in[start + t * jump + c]);
                const Lane lane{length, width, done + r * length * l.lanes + e, l.lanes};
                if (rule.to_the_end) accumulate(lane, factor<T>(rule.gamma), rule.transposed, x, y);
                else filter(lane, powers, rule.transposed, x, y);
                for (std::int64_t t = 0; t < length; ++t)
                    for (std::int64_t c = 0; c < width; ++c) to[start + t * jump + c] = T(y[t * width + c]);
            }
    });
    return out;
}

Tensor sums_of(const Tensor& reward, const Lookahead& lookahead, const SumRule& rule) {
    switch (reward.scalar_type()) {
    case kFloat:
        return sums<float>(reward, lookahead, rule);
    case kDouble:
        return sums<double>(reward, lookahead, rule);
    case kHalf:
        return sums<Half>(reward, lookahead, rule);
    case kBFloat16:
        return sums<BFloat16>(reward, lookahead, rule);
    case kComplexFloat:
        return sums<std::complex<float>>(reward, lookahead, rule);
    case kComplexDouble:
        return sums<std::complex<double>>(reward, lookahead, rule);
    case kLong:
        return sums<std::int64_t>(reward, lookahead, rule);
    case kInt:
        return sums<std::int32_t>(reward, lookahead, rule).to(kLong);
    case kShort:
        return sums<std::int16_t>(reward, lookahead, rule).to(kLong);
    case kChar:
        return sums<std::int8_t>(reward, lookahead, rule).to(kLong);
    case kByte:
        return sums<std::uint8_t>(reward, lookahead, rule).to(kLong);
    default:
        REEL_THROW(TypeError, "sums of rewards: the reward's dtype is ", dtype_name(reward.scalar_type()),
                   ", expected a floating, complex or integer type; convert it first");
    }
}

/// A linear map: its own tangent, and transposed its gradient.
struct RewardSums : autograd::Function<RewardSums> {
    using Plan = std::shared_ptr<const Lookahead>;
    static Tensor forward(AutogradContext* ctx, const Tensor& reward, const Plan& plan, const SumRule& rule) {
        ctx->saved_data["plan"] = Value::box(plan);
        ctx->saved_data["rule"] = Value::box(rule);
        return sums_of(reward.cpu(), *plan, rule).to(reward.device());
    }
    static variable_list backward(AutogradContext* ctx, variable_list g) {
        SumRule rule = rule_of(ctx);
        rule.transposed = !rule.transposed;
        return {apply(g[0], plan_of(ctx), rule), Tensor(), Tensor()};
    }
    static variable_list jvp(AutogradContext* ctx, variable_list tangents) {
        return {apply(tangents[0], plan_of(ctx), rule_of(ctx))};
    }

private:
    static Plan plan_of(AutogradContext* ctx) { return ctx->saved_data.at("plan").get<Plan>(); }
    static SumRule rule_of(AutogradContext* ctx) { return ctx->saved_data.at("rule").get<SumRule>(); }
};

} // namespace

Tensor window_sums(const Tensor& reward, const std::shared_ptr<const Lookahead>& lookahead, double gamma) {
    return RewardSums::apply(reward, lookahead, SumRule{gamma, false});
}

Tensor sums_to_the_end(const Tensor& reward, const std::shared_ptr<const Lookahead>& lookahead, double gamma) {
    return RewardSums::apply(reward, lookahead, SumRule{gamma, true});
}

} // namespace reel::rl
