// Short-time Fourier transforms: windows sliding over a signal.
#include <reel/autograd/ops/factory/ones.hpp>
#include <reel/autograd/ops/factory/ranges.hpp>
#include <reel/autograd/ops/index/scatter.hpp>
#include <reel/autograd/ops/pointwise/complex.hpp>
#include <reel/autograd/ops/reduce/minmax.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/pad.hpp>
#include <reel/autograd/ops/shape/permute.hpp>
#include <reel/autograd/ops/shape/reshape.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/squeeze.hpp>
#include <reel/autograd/ops/shape/strided.hpp>
#include <reel/autograd/ops/spectral/fft.hpp>
#include <reel/autograd/ops/spectral/stft.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <cmath>

#include "tensor/host_values.hpp"

namespace reel {

namespace {

/// What real numbers beside `t` are made of.
TensorOptions real_like(const Tensor& t) { return TensorOptions(toRealValueType(t.scalar_type())).device(t.device()); }
/// The window in the middle of `n_fft` elements, ones when there is none; undefined when that is ones throughout.
Tensor centred_window(const char* op, const Tensor& window, std::int64_t win_length, std::int64_t n_fft,
                      const Tensor& like) {
    REEL_CHECK(win_length > 0 && win_length <= n_fft, op, ": win_length is ", win_length, "; expected 1 to n_fft, ",
               n_fft);
    REEL_CHECK(!window.defined() || (window.dim() == 1 && window.size(0) == win_length), op, ": window has shape ",
               window.defined() ? window.sizes() : IntArrayRef(), "; expected [", win_length, "]");
    if (!window.defined() && win_length == n_fft) return {};
    const Tensor w = window.defined() ? window : ones({win_length}, real_like(like));
    const std::int64_t left = (n_fft - win_length) / 2;
    return win_length == n_fft ? w : constant_pad_nd(w, {left, n_fft - win_length - left}, 0);
}

} // namespace

/// Spectra of windows of `n_fft` elements, `hop_length` (n_fft / 4) apart: [..., frequency, frame]. `center` pads the
/// signal so that frame t is centred at t hop_length; `onesided` (default for real signals and windows) leaves out the
/// mirrored half.
REEL_OP("stft(Tensor input, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool "
        "center=True, str pad_mode='reflect', "
        "bool normalized=False, bool? onesided=None, bool? return_complex=None) -> Tensor",
        composite, method)
Tensor stft(const Tensor& input, std::int64_t n_fft, std::optional<std::int64_t> hop_length,
            std::optional<std::int64_t> win_length, const Tensor& window, bool center, std::string_view pad_mode,
            bool normalized, std::optional<bool> onesided, std::optional<bool> return_complex) {
    REEL_CHECK(isDifferentiableType(input.scalar_type()) && (input.dim() == 1 || input.dim() == 2), "stft: input is ",
               dtype_name(input.scalar_type()), " of shape ", input.sizes(),
               "; expected a floating or complex signal [L] or [N, L]");
    const bool any_complex = input.is_complex() || (window.defined() && window.is_complex());
    REEL_CHECK(return_complex || any_complex, "stft: return_complex must be given for real input and window");
    const std::int64_t hop = hop_length.value_or(n_fft / 4);
    REEL_CHECK(hop > 0, "stft: hop_length is ", hop, "; expected a positive number");
    const Tensor w = centred_window("stft", window, win_length.value_or(n_fft), n_fft, input);
    Tensor x = input.dim() == 2 ? input : unsqueeze(input, 0);
    if (center) x = squeeze(pad(unsqueeze(x, 1), {n_fft / 2, n_fft / 2}, pad_mode), 1);
    REEL_CHECK(n_fft > 0 && n_fft <= x.size(1), "stft: n_fft is ", n_fft, "; expected 1 to ", x.size(1),
               ", the signal's length");
    Tensor frames = unfold(x, 1, n_fft, hop);
    if (w.defined()) frames = frames * w;
    const bool half = onesided.value_or(!any_complex);
    REEL_CHECK(!half || !any_complex, "stft: onesided is for real input and window");
    Tensor y = half ? fft_rfft(frames) : fft_fft(frames);
    if (normalized) y = y * (1 / std::sqrt(double(n_fft)));
    y = transpose(y, 1, 2);
    if (input.dim() == 1) y = squeeze(y, 0);
    return return_complex.value_or(true) ? y : view_as_real(y);
}

/// The signal whose spectra are given: transformed back, multiplied with the window, added up and divided by what the
/// squared windows add up to.
REEL_OP("istft(Tensor input, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool "
        "center=True, bool normalized=False, "
        "bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor",
        composite, method)
Tensor istft(const Tensor& input, std::int64_t n_fft, std::optional<std::int64_t> hop_length,
             std::optional<std::int64_t> win_length, const Tensor& window, bool center, bool normalized,
             std::optional<bool> onesided, std::optional<std::int64_t> length, bool return_complex) {
    REEL_CHECK(input.is_complex() && (input.dim() == 2 || input.dim() == 3) && input.numel() > 0, "istft: input is ",
               dtype_name(input.scalar_type()), " of shape ", input.sizes(),
               "; expected complex spectra [frequency, frame] or [N, frequency, frame]");
    const std::int64_t hop = hop_length.value_or(n_fft / 4), size = win_length.value_or(n_fft);
    const bool half = onesided.value_or(input.size(-2) != n_fft);
    REEL_CHECK(input.size(-2) == (half ? n_fft / 2 + 1 : n_fft), "istft: input has ", input.size(-2),
               " frequencies; expected ", half ? n_fft / 2 + 1 : n_fft);
    REEL_CHECK(hop > 0 && hop <= size, "istft: hop_length is ", hop, "; expected 1 to win_length, ", size);
    REEL_CHECK(!return_complex || !half,
               "istft: onesided spectra are those of real signals; return_complex cannot be asked of them");
    REEL_CHECK(return_complex || !window.defined() || !window.is_complex(),
               "istft: a complex window needs return_complex");
    Tensor w = centred_window("istft", window, size, n_fft, input);
    if (!w.defined()) w = ones({n_fft}, real_like(input));
    Tensor spectra = transpose(input.dim() == 3 ? input : unsqueeze(input, 0), 1, 2); // [N, frame, frequency]
    if (normalized) spectra = spectra * std::sqrt(double(n_fft));
    // Of a real signal the first half of each spectrum counts, also when all of it is given.
    Tensor frames = return_complex ? fft_ifft(spectra) : fft_irfft(narrow(spectra, 2, 0, n_fft / 2 + 1), n_fft);
    frames = frames * w;
    const std::int64_t batch = frames.size(0), count = frames.size(1), total = n_fft + hop * (count - 1);
    const TensorOptions places = TensorOptions(kLong).device(input.device());
    const Tensor place = reshape(unsqueeze(arange(count, places) * hop, 1) + arange(n_fft, places), {count * n_fft});
    const auto add_up = [&](const Tensor& parts, std::int64_t n) {
        return index_add(parts.new_zeros({n, total}), 1, place, reshape(parts, {n, count * n_fft}));
    };
    const Tensor envelope = add_up(expand(w * w, {1, count, n_fft}), 1);
    const std::int64_t start = center ? n_fft / 2 : 0;
    REEL_CHECK_VALUE(!length || *length >= 0, "istft: length is ", length.value_or(0), "; expected no negative number");
    const std::int64_t end = length ? start + std::min(*length, total - start) : center ? total - n_fft / 2 : total;
    REEL_CHECK(end > start, "istft: nothing is left of ", total, " elements between ", start, " and ", end);
    const Tensor least = slice(envelope, 1, start, end);
    REEL_CHECK(!detail::has_values(least) || min(abs(least.detach())).item<double>() > 1e-11,
               "istft: the squared windows add up to zero somewhere; the signal is not determined there");
    Tensor y = slice(add_up(frames, batch), 1, start, end) / least;
    if (length && *length > y.size(1)) y = constant_pad_nd(y, {0, *length - y.size(1)}, 0);
    return input.dim() == 2 ? squeeze(y, 0) : y;
}

} // namespace reel
