// Fourier transforms. One recorded linear map, the transform of complex numbers over some dimensions; the real ones are
// put together from it, so that their gradients follow.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <algorithm>
#include <cmath>

#include "cpu/fft.hpp"
#include "tensor/make.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

/// A transform of one dimension after the other; scaled in the first.
Tensor raw_transform(const Tensor& input, const Dims& dims, bool forward, double scale) {
    Tensor x = input;
    for (const std::int64_t d : dims) {
        // The dimension goes last; rows are dense there, and are a copy.
        const Tensor view = x.detach().transpose(d, -1);
        Tensor rows = empty_raw(view.sizes(), view.scalar_type());
        copy_raw(rows, view);
        const std::int64_t n = view.size(-1), count = n == 0 ? 0 : rows.numel() / n;
        if (rows.scalar_type() == kComplexDouble)
            cpu::fft_rows(rows.data_ptr<std::complex<double>>(), count, n, forward, scale);
        else cpu::fft_rows(rows.data_ptr<std::complex<float>>(), count, n, forward, scale);
        x = rows.transpose(d, -1);
        scale = 1;
    }
    return contiguous_raw(x);
}
Tensor transform(const char* op, const Tensor& x, const Dims& dims, bool forward, double scale) {
    if (dims.empty()) return x * scale;
    Tensor y;
    {
        const NoGradGuard guard;
        y = raw_transform(x, dims, forward, scale);
    }
    // The adjoint is the transform in the other direction.
    record(op, {x}, y, {}, [op, dims, forward, scale](RuleContext& c) -> GradList {
        return {transform(op, c.grad(), dims, !forward, scale)};
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
    return p;
}
/// Cut or filled up with zeros to `n` elements.
Tensor resized(const Tensor& x, std::int64_t d, std::int64_t n) {
    const std::int64_t have = x.size(d);
    if (have >= n) return have == n ? x : narrow(x, d, 0, n);
    Dims more(x.sizes());
    more[std::size_t(d)] = n - have;
    return cat({x, zeros(more, TensorOptions(x.scalar_type()).device(x.device()))}, d);
}
Tensor resized(Tensor x, const Plan& p) {
    for (std::size_t i = 0; i < p.dims.size(); ++i) x = resized(x, p.dims[i], p.sizes[i]);
    return x;
}
void check_kind(const char* op, ScalarType t) {
    REEL_CHECK(t != kHalf && t != kBFloat16, op, ": input is ", dtype_name(t),
               "; expected float32, float64 or their complex types");
}
Tensor as_complex(const char* op, const Tensor& x) {
    check_kind(op, x.scalar_type());
    const ScalarType t = isIntegralType(x.scalar_type(), true) ? get_default_dtype() : x.scalar_type();
    return x.to(toComplexType(t));
}
std::int64_t count(const Dims& sizes) {
    std::int64_t n = 1;
    for (const std::int64_t s : sizes) n *= s;
    return n;
}

Tensor complex_transform(const char* op, const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                         std::optional<std::string_view> norm, bool forward) {
    const Plan p = plan_of(op, input, s, dim);
    return transform(op, resized(as_complex(op, input), p), p.dims, forward,
                     scale_of(op, norm, count(p.sizes), forward));
}
/// Real input: the half of the spectrum that determines the rest, of the last dimension named.
Tensor real_transform(const char* op, const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                      std::optional<std::string_view> norm, bool forward) {
    REEL_CHECK(!input.is_complex(), op, ": input is ", dtype_name(input.scalar_type()), "; expected a real tensor");
    const Plan p = plan_of(op, input, s, dim);
    REEL_CHECK(!p.dims.empty(), op, ": there is no dimension to transform");
    const double scale = scale_of(op, norm, count(p.sizes), forward);
    const std::int64_t last = p.dims.back(), n = p.sizes.back();
    Tensor y = transform(op, resized(as_complex(op, input), p), {last}, true, scale);
    y = narrow(y, last, 0, n / 2 + 1);
    Dims rest(p.dims);
    rest.pop_back();
    if (!rest.empty()) y = transform(op, y, rest, true, 1);
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
    const double scale = scale_of(op, norm, count(p.sizes), forward);
    if (forward) x = conj(x); // then both directions are the inverse transform
    Dims rest(p.dims);
    rest.pop_back();
    if (!rest.empty()) x = transform(op, x, rest, false, 1);
    const std::int64_t mirrored = n - (n / 2 + 1);
    if (mirrored > 0) x = cat({x, conj(flip(narrow(x, last, 1, mirrored), {last}))}, last);
    return real(transform(op, x, {last}, false, scale)).clone();
}
/// The one-dimensional forms as lists.
struct One {
    Dims n, dim;
    One(std::optional<std::int64_t> size, std::int64_t d) : dim{d} {
        if (size) n.push_back(*size);
    }
    OptionalIntArrayRef s() const { return n.empty() ? OptionalIntArrayRef() : OptionalIntArrayRef(IntArrayRef(n)); }
    IntArrayRef d() const { return dim; }
};

} // namespace

/// Transform along one dimension, cut or zero-filled to `n` elements.
REEL_OP("fft.fft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor")
Tensor fft_fft(const Tensor& input, std::optional<std::int64_t> n, std::int64_t dim,
               std::optional<std::string_view> norm) {
    REEL_CHECK_INDEX(input.dim() > 0, "fft.fft: input is 0-dim; it has no dimension to transform");
    const One one(n, dim);
    return complex_transform("fft.fft", input, one.s(), one.d(), norm, true);
}
/// Its inverse.
REEL_OP("fft.ifft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor")
Tensor fft_ifft(const Tensor& input, std::optional<std::int64_t> n, std::int64_t dim,
                std::optional<std::string_view> norm) {
    REEL_CHECK_INDEX(input.dim() > 0, "fft.ifft: input is 0-dim; it has no dimension to transform");
    const One one(n, dim);
    return complex_transform("fft.ifft", input, one.s(), one.d(), norm, false);
}
/// Transform of real input: elements 0 to n/2.
REEL_OP("fft.rfft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor")
Tensor fft_rfft(const Tensor& input, std::optional<std::int64_t> n, std::int64_t dim,
                std::optional<std::string_view> norm) {
    REEL_CHECK_INDEX(input.dim() > 0, "fft.rfft: input is 0-dim; it has no dimension to transform");
    const One one(n, dim);
    return real_transform("fft.rfft", input, one.s(), one.d(), norm, true);
}
/// Inverse of `rfft`: `n` real elements, 2 (size - 1) by default.
REEL_OP("fft.irfft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor")
Tensor fft_irfft(const Tensor& input, std::optional<std::int64_t> n, std::int64_t dim,
                 std::optional<std::string_view> norm) {
    REEL_CHECK_INDEX(input.dim() > 0, "fft.irfft: input is 0-dim; it has no dimension to transform");
    const One one(n, dim);
    return to_real("fft.irfft", input, one.s(), one.d(), norm, false);
}
/// Transform of a signal whose half is given, the other being its mirrored conjugate: real.
REEL_OP("fft.hfft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor")
Tensor fft_hfft(const Tensor& input, std::optional<std::int64_t> n, std::int64_t dim,
                std::optional<std::string_view> norm) {
    REEL_CHECK_INDEX(input.dim() > 0, "fft.hfft: input is 0-dim; it has no dimension to transform");
    const One one(n, dim);
    return to_real("fft.hfft", input, one.s(), one.d(), norm, true);
}
/// Inverse of `hfft`.
REEL_OP("fft.ihfft(Tensor input, int? n=None, int dim=-1, str? norm=None) -> Tensor")
Tensor fft_ihfft(const Tensor& input, std::optional<std::int64_t> n, std::int64_t dim,
                 std::optional<std::string_view> norm) {
    REEL_CHECK_INDEX(input.dim() > 0, "fft.ihfft: input is 0-dim; it has no dimension to transform");
    const One one(n, dim);
    return real_transform("fft.ihfft", input, one.s(), one.d(), norm, false);
}
/// `fft` over two dimensions.
REEL_OP("fft.fft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor")
Tensor fft_fft2(const Tensor& input, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
    return complex_transform("fft.fft2", input, s, dim, norm, true);
}
/// `fft` over several dimensions, by default all.
REEL_OP("fft.fftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor")
Tensor fft_fftn(const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                std::optional<std::string_view> norm) {
    return complex_transform("fft.fftn", input, s, dim, norm, true);
}
/// `ifft` over two dimensions.
REEL_OP("fft.ifft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor")
Tensor fft_ifft2(const Tensor& input, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
    return complex_transform("fft.ifft2", input, s, dim, norm, false);
}
/// `ifft` over several dimensions, by default all.
REEL_OP("fft.ifftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor")
Tensor fft_ifftn(const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                 std::optional<std::string_view> norm) {
    return complex_transform("fft.ifftn", input, s, dim, norm, false);
}
/// `rfft` over two dimensions.
REEL_OP("fft.rfft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor")
Tensor fft_rfft2(const Tensor& input, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
    return real_transform("fft.rfft2", input, s, dim, norm, true);
}
/// `rfft` over several dimensions, by default all.
REEL_OP("fft.rfftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor")
Tensor fft_rfftn(const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                 std::optional<std::string_view> norm) {
    return real_transform("fft.rfftn", input, s, dim, norm, true);
}
/// `irfft` over two dimensions.
REEL_OP("fft.irfft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor")
Tensor fft_irfft2(const Tensor& input, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
    return to_real("fft.irfft2", input, s, dim, norm, false);
}
/// `irfft` over several dimensions, by default all.
REEL_OP("fft.irfftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor")
Tensor fft_irfftn(const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                  std::optional<std::string_view> norm) {
    return to_real("fft.irfftn", input, s, dim, norm, false);
}
/// `hfft` over two dimensions.
REEL_OP("fft.hfft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor")
Tensor fft_hfft2(const Tensor& input, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
    return to_real("fft.hfft2", input, s, dim, norm, true);
}
/// `hfft` over several dimensions, by default all.
REEL_OP("fft.hfftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor")
Tensor fft_hfftn(const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                 std::optional<std::string_view> norm) {
    return to_real("fft.hfftn", input, s, dim, norm, true);
}
/// `ihfft` over two dimensions.
REEL_OP("fft.ihfft2(Tensor input, int[]? s=None, int[] dim=[-2,-1], str? norm=None) -> Tensor")
Tensor fft_ihfft2(const Tensor& input, OptionalIntArrayRef s, IntArrayRef dim, std::optional<std::string_view> norm) {
    return real_transform("fft.ihfft2", input, s, dim, norm, false);
}
/// `ihfft` over several dimensions, by default all.
REEL_OP("fft.ihfftn(Tensor input, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor")
Tensor fft_ihfftn(const Tensor& input, OptionalIntArrayRef s, OptionalIntArrayRef dim,
                  std::optional<std::string_view> norm) {
    return real_transform("fft.ihfftn", input, s, dim, norm, false);
}

} // namespace reel
