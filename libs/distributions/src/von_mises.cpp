#include <reel/autograd/ops/factory/zeros.hpp>
#include <reel/autograd/ops/pointwise/bessel.hpp>
#include <reel/autograd/ops/pointwise/division.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/random/random.hpp>
#include <reel/distributions/von_mises.hpp>

#include <cmath>
#include <numbers>

#include "adopt.hpp"

namespace reel::distributions {

VonMises::VonMises(const Parameter& loc, const Parameter& concentration, std::optional<bool> validate_args)
    : Distribution(validate_args) {
    batch_shape_ = detail::adopt(
        "VonMises", validate_args_,
        {{"loc", loc, loc_, detail::a_number}, {"concentration", concentration, concentration_, detail::positive}});
}
Tensor VonMises::variance() const { return 1 - special::i1e(concentration_) / special::i0e(concentration_); }
Tensor VonMises::in_support(const Tensor& value) const { return value.isnan().logical_not(); }
Tensor VonMises::draw(IntArrayRef sample_shape, const Generator& generator) const {
    // in double: in single precision rejection may not end for small concentrations
    const Sizes shape = extended_shape(sample_shape);
    const Tensor k = concentration_.to(kDouble);
    const Tensor tau = 1 + (1 + 4 * k.square()).sqrt(), rho = (tau - (2 * tau).sqrt()) / (2 * k);
    const Tensor r = where(k < 1e-5, 1 / k + k, (1 + rho.square()) / (2 * rho));
    const TensorOptions options = TensorOptions(kDouble).device(loc_.device());
    Tensor x = zeros(shape, options), done = zeros(shape, TensorOptions(kBool).device(loc_.device()));
    Sizes three = shape;
    three.insert(three.begin(), 3);
    while (!done.all().item<bool>()) {
        const Tensor u = rand(three, detail::optional(generator), options);
        const Tensor z = (std::numbers::pi * u[0]).cos(), f = (1 + r * z) / (r + z), c = k * (r - f);
        const Tensor accept = ((c * (2 - c) - u[1]) > 0) | ((c / u[1]).log() + 1 - c >= 0);
        x = where(accept, (u[2] - 0.5).sign() * f.acos(), x);
        done = done | accept;
    }
    const double pi = std::numbers::pi;
    return (remainder(x + pi + loc_.to(kDouble), 2 * pi) - pi).to(loc_.scalar_type());
}
Tensor VonMises::log_density(const Tensor& value) const {
    // log I0(k) is log(exp(-k) I0(k)) + k, of which the second part meets the cosine
    return concentration_ * ((value - loc_).cos() - 1) - std::log(2 * std::numbers::pi) -
           special::i0e(concentration_).log();
}

} // namespace reel::distributions
