#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/nn/utils/clip_grad.hpp>

#include <cmath>
#include <limits>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/sparse.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/detail/clip_of_parts.hpp>

namespace reel::nn {

std::atomic<detail::ClipGradNorm> detail::clip_of_parts{nullptr};

namespace utils {

namespace {
std::vector<Tensor> gradients(const std::vector<Tensor>& parameters) {
    std::vector<Tensor> r;
    for (const Tensor& p : parameters)
        if (const Tensor& g = p.mutable_grad(); g.defined()) r.push_back(g);
    return r;
}
/// The places that a coalesced tensor does not hold are zeros, which no limit cuts.
Tensor clamped(const Tensor& sparse, double limit) {
    return sparse_coo_tensor(sparse.indices(), sparse.values().clamp(-limit, limit), sparse.sizes(), {}, true);
}
/// Sum of |x|^p of one tensor that has elements; the largest |x| for infinity, the smallest for -infinity.
double part(const Tensor& t, double p) {
    if (t.is_sparse()) {
        const Tensor values = t.detach().coalesce().values();
        if (p < 0 && values.numel() < t.numel()) return std::isinf(p) ? 0 : std::numeric_limits<double>::infinity();
        return values.numel() > 0 ? part(values, p) : 0;
    }
    const Tensor flat = t.detach();
    if (std::isinf(p)) return (p > 0 ? flat.abs().max() : flat.abs().min()).item<double>();
    if (p == 0) return reel::ne(flat, 0).sum().item<double>();
    if (p == 2 && !t.is_complex()) return (flat * flat).sum().item<double>();
    const Tensor a = flat.abs();
    return (p == 1 ? a : p == 2 ? a * a : a.pow(p)).sum().item<double>();
}
} // namespace

double get_total_norm(const std::vector<Tensor>& tensors, double norm_type, bool error_if_nonfinite) {
    NoGradGuard no_grad;
    REEL_CHECK_VALUE(!std::isnan(norm_type), "get_total_norm: norm_type is not a number");
    double total = 0;
    bool first = true;
    for (const Tensor& t : tensors) {
        if (!t.defined() || t.numel() == 0) continue;
        const double v = part(t, norm_type);
        if (!std::isinf(norm_type)) total += v;
        else if (first || std::isnan(v) || (norm_type > 0 ? v > total : v < total))
            total = std::isnan(total) ? total : v;
        first = false;
    }
    if (first) return 0;
    if (norm_type != 0 && !std::isinf(norm_type))
        total = norm_type == 2 ? std::sqrt(total) : std::pow(total, 1 / norm_type);
    REEL_CHECK(!error_if_nonfinite || std::isfinite(total), "clip_grad_norm_: the total norm of order ", norm_type,
               " is ", total, "; call it with error_if_nonfinite = false to scale by it anyway");
    return total;
}
void clip_grads_with_norm_(const std::vector<Tensor>& parameters, double max_norm, double total_norm) {
    NoGradGuard no_grad;
    const double factor = max_norm / (total_norm + 1e-6);
    if (factor >= 1) return; // NaN goes on and spreads, as in PyTorch
    for (const Tensor& g : gradients(parameters)) g.mul_(factor);
}
double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
    if (const detail::ClipGradNorm clip = detail::clip_of_parts.load(std::memory_order_acquire))
        return clip(parameters, max_norm, norm_type, error_if_nonfinite);
    const double total = get_total_norm(gradients(parameters), norm_type, error_if_nonfinite);
    clip_grads_with_norm_(parameters, max_norm, total);
    return total;
}
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value) {
    NoGradGuard no_grad;
    REEL_CHECK_VALUE(clip_value >= 0, "clip_grad_value_: clip_value must not be negative, got ", clip_value);
    for (const Tensor& g : gradients(parameters))
        if (g.is_sparse()) g.copy_(clamped(g.detach().coalesce(), clip_value));
        else g.clamp_(-clip_value, clip_value);
}

} // namespace utils

} // namespace reel::nn
