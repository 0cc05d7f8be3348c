// Which frequency each number of a spectrum stands for.
#include <reel/autograd/ops/spectral/frequencies.hpp>
#include <reel/autograd/record.hpp>

#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace detail;

namespace {

/// index(k) / (n d) for each of `count` numbers.
template <class F>
Tensor frequencies(const char* op, std::int64_t n, double d, std::int64_t count, const TensorOptions& options,
                   F index) {
    REEL_CHECK(n >= 0, op, ": n is ", n, "; expected a number that is not negative");
    const ScalarType t = options.dtype();
    REEL_CHECK(isFloatingType(t), op, ": dtype is ", dtype_name(t), "; expected a floating point dtype");
    check_sizes(op, count, kDouble);
    const Tensor y = generated<double>(count, [&](std::int64_t k) { return double(index(k)) * (1 / (double(n) * d)); });
    const NoGradGuard guard;
    const Tensor out = y.to(TensorOptions(t).device(options.device()));
    out.set_requires_grad(options.requires_grad());
    return out;
}

} // namespace

/// The frequencies of `fft`: 0, 1, ..., then the negative ones, over n d. d is the time between two samples.
REEL_OP("fft.fftfreq(int n, float d=1.0, *, TensorOptions options={}) -> Tensor", not_differentiable, out,
        samples(call(5), call(0), call(4, 0.5)))
Tensor fft_fftfreq(std::int64_t n, double d, TensorOptions options) {
    return frequencies("fft.fftfreq", n, d, n, options, [n](std::int64_t k) { return k < (n + 1) / 2 ? k : k - n; });
}
/// The frequencies of `rfft`: 0, 1, ..., n / 2, over n d.
REEL_OP("fft.rfftfreq(int n, float d=1.0, *, TensorOptions options={}) -> Tensor", not_differentiable, out,
        samples(call(5), call(4, 0.5)))
Tensor fft_rfftfreq(std::int64_t n, double d, TensorOptions options) {
    return frequencies("fft.rfftfreq", n, d, n / 2 + 1, options, [](std::int64_t k) { return k; });
}

} // namespace reel
