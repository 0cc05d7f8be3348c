// Norms of weights: those of rows, and the largest singular value.
#include "utils/norms_of_weights.hpp"

#include <numeric>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/products.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/view.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/modules/conv.hpp>

namespace reel::nn::utils {

Tensor norm_except_dim(const Tensor& v, std::optional<std::int64_t> dim) {
    if (!dim || *dim == -1) return reel::linalg_vector_norm(v, 2); // -1 is PyTorch's word for none
    const std::int64_t d = checked_dim("weight_norm", v, *dim);
    std::vector<std::int64_t> others;
    for (std::int64_t i = 0; i < v.dim(); ++i)
        if (i != d) others.push_back(i);
    return others.empty() ? v.abs() : reel::linalg_vector_norm(v, 2, IntArrayRef(others), true);
}
Tensor weight_of(const Tensor& g, const Tensor& v, std::optional<std::int64_t> dim) {
    return v * (g / norm_except_dim(v, dim));
}

Tensor matrix_of(const Tensor& weight, std::int64_t dim) {
    if (dim == 0) return reel::flatten(weight, 1);
    std::vector<std::int64_t> order{dim};
    for (std::int64_t i = 0; i < weight.dim(); ++i)
        if (i != dim) order.push_back(i);
    return reel::flatten(reel::permute(weight, order), 1);
}
void power_method(const Tensor& matrix, const Tensor& u, const Tensor& v, std::int64_t steps, double eps) {
    NoGradGuard no_grad;
    const Tensor m = matrix.detach();
    for (std::int64_t i = 0; i < steps; ++i) {
        u.copy_(reel::normalize(reel::mv(m, v), 2.0, 0, eps));
        v.copy_(reel::normalize(reel::mv(reel::mH(m), u), 2.0, 0, eps));
    }
}
Tensor divided_by_sigma(const Tensor& weight, const Tensor& matrix, const Tensor& u, const Tensor& v) {
    // clones: the next call moves u and v, and the backward pass of this one needs them as they are
    const Tensor left = reel::clone(u.detach()), right = reel::clone(v.detach());
    return weight / reel::vdot(left, reel::mv(matrix, right));
}
Tensor random_direction(const Tensor& t, std::int64_t size, double eps) {
    NoGradGuard no_grad;
    return reel::normalize(t.detach().new_empty({size}).normal_(0, 1), 2.0, 0, eps);
}
std::int64_t output_dim(const Module& module) {
    const bool transposed = dynamic_cast<const ConvTranspose1dImpl*>(&module) ||
                            dynamic_cast<const ConvTranspose2dImpl*>(&module) ||
                            dynamic_cast<const ConvTranspose3dImpl*>(&module);
    return transposed ? 1 : 0;
}
std::int64_t checked_dim(const char* what, const Tensor& weight, std::int64_t dim) {
    const std::int64_t n = weight.dim();
    REEL_CHECK_INDEX(-n <= dim && dim < n, what, ": dimension out of range (expected to be in range of [", -n, ", ",
                     n - 1, "], but got ", dim, ")");
    return dim < 0 ? dim + n : dim;
}

} // namespace reel::nn::utils
