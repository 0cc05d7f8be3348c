#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/factory/like.hpp>
#include <reel/autograd/ops/linalg/spectral.hpp>
#include <reel/autograd/ops/linalg/triangular_solve.hpp>
#include <reel/autograd/ops/pointwise/comparison.hpp>
#include <reel/distributions/constraints.hpp>

#include <cmath>

#include "support.hpp"

namespace reel::distributions::constraints {

namespace {
/// As Python prints a number.
std::string number(double x) { return reel::str(x, x == std::floor(x) && std::isfinite(x) ? ".0" : ""); }
Tensor whole(const Tensor& v) { return v.is_floating_point() ? v == v.floor() : ones_like(v, TensorOptions(kBool)); }
Tensor is_square(const Tensor& v) {
    const bool yes = v.dim() >= 2 && v.size(-1) == v.size(-2);
    const IntArrayRef batch = v.sizes().slice(0, v.dim() >= 2 ? v.dim() - 2 : 0);
    return full(batch, yes, TensorOptions(kBool).device(v.device()));
}
Tensor is_lower(const Tensor& v) { return (v.tril() == v).flatten(-2).all(-1); }
Tensor is_symmetric(const Tensor& v) { return isclose(v, v.mT(), 1e-5, 1e-6).flatten(-2).all(-1); }
Tensor is_factor(const Tensor& v) { return is_lower(v) & (v.diagonal(0, -2, -1) > 0).all(-1); }
} // namespace

Constraint real() {
    return {"Real()", [](const Tensor& v) { return v.isnan().logical_not(); }};
}
Constraint boolean() {
    return {"Boolean()", [](const Tensor& v) { return (v == 0) | (v == 1); }, 0, true};
}
Constraint nonnegative_integer() {
    return {"IntegerGreaterThan(lower_bound=0)", [](const Tensor& v) { return whole(v) & (v >= 0); }, 0, true};
}
Constraint positive_integer() {
    return {"IntegerGreaterThan(lower_bound=1)", [](const Tensor& v) { return whole(v) & (v >= 1); }, 0, true};
}
Constraint integer_interval(std::int64_t low, std::int64_t high) {
    return {reel::str("IntegerInterval(lower_bound=", low, ", upper_bound=", high, ")"),
            [=](const Tensor& v) { return whole(v) & (v >= low) & (v <= high); }, 0, true};
}
Constraint positive() { return greater_than(0); }
Constraint nonnegative() { return greater_than_eq(0); }
Constraint greater_than(double low) {
    return {"GreaterThan(lower_bound=" + number(low) + ")", [=](const Tensor& v) { return v > low; }};
}
Constraint greater_than_eq(double low) {
    return {"GreaterThanEq(lower_bound=" + number(low) + ")", [=](const Tensor& v) { return v >= low; }};
}
Constraint less_than(double high) {
    return {"LessThan(upper_bound=" + number(high) + ")", [=](const Tensor& v) { return v < high; }};
}
Constraint interval(double low, double high) {
    return {"Interval(lower_bound=" + number(low) + ", upper_bound=" + number(high) + ")",
            [=](const Tensor& v) { return (v >= low) & (v <= high); }};
}
Constraint half_open_interval(double low, double high) {
    return {"HalfOpenInterval(lower_bound=" + number(low) + ", upper_bound=" + number(high) + ")",
            [=](const Tensor& v) { return (v >= low) & (v < high); }};
}
Constraint unit_interval() { return interval(0, 1); }
Constraint real_vector() { return independent(real(), 1); }
Constraint one_hot() {
    return {"OneHot()", [](const Tensor& v) { return ((v == 0) | (v == 1)).all(-1) & (v.sum(-1) == 1); }, 1, true};
}
Constraint simplex() {
    return {"Simplex()", [](const Tensor& v) { return (v >= 0).all(-1) & ((v.sum(-1) - 1).abs() < 1e-6); }, 1};
}
Constraint multinomial(std::int64_t n) {
    return {"Multinomial()", [=](const Tensor& v) { return (v >= 0).all(-1) & (v.sum(-1) == n); }, 1, true};
}
Constraint square() { return {"Square()", is_square, 2}; }
Constraint symmetric() { return {"Symmetric()", is_symmetric, 2}; }
Constraint lower_triangular() { return {"LowerTriangular()", is_lower, 2}; }
Constraint lower_cholesky() { return {"LowerCholesky()", is_factor, 2}; }
Constraint corr_cholesky() {
    return {"CorrCholesky()",
            [](const Tensor& v) {
                const double tolerance = detail::epsilon(v.scalar_type()) * double(v.size(-1)) * 10;
                const Tensor lengths = v.square().sum(-1).sqrt();
                return is_factor(v) & ((lengths - 1).abs() <= tolerance).all(-1);
            },
            2};
}
Constraint positive_semidefinite() {
    return {"PositiveSemidefinite()",
            [](const Tensor& v) { return is_symmetric(v) & (linalg_eigvalsh(v) >= 0).all(-1); }, 2};
}
Constraint positive_definite() {
    return {"PositiveDefinite()",
            [](const Tensor& v) { return is_symmetric(v) & (std::get<1>(linalg_cholesky_ex(v)) == 0); }, 2};
}
Constraint independent(const Constraint& base, std::int64_t n) {
    REEL_CHECK_VALUE(n >= 0, "constraints::independent: expected a number of dimensions, got ", n);
    return {reel::str("IndependentConstraint(", base.str(), ", ", n, ")"),
            [=](const Tensor& v) {
                const Tensor inside = base.check(v);
                REEL_CHECK_VALUE(inside.dim() >= n, "constraints::independent: expected a value of at least ",
                                 n + base.event_dim(), " dimensions, got shape ", v.sizes());
                return detail::all_rightmost(inside, n);
            },
            base.event_dim() + n, base.is_discrete()};
}

} // namespace reel::distributions::constraints
