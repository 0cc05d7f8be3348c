// Single draws from discrete distributions, as PyTorch's on the CPU; for each kind of generator that has
// `uniform_double()`, of whatever device.
#pragma once

#include <cmath>

#include <reel/autograd/half.hpp>

namespace reel::detail {

/// W. Hoermann, The transformed rejection method for generating Poisson random variables (1993), algorithm PTRS; from
/// a rate of ten on.
template <class G> REEL_HD double poisson_by_rejection(double rate, G& g) {
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

/// The number of geometric waiting times that fit into `count`.
template <class G> REEL_HD double binomial_by_inversion(double count, double p, G& g) {
    const double log_q = std::log1p(-p);
    double waited = 0, successes = 0;
    for (;;) {
        waited += std::ceil(std::log(g.uniform_double()) / log_q);
        if (!(waited <= count)) return successes;
        successes += 1;
    }
}
/// log k! minus Stirling's formula.
REEL_HD inline double stirling_tail(double k) {
    const double first[] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983, 0.02079067210376509,
                            0.0166446911898211,  0.0138761288230707, 0.0118967099458917, 0.0104112652619720,
                            0.00925546218271273, 0.00833056343336287};
    if (k <= 9) return first[int(k)];
    const double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}
/// W. Hoermann, The generation of binomial random variates (1993), algorithm BTRS; where count p is at least ten.
template <class G> REEL_HD double binomial_by_rejection(double count, double p, G& g) {
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

/// From the Poisson distribution; a NaN gives some count.
template <class G> REEL_HD double draw_poisson(double rate, G& g) {
    if (rate == 0) return 0;
    if (rate >= 10) return poisson_by_rejection(rate, g);
    const double least = std::exp(-rate);
    double k = 0;
    for (double product = g.uniform_double(); product > least; product *= g.uniform_double()) k += 1;
    return k;
}

/// How many of `count` trials succeed with probability p; a NaN, or infinitely many trials, give some count.
template <class G> REEL_HD double draw_binomial(double count, double p, G& g) {
    if (count <= 0 || p <= 0) return 0;
    if (p >= 1 || !(count < HUGE_VAL)) return count;
    const bool rare = p <= 0.5;
    const double q = rare ? p : 1 - p;
    const double k = count * q >= 10 ? binomial_by_rejection(count, q, g) : binomial_by_inversion(count, q, g);
    return rare ? k : count - k;
}

} // namespace reel::detail
