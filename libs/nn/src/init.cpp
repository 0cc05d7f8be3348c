// Initialisers.
#include <reel/nn/init.hpp>

#include <cmath>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>

namespace reel::nn::init {

std::pair<std::int64_t, std::int64_t> _calculate_fan_in_and_fan_out(const Tensor& t) {
    REEL_CHECK_VALUE(t.dim() >= 2, "init: fan in and fan out need a tensor with at least 2 dimensions, got ", t.sizes());
    std::int64_t field = 1;
    for (std::int64_t d = 2; d < t.dim(); ++d) field *= t.size(d);
    return {t.size(1) * field, t.size(0) * field};
}
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
Tensor kaiming_uniform_(Tensor t, double a, std::optional<Generator> generator) {
    if (t.numel() == 0) return t;
    const double gain = std::sqrt(2 / (1 + a * a)), std = gain / std::sqrt(double(_calculate_fan_in_and_fan_out(t).first));
    const double bound = std::sqrt(3.0) * std;
    return init::uniform_(std::move(t), -bound, bound, generator);
}

} // namespace reel::nn::init
