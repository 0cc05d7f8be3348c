// Ready parametrizations: weight normalisation, spectral normalisation, orthogonal matrices.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <reel/nn/cloneable.hpp>
#include <reel/nn/functional_call.hpp>

namespace reel::nn::utils::parametrizations {

/// w = g v / |v|, norms over all dimensions but `dim`, or over all for none; g and v are the originals 0 and 1.
class _WeightNormImpl : public Cloneable<_WeightNormImpl> {
public:
    explicit _WeightNormImpl(std::optional<std::int64_t> dim = 0);
    void reset() override {}
    Tensor forward(const Tensor& weight_g, const Tensor& weight_v);
    std::tuple<Tensor, Tensor> right_inverse(const Tensor& weight);

private:
    std::optional<std::int64_t> dim_;
};

/// w / sigma(w), where sigma is the largest singular value of w as a matrix of the rows `dim`, estimated by the power
/// method: `n_power_iterations` steps of the vectors `_u` and `_v` a call while training. A vector is divided by its
/// norm.
class _SpectralNormImpl : public Cloneable<_SpectralNormImpl> {
public:
    _SpectralNormImpl(const Tensor& weight, std::int64_t n_power_iterations = 1, std::int64_t dim = 0,
                      double eps = 1e-12);
    void reset() override;
    Tensor forward(const Tensor& weight);
    Tensor right_inverse(const Tensor& value) { return value; }

    Tensor _u, _v;

private:
    std::int64_t n_power_iterations_, dim_;
    double eps_;
    std::int64_t rows_ = 0, columns_ = 0; ///< of the matrix; 0 for a vector
};

/// A matrix (or a batch of them) with orthonormal columns, or rows where it is wider than high, as a function of an
/// unconstrained one: PyTorch's three maps, and its dynamic trivialisation around the buffer `base`.
class _OrthogonalImpl : public Cloneable<_OrthogonalImpl> {
public:
    _OrthogonalImpl(const Tensor& weight, std::string orthogonal_map, bool use_trivialization = true);
    void reset() override;
    Tensor forward(const Tensor& X);
    Tensor right_inverse(const Tensor& Q);

    Tensor base;

private:
    std::vector<std::int64_t> shape_;
    std::string map_;
    bool trivial_;
};

namespace detail {
void weight_norm(Module& module, const std::string& name, std::optional<std::int64_t> dim);
void spectral_norm(Module& module, const std::string& name, std::int64_t n_power_iterations, double eps,
                   std::optional<std::int64_t> dim);
void orthogonal(Module& module, const std::string& name, std::optional<std::string> map, bool use_trivialization);
} // namespace detail

/// Trains the norm and the direction of a weight apart: `parametrizations.<name>.original0` is the norm over all
/// dimensions but `dim` (all for nullopt), `original1` the direction. Also reads state dicts of the older
/// `utils::weight_norm` (`<name>_g`, `<name>_v`). Returns `module`, a holder, a pointer or the module. Errors: those of
/// register_parametrization; Error for a `dim` that the tensor does not have.
template <class M>
M&& weight_norm(M&& module, const std::string& name = "weight", std::optional<std::int64_t> dim = 0) {
    detail::weight_norm(nn::detail::module_of(module), name, dim);
    return std::forward<M>(module);
}
/// Divides a weight by its largest singular value, estimated by `n_power_iterations` steps of the power method a call
/// while training; starts with 15. `dim` is the dimension of outputs: 1 for transposed convolutions, 0 for others.
/// Errors: ValueError for a name that is no parameter or buffer and for no iterations, IndexError for `dim`.
template <class M>
M&& spectral_norm(M&& module, const std::string& name = "weight", std::int64_t n_power_iterations = 1,
                  double eps = 1e-12, std::optional<std::int64_t> dim = std::nullopt) {
    detail::spectral_norm(nn::detail::module_of(module), name, n_power_iterations, eps, dim);
    return std::forward<M>(module);
}
/// Keeps a matrix, or a batch of matrices, orthogonal (unitary): by `orthogonal_map` "matrix_exp" (the default for
/// square and for complex ones), "cayley" or "householder" (the default for others). The value it has stays, made
/// orthogonal where it is not. Errors: ValueError for a name that is no tensor of the module, for a vector, another
/// map, and "householder" of a complex matrix.
template <class M>
M&& orthogonal(M&& module, const std::string& name = "weight",
               const std::optional<std::string>& orthogonal_map = std::nullopt, bool use_trivialization = true) {
    detail::orthogonal(nn::detail::module_of(module), name, orthogonal_map, use_trivialization);
    return std::forward<M>(module);
}

} // namespace reel::nn::utils::parametrizations
