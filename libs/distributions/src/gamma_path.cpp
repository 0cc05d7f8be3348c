#include "gamma_path.hpp"

#include <array>
#include <cmath>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <reel/autograd/detail/standard_normal.hpp>
#include <reel/autograd/function.hpp>
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/ops/factory/empty.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/random.hpp>

#include "support.hpp"

namespace reel::distributions::detail {

namespace {

namespace math = boost::math;
/// More digits than the result needs, so that differences keep them; no detour through float128, no errno.
using Digits = math::policies::policy<math::policies::promote_double<false>,
                                      math::policies::overflow_error<math::policies::ignore_error>,
                                      math::policies::underflow_error<math::policies::ignore_error>>;

/// G. Marsaglia and W. Tsang, "A simple method for generating gamma variables" (2000).
double draw_gamma(double concentration, CPUGeneratorImpl& g) {
    double scale = 1;
    if (concentration < 1) {
        if (concentration == 0) return 0;
        scale = std::pow(1 - g.uniform_double(), 1 / concentration);
        concentration += 1;
    }
    // PyTorch's stream has the third as a float; what is accepted makes up for it
    const double d = concentration - double(1.0f / 3), c = 1 / std::sqrt(9 * d);
    for (;;) {
        double x, root;
        do {
            x = reel::detail::standard_normal(g);
            root = 1 + c * x;
        } while (root <= 0);
        const double v = root * root * root, u = 1 - g.uniform_double(), square = x * x;
        if (u < 1 - 0.0331 * square * square || std::log(u) < 0.5 * square + d * (1 - v + std::log(v)))
            return scale * d * v;
    }
}

/// The derivative at `a`: central differences of order 8 at distance `h`.
template <class F> long double slope(const F& f, long double a, long double h) {
    static constexpr std::array<long double, 4> weights = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
    long double sum = 0;
    for (int i = 0; i < 4; ++i) sum += weights[std::size_t(i)] * (f(a + (i + 1) * h) - f(a - (i + 1) * h));
    return sum / h;
}
/// How far the functions of `a` here may be stepped: they vary over `a` itself, or over its root where that is less.
long double step(long double a) { return 0.01L * a / (1 + std::sqrt(a)); }

/// dx / d concentration where P(concentration, x) stays.
double gamma_slope(double concentration, double x) {
    if (x <= 0) return 0;
    const long double a = concentration, lx = x;
    // of the two tails the smaller one, which has digits
    const bool lower = x < concentration;
    const long double tail =
        slope([&](long double c) { return lower ? math::gamma_p(c, lx, Digits()) : -math::gamma_q(c, lx, Digits()); },
              a, step(a));
    return double(-tail / math::gamma_p_derivative(a, lx, Digits()));
}
/// dx / d a / (1 - x) where I_x(a, b) stays.
double beta_slope(double x, double a, double b) {
    if (x <= 0 || x >= 1) return 0;
    const long double la = a, lb = b, lx = x;
    const bool lower = x < a / (a + b);
    const long double tail = slope(
        [&](long double c) { return lower ? math::ibeta(c, lb, lx, Digits()) : -math::ibetac(c, lb, lx, Digits()); },
        la, step(la));
    return double(-tail / (math::ibeta_derivative(la, lb, lx, Digits()) * (1 - lx)));
}

/// One draw for each element, in float64.
Tensor wide_draws(const Tensor& concentration, const Generator& given, const char* op) {
    const Tensor a = concentration.detach().to(kDouble).contiguous();
    const double* p = host_data<double>(a, op);
    for (std::int64_t i = 0; i < a.numel(); ++i)
        REEL_CHECK_VALUE(p[i] >= 0, op, ": the concentration holds ", p[i], ", expected numbers that are not negative");
    const Tensor out = empty(a.sizes(), kDouble);
    double* to = host_data<double>(out, op);
    const Generator generator = given.defined() ? given : reel::detail::getDefaultCPUGenerator();
    const std::lock_guard lock(generator.mutex());
    for (std::int64_t i = 0; i < a.numel(); ++i) to[i] = draw_gamma(p[i], generator.impl());
    return out;
}
template <class F> Tensor each(const Tensor& like, const F& f) {
    const Tensor out = empty(like.sizes(), kDouble);
    double* to = host_data<double>(out, "gamma");
    parallel_for(0, like.numel(), 64, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) to[i] = f(i);
    });
    return out.to(like.scalar_type());
}
Tensor wide(const Tensor& t) { return t.detach().to(kDouble).contiguous(); }

struct StandardGamma : autograd::Function<StandardGamma> {
    static Tensor forward(autograd::AutogradContext* ctx, const Tensor& concentration, const Generator& generator) {
        const double least = least_normal(concentration.scalar_type());
        const Tensor x = wide_draws(concentration, generator, "Gamma").to(concentration.scalar_type()).clamp_min(least);
        ctx->save_for_backward({concentration, x});
        return x;
    }
    static autograd::variable_list backward(autograd::AutogradContext* ctx, const autograd::variable_list& grad) {
        const autograd::variable_list saved = ctx->get_saved_variables();
        const Tensor a = wide(saved[0]), x = wide(saved[1]);
        const double *pa = host_data<double>(a, "Gamma"), *px = host_data<double>(x, "Gamma");
        return {grad[0] * each(saved[0], [&](std::int64_t i) { return gamma_slope(pa[i], px[i]); }), Tensor()};
    }
};
struct DirichletDraw : autograd::Function<DirichletDraw> {
    static Tensor forward(autograd::AutogradContext* ctx, const Tensor& concentration, const Generator& generator) {
        const ScalarType t = concentration.scalar_type();
        const Tensor gammas =
            wide_draws(concentration, generator, "Dirichlet").clamp_min(std::numeric_limits<double>::min());
        const Tensor x = (gammas / gammas.sum(-1, true)).to(t).clamp(least_normal(t), 1 - epsilon(t));
        ctx->save_for_backward({concentration, x});
        return x;
    }
    static autograd::variable_list backward(autograd::AutogradContext* ctx, const autograd::variable_list& grad) {
        const autograd::variable_list saved = ctx->get_saved_variables();
        const Tensor a = wide(saved[0]), x = wide(saved[1]);
        const Tensor rest = (a.sum(-1, true) - a).contiguous();
        const double *pa = host_data<double>(a, "Dirichlet"), *px = host_data<double>(x, "Dirichlet"),
                     *pr = host_data<double>(rest, "Dirichlet");
        // a coordinate moves by itself, all others shrink in proportion
        const Tensor slopes = each(saved[0], [&](std::int64_t i) { return beta_slope(px[i], pa[i], pr[i]); });
        return {slopes * (grad[0] - (saved[1] * grad[0]).sum(-1, true)), Tensor()};
    }
};

} // namespace

Tensor standard_gamma(const Tensor& concentration, const Generator& generator) {
    return StandardGamma::apply(concentration, generator);
}
Tensor dirichlet(const Tensor& concentration, const Generator& generator) {
    return DirichletDraw::apply(concentration, generator);
}

} // namespace reel::distributions::detail
