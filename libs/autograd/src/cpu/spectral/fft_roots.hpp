// Roots of unity, more exact than either precision of the transforms.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace reel::cpu {

/// e^(-2 pi i k / n). Angles are reduced to an eighth of the circle in integers, so that sine and cosine are asked for
/// exact small arguments; for large n most roots are products of two, in long double.
class FftRoots {
public:
    using C = std::complex<long double>;
    /// `count`: how many will be asked for, about.
    FftRoots(std::int64_t n, std::int64_t count);
    C operator()(std::int64_t k) const;

private:
    C computed(std::int64_t k) const;
    std::int64_t n_;
    int shift_ = 0; ///< 0: no tables
    std::vector<C> fine_, coarse_;
};

} // namespace reel::cpu
