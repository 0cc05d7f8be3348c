// Windows for spectral analysis: `sym` ones filter, others are one period of a periodic sequence.
#include <reel/autograd/ops/spectral/windows.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/scalar.hpp>

#include <cmath>

#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"
#include <reel/autograd/pointwise/special_math.hpp>

namespace reel {

using namespace detail;

namespace {

constexpr double pi = 3.14159265358979323846;

/// What messages call the function and its length, and whether it has 16-bit floats.
struct Asked {
    const char *op, *length = "M";
    bool half = false;
    Asked(const char* name) : op(name) {}
    Asked(const char* name, const char* length_name) : op(name), length(length_name), half(true) {}
    void check(std::int64_t M, ScalarType t) const {
        REEL_CHECK(M >= 0, op, ": ", length, " is ", M, "; expected a number that is not negative");
        REEL_CHECK(t == kFloat || t == kDouble || (half && isFloatingType(t)), op, ": dtype is ", dtype_name(t),
                   half ? "; expected a floating point dtype" : "; expected float32 or float64");
        check_sizes(op, M, kDouble);
    }
};
/// M values f(k, n): n is the last index of the window or, in a periodic one, the index where it would repeat.
template <class F> Tensor window(const Asked& asked, std::int64_t M, bool sym, const TensorOptions& options, F f) {
    asked.check(M, options.has_dtype() ? ScalarType(options.dtype()) : get_default_dtype());
    const double last = double(sym ? M - 1 : M);
    const Tensor y = generated<double>(M, [&](std::int64_t k) { return M == 1 ? 1.0 : f(double(k), last); });
    const NoGradGuard guard;
    const Tensor out = y.to(TensorOptions(options.dtype()).device(options.device()));
    out.set_requires_grad(options.requires_grad());
    return out;
}
Tensor triangle(const Asked& asked, std::int64_t M, bool sym, const TensorOptions& options) {
    return window(asked, M, sym, options, [](double k, double n) { return 1 - std::abs(2 * k / n - 1); });
}
Tensor cosines(const Asked& asked, std::int64_t M, std::initializer_list<double> a, bool sym,
               const TensorOptions& options) {
    return window(asked, M, sym, options, [a](double k, double n) {
        double total = 0, i = 0;
        for (const double w : a) {
            total += w * std::cos(i * k * 2 * pi / n) * (std::fmod(i, 2) == 0 ? 1 : -1);
            i += 1;
        }
        return total;
    });
}
Tensor kaiser(const Asked& asked, std::int64_t M, double beta, bool sym, const TensorOptions& options) {
    return window(asked, M, sym, options, [beta](double k, double n) {
        const double z = 2 * k / n - 1;
        return special_math::i0(beta * std::sqrt(std::max(0.0, 1 - z * z))) / special_math::i0(beta);
    });
}

} // namespace

/// 1 - |2k/n - 1|
REEL_OP("signal.windows.bartlett(int M, *, bool sym=True, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor signal_windows_bartlett(std::int64_t M, bool sym, TensorOptions options) {
    return triangle("signal.windows.bartlett", M, sym, options);
}
REEL_OP("signal.windows.blackman(int M, *, bool sym=True, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor signal_windows_blackman(std::int64_t M, bool sym, TensorOptions options) {
    return cosines("signal.windows.blackman", M, {0.42, 0.5, 0.08}, sym, options);
}
REEL_OP("signal.windows.hamming(int M, *, bool sym=True, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor signal_windows_hamming(std::int64_t M, bool sym, TensorOptions options) {
    return cosines("signal.windows.hamming", M, {0.54, 0.46}, sym, options);
}
REEL_OP("signal.windows.hann(int M, *, bool sym=True, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor signal_windows_hann(std::int64_t M, bool sym, TensorOptions options) {
    return cosines("signal.windows.hann", M, {0.5, 0.5}, sym, options);
}
REEL_OP("signal.windows.nuttall(int M, *, bool sym=True, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor signal_windows_nuttall(std::int64_t M, bool sym, TensorOptions options) {
    return cosines("signal.windows.nuttall", M, {0.3635819, 0.4891775, 0.1365995, 0.0106411}, sym, options);
}
REEL_OP("signal.windows.general_hamming(int M, *, float alpha=0.54, bool sym=True, TensorOptions options={}) -> Tensor",
        not_differentiable)
Tensor signal_windows_general_hamming(std::int64_t M, double alpha, bool sym, TensorOptions options) {
    return cosines("signal.windows.general_hamming", M, {alpha, 1 - alpha}, sym, options);
}
/// Sum of (-1)^i a[i] cos(2 pi i k / n).
REEL_OP("signal.windows.general_cosine(int M, *, float[] a, bool sym=True, TensorOptions options={}) -> Tensor",
        not_differentiable)
Tensor signal_windows_general_cosine(std::int64_t M, ArrayRef<double> a, bool sym, TensorOptions options) {
    REEL_CHECK(!a.empty(), "signal.windows.general_cosine: a is empty; expected at least one coefficient");
    return window("signal.windows.general_cosine", M, sym, options, [a](double k, double n) {
        double total = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            total += a[i] * std::cos(double(i) * k * 2 * pi / n) * (i % 2 == 0 ? 1 : -1);
        return total;
    });
}
/// sin(pi (k + 1/2) / (n + 1))
REEL_OP("signal.windows.cosine(int M, *, bool sym=True, TensorOptions options={}) -> Tensor", not_differentiable)
Tensor signal_windows_cosine(std::int64_t M, bool sym, TensorOptions options) {
    return window("signal.windows.cosine", M, sym, options,
                  [](double k, double n) { return std::sin((k + 0.5) * pi / (n + 1)); });
}
/// e^(-|k - center| / tau); a center of one's own is for periodic windows.
REEL_OP("signal.windows.exponential(int M, *, float? center=None, float tau=1.0, bool sym=True, TensorOptions "
        "options={}) -> Tensor",
        not_differentiable)
Tensor signal_windows_exponential(std::int64_t M, std::optional<double> center, double tau, bool sym,
                                  TensorOptions options) {
    REEL_CHECK_VALUE(tau > 0, "signal.windows.exponential: tau is ", tau, "; expected a positive number");
    REEL_CHECK_VALUE(!sym || !center, "signal.windows.exponential: center must be None for a symmetric window");
    return window("signal.windows.exponential", M, sym, options,
                  [&](double k, double n) { return std::exp(-std::abs(k - center.value_or(n / 2)) / tau); });
}
/// e^(-((k - n/2) / std)^2 / 2)
REEL_OP("signal.windows.gaussian(int M, *, float std=1.0, bool sym=True, TensorOptions options={}) -> Tensor",
        not_differentiable)
Tensor signal_windows_gaussian(std::int64_t M, double std, bool sym, TensorOptions options) {
    REEL_CHECK_VALUE(std > 0, "signal.windows.gaussian: std is ", std, "; expected a positive number");
    return window("signal.windows.gaussian", M, sym, options, [std](double k, double n) {
        const double z = (k - n / 2) / std;
        return ::exp(-0.5 * z * z);
    });
}
/// I0(beta sqrt(1 - (2k/n - 1)^2)) / I0(beta)
REEL_OP("signal.windows.kaiser(int M, *, float beta=12.0, bool sym=True, TensorOptions options={}) -> Tensor",
        not_differentiable)
Tensor signal_windows_kaiser(std::int64_t M, double beta, bool sym, TensorOptions options) {
    REEL_CHECK_VALUE(beta >= 0, "signal.windows.kaiser: beta is ", beta, "; expected a number that is not negative");
    return kaiser("signal.windows.kaiser", M, beta, sym, options);
}

// The windows of torch's root: n is window_length, where they repeat, or window_length - 1 where `periodic` is false.

/// Those that repeat are the ones without a word.
#define REEL_PERIODIC_WINDOW(name)                                                                                     \
    Tensor name(std::int64_t window_length, TensorOptions options) { return name(window_length, true, options); }

/// 1 - |2k/n - 1|
REEL_OP("bartlett_window(int window_length, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(5), call(0)))
REEL_PERIODIC_WINDOW(bartlett_window)
REEL_OP("bartlett_window(int window_length, bool periodic, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(5, false), call(1, true)))
Tensor bartlett_window(std::int64_t window_length, bool periodic, TensorOptions options) {
    return triangle({"bartlett_window", "window_length"}, window_length, !periodic, options);
}
/// 0.42 - 0.5 cos(2 pi k/n) + 0.08 cos(4 pi k/n)
REEL_OP("blackman_window(int window_length, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(5)))
REEL_PERIODIC_WINDOW(blackman_window)
REEL_OP("blackman_window(int window_length, bool periodic, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(5, false)))
Tensor blackman_window(std::int64_t window_length, bool periodic, TensorOptions options) {
    return cosines({"blackman_window", "window_length"}, window_length, {0.42, 0.5, 0.08}, !periodic, options);
}
/// 0.5 - 0.5 cos(2 pi k/n)
REEL_OP("hann_window(int window_length, *, TensorOptions options={}) -> Tensor", not_differentiable, samples(call(5)))
REEL_PERIODIC_WINDOW(hann_window)
REEL_OP("hann_window(int window_length, bool periodic, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(5, false)))
Tensor hann_window(std::int64_t window_length, bool periodic, TensorOptions options) {
    return cosines({"hann_window", "window_length"}, window_length, {0.5, 0.5}, !periodic, options);
}
/// alpha - beta cos(2 pi k/n)
REEL_OP("hamming_window(int window_length, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(5)))
REEL_PERIODIC_WINDOW(hamming_window)
REEL_OP("hamming_window(int window_length, bool periodic, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(5, false)))
Tensor hamming_window(std::int64_t window_length, bool periodic, TensorOptions options) {
    return hamming_window(window_length, periodic, 0.54, options);
}
REEL_OP("hamming_window(int window_length, bool periodic, float alpha, *, TensorOptions options={}) -> Tensor",
        not_differentiable, samples(call(5, false, 0.6)))
Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha, TensorOptions options) {
    return hamming_window(window_length, periodic, alpha, 0.46, options);
}
REEL_OP(
    "hamming_window(int window_length, bool periodic, float alpha, float beta, *, TensorOptions options={}) -> Tensor",
    not_differentiable, samples(call(5, false, 0.6, 0.3)))
Tensor hamming_window(std::int64_t window_length, bool periodic, double alpha, double beta, TensorOptions options) {
    return cosines({"hamming_window", "window_length"}, window_length, {alpha, beta}, !periodic, options);
}
/// I0(beta sqrt(1 - (2k/n - 1)^2)) / I0(beta)
REEL_OP("kaiser_window(int window_length, *, TensorOptions options={}) -> Tensor", not_differentiable, samples(call(5)))
REEL_PERIODIC_WINDOW(kaiser_window)
REEL_OP("kaiser_window(int window_length, bool periodic, *, TensorOptions options={}) -> Tensor", not_differentiable,
        samples(call(5, false)))
Tensor kaiser_window(std::int64_t window_length, bool periodic, TensorOptions options) {
    return kaiser_window(window_length, periodic, 12.0, options);
}
REEL_OP("kaiser_window(int window_length, bool periodic, float beta, *, TensorOptions options={}) -> Tensor",
        not_differentiable, samples(call(5, false, 3.0)))
Tensor kaiser_window(std::int64_t window_length, bool periodic, double beta, TensorOptions options) {
    return kaiser({"kaiser_window", "window_length"}, window_length, beta, !periodic, options);
}

} // namespace reel
