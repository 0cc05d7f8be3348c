// Softmax and its logarithm, and the losses on top of them.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/parallel.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <cmath>

#include "cpu/softmax.hpp"
#include "tensor/make.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

Tensor run(const char* op, const Tensor& input, std::int64_t dim, bool logarithm) {
    const ScalarType t = input.scalar_type();
    REEL_CHECK_NOT_IMPLEMENTED(isFloatingType(t), op, ": input: there is no kernel for ", dtype_name(t));
    if (input.numel() == 0) return empty_raw(input.sizes(), t);
    if (t == kHalf || t == kBFloat16) return cast_raw(run(op, cast_raw(input, kFloat), dim, logarithm), t);
    // The dimension goes last; rows are dense there.
    Dims s(input.sizes()), st(input.strides());
    if (s.empty()) s.push_back(1), st.push_back(1);
    std::swap(s[std::size_t(dim)], s.back());
    std::swap(st[std::size_t(dim)], st.back());
    const Tensor rows = contiguous_raw(alias_raw(input, s, st, input.storage_offset()));
    Tensor out = empty_raw(s, t);
    cpu::softmax_rows(t, rows.data_ptr(), out.data_ptr(), out.numel() / s.back(), s.back(), logarithm);
    if (dim == std::int64_t(s.size()) - 1 && input.dim() > 0) return out;
    Dims os(out.strides());
    std::swap(os[std::size_t(dim)], os.back());
    return input.dim() == 0 ? alias_raw(out, {}, {}, 0) : contiguous_raw(alias_raw(out, input.sizes(), os, 0));
}

} // namespace

/// Positive weights along `dim` that sum to one.  gx = y (g - sum(g y))
REEL_OP("softmax(Tensor input, int dim, *, Dtype? dtype=None) -> Tensor", method, alias("nn.functional.softmax"))
Tensor softmax(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype) {
    const Tensor x = dtype ? input.to(*dtype) : input;
    const std::int64_t d = wrap_dim("softmax", dim, x.dim());
    Tensor out = run("softmax", x, d, false);
    record("softmax", {x}, out, {out}, [d](RuleContext& c) -> GradList {
        const Tensor y = c.saved(0), gy = c.grad() * y;
        return {gy - y * reel::sum(gy, d, true)};
    });
    return out;
}
/// log(softmax).  gx = g - exp(y) sum(g)
REEL_OP("log_softmax(Tensor input, int dim, *, Dtype? dtype=None) -> Tensor", method, alias("nn.functional.log_softmax"))
Tensor log_softmax(const Tensor& input, std::int64_t dim, std::optional<ScalarType> dtype) {
    const Tensor x = dtype ? input.to(*dtype) : input;
    const std::int64_t d = wrap_dim("log_softmax", dim, x.dim());
    Tensor out = run("log_softmax", x, d, true);
    record("log_softmax", {x}, out, {out}, [d](RuleContext& c) -> GradList {
        const Tensor y = c.saved(0);
        return {c.grad() - reel::exp(y) * reel::sum(c.grad(), d, true)};
    });
    return out;
}

namespace {
enum class Reduce { None, Mean, Sum };
Reduce reduction_of(const char* op, std::string_view name) {
    REEL_CHECK_VALUE(name == "none" || name == "mean" || name == "sum", op, ": reduction is '", name, "'; expected 'none', 'mean' or 'sum'");
    return name == "none" ? Reduce::None : name == "mean" ? Reduce::Mean : Reduce::Sum;
}
Tensor reduced(const Tensor& t, Reduce r) { return r == Reduce::None ? t : r == Reduce::Mean ? mean(t) : sum(t); }
} // namespace

REEL_OP("nn.functional.mse_loss(Tensor input, Tensor target, *, str reduction='mean') -> Tensor")
Tensor mse_loss(const Tensor& input, const Tensor& target, std::string_view reduction) {
    const Reduce r = reduction_of("mse_loss", reduction);
    return reduced(square(input - target), r);
}

/// out[n] = -weight[target[n]] * input[n, target[n]] for [N, C]; the gradient goes to input alone.
REEL_OP("nn.functional.nll_loss(Tensor input, Tensor target, Tensor? weight=None, *, int ignore_index=-100, str reduction='mean') -> Tensor")
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight, std::int64_t ignore_index, std::string_view reduction) {
    const Reduce r = reduction_of("nll_loss", reduction);
    REEL_CHECK(isFloatingType(input.scalar_type()), "nll_loss: input is ", dtype_name(input.scalar_type()), "; expected log-probabilities in a floating dtype");
    REEL_CHECK(target.scalar_type() == kLong, "nll_loss: target is ", dtype_name(target.scalar_type()), "; expected class indices as int64");
    REEL_CHECK(input.dim() >= 1 && target.dim() == std::max<std::int64_t>(input.dim() - 1, 0), "nll_loss: input has shape ", input.sizes(),
               ", target must have shape [N, ...] without the class dimension, got ", target.sizes());
    // As [N, C, L].
    const std::int64_t classes = input.size(input.dim() == 1 ? 0 : 1), n = input.dim() == 1 ? 1 : input.size(0);
    const std::int64_t l = n * classes == 0 ? 0 : input.numel() / (n * classes);
    for (std::int64_t i = 0; i + 1 < input.dim(); ++i)
        REEL_CHECK(target.size(i) == input.size(i == 0 ? 0 : i + 1), "nll_loss: target has shape ", target.sizes(), ", which does not fit input ", input.sizes());
    REEL_CHECK(!weight.defined() || (weight.dim() == 1 && weight.size(0) == classes), "nll_loss: weight has shape ",
               weight.defined() ? weight.sizes() : IntArrayRef(), "; expected one entry for each of the ", classes, " classes");
    const Tensor index = contiguous_raw(target);
    const std::int64_t* t = index.data_ptr<std::int64_t>();
    // One weight per target: that of its class, zero for ignored ones. The loss is linear in input with this mask.
    Tensor mask = empty_raw({n, classes, l}, input.scalar_type());
    fill_raw(mask, 0);
    const Tensor w = weight.defined() ? contiguous_raw(cast_raw(weight, kDouble)) : Tensor();
    double total = 0;
    Tensor wide = empty_raw({n, classes, l}, kDouble);
    fill_raw(wide, 0);
    double* m = wide.data_ptr<double>();
    for (std::int64_t i = 0; i < index.numel(); ++i) {
        if (t[i] == ignore_index) continue;
        REEL_CHECK_INDEX(t[i] >= 0 && t[i] < classes, "nll_loss: target ", t[i], " is out of range for ", classes, " classes");
        const double wi = w.defined() ? w.data_ptr<double>()[t[i]] : 1;
        total += wi;
        m[(l ? i / l : 0) * classes * l + t[i] * l + (l ? i % l : 0)] = -wi;
    }
    if (r == Reduce::Mean)
        for (std::int64_t i = 0; i < wide.numel(); ++i) m[i] /= total;
    copy_raw(mask, wide);
    const Tensor x = reshape(input, {n, classes, l});
    const Tensor picked = sum(where(mask != Scalar(0), x, Scalar(0)) * mask, 1);
    if (r == Reduce::None) return reshape(picked, target.sizes());
    if (r == Reduce::Mean && total == 0) return sum(picked) + std::numeric_limits<double>::quiet_NaN();
    return sum(picked);
}

REEL_OP("nn.functional.cross_entropy(Tensor input, Tensor target, Tensor? weight=None, *, int ignore_index=-100, str reduction='mean', "
        "float label_smoothing=0.0) -> Tensor")
Tensor cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight, std::int64_t ignore_index, std::string_view reduction,
                     double label_smoothing) {
    REEL_CHECK(input.dim() > 0, "cross_entropy: input needs a class dimension, got a 0-dim tensor");
    REEL_CHECK(label_smoothing >= 0 && label_smoothing <= 1, "cross_entropy: label_smoothing is ", label_smoothing, "; expected a value in [0, 1]");
    const std::int64_t dim = input.dim() == 1 ? 0 : 1, classes = input.size(dim);
    const Tensor logp = log_softmax(input, dim);
    Dims wshape(std::size_t(input.dim()), 1);
    wshape[std::size_t(dim)] = classes;
    const Reduce r = reduction_of("cross_entropy", reduction);
    if (target.sizes().equals(input.sizes()) && isFloatingType(target.scalar_type())) { // class probabilities
        Tensor p = label_smoothing > 0 ? target * (1 - label_smoothing) + label_smoothing / double(classes) : target;
        if (weight.defined()) p = p * reshape(weight, wshape);
        const Tensor per = -sum(logp * p, dim);
        if (r != Reduce::Mean) return reduced(per, r);
        return sum(per) / double(std::max<std::int64_t>(1, input.numel() / classes));
    }
    const Tensor nll = nll_loss(logp, target, weight, ignore_index, reduction);
    if (label_smoothing == 0) return nll;
    const Tensor weighted = weight.defined() ? logp * reshape(weight, wshape) : logp;
    const Tensor ignored = target == Scalar(ignore_index);
    const Tensor smooth = masked_fill(-sum(weighted, dim), ignored, 0);
    Tensor s = reduced(smooth, r == Reduce::Mean ? Reduce::Sum : r);
    if (r == Reduce::Mean) {
        const Tensor ones_ = ones_like(logp).detach();
        const Tensor total = -nll_loss(ones_, target, weight, ignore_index, "sum");
        s = s / total;
    }
    return nll * (1 - label_smoothing) + s * (label_smoothing / double(classes));
}

} // namespace reel
