// Fourier transforms: linear maps, on the tape as one node each.
#include <reel/autograd/kernels/fft.hpp>
#include <reel/autograd/ops/pointwise/complex_parts.hpp>
#include <reel/autograd/ops/pointwise/conj.hpp>
#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/spectral/fft.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/checked_size.hpp"
#include "tensor/raw.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

/// Broadcast dimensions repeat the same memory; transforms read memory of its own for each element.
Tensor readable(const Tensor& t) {
    const Tensor x = t.detach();
    for (std::int64_t d = 0; d < x.dim(); ++d)
        if (x.size(d) > 1 && x.stride(d) == 0) return contiguous_raw(x);
    return x;
}
/// Recorded linear maps: complex to complex, real to a whole spectrum or to half of one, half a spectrum to real. Each
/// one's adjoint is among them.
Tensor transform(const char* op, const Tensor& x, const Dims& dims, bool forward, double scale) {
    if (dims.empty()) return x * scale;
    const Tensor in = readable(x), y = empty_raw(x.sizes(), x.scalar_type(), x.device());
    kernels::fft_c2c(op, y, in, dims, forward, scale);
    // The adjoint is the transform in the other direction.
    record(op, {x}, y, {}, [op, dims, forward, scale](RuleContext& c) -> GradList {
        return {transform(op, c.grad(), dims, !forward, scale)};
    });
    return y;
}
/// Half a spectrum along `dim` of size n / 2 + 1, times `inner` where an element stands for its mirror image, too.
Tensor weigh_pairs(const Tensor& x, std::int64_t dim, std::int64_t n, double inner) {
    Dims sizes(std::size_t(x.dim()), 1);
    sizes[std::size_t(dim)] = n / 2 + 1;
    const Tensor weights = empty_raw(sizes, toRealValueType(x.scalar_type()), x.device());
    fill_raw(weights, inner);
    fill_raw(narrow(weights, dim, 0, 1), 1);
    if (n % 2 == 0) fill_raw(narrow(weights, dim, n / 2, 1), 1);
    return x * weights;
}
/// Real to the whole spectrum, in one; the backward transform gives the conjugate.
Tensor to_whole(const char* op, const Tensor& x, const Dims& dims, bool forward, double scale) {
    const Tensor in = readable(x), y = empty_raw(x.sizes(), toComplexType(x.scalar_type()), x.device());
    kernels::fft_r2c_whole(op, y, in, dims, scale);
    record(op, {x}, y, {}, [op, dims, scale](RuleContext& c) -> GradList {
        return {real(transform(op, c.grad(), dims, false, scale))};
    });
    return forward ? y : conj(y);
}
Tensor from_half(const char* op, const Tensor& x, const Dims& dims, std::int64_t n, double scale);
/// The last of `dims` is the one that is halved.
Tensor to_half(const char* op, const Tensor& x, const Dims& dims, double scale) {
    const std::int64_t last = dims.back(), n = x.size(last);
    Dims sizes(x.sizes());
    sizes[std::size_t(last)] = n / 2 + 1;
    const Tensor in = readable(x), y = empty_raw(sizes, toComplexType(x.scalar_type()), x.device());
    kernels::fft_r2c(op, y, in, dims, scale);
    record(op, {x}, y, {}, [op, dims, last, n, scale](RuleContext& c) -> GradList {
        return {from_half(op, weigh_pairs(c.grad(), last, n, 0.5), dims, n, scale)};
    });
    return y;
}
/// The last of `dims` gets `n` elements.
Tensor from_half(const char* op, const Tensor& x, const Dims& dims, std::int64_t n, double scale) {
    const std::int64_t last = dims.back();
    Dims sizes(x.sizes());
    sizes[std::size_t(last)] = n;
    const Tensor in = empty_raw(x.sizes(), x.scalar_type(), x.device()),
                 y = empty_raw(sizes, toRealValueType(x.scalar_type()), x.device());
    copy_raw(in, x.detach()); // the transform overwrites it
    kernels::fft_c2r(op, y, in, dims, scale);
    record(op, {x}, y, {}, [op, dims, last, n, scale](RuleContext& c) -> GradList {
        return {weigh_pairs(to_half(op, c.grad(), dims, scale), last, n, 2)};
    });
    return y;
}

double scale_of(const char* op, std::optional<std::string_view> norm, std::int64_t n, bool forward) {
    const std::string_view mode = norm.value_or("backward");
    REEL_CHECK(mode == "forward" || mode == "backward" || mode == "ortho", op, ": norm is '", mode,
               "'; expected 'forward', 'backward' or 'ortho'");
    if (mode == "ortho") return 1 / std::sqrt(double(n));
    return (mode == "forward") == forward ? 1 / double(n) : 1.0;
}

/// Which dimensions, and how many elements of each: -1 leaves a size as it is.
struct Plan {
    Dims dims, sizes;
};
/// There is room for the numbers that the plan speaks of.
void check_plan(const char* op, const Tensor& x, const Plan& p) {
    Dims whole(x.sizes());
    for (std::size_t i = 0; i < p.dims.size(); ++i) whole[std::size_t(p.dims[i])] = p.sizes[i];
    check_sizes(op, whole, kComplexDouble);
}
Plan plan_of(const char* op, const Tensor& x, OptionalIntArrayRef s, OptionalIntArrayRef dim) {
    Plan p;
    if (dim) {
        for (const std::int64_t d : wrap_dims(op, *dim, x.dim())) p.dims.push_back(d);
        REEL_CHECK_INDEX(x.dim() > 0 || p.dims.empty(), op, ": input is 0-dim; it has no dimension to transform");
    } else {
        const std::int64_t n = s ? std::int64_t(s->size()) : x.dim();
        REEL_CHECK(n <= x.dim(), op, ": s has ", n, " sizes; input has ", x.dim(), " dimensions");
        for (std::int64_t d = x.dim() - n; d < x.dim(); ++d) p.dims.push_back(d);
    }
    REEL_CHECK(!s || s->size() == p.dims.size(), op, ": s has ", s ? s->size() : 0, " sizes for ", p.dims.size(),
               " dimensions");
    for (std::size_t i = 0; i < p.dims.size(); ++i) {
        const std::int64_t n = s && (*s)[i] != -1 ? (*s)[i] : x.size(p.dims[i]);
        REEL_CHECK(n > 0, op, ": dimension ", p.dims[i], " has ", n, " elements to transform; expected at least 1");
        p.sizes.push_back(n);
    }
    check_plan(op, x, p);
    return p;
}
/// Cut or filled up with zeros to `n` elements.
Tensor resized(const Tensor& x, std::int64_t d, std::int64_t n) {
    const std::int64_t have = x.size(d);
    if (have >= n) return have == n ? x : narrow(x, d, 0, n);
    Dims more(x.sizes());
    more[std::size_t(d)] = n - have;
    return cat({x, x.new_zeros(more)}, d);
}
Tensor resized(Tensor x, const Plan& p) {
    for (std::size_t i = 0; i < p.dims.size(); ++i) x = resized(x, p.dims[i], p.sizes[i]);
    return x;
}
void check_kind(const char* op, ScalarType t) {
    REEL_CHECK(t != kHalf && t != kBFloat16, op, ": input is ", dtype_name(t),
               "; expected float32, float64 or their complex types");
}
Tensor as_floating(const char* op, const Tensor& x) {
    const ScalarType t = isIntegralType(x.scalar_type(), true) ? get_default_dtype() : x.scalar_type();
    check_kind(op, t);
    return x.to(t);
}
Tensor as_complex(const char* op, const Tensor& x) {
    const Tensor f = as_floating(op, x);
    return f.to(toComplexType(f.scalar_type()));
}
std::int64_t count(const Dims& sizes) {
    std::int64_t n = 1;
    for (const std::int64_t s : sizes) n *= s;
    return n;
}

Tensor complex_transform(const char* op, const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                         std::optional<std::string_view> norm, bool forward) {
    const Plan p = plan_of(op, input, s, dim);
    const double scale = scale_of(op, norm, count(p.sizes), forward);
    if (!input.is_complex() && !p.dims.empty() && kernels::fft_r2c_whole.has(input.device().type()))
        return to_whole(op, resized(as_floating(op, input), p), p.dims, forward, scale);
    return transform(op, resized(as_complex(op, input), p), p.dims, forward, scale);
}
/// Real input: the half of the spectrum that determines the rest, of the last dimension named.
Tensor real_transform(const char* op, const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                      std::optional<std::string_view> norm, bool forward) {
    REEL_CHECK(!input.is_complex(), op, ": input is ", dtype_name(input.scalar_type()), "; expected a real tensor");
    const Plan p = plan_of(op, input, s, dim);
    REEL_CHECK(!p.dims.empty(), op, ": there is no dimension to transform");
    const Tensor y =
        to_half(op, resized(as_floating(op, input), p), p.dims, scale_of(op, norm, count(p.sizes), forward));
    return forward ? y : conj(y);
}
/// Half a spectrum to real output: the other half is the mirrored conjugate.
Tensor to_real(const char* op, const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,
               std::optional<std::string_view> norm, bool forward) {
    check_kind(op, input.scalar_type());
    Plan p;
    if (s || input.dim() > 0 || dim) p = plan_of(op, input, s, dim);
    REEL_CHECK(!p.dims.empty(), op, ": there is no dimension to transform");
    const std::int64_t last = p.dims.back();
    const bool sized = s && s->back() != -1;
    const std::int64_t n = sized ? p.sizes.back() : 2 * (input.size(last) - 1);
    REEL_CHECK(n > 0, op, ": dimension ", last, " has ", n, " elements in the result; expected at least 1");
    p.sizes.back() = n / 2 + 1;
    Tensor x = resized(as_complex(op, input), p);
    p.sizes.back() = n;
    check_plan(op, input, p);
    const double scale = scale_of(op, norm, count(p.sizes), forward);
    if (forward) x = conj(x); // then both directions are the inverse transform
    return from_half(op, x, p.dims, n, scale);
}
/// The one-dimensional forms as lists.
struct One {
    Dims n, dim;
    One(const char* op, const Tensor& input, std::optional<std::int64_t> size, std::int64_t d) : dim{d} {
        REEL_CHECK_INDEX(input.dim() > 0, op, ": input is 0-dim; it has no dimension to transform");
        if (!size) return;
        REEL_CHECK(*size >= 0, op, ": n is ", *size, "; expected a positive number of elements");
        n.push_back(*size);
    }
    OptionalIntArrayRef s() const { return n.empty() ? OptionalIntArrayRef() : OptionalIntArrayRef(IntArrayRef(n)); }
    IntArrayRef d() const { return dim; }
};

} // namespace

#define REEL_FFT(name, map, forward)                                                                                   \
    Tensor fft_##name(const Tensor& input, std::optional<std::int64_t> n, std::int64_t dim,                            \
                      std::optional<std::string_view> norm) {                                                          \
        const One one("fft." #name, input, n, dim);                                                                    \
        return map("fft." #name, input, one.s(), one.d(), norm, forward);                                              \
    }
/// Over two dimensions and over several.
#define REEL_FFT_OVER_MORE(name, map, forward)                                                                         \
    Tensor fft_##name##2(const Tensor& input, OptionalIntArrayRef s, IntArrayRef dim,                                  \
                         std::optional<std::string_view> norm) {                                                       \
        return map("fft." #name "2", input, s, dim, norm, forward);                                                    \
    }                                                                                                                  \
    Tensor fft_##name##n(const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,                          \
                         std::optional<std::string_view> norm) {                                                       \
        return map("fft." #name "n", input, s, dim, norm, forward);                                                    \
    }

/// Transform along one dimension, cut or zero-filled to `n` elements.
REEL_OP("fft.fft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor", rule, out)
REEL_FFT(fft, complex_transform, true)
/// Its inverse.
REEL_OP("fft.ifft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor", rule, out_exact)
REEL_FFT(ifft, complex_transform, false)
/// Transform of real input: elements 0 to n/2.
REEL_OP("fft.rfft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor", rule, out)
REEL_FFT(rfft, real_transform, true)
/// Inverse of `rfft`: `n` real elements, 2 (size - 1) by default.
REEL_OP("fft.irfft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor", rule, out)
REEL_FFT(irfft, to_real, false)
/// Transform of a signal whose half is given, the other being its mirrored conjugate: real.
REEL_OP("fft.hfft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor", rule, out)
REEL_FFT(hfft, to_real, true)
/// Inverse of `hfft`.
REEL_OP("fft.ihfft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor", rule, out_exact)
REEL_FFT(ihfft, real_transform, false)
/// `fft` over two dimensions.
REEL_OP("fft.fft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor", rule, out)
/// `fft` over several dimensions, by default all.
REEL_OP("fft.fftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor", rule, out)
REEL_FFT_OVER_MORE(fft, complex_transform, true)
/// `ifft` over two dimensions.
REEL_OP("fft.ifft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor", rule, out)
/// `ifft` over several dimensions, by default all.
REEL_OP("fft.ifftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor", rule, out)
REEL_FFT_OVER_MORE(ifft, complex_transform, false)
/// `rfft` over two dimensions.
REEL_OP("fft.rfft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor", rule, out)
/// `rfft` over several dimensions, by default all.
REEL_OP("fft.rfftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor", rule, out)
REEL_FFT_OVER_MORE(rfft, real_transform, true)
/// `irfft` over two dimensions.
REEL_OP("fft.irfft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor", rule, out)
/// `irfft` over several dimensions, by default all.
REEL_OP("fft.irfftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor", rule, out)
REEL_FFT_OVER_MORE(irfft, to_real, false)
/// `hfft` over two dimensions.
REEL_OP("fft.hfft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor", rule, out)
/// `hfft` over several dimensions, by default all.
REEL_OP("fft.hfftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor", rule, out)
REEL_FFT_OVER_MORE(hfft, to_real, true)
/// `ihfft` over two dimensions.
REEL_OP("fft.ihfft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor", rule, out)
/// `ihfft` over several dimensions, by default all.
REEL_OP("fft.ihfftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor", rule, out)
REEL_FFT_OVER_MORE(ihfft, real_transform, false)

} // namespace reel
