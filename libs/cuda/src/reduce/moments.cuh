// Means and sums of squared distances from them, of parts that are joined (T. F. Chan, G. H. Golub, R. J. LeVeque,
// "Updating formulae and a pairwise algorithm for computing sample variances", 1979). In float64.
#pragma once

#include "complex.cuh"

namespace reel::cuda {

/// M: double, or Complex<double>.
template <class M> struct Moments {
    double count;
    M mean;
    double squares; ///< sum of |x - mean|^2

    static __device__ Moments none() { return {0, M(0), 0}; }
    static __device__ Moments of(const M* x, int n) {
        M sum(0);
        for (int k = 0; k < n; ++k) sum = sum + x[k];
        Moments m{double(n), sum * (1.0 / n), 0};
        for (int k = 0; k < n; ++k) m.squares += squared_modulus(x[k] - m.mean);
        return m;
    }
    static __device__ Moments join(const Moments& a, const Moments& b) {
        if (a.count == 0) return b;
        if (b.count == 0) return a;
        const double n = a.count + b.count;
        const M d = b.mean - a.mean;
        return {n, a.mean + d * (b.count / n), a.squares + b.squares + squared_modulus(d) * (a.count * b.count / n)};
    }
};

} // namespace reel::cuda
