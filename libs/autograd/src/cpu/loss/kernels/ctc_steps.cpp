// Sums of exponentials of three neighbours; the rest of a row goes by padded vectors.
#include "cpu/loss/ctc_steps.hpp"

#include <limits>

#include <reel/autograd/detail/cpu/vec_math.hpp>

namespace reel::cpu::REEL_ISA {

namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

VD sum_of(VD a, VD b, VD c, VD own) {
    const VD both = select(b > a, b, a), top = select(c > both, c, both);
    const VD none(minus_infinity);
    const auto nothing = (a == none) & (b == none) & (c == none);
    const VD shift = select(nothing, VD(0.0), top);
    return select(nothing, none, own + (shift + log(exp(a - shift) + exp(b - shift) + exp(c - shift))));
}
void step(const double* from, const double* skip, const double* own, std::int64_t count, double* to) {
    constexpr int w = VD::size;
    std::int64_t s = 0;
    for (; s + w <= count; s += w)
        sum_of(VD::load(from + s), VD::load(from + s - 1), VD::load(from + s - 2) + VD::load(skip + s),
               VD::load(own + s))
            .store(to + s);
    if (s == count) return;
    double a[w] = {}, b[w] = {}, c[w] = {}, o[w] = {}, r[w];
    for (std::int64_t l = 0; s + l < count; ++l) {
        a[l] = from[s + l];
        b[l] = from[s + l - 1];
        c[l] = from[s + l - 2] + skip[s + l];
        o[l] = own[s + l];
    }
    sum_of(VD::load(a), VD::load(b), VD::load(c), VD::load(o)).store(r);
    for (std::int64_t l = 0; s + l < count; ++l) to[s + l] = r[l];
}
void exponentials(const double* x, std::int64_t count, double* to) {
    constexpr int w = VD::size;
    std::int64_t i = 0;
    for (; i + w <= count; i += w) exp(VD::load(x + i)).store(to + i);
    if (i == count) return;
    double padded[w] = {};
    for (std::int64_t l = 0; i + l < count; ++l) padded[l] = x[i + l];
    exp(VD::load(padded)).store(padded);
    for (std::int64_t l = 0; i + l < count; ++l) to[i + l] = padded[l];
}

} // namespace

void register_ctc_steps() { ctc_steps = {&step, &exponentials}; }

} // namespace reel::cpu::REEL_ISA
