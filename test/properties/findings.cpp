#include "findings.hpp"

#include <algorithm>

#include <boost/test/unit_test.hpp>

namespace properties {

namespace {

/// An op that does not have a property, and why that stands.
struct Exception {
    const char *op, *aspect, *reason;
};
const Exception exceptions[] = {
    {"abs", "forward over reverse", "not finite at a singular point"},
    {"angle", "forward", "not finite at a singular point"},
    {"batch_norm", "reverse", "running statistics carry no gradient in evaluation"},
    {"batch_norm", "second", "running statistics carry no gradient in evaluation"},
    {"bernoulli_", "reverse", "the written tensor keeps its old history"},
    {"cholesky", "forward", "the tangent is not that of the Hermitian gradient"},
    {"cholesky", "forward over reverse", "the tangent is not that of the Hermitian gradient"},
    {"cholesky_inverse", "reverse", "the gradient is not masked to the triangle that is read"},
    {"cholesky_inverse", "second", "the gradient is not masked to the triangle that is read"},
    {"cholesky_solve", "reverse", "the gradient is not masked to the triangle that is read"},
    {"cholesky_solve", "second", "the gradient is not masked to the triangle that is read"},
    {"eq", "in place", "the written tensor keeps its old history"},
    {"exponential_", "reverse", "the written tensor keeps its old history"},
    {"float_power", "reverse", "the logarithm of a negative base"},
    {"ge", "in place", "the written tensor keeps its old history"},
    {"geqrf", "reverse", "no gradient, and no word about it"},
    {"gt", "in place", "the written tensor keeps its old history"},
    {"heaviside", "in place", "the written tensor keeps its old history"},
    {"heaviside", "reverse", "no gradient, and no word about it"},
    {"histogram", "reverse", "no gradient, and no word about it"},
    {"histogramdd", "reverse", "no gradient, and no word about it"},
    {"instance_norm", "reverse", "running statistics carry no gradient in evaluation"},
    {"instance_norm", "second", "running statistics carry no gradient in evaluation"},
    {"le", "in place", "the written tensor keeps its old history"},
    {"linalg.cholesky", "forward", "the tangent is not that of the Hermitian gradient"},
    {"linalg.cholesky", "forward over reverse", "the tangent is not that of the Hermitian gradient"},
    {"linalg.cholesky_ex", "forward", "the tangent is not that of the Hermitian gradient"},
    {"linalg.cholesky_ex", "forward over reverse", "the tangent is not that of the Hermitian gradient"},
    {"linalg.ldl_factor", "reverse", "no gradient, and no word about it"},
    {"linalg.ldl_factor_ex", "reverse", "no gradient, and no word about it"},
    {"linalg.ldl_solve", "reverse", "no gradient, and no word about it"},
    {"logical_and", "in place", "the written tensor keeps its old history"},
    {"logical_not", "in place", "the written tensor keeps its old history"},
    {"logical_or", "in place", "the written tensor keeps its old history"},
    {"logical_xor", "in place", "the written tensor keeps its old history"},
    {"lt", "in place", "the written tensor keeps its old history"},
    {"masked.logaddexp", "second", "not finite at a singular point"},
    {"native_batch_norm", "reverse", "running statistics carry no gradient in evaluation"},
    {"native_batch_norm", "second", "running statistics carry no gradient in evaluation"},
    {"native_layer_norm", "reverse",
     "mean and rstd are by-products for the backward and carry no gradient, as PyTorch's"},
    {"ne", "in place", "the written tensor keeps its old history"},
    {"nextafter", "reverse",
     "where the operands are equal the result is `other`, which takes the gradient by definition"},
    {"nn.functional.batch_norm", "reverse", "running statistics carry no gradient in evaluation"},
    {"nn.functional.batch_norm", "second", "running statistics carry no gradient in evaluation"},
    {"nn.functional.ctc_loss", "second", "a second derivative is missing"},
    {"nn.functional.max_unpool3d", "forward", "places that occur twice take the gradient twice"},
    {"nn.functional.max_unpool3d", "reverse", "places that occur twice take the gradient twice"},
    {"nn.functional.normalize", "forward over reverse", "not finite at a singular point"},
    {"nn.functional.poisson_nll_loss", "reverse", "not finite at a singular point"},
    {"normal", "reverse", "a drawn number is a constant; it is not reparametrised"},
    {"normal_", "reverse", "the written tensor keeps its old history"},
    {"polar", "forward over reverse", "the sign of abs is taken from the result"},
    {"polar", "reverse", "the sign of abs is taken from the result"},
    {"polar", "second", "the sign of abs is taken from the result"},
    {"random_", "reverse", "the written tensor keeps its old history"},
    {"scatter_reduce", "reverse", "prod with two zeros in a slot, or extrema that exclude themselves and tie"},
    {"scatter_reduce", "second", "prod with two zeros in a slot, or extrema that exclude themselves and tie"},
    {"sgn", "forward", "not finite at a singular point"},
    {"sinc", "forward", "not finite at a singular point"},
    {"sinc", "second", "not finite at a singular point"},
    {"special.airy_ai", "reverse", "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.chebyshev_polynomial_t", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.chebyshev_polynomial_u", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.chebyshev_polynomial_v", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.chebyshev_polynomial_w", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.hermite_polynomial_h", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.hermite_polynomial_he", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.laguerre_polynomial_l", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.legendre_polynomial_p", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.shifted_chebyshev_polynomial_t", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.shifted_chebyshev_polynomial_u", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.shifted_chebyshev_polynomial_v", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.shifted_chebyshev_polynomial_w", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"special.spherical_bessel_j0", "reverse",
     "no derivative is known to Reel, nor to PyTorch: the result carries no gradient"},
    {"std", "forward", "not finite at a singular point"},
    {"triangular_solve", "forward", "the tangent touches the triangle that is not read"},
    {"uniform_", "reverse", "the written tensor keeps its old history"},
    {"unique", "reverse", "no gradient, and no word about it"},
    {"unique_consecutive", "reverse", "no gradient, and no word about it"},
    {"unique_consecutive_with_all", "reverse", "no gradient, and no word about it"},
    {"unique_dim", "reverse", "no gradient, and no word about it"},
    {"unique_with_all", "reverse", "no gradient, and no word about it"},
};

} // namespace

void Findings::add(const Sample& sample, const std::string& aspect, const std::string& what) {
    first_.try_emplace({sample.op, aspect}, sample.origin + ": " + what);
}

void Findings::judge(std::initializer_list<const char*> aspects) const {
    for (const auto& [key, what] : first_) {
        const bool known = std::any_of(std::begin(exceptions), std::end(exceptions),
                                       [&](const Exception& e) { return e.op == key.first && e.aspect == key.second; });
        if (!known) BOOST_ERROR(key.first << ", " << key.second << ": " << what);
    }
    for (const Exception& e : exceptions)
        if (std::find(aspects.begin(), aspects.end(), std::string(e.aspect)) != aspects.end())
            BOOST_TEST(first_.contains({e.op, e.aspect}),
                       "the exception of " << e.op << ", " << e.aspect << " (" << e.reason
                                           << ") is not needed any more: remove it from findings.cpp");
}

} // namespace properties
