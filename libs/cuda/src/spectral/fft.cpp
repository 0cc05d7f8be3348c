// Fourier transforms by cuFFT, and by the host on copies where it is not there.
//
// cuFFT takes up to three dimensions, which must be the last ones: others are moved there, more are transformed three
// at a time. To real numbers it goes along one dimension only, after the others: what it makes of a half spectrum of
// several dimensions that no real numbers have is its own affair, and the host's is a transform after the other.
#include <algorithm>

#include <reel/autograd/grad_mode.hpp>
#include <reel/autograd/kernels/fft.hpp>
#include <reel/autograd/ops/convert/copy.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/shape/permute.hpp>

#include "spectral/plan.hpp"
#include "through_host.hpp"

namespace reel::cuda {

namespace {

constexpr std::size_t most_at_once = 3;

/// `over` behind all other dimensions.
Dims moved(const Tensor& t, IntArrayRef over) {
    Dims order;
    for (std::int64_t d = 0; d < t.dim(); ++d)
        if (std::find(over.begin(), over.end(), d) == over.end()) order.push_back(d);
    for (const std::int64_t d : over) order.push_back(d);
    return order;
}
Tensor fresh(const Tensor& like, IntArrayRef sizes) { return like.new_empty(sizes); }

/// `y` gets the transform of `x` along `over`, up to three dimensions. False, with nothing done, where cuFFT has none.
bool transform(const char* op, const Tensor& y, const Tensor& x, IntArrayRef over, fft::Kind kind, bool forward) {
    const Dims order = moved(x, over);
    const Tensor from = permute(x, order).contiguous(), seen = permute(y, order);
    const Tensor to = seen.is_contiguous() ? seen : fresh(y, seen.sizes());
    if (!fft::run(op, to, from, kind, over.size(), forward)) return false;
    if (!seen.is_contiguous()) Tensor(seen).copy_(to);
    return true;
}
/// `x` along `over`, three dimensions at a time, to a tensor of its own; undefined where cuFFT has none.
Tensor complex_transform(const char* op, const Tensor& x, IntArrayRef over, bool forward) {
    Tensor now = x;
    for (std::size_t i = 0; i < over.size(); i += most_at_once) {
        const Tensor next = fresh(x, x.sizes());
        if (!transform(op, next, now, over.slice(i, std::min(most_at_once, over.size() - i)), fft::Kind::complex,
                       forward))
            return {};
        now = next;
    }
    return now;
}
void multiply(const Tensor& y, double scale) {
    if (scale != 1) Tensor(y).mul_(scale);
}
bool takes(const Tensor& y, const Tensor& x) { return fft::is_available() && y.numel() > 0 && x.numel() > 0; }

bool c2c(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, bool forward, double scale) {
    const std::size_t later = dims.size() > most_at_once ? dims.size() - most_at_once : 0;
    const Tensor from = later == 0 ? x : complex_transform(op, x, dims.slice(0, later), forward);
    if (!from.defined() || !transform(op, y, from, dims.slice(later), fft::Kind::complex, forward)) return false;
    multiply(y, scale);
    return true;
}
bool r2c(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, double scale) {
    const std::size_t later = dims.size() > most_at_once ? dims.size() - most_at_once : 0;
    const Tensor half = later == 0 ? y : fresh(y, y.sizes());
    if (!transform(op, half, x, dims.slice(later), fft::Kind::from_real, true)) return false;
    if (later != 0) return c2c(op, y, half, dims.slice(0, later), true, scale);
    multiply(y, scale);
    return true;
}
bool c2r(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, double scale) {
    const std::int64_t last = dims.back(), n = y.size(last);
    const Tensor half = complex_transform(op, x, dims.slice(0, dims.size() - 1), false); // or x, which may be changed
    if (!half.defined()) return false;
    // real numbers have no imaginary part there, and a transform to them does not look
    for (const std::int64_t k : {std::int64_t(0), n / 2})
        if (k == 0 || n % 2 == 0) imag(half).select(last, k).zero_();
    if (!transform(op, y, half, dims.slice(dims.size() - 1), fft::Kind::to_real, false)) return false;
    multiply(y, scale);
    return true;
}

void fft_c2c(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, bool forward, double scale) {
    const NoGradGuard guard;
    if (!takes(y, x) || !c2c(op, y, x, dims, forward, scale))
        ThroughHost<kernels::fft_c2c, &cpu::fft_c2c>::run(op, y, x, dims, forward, scale);
}
void fft_r2c(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, double scale) {
    const NoGradGuard guard;
    if (!takes(y, x) || !r2c(op, y, x, dims, scale))
        ThroughHost<kernels::fft_r2c, &cpu::fft_r2c>::run(op, y, x, dims, scale);
}
void fft_c2r(const char* op, const Tensor& y, const Tensor& x, IntArrayRef dims, double scale) {
    const NoGradGuard guard;
    if (!takes(y, x) || !c2r(op, y, x, dims, scale))
        ThroughHost<kernels::fft_c2r, &cpu::fft_c2r>::run(op, y, x, dims, scale);
}

[[maybe_unused]] const bool attached = [] {
    kernels::fft_c2c.set(kCUDA, &fft_c2c);
    kernels::fft_r2c.set(kCUDA, &fft_r2c);
    kernels::fft_c2r.set(kCUDA, &fft_c2r);
    return true;
}();

} // namespace

} // namespace reel::cuda
