// Initialisers.
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/linalg/qr.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/pointwise/exponential.hpp>
#include <reel/autograd/ops/pointwise/logical.hpp>
#include <reel/autograd/ops/pointwise/power.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/nn/init.hpp>

#include <cmath>
#include <vector>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>

namespace reel::nn::init {

double calculate_gain(NonlinearityType nonlinearity, double param) {
    if (nonlinearity == kTanh) return 5.0 / 3.0;
    if (nonlinearity == kReLU) return std::sqrt(2.0);
    if (nonlinearity == kLeakyReLU) return std::sqrt(2.0 / (1 + param * param));
    return 1;
}
std::pair<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const Tensor& t) {
    REEL_CHECK_VALUE(t.dim() >= 2, "init: fan in and fan out need a tensor with at least 2 dimensions, got ",
                     t.sizes());
    std::int64_t field = 1;
    for (std::int64_t d = 2; d < t.dim(); ++d) field *= t.size(d);
    return {t.size(1) * field, t.size(0) * field};
}

namespace {
double fan_of(const Tensor& t, FanModeType mode) {
    const auto [in, out] = _calculate_fan_in_and_fan_out(t);
    return double(mode == kFanIn ? in : out);
}
double xavier_std(const Tensor& t, double gain) {
    const auto [in, out] = _calculate_fan_in_and_fan_out(t);
    return gain * std::sqrt(2.0 / double(in + out));
}
} // namespace

Tensor uniform_(Tensor t, double low, double high, std::optional<Generator> generator) {
    NoGradGuard guard;
    return reel::uniform_(t, low, high, generator);
}
Tensor normal_(Tensor t, double mean, double std, std::optional<Generator> generator) {
    NoGradGuard guard;
    return reel::normal_(t, mean, std, generator);
}
Tensor constant_(Tensor t, const Scalar& value) {
    NoGradGuard guard;
    return reel::fill_(t, value);
}
Tensor ones_(Tensor t) { return constant_(std::move(t), 1); }
Tensor zeros_(Tensor t) { return constant_(std::move(t), 0); }
Tensor xavier_uniform_(Tensor t, double gain, std::optional<Generator> generator) {
    const double bound = std::sqrt(3.0) * xavier_std(t, gain);
    return init::uniform_(std::move(t), -bound, bound, generator);
}
Tensor xavier_normal_(Tensor t, double gain, std::optional<Generator> generator) {
    const double std = xavier_std(t, gain);
    return init::normal_(std::move(t), 0, std, generator);
}
Tensor kaiming_uniform_(Tensor t, double a, FanModeType mode, NonlinearityType nonlinearity,
                        std::optional<Generator> generator) {
    if (t.numel() == 0) return t;
    const double std = calculate_gain(nonlinearity, a) / std::sqrt(fan_of(t, mode)), bound = std::sqrt(3.0) * std;
    return init::uniform_(std::move(t), -bound, bound, generator);
}
Tensor kaiming_normal_(Tensor t, double a, FanModeType mode, NonlinearityType nonlinearity,
                       std::optional<Generator> generator) {
    if (t.numel() == 0) return t;
    const double std = calculate_gain(nonlinearity, a) / std::sqrt(fan_of(t, mode));
    return init::normal_(std::move(t), 0, std, generator);
}

Tensor trunc_normal_(Tensor t, double mean, double std, double a, double b, std::optional<Generator> generator) {
    REEL_CHECK_VALUE(std > 0 && a < b, "trunc_normal_: expected std > 0 and a < b, got std ", std, ", a ", a, ", b ",
                     b);
    NoGradGuard guard;
    const auto below = [&](double x) { return 0.5 * std::erfc(-(x - mean) / std / std::sqrt(2.0)); };
    const auto outside = [&](const Tensor& x) {
        return reel::logical_or(reel::lt(x, Scalar(a)), reel::gt(x, Scalar(b)));
    };
    if (below(b) - below(a) > 0.3) {
        reel::normal_(t, mean, std, generator);
        for (Tensor bad = outside(t); reel::any(bad).item<bool>(); bad = outside(t))
            t.copy_(reel::normal_(reel::empty_like(t.detach()), mean, std, generator).where(bad, t));
        return t;
    }
    // Little of the normal lies within: uniforms, accepted with the density relative to its peak there.
    const double peak = std::min(std::max(mean, a), b);
    Tensor missing = reel::ones(t.sizes(), kBool);
    while (reel::any(missing).item<bool>()) {
        const Tensor x = reel::uniform_(reel::empty_like(t.detach()), a, b, generator);
        const Tensor u = reel::uniform_(reel::empty_like(t.detach()), 0, 1, generator);
        const Tensor z =
            reel::square((x - Scalar(mean)) / Scalar(std)) - Scalar((peak - mean) / std * (peak - mean) / std);
        const Tensor take = reel::logical_and(missing, reel::le(u, reel::exp(z * Scalar(-0.5))));
        t.copy_(x.where(take, t));
        missing = reel::logical_and(missing, reel::logical_not(take));
    }
    return t;
}

Tensor orthogonal_(Tensor t, double gain, std::optional<Generator> generator) {
    REEL_CHECK_VALUE(t.dim() >= 2, "orthogonal_: expected a tensor with at least 2 dimensions, got ", t.sizes());
    if (t.numel() == 0) return t;
    NoGradGuard guard;
    const std::int64_t rows = t.size(0), cols = t.numel() / rows;
    const Tensor drawn = reel::normal_(t.new_empty({rows, cols}), 0, 1, generator).to(kDouble);
    const bool wide = rows < cols;
    const auto [q, r] = reel::linalg::qr(wide ? reel::transpose(drawn, 0, 1) : drawn);
    // The signs of R's diagonal make Q unique, and its distribution uniform.
    const Tensor unique = q * reel::sgn(reel::diagonal(r));
    t.copy_(reel::reshape(wide ? reel::transpose(unique, 0, 1) : unique, t.sizes()));
    return gain == 1 ? t : t.mul_(Scalar(gain));
}
Tensor eye_(Tensor t) {
    REEL_CHECK_VALUE(t.dim() == 2, "eye_: expected 2 dimensions, got ", t.sizes());
    NoGradGuard guard;
    return t.copy_(reel::eye(t.size(0), t.size(1), t.options().requires_grad(false)));
}
Tensor dirac_(Tensor t, std::int64_t groups) {
    REEL_CHECK_VALUE(t.dim() >= 3 && t.dim() <= 5, "dirac_: expected 3, 4 or 5 dimensions, got ", t.sizes());
    REEL_CHECK_VALUE(groups > 0 && t.size(0) % groups == 0, "dirac_: the first dimension ", t.size(0),
                     " must be divisible by groups ", groups);
    NoGradGuard guard;
    t.zero_();
    const std::int64_t out = t.size(0) / groups;
    for (std::int64_t g = 0; g < groups; ++g)
        for (std::int64_t d = 0; d < std::min(out, t.size(1)); ++d) {
            Tensor at = t[g * out + d][d];
            for (std::int64_t k = 2; k < t.dim(); ++k) at = at[t.size(k) / 2];
            at.fill_(1);
        }
    return t;
}
Tensor sparse_(Tensor t, double sparsity, double std, std::optional<Generator> generator) {
    REEL_CHECK_VALUE(t.dim() == 2, "sparse_: expected 2 dimensions, got ", t.sizes());
    REEL_CHECK_VALUE(sparsity >= 0 && sparsity <= 1, "sparse_: sparsity is ", sparsity, "; expected a fraction");
    NoGradGuard guard;
    const auto zeros = std::int64_t(std::ceil(sparsity * double(t.size(0))));
    reel::normal_(t, 0, std, generator);
    for (std::int64_t c = 0; c < t.size(1); ++c) {
        const Tensor order = reel::randperm(t.size(0), generator);
        for (std::int64_t i = 0; i < zeros; ++i) t[order[i].item<std::int64_t>()][c].zero_();
    }
    return t;
}

} // namespace reel::nn::init
