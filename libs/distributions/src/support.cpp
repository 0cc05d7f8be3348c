#include "support.hpp"

#include <cmath>

#include <reel/autograd/ops/factory/empty.hpp>

namespace reel::distributions::detail {

Tensor draw_memory(IntArrayRef sizes, const Tensor& like) { return empty(sizes, detail::like(like)); }

void check_parameter(const char* distribution, const char* name, const Tensor& t, const Tensor& ok,
                     const char* expected) {
    const NoGradGuard no_grad;
    if (ok.all().item<bool>()) return;
    const Tensor bad = expanded(ok, t.sizes()).logical_not();
    const std::int64_t n = bad.sum().item<std::int64_t>();
    const Scalar first = t.masked_select(bad)[0].item();
    REEL_THROW(ValueError, distribution, ": ", name, " (shape ", t.sizes(), ") has ", n,
               n == 1 ? " element that is" : " elements that are", " not ", expected, ", the first is ",
               first.to<double>());
}

void check_floating(const char* distribution, const char* name, const Tensor& t) {
    REEL_CHECK_VALUE(t.defined(), distribution, ": ", name, " is undefined");
    REEL_CHECK_TYPE(t.is_floating_point(), distribution, ": ", name, " must be floating, got ", t.scalar_type());
}

std::vector<std::int64_t> broadcast_sizes(const char* what, IntArrayRef a, IntArrayRef b) {
    const std::size_t n = std::max(a.size(), b.size());
    std::vector<std::int64_t> r(n);
    for (std::size_t i = 0; i < n; ++i) { // from the last dimension
        const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
        REEL_CHECK_VALUE(x == y || x == 1 || y == 1, what, " have shapes ", a, " and ", b,
                         ", which cannot be broadcast");
        r[n - 1 - i] = x == 1 ? y : x;
    }
    return r;
}

void broadcast_pair(const char* what, Tensor& a, Tensor& b) {
    if (a.sizes().equals(b.sizes())) return;
    const std::vector<std::int64_t> sizes = broadcast_sizes(what, a.sizes(), b.sizes());
    a = expanded(a, sizes);
    b = expanded(b, sizes);
}

namespace {
std::vector<std::int64_t> last_dims(std::int64_t n) {
    std::vector<std::int64_t> dims;
    for (std::int64_t i = -n; i < 0; ++i) dims.push_back(i);
    return dims;
}
} // namespace

Tensor sum_rightmost(const Tensor& t, std::int64_t n) { return n ? t.sum(last_dims(n)) : t; }
Tensor all_rightmost(const Tensor& t, std::int64_t n) { return n ? t.all(last_dims(n)) : t; }

double least_normal(ScalarType t) {
    if (t == kDouble) return std::numeric_limits<double>::min();
    return t == kHalf ? std::ldexp(1., -14) : double(std::numeric_limits<float>::min());
}
double epsilon(ScalarType t) {
    if (t == kDouble) return std::numeric_limits<double>::epsilon();
    if (t == kHalf) return std::ldexp(1., -10);
    return t == kBFloat16 ? std::ldexp(1., -7) : double(std::numeric_limits<float>::epsilon());
}
double resolution(ScalarType t) {
    if (t == kDouble) return 1e-15;
    if (t == kHalf) return 1e-3;
    return t == kBFloat16 ? 1e-2 : 1e-6;
}

} // namespace reel::distributions::detail
