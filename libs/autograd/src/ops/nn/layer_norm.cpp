// Normalisation over the trailing dimensions.
#include <reel/autograd/kernels/norm.hpp>
#include <reel/autograd/ops/nn/layer_norm.hpp>
#include <reel/autograd/ops/pointwise/arithmetic.hpp>
#include <reel/autograd/ops/reduce/reduce.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <cmath>
#include <limits>

#include "ops/nn/norm.hpp"
#include "ops/nn/rms_norm.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

/// Elements of one normalised row; checks shapes.
std::int64_t row_size(const char* op, const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                      const Tensor& bias) {
    const std::size_t n = normalized_shape.size();
    REEL_CHECK(n >= 1, op, ": normalized_shape is empty; expected at least one dimension");
    REEL_CHECK(std::size_t(input.dim()) >= n && IntArrayRef(input.sizes().end() - n, n) == normalized_shape, op,
               ": input of shape ", input.sizes(), " does not end in normalized_shape ", normalized_shape);
    REEL_CHECK(!weight.defined() || weight.sizes() == normalized_shape, op, ": weight has shape ",
               weight.defined() ? weight.sizes() : IntArrayRef(), "; expected normalized_shape ", normalized_shape);
    REEL_CHECK(!bias.defined() || bias.sizes() == normalized_shape, op, ": bias has shape ",
               bias.defined() ? bias.sizes() : IntArrayRef(), "; expected normalized_shape ", normalized_shape);
    return shape::count(normalized_shape);
}

struct Result {
    Tensor out, mean, rstd;
};
Result layer_norm_any(const char* op, const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight,
                      const Tensor& bias, double eps) {
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(input.scalar_type()), op, ": input is ", dtype_name(input.scalar_type()),
                               "; expected a floating dtype");
    const std::int64_t inner = row_size(op, input, normalized_shape, weight, bias),
                       rows = inner == 0 ? 0 : input.numel() / inner;
    const ScalarType t = norm_layers::compute_dtype(input.scalar_type());
    const bool narrow = t != input.scalar_type() && kernels::layer_norm_of_16_bits.has(input.device().type());
    const ScalarType seen = narrow ? input.scalar_type() : t; // as the kernels read it
    const Tensor x = norm_layers::dense(input, seen), w = norm_layers::dense(weight, t),
                 b = norm_layers::dense(bias, t);
    Dims stats(input.sizes());
    for (std::size_t i = stats.size() - normalized_shape.size(); i < stats.size(); ++i) stats[i] = 1;
    const auto fresh = [&](IntArrayRef sizes, ScalarType dtype) { return empty_raw(sizes, dtype, input.device()); };
    Tensor y = fresh(input.sizes(), seen), mean = fresh(stats, t), rstd = fresh(stats, t);
    (narrow ? kernels::layer_norm_of_16_bits : kernels::layer_norm)(op, y, mean, rstd, x, w, b, inner, eps);
    Result r{cast_raw(y, input.scalar_type()), mean, rstd};
    norm_layers::Plan p;
    p.stat_sizes = Dims{rows, inner};
    p.affine_sizes = p.stat_sizes;
    p.stat_dims = Dims{1};
    p.affine_dims = Dims{0};
    p.weight_shape = Dims{1, inner};
    p.eps = eps;
    norm_layers::record(
        op, p, input, weight, bias, r.out, mean, rstd,
        [op, inner, t, seen, narrow](const Tensor& grad, const Tensor& input, const Tensor& weight, const Tensor& mean,
                                     const Tensor& rstd, norm_layers::Wanted wanted) {
            const Tensor x = norm_layers::dense(input, seen), g = norm_layers::dense(grad, seen),
                         w = norm_layers::dense(weight, t);
            const auto made = [&](bool want, IntArrayRef sizes, ScalarType dtype) {
                return want ? empty_raw(sizes, dtype, g.device()) : Tensor();
            };
            std::array<Tensor, 3> r{made(wanted.input, input.sizes(), seen),
                                    made(wanted.weight, weight.defined() ? weight.sizes() : IntArrayRef(), t),
                                    made(wanted.bias, inner, t)};
            (narrow ? kernels::layer_norm_backward_of_16_bits : kernels::layer_norm_backward)(op, g, x, mean, rstd, w,
                                                                                              inner, r[0], r[1], r[2]);
            return r;
        });
    return r;
}

} // namespace

/// (x - mean) / sqrt(var + eps) * weight + bias, moments over the trailing dimensions `normalized_shape`; also returns
/// the means and 1 / sqrt(var + eps) (which carry no gradient).
REEL_OP("native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, "
        "Tensor, Tensor)",
        rule)
std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input, IntArrayRef normalized_shape,
                                                     const Tensor& weight, const Tensor& bias, double eps) {
    const Result r = layer_norm_any("native_layer_norm", input, normalized_shape, weight, bias, eps);
    return {r.out, cast_raw(r.mean, input.scalar_type()), cast_raw(r.rstd, input.scalar_type())};
}
REEL_OP("nn.functional.layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float "
        "eps=1e-05) -> Tensor",
        rule)
Tensor layer_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps) {
    return layer_norm_any("layer_norm", input, normalized_shape, weight, bias, eps).out;
}

Tensor rms::by_ops(const Tensor& input, std::int64_t dims, const Tensor& weight, double eps) {
    const ScalarType t = norm_layers::compute_dtype(input.scalar_type());
    Dims over;
    for (std::int64_t i = dims; i > 0; --i) over.push_back(input.dim() - i);
    const Tensor x = input.to(t);
    const Tensor y = x * rsqrt(mean(x * x, IntArrayRef(over), true) + eps);
    return (weight.defined() ? y * weight.to(t) : y).to(input.scalar_type());
}

/// x / sqrt(mean |x|^2 + eps) * weight over the trailing dimensions; eps is the dtype's epsilon unless given.
REEL_OP("nn.functional.rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
        rule)
Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape, const Tensor& weight, std::optional<double> eps) {
    REEL_CHECK_NOT_IMPLEMENTED(isDifferentiableType(input.scalar_type()), "rms_norm: input is ",
                               dtype_name(input.scalar_type()), "; expected a floating dtype");
    row_size("rms_norm", input, normalized_shape, weight, {});
    const ScalarType t = norm_layers::compute_dtype(input.scalar_type());
    const double e = eps.value_or(toRealValueType(t) == kDouble ? std::numeric_limits<double>::epsilon()
                                                                : double(std::numeric_limits<float>::epsilon()));
    const std::int64_t dims = std::int64_t(normalized_shape.size());
    if (Tensor y = rms::in_one_pass(input, dims, weight, e); y.defined()) return y;
    return rms::by_ops(input, dims, weight, e);
}

} // namespace reel
