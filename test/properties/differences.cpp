#include "differences.hpp"

#include <cmath>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>

#include "sample.hpp"

namespace properties {

bool Difference::agrees_with(double derivative) const {
    if (!std::isfinite(derivative)) return false;
    return std::abs(derivative - value) <= uncertainty + 2e-6 * std::max({1.0, std::abs(value), std::abs(derivative)});
}

std::optional<Difference> difference(const std::function<double(double)>& f, double scale) {
    const double h = 2e-5 * std::max(1.0, scale), at = f(0);
    double right[2], left[2], central[2], step = h;
    double largest = std::abs(at);
    for (int i = 0; i < 2; ++i, step /= 2) {
        const double up = f(step), down = f(-step);
        if (!std::isfinite(up + down + at)) return std::nullopt;
        largest = std::max({largest, std::abs(up), std::abs(down)});
        right[i] = (up - at) / step;
        left[i] = (at - down) / step;
        central[i] = (up - down) / (2 * step);
    }
    const double rounding = 1e-15 * largest / step, size = std::max(1.0, std::abs(central[1]));
    // At a kink the sides keep their distance, where the function is smooth it is halved.
    const double far = std::abs(right[0] - left[0]), near = std::abs(right[1] - left[1]);
    if (near > 1e-5 * size + 20 * rounding && near > 0.7 * far) return std::nullopt;
    Difference d{(4 * central[1] - central[0]) / 3, 4 * std::abs(central[1] - central[0]) + 20 * rounding};
    if (d.uncertainty > 1e-3 * size) return std::nullopt;
    return d;
}

double* reals(const Tensor& t, std::int64_t& count) {
    REEL_CHECK(t.is_contiguous() && t.is_cpu(), "reals: the tensor is not dense, or not on the host");
    count = t.numel() * (t.is_complex() ? 2 : 1);
    return t.is_complex() ? reinterpret_cast<double*>(t.data_ptr<std::complex<double>>()) : t.data_ptr<double>();
}

std::vector<std::int64_t> some_places(std::int64_t count, std::int64_t few) {
    std::vector<std::int64_t> places;
    const std::int64_t n = std::min(count, long_form() ? 16 * few : few);
    for (std::int64_t k = 0; k < n; ++k) places.push_back(k * count / n);
    return places;
}

double real_inner(const Tensor& a, const Tensor& b) {
    const NoGradGuard guard;
    std::int64_t n = 0, m = 0;
    const ScalarType t = a.is_complex() || b.is_complex() ? kComplexDouble : kDouble;
    const auto dense = [t](const Tensor& from) { return from.detach().to(t).resolve_conj().cpu().contiguous(); };
    const Tensor x = dense(a), y = dense(b);
    const double *p = reals(x, n), *q = reals(y, m);
    REEL_CHECK(n == m, "real_inner: ", a.sizes(), " and ", b.sizes(), " differ");
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += p[i] * q[i];
    return sum;
}

bool all_finite(const Tensor& t) { return std::isfinite(real_inner(t, zeros_like(t))); }

} // namespace properties
