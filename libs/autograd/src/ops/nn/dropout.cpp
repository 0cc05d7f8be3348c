// Dropout: random masks, one double uniform per element as PyTorch draws them.
#include <reel/autograd/kernels/random.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/nn/dropout.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <cmath>

#include "op/dispatch.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

/// One entry per example and channel.
Dims feature_sizes(const char* op, const Tensor& input) {
    REEL_CHECK(input.dim() >= 2, op, ": input has shape ", input.sizes(),
               "; expected at least two dimensions, [N, C, ...]");
    Dims s(std::size_t(input.dim()), 1);
    s[0] = input.size(0);
    s[1] = input.size(1);
    return s;
}
/// 1 where the element stays (probability 1 - p), else 0, drawn in the order in which the mask's elements lie.
Tensor draw(const Tensor& mask, double p) {
    check_floating_complex(mask.scalar_type(), "dropout");
    kernels::dropout_mask(mask, p);
    return mask;
}
/// One for each element, lying as the input's do: of a transposed input another is dropped than of a copy of it.
Tensor draw_like(const Tensor& input, double p) {
    return draw(empty_like(input, TensorOptions().requires_grad(false)), p);
}
Tensor draw_features(const char* op, const Tensor& input, double p) {
    return draw(empty_raw(feature_sizes(op, input), input.scalar_type(), input.device()), p);
}
/// True when there is nothing to draw.
bool is_identity(const char* op, const Tensor& input, double p, bool training) {
    REEL_CHECK_VALUE(p >= 0 && p <= 1, op, ": p is ", p, "; expected a probability between 0 and 1");
    return !training || p == 0 || input.numel() == 0;
}
Tensor nothing_left(const Tensor& input) { return input * zeros({}, input.options().requires_grad(false)); }
Tensor alpha(const Tensor& input, const Tensor& mask, double p) {
    constexpr double limit = 1.7580993408473766; // minus SELU's value at minus infinity
    const double a = 1 / std::sqrt((limit * limit * p + 1) * (1 - p));
    const Tensor shift = (mask - 1) * (limit * a) + limit * a * p;
    return input * (mask * a) + shift;
}

} // namespace

/// In training, zeroes elements with probability p and scales the rest by 1 / (1 - p).
REEL_OP("dropout(Tensor input, float p, bool train) -> Tensor", composite, random, inplace,
        alias("nn.functional.dropout(Tensor input, float p=0.5, bool training=True, bool inplace=False)"),
        samples(call(numbers({3, 4}), 0.4, true), call(numbers({3, 4}), 0.4).as("nn.functional.dropout")))
Tensor dropout(const Tensor& input, double p, bool train) {
    if (is_identity("dropout", input, p, train)) return input;
    return p == 1 ? nothing_left(input) : input * (draw_like(input, p) / Scalar(1 - p));
}
/// The same for whole channels of [N, C, ...].
REEL_OP("feature_dropout(Tensor input, float p, bool train) -> Tensor", composite, random, inplace,
        samples(call(numbers({2, 3, 4}), 0.4, true)))
Tensor feature_dropout(const Tensor& input, double p, bool train) {
    if (is_identity("feature_dropout", input, p, train)) return input;
    return p == 1 ? nothing_left(input) : input * (draw_features("feature_dropout", input, p) / Scalar(1 - p));
}
/// Whole channels of [N, C, L] or [C, L].
REEL_OP("nn.functional.dropout1d(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor",
        composite, random, inplace, samples(call(numbers({2, 3, 4}), 0.4)))
Tensor dropout1d(const Tensor& input, double p, bool training) {
    REEL_CHECK(input.dim() == 2 || input.dim() == 3, "dropout1d: input has shape ", input.sizes(),
               "; expected two or three dimensions, [C, L] or [N, C, L]");
    if (input.dim() == 3) return feature_dropout(input, p, training);
    return feature_dropout(input.unsqueeze(0), p, training).squeeze(0);
}
/// Whole channels of [N, C, H, W]; three dimensions count as [N, C, L].
REEL_OP("nn.functional.dropout2d(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor",
        composite, random, inplace, samples(call(numbers({2, 3, 2, 2}), 0.4)))
Tensor dropout2d(const Tensor& input, double p, bool training) {
    if (input.dim() == 3)
        REEL_WARN_ONCE("dropout2d: input has shape ", input.sizes(),
                       ", which counts as [N, C, L]; use dropout1d, or unsqueeze(0) where there is no batch dimension");
    else if (input.dim() != 4)
        REEL_WARN_ONCE("dropout2d: input has shape ", input.sizes(),
                       "; expected [N, C, H, W]; use dropout1d, dropout2d or dropout3d by the number of dimensions");
    return feature_dropout(input, p, training);
}
/// Whole channels of [N, C, D, H, W] or [C, D, H, W].
REEL_OP("nn.functional.dropout3d(Tensor input, float p=0.5, bool training=True, bool inplace=False) -> Tensor",
        composite, random, inplace, samples(call(numbers({2, 3, 2, 2, 2}), 0.4)))
Tensor dropout3d(const Tensor& input, double p, bool training) {
    if (input.dim() == 5) return feature_dropout(input, p, training);
    if (input.dim() != 4)
        REEL_WARN_ONCE("dropout3d: input has shape ", input.sizes(),
                       "; expected [N, C, D, H, W]; use dropout1d, dropout2d or dropout3d by the number of dimensions");
    return feature_dropout(input.unsqueeze(0), p, training).squeeze(0);
}
/// Dropout for SELU networks: dropped elements get SELU's limit, then all are scaled and shifted to keep mean and
/// variance.
REEL_OP("alpha_dropout(Tensor input, float p, bool train) -> Tensor", composite, random, inplace,
        alias("nn.functional.alpha_dropout(Tensor input, float p=0.5, bool training=False, bool inplace=False)"),
        samples(call(numbers({3, 4}), 0.4, true), call(numbers({3, 4}), 0.4, true).as("nn.functional.alpha_dropout")))
Tensor alpha_dropout(const Tensor& input, double p, bool train) {
    if (is_identity("alpha_dropout", input, p, train)) return input;
    return p == 1 ? nothing_left(input) : alpha(input, draw_like(input, p), p);
}
REEL_OP("feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor", composite, random, inplace,
        alias("nn.functional.feature_alpha_dropout(Tensor input, float p=0.5, bool training=False, "
              "bool inplace=False)"),
        samples(call(numbers({3, 4}), 0.4, true),
                call(numbers({2, 3, 4}), 0.4, true).as("nn.functional.feature_alpha_dropout")))
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train) {
    if (is_identity("feature_alpha_dropout", input, p, train)) return input;
    return p == 1 ? nothing_left(input) : alpha(input, draw_features("feature_alpha_dropout", input, p), p);
}

} // namespace reel
