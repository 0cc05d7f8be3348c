// Weight normalisation, spectral normalisation, orthogonal matrices.
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/factory/zeros_like.hpp>
#include <reel/autograd/ops/linalg/lu.hpp>
#include <reel/autograd/ops/linalg/matmul.hpp>
#include <reel/autograd/ops/linalg/matrix_functions.hpp>
#include <reel/autograd/ops/linalg/qr.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/autograd/ops/reduce/statistics.hpp>
#include <reel/autograd/ops/reduce/vector_norm.hpp>
#include <reel/autograd/ops/shape/diagonals.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/pad.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/triangular.hpp>
#include <reel/nn/utils/parametrizations.hpp>

#include <limits>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/tensor_operators.hpp>
#include <reel/nn/utils/parametrize.hpp>

#include "utils/norms_of_weights.hpp"

namespace reel::nn::utils::parametrizations {

_WeightNormImpl::_WeightNormImpl(std::optional<std::int64_t> dim) : dim_(dim) {}
Tensor _WeightNormImpl::forward(const Tensor& weight_g, const Tensor& weight_v) {
    return weight_of(weight_g, weight_v, dim_);
}
std::tuple<Tensor, Tensor> _WeightNormImpl::right_inverse(const Tensor& weight) {
    return {norm_except_dim(weight, dim_), weight};
}

_SpectralNormImpl::_SpectralNormImpl(const Tensor& weight, std::int64_t n_power_iterations, std::int64_t dim,
                                     double eps)
    : n_power_iterations_(n_power_iterations), dim_(checked_dim("spectral_norm", weight, dim)), eps_(eps) {
    REEL_CHECK_VALUE(n_power_iterations > 0, "spectral_norm: n_power_iterations is ", n_power_iterations,
                     "; expected a positive number");
    if (weight.dim() < 2) return;
    const Tensor matrix = matrix_of(weight, dim_);
    rows_ = matrix.size(0), columns_ = matrix.size(1);
    _SpectralNormImpl::reset();
    _u.set_data(random_direction(weight, rows_, eps));
    _v.set_data(random_direction(weight, columns_, eps));
    power_method(matrix, _u, _v, 15, eps);
}
void _SpectralNormImpl::reset() {
    if (!rows_) return;
    _u = register_buffer("_u", reel::zeros({rows_}));
    _v = register_buffer("_v", reel::zeros({columns_}));
}
Tensor _SpectralNormImpl::forward(const Tensor& weight) {
    if (weight.dim() == 1) return reel::normalize(weight, 2.0, 0, eps_);
    const Tensor matrix = matrix_of(weight, dim_);
    if (is_training()) power_method(matrix, _u, _v, n_power_iterations_, eps_);
    return divided_by_sigma(weight, matrix, _u, _v);
}

namespace {
bool is_orthogonal(const Tensor& q) {
    const std::int64_t n = q.size(-2), k = q.size(-1);
    const ScalarType real = toRealValueType(q.scalar_type());
    const double eps = real == kDouble ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    const Tensor product = reel::matmul(reel::mH(q), q);
    return reel::allclose(product, reel::eye(k, std::nullopt, q.options().requires_grad(false)).expand_as(product),
                          1e-5, 10.0 * double(n) * eps);
}
/// The orthogonal factor of `a`, whose other factor has a positive diagonal.
Tensor made_orthogonal(const Tensor& a) {
    const auto [x, tau] = reel::geqrf(a);
    return reel::linalg_householder_product(x, tau) * reel::diagonal(x, 0, -2, -1).sgn().unsqueeze(-2);
}
/// An orthogonal matrix that is square, made from the skew one that the lower triangle of `x` spans.
Tensor from_skew(const Tensor& x, bool cayley) {
    const std::int64_t n = x.size(-2), k = x.size(-1);
    Tensor square = reel::tril(x);
    if (n != k) square = reel::constant_pad_nd(square, {0, n - k}, 0);
    const Tensor skew = square - reel::mH(square);
    if (!cayley) return reel::linalg_matrix_exp(skew);
    const Tensor one = reel::eye(n, std::nullopt, skew.options().requires_grad(false));
    return reel::linalg_solve(one - 0.5 * skew, one + 0.5 * skew);
}
} // namespace

_OrthogonalImpl::_OrthogonalImpl(const Tensor& weight, std::string orthogonal_map, bool use_trivialization)
    : shape_(weight.sizes().vec()), map_(std::move(orthogonal_map)), trivial_(use_trivialization) {
    REEL_CHECK_VALUE(map_ == "matrix_exp" || map_ == "cayley" || map_ == "householder", "orthogonal: orthogonal_map '",
                     map_, "'; expected 'matrix_exp', 'cayley' or 'householder'");
    REEL_CHECK_VALUE(
        !weight.is_complex() || map_ != "householder",
        "orthogonal: the householder parametrization does not support complex tensors; use 'matrix_exp' or "
        "'cayley'");
    _OrthogonalImpl::reset();
}
void _OrthogonalImpl::reset() {
    if (trivial_) base = register_buffer("base", Tensor());
}
Tensor _OrthogonalImpl::forward(const Tensor& given) {
    const bool wide = given.size(-2) < given.size(-1);
    const Tensor x = wide ? reel::mT(given) : given;
    const std::int64_t k = x.size(-1);
    Tensor q;
    if (map_ == "householder") {
        const Tensor a = reel::tril(x, -1);
        const Tensor tau = 2.0 / (1.0 + (a * a).sum(-2));
        // the diagonal holds signs, which are not trained
        q = reel::linalg_householder_product(a, tau) * reel::diagonal(x.detach(), 0, -2, -1).to(kInt).unsqueeze(-2);
    } else {
        q = from_skew(x, map_ == "cayley");
        if (q.size(-1) != k) q = q.narrow(-1, 0, k);
    }
    if (trivial_) q = reel::matmul(base, q);
    return wide ? reel::mT(q) : q;
}
Tensor _OrthogonalImpl::right_inverse(const Tensor& given) {
    NoGradGuard no_grad;
    REEL_CHECK_VALUE(given.sizes().equals(shape_), "orthogonal: expected a matrix or batch of matrices of shape ",
                     IntArrayRef(shape_), ", got a tensor of shape ", given.sizes());
    const bool wide = given.size(-2) < given.size(-1);
    const Tensor q = (wide ? reel::mT(given) : given).detach();
    const std::int64_t n = q.size(-2), k = q.size(-1);
    if (!trivial_) {
        REEL_CHECK_NOT_IMPLEMENTED(map_ == "householder",
                                   "orthogonal: cannot assign to the matrix exponential or the Cayley "
                                   "parametrizations without use_trivialization");
        const auto [a, tau] = reel::geqrf(q);
        const Tensor diagonal = reel::diagonal(a, 0, -2, -1), sign = diagonal.sign();
        diagonal.copy_((-sign).where(tau == 0, sign));
        return wide ? reel::mT(a) : a;
    }
    if (n != k) {
        std::vector<std::int64_t> rest = q.sizes().vec();
        rest.back() = n - k;
        base = made_orthogonal(reel::cat({q, reel::randn(rest, q.options())}, -1));
    } else base = is_orthogonal(q) ? reel::clone(q) : made_orthogonal(q);
    // minus one: householder of nothing is the identity then
    const Tensor negative = reel::zeros_like(given).detach();
    reel::diagonal(negative, 0, -2, -1).fill_(-1.0);
    return negative;
}

namespace detail {

namespace {
Tensor tensor_of(Module& module, const char* what, const std::string& name) {
    Value v;
    try {
        v = module.attribute(name);
    } catch (const AttributeError&) {
    }
    REEL_CHECK_VALUE(v.isTensor(), what, ": ", module.repr_name(), " has no parameter or buffer with name '", name,
                     "'");
    return v.toTensor();
}
} // namespace

void weight_norm(Module& module, const std::string& name, std::optional<std::int64_t> dim) {
    if (dim && *dim != -1) checked_dim("weight_norm", tensor_of(module, "weight_norm", name), *dim);
    parametrize::register_parametrization(module, name, std::make_shared<_WeightNormImpl>(dim), true);
    module.register_load_state_dict_pre_hook(
        [name](Module&, StateDict& map, const std::string& prefix, const ValueDict&, bool, LoadLists&) {
            const std::string g = prefix + name + "_g", v = prefix + name + "_v",
                              now = prefix + "parametrizations." + name + ".original";
            if (!map.contains(g) || !map.contains(v)) return;
            const Value norm = map[g], direction = map[v];
            map.erase(g), map.erase(v);
            map.insert_or_assign(now + "0", norm);
            map.insert_or_assign(now + "1", direction);
        });
}
void spectral_norm(Module& module, const std::string& name, std::int64_t n_power_iterations, double eps,
                   std::optional<std::int64_t> dim) {
    const Tensor weight = tensor_of(module, "spectral_norm", name);
    auto step = std::make_shared<_SpectralNormImpl>(weight, n_power_iterations, dim ? *dim : output_dim(module), eps);
    parametrize::register_parametrization(module, name, std::move(step));
}
void orthogonal(Module& module, const std::string& name, std::optional<std::string> map, bool use_trivialization) {
    const Tensor weight = tensor_of(module, "orthogonal", name);
    REEL_CHECK_VALUE(weight.dim() >= 2, "orthogonal: expected a matrix or batch of matrices, got a tensor of ",
                     weight.dim(), " dimensions");
    if (!map) map = weight.size(-2) == weight.size(-1) || weight.is_complex() ? "matrix_exp" : "householder";
    auto step = std::make_shared<_OrthogonalImpl>(weight, *map, use_trivialization);
    parametrize::register_parametrization(module, name, std::move(step), true);
}

} // namespace detail

} // namespace reel::nn::utils::parametrizations
