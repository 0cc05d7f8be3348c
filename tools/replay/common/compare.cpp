// Element-wise comparison.
#include "common/compare.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <sstream>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/ops.hpp>

namespace replay {

using namespace reel;

Tolerance output_tolerance(ScalarType t) {
    switch (t) {
    case kDouble:
    case kComplexDouble:
        return {1e-7, 1e-7, false};
    case kFloat:
    case kComplexFloat:
        return {1e-5, 1.3e-6, true};
    case kBFloat16:
        return {1.6e-2, 1.6e-2, false};
    case kHalf:
        return {1e-3, 2e-3, false};
    default:
        return {};
    }
}
Tolerance gradient_tolerance() { return {1e-6, 1e-6, true}; }
Tolerance module_tolerance(ScalarType t) {
    return isDifferentiableType(t) ? Tolerance{1e-7, 1e-6, false} : Tolerance{};
}

namespace {
bool same_number(double a, double b, double scale, const Tolerance& t) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (std::isinf(a) || std::isinf(b)) return a == b;
    return std::abs(a - b) <= t.atol + t.rtol * std::max(std::abs(b), scale);
}
bool same_element(std::complex<double> a, std::complex<double> b, double scale, const Tolerance& t) {
    const bool finite =
        std::isfinite(a.real()) && std::isfinite(a.imag()) && std::isfinite(b.real()) && std::isfinite(b.imag());
    if (finite) return std::abs(a - b) <= t.atol + t.rtol * std::max(std::abs(b), scale);
    return same_number(a.real(), b.real(), scale, t) && same_number(a.imag(), b.imag(), scale, t);
}
std::string place(std::int64_t index, IntArrayRef sizes) {
    std::vector<std::int64_t> at(sizes.size());
    for (std::size_t d = sizes.size(); d-- > 0;) {
        at[d] = index % sizes[d];
        index /= sizes[d];
    }
    return str("[", IntArrayRef(at), "]");
}
} // namespace

std::string difference(const Tensor& got, const Tensor& expected, const Tolerance& tolerance) {
    const NoGradGuard no_grad;
    if (!got.defined()) return "undefined, expected a tensor";
    if (got.scalar_type() != expected.scalar_type())
        return str("dtype ", dtype_name(got.scalar_type()), ", expected ", dtype_name(expected.scalar_type()));
    if (!got.sizes().equals(expected.sizes())) return str("shape ", got.sizes(), ", expected ", expected.sizes());
    const std::int64_t n = expected.numel();
    if (n == 0) return {};
    const Tensor here = got.detach().cpu().contiguous(), there = expected.contiguous();
    if (isIntegralType(expected.scalar_type(), true)) {
        const Tensor a = here.to(kLong), b = there.to(kLong);
        for (std::int64_t i = 0; i < n; ++i)
            if (a.data_ptr<std::int64_t>()[i] != b.data_ptr<std::int64_t>()[i])
                return str(a.data_ptr<std::int64_t>()[i], ", expected ", b.data_ptr<std::int64_t>()[i], " at ",
                           place(i, expected.sizes()));
        return {};
    }
    const Tensor a = here.to(kComplexDouble), b = there.to(kComplexDouble);
    const auto* x = a.data_ptr<std::complex<double>>();
    const auto* y = b.data_ptr<std::complex<double>>();
    double scale = 0;
    if (tolerance.relative_to_largest)
        for (std::int64_t i = 0; i < n; ++i)
            if (const double m = std::abs(y[i]); std::isfinite(m)) scale = std::max(scale, m);
    for (std::int64_t i = 0; i < n; ++i)
        if (!same_element(x[i], y[i], scale, tolerance)) {
            std::ostringstream os;
            os.precision(12);
            if (expected.is_complex()) os << x[i] << ", expected " << y[i];
            else os << x[i].real() << ", expected " << y[i].real();
            os << " at " << place(i, expected.sizes());
            return os.str();
        }
    return {};
}

} // namespace replay
