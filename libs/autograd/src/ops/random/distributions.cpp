// Draws from the Poisson, binomial, geometric, Cauchy and log-normal distributions: PyTorch's streams on the CPU.
#include <reel/autograd/host_data.hpp>
#include <reel/autograd/ops.hpp>
#include <reel/autograd/record.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "ops/random/random_fill.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

/// W. Hoermann, The transformed rejection method for generating Poisson random variables (1993), algorithm PTRS; from
/// a rate of ten on.
double poisson_by_rejection(double rate, CPUGeneratorImpl& g) {
    const double root = std::sqrt(rate), log_rate = std::log(rate);
    const double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), v_r = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = g.uniform_double() - 0.5, v = g.uniform_double(), us = 0.5 - std::abs(u);
        const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= v_r) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <=
            -rate + k * log_rate - std::lgamma(k + 1))
            return k;
    }
}
double draw_poisson(double rate, CPUGeneratorImpl& g) {
    if (rate == 0) return 0;
    if (rate >= 10) return poisson_by_rejection(rate, g);
    const double least = std::exp(-rate);
    double k = 0;
    for (double product = g.uniform_double(); product > least; product *= g.uniform_double()) k += 1;
    return k;
}

/// The number of geometric waiting times that fit into `count`.
double binomial_by_inversion(double count, double p, CPUGeneratorImpl& g) {
    const double log_q = std::log1p(-p);
    double waited = 0, successes = 0;
    for (;;) {
        waited += std::ceil(std::log(g.uniform_double()) / log_q);
        if (waited > count) return successes;
        successes += 1;
    }
}
/// log k! minus Stirling's formula.
double stirling_tail(double k) {
    static constexpr std::array<double, 10> first = {
        0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
        0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287};
    if (k <= 9) return first[std::size_t(k)];
    const double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}
/// W. Hoermann, The generation of binomial random variates (1993), algorithm BTRS; where count p is at least ten.
double binomial_by_rejection(double count, double p, CPUGeneratorImpl& g) {
    const double spread = std::sqrt(count * p * (1 - p)), b = 1.15 + 2.53 * spread;
    const double a = -0.0873 + 0.0248 * b + 0.01 * p, c = count * p + 0.5, v_r = 0.92 - 4.2 / b, r = p / (1 - p);
    const double alpha = (2.83 + 5.1 / b) * spread, m = std::floor((count + 1) * p);
    for (;;) {
        const double u = g.uniform_double() - 0.5;
        double v = g.uniform_double();
        const double us = 0.5 - std::abs(u), k = std::floor((2 * a / us + b) * u + c);
        if (k < 0 || k > count) continue;
        if (us >= 0.07 && v <= v_r) return k;
        v = std::log(v * alpha / (a / (us * us) + b));
        const double bound = (m + 0.5) * std::log((m + 1) / (r * (count - m + 1))) +
                             (count + 1) * std::log((count - m + 1) / (count - k + 1)) +
                             (k + 0.5) * std::log(r * (count - k + 1) / (k + 1)) + stirling_tail(m) +
                             stirling_tail(count - m) - stirling_tail(k) - stirling_tail(count - k);
        if (v <= bound) return k;
    }
}
double draw_binomial(double count, double p, CPUGeneratorImpl& g) {
    if (count <= 0 || p <= 0) return 0;
    if (p >= 1) return count;
    const bool rare = p <= 0.5;
    const double q = rare ? p : 1 - p;
    const double k = count * q >= 10 ? binomial_by_rejection(count, q, g) : binomial_by_inversion(count, q, g);
    return rare ? k : count - k;
}

Tensor poisson_draws(const Tensor& input, const std::optional<Generator>& generator) {
    const Tensor rates = contiguous_raw(cast_raw(input, kDouble));
    const double* rate = host_data<double>(rates, "poisson");
    const double* const end = rate + rates.numel();
    const double* const bad = std::find_if(rate, end, [](double r) { return !(r >= 0); });
    REEL_CHECK(bad == end, "poisson: input holds the rate ", *bad, "; expected rates that are not negative");
    Tensor wide = empty_raw(input.sizes(), kDouble);
    {
        const Drawing drawing(generator);
        std::transform(rate, end, host_data<double>(wide, "poisson"),
                       [&](double r) { return draw_poisson(r, drawing.generator()); });
    }
    return wide;
}
Tensor binomial_draws(const Tensor& count, const Tensor& prob, const Dims& sizes,
                      const std::optional<Generator>& generator) {
    const Tensor counts = contiguous_raw(expand_raw(cast_raw(count, kDouble), sizes));
    const Tensor probabilities = contiguous_raw(expand_raw(cast_raw(prob, kDouble), sizes));
    const double *n = host_data<double>(counts, "binomial"), *p = host_data<double>(probabilities, "binomial");
    for (std::int64_t i = 0; i < counts.numel(); ++i) {
        REEL_CHECK(n[i] >= 0, "binomial: count holds ", n[i], "; expected numbers that are not negative");
        REEL_CHECK(p[i] >= 0 && p[i] <= 1, "binomial: prob holds ", p[i], "; expected probabilities");
    }
    Tensor wide = empty_raw(sizes, kDouble);
    {
        const Drawing drawing(generator);
        std::transform(n, n + counts.numel(), p, host_data<double>(wide, "binomial"),
                       [&](double c, double q) { return draw_binomial(c, q, drawing.generator()); });
    }
    return wide;
}

} // namespace

/// Counts drawn from the Poisson distribution whose rate each element of `input` is; of its dtype. The gradient is
/// zero. Errors: Error for a rate that is negative.
REEL_OP("poisson(Tensor input, Generator? generator=None) -> Tensor", rule, random,
        samples(call(numbers({3, 4}).exp() * 6)))
Tensor poisson(const Tensor& input, std::optional<Generator> generator) {
    check_floating("poisson", input);
    const Tensor out = input.is_meta() ? empty_raw(input.sizes(), input.scalar_type(), input.device())
                                       : cast_raw(poisson_draws(input, generator), input.scalar_type());
    record("poisson", {input}, out, {},
           [sizes = Dims(input.sizes())](RuleContext& c) -> GradList { return {c.grad().new_zeros(sizes)}; });
    return out;
}

/// How many of `count` independent trials succeed that each do with probability `prob`; both broadcast and have one
/// floating dtype. No gradient. Errors: Error for counts that are negative and for no probabilities; backward throws
/// NotImplementedError.
REEL_OP("binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor", rule, random,
        samples(call((numbers({3, 4}).exp() * 18).round(), numbers({3, 4}).sigmoid())))
Tensor binomial(const Tensor& count, const Tensor& prob, std::optional<Generator> generator) {
    check_floating("binomial", count);
    REEL_CHECK(count.scalar_type() == prob.scalar_type(), "binomial: count is ", dtype_name(count.scalar_type()),
               " and prob is ", dtype_name(prob.scalar_type()), "; expected one dtype");
    const Dims sizes = broadcast_shapes("binomial", count.sizes(), prob.sizes());
    const Tensor out = count.is_meta() ? empty_raw(sizes, count.scalar_type(), count.device())
                                       : cast_raw(binomial_draws(count, prob, sizes, generator), count.scalar_type());
    record("binomial", {count, prob}, out, {}, [](RuleContext&) -> GradList {
        REEL_THROW(NotImplementedError, "binomial: the gradient with respect to count and prob is not implemented");
    });
    return out;
}

/// How many trials it takes until one succeeds that does so with probability `p`: 1, 2, ...
REEL_OP("geometric_(Tensor input, float p, *, Generator? generator=None) -> Tensor", not_differentiable, random, method,
        samples(call(numbers({3, 4}), 0.3)))
Tensor& geometric_(const Tensor& input, double p, std::optional<Generator> generator) {
    REEL_CHECK(p > 0 && p < 1, "geometric_: p is ", p, "; expected a probability between 0 and 1, both excluded");
    REEL_CHECK_NOT_IMPLEMENTED(!input.is_complex() && input.scalar_type() != kBool, "geometric_: input is ",
                               dtype_name(input.scalar_type()), "; expected a real number dtype");
    const double log_q = std::log1p(-p);
    fill_with("geometric_", input, generator,
              [log_q](CPUGeneratorImpl& g) { return std::ceil(std::log(g.uniform_double()) / log_q); });
    return const_cast<Tensor&>(input);
}
/// Draws with density sigma / (pi ((x - median)^2 + sigma^2)).
REEL_OP("cauchy_(Tensor input, float median=0.0, float sigma=1.0, *, Generator? generator=None) -> Tensor",
        not_differentiable, random, method, samples(call(numbers({3, 4}), 1.0, 2.0)))
Tensor& cauchy_(const Tensor& input, double median, double sigma, std::optional<Generator> generator) {
    check_floating("cauchy_", input);
    REEL_CHECK(sigma > 0, "cauchy_: sigma is ", sigma, "; expected a positive number");
    fill_with("cauchy_", input, generator, [=](CPUGeneratorImpl& g) {
        return median + sigma * std::tan(std::numbers::pi * (g.uniform_double() - 0.5));
    });
    return const_cast<Tensor&>(input);
}
/// exp of normal draws: `mean` and `std` are those of the logarithm.
REEL_OP("log_normal_(Tensor input, float mean=1.0, float std=2.0, *, Generator? generator=None) -> Tensor",
        not_differentiable, random, method, samples(call(numbers({3, 4}), 0.5, 0.25)))
Tensor& log_normal_(const Tensor& input, double mean, double std, std::optional<Generator> generator) {
    check_floating("log_normal_", input);
    REEL_CHECK(std > 0, "log_normal_: std is ", std, "; expected a positive number");
    fill_with("log_normal_", input, generator,
              [=](CPUGeneratorImpl& g) { return std::exp(standard_normal(g) * std + mean); });
    return const_cast<Tensor&>(input);
}

} // namespace reel
