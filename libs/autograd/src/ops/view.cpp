// Views: other sizes and strides over the same memory.
#include <reel/autograd/ops.hpp>
#include <reel/autograd/record.hpp>
#include <reel/autograd/tensor_operators.hpp>

#include <numeric>

#include "tensor/make.hpp"

namespace reel {

using namespace autograd;
using namespace detail;

namespace {

/// `size` with one -1 resolved; checks that the element count fits.
Dims infer_size(const char* op, IntArrayRef size, std::int64_t numel) {
    Dims r(size);
    std::int64_t known = 1, hole = -1;
    for (std::size_t i = 0; i < r.size(); ++i) {
        if (r[i] == -1) {
            REEL_CHECK(hole < 0, op, ": size ", size, " has more than one -1");
            hole = std::int64_t(i);
        } else {
            REEL_CHECK(r[i] >= 0, op, ": size ", size, " has the negative entry ", r[i]);
            known *= r[i];
        }
    }
    if (hole >= 0) {
        REEL_CHECK(known != 0 && numel % known == 0, op, ": size ", size, " does not fit ", numel, " elements");
        r[std::size_t(hole)] = numel / known;
    } else REEL_CHECK(known == numel, op, ": size ", size, " does not fit ", numel, " elements");
    return r;
}
/// Strides that show `t` with `size` without copying, if there are any.
std::optional<Dims> view_strides(const Tensor& t, IntArrayRef size) {
    if (t.is_contiguous() || t.numel() == 0) return contiguous_strides(size);
    Dims strides(size.size());
    std::int64_t v = std::int64_t(size.size()) - 1, chunk = 1, seen = 1;
    const IntArrayRef old = t.sizes(), os = t.strides();
    if (t.dim() == 0) return contiguous_strides(size);
    std::int64_t base = os.back();
    for (std::int64_t d = t.dim() - 1; d >= 0; --d) {
        chunk *= old[std::size_t(d)];
        if (d == 0 || (old[std::size_t(d - 1)] != 1 && os[std::size_t(d - 1)] != chunk * base)) {
            while (v >= 0 && (seen < chunk || size[std::size_t(v)] == 1)) {
                strides[std::size_t(v)] = seen * base;
                seen *= size[std::size_t(v--)];
            }
            if (seen != chunk) return std::nullopt;
            if (d > 0) {
                base = os[std::size_t(d - 1)];
                chunk = seen = 1;
            }
        }
    }
    if (v != -1) return std::nullopt;
    return strides;
}
/// A recorded view whose gradient is the incoming one in the operand's shape.
Tensor reshaped_view(const char* op, const Tensor& input, IntArrayRef sizes, IntArrayRef strides) {
    Tensor out = view_raw(input, sizes, strides, input.storage_offset());
    const Dims shape(input.sizes());
    record(op, {input}, out, {}, [shape](RuleContext& c) -> GradList { return {reel::reshape(c.grad(), shape)}; });
    return out;
}

} // namespace

REEL_OP("view(Tensor input, int[] size) -> Tensor", method, view, layout_sensitive)
Tensor view(const Tensor& input, IntArrayRef size) {
    const Dims s = infer_size("view", size, input.numel());
    const auto strides = view_strides(input, s);
    REEL_CHECK(strides, "view: size ", size, " does not fit the strides ", input.strides(), " of input ", input.sizes(),
               " without copying; use reshape()");
    return reshaped_view("view", input, s, *strides);
}
REEL_OP("reshape(Tensor input, int[] shape) -> Tensor", method)
Tensor reshape(const Tensor& input, IntArrayRef shape) {
    const Dims s = infer_size("reshape", shape, input.numel());
    if (const auto strides = view_strides(input, s)) return reshaped_view("reshape", input, s, *strides);
    return view(clone(input, MemoryFormat::Contiguous), s);
}
REEL_OP("flatten(Tensor input, int start_dim=0, int end_dim=-1) -> Tensor", method)
Tensor flatten(const Tensor& input, std::int64_t start_dim, std::int64_t end_dim) {
    const std::int64_t a = wrap_dim("flatten", start_dim, input.dim()), b = wrap_dim("flatten", end_dim, input.dim());
    REEL_CHECK(a <= b, "flatten: start_dim ", start_dim, " comes after end_dim ", end_dim);
    if (input.dim() == 0) return reshape(input, {1});
    if (a == b) return input;
    Dims s;
    for (std::int64_t d = 0; d < input.dim(); ++d)
        if (d <= a || d > b) s.push_back(input.size(d));
        else s.back() *= input.size(d);
    return reshape(input, s);
}
REEL_OP("expand(Tensor input, int[] size) -> Tensor", method, view)
Tensor expand(const Tensor& input, IntArrayRef size) {
    REEL_CHECK(std::int64_t(size.size()) >= input.dim(), "expand: size ", size, " has fewer dimensions than input ", input.sizes());
    Dims s(size), strides(size.size());
    const std::size_t extra = size.size() - input.sizes().size();
    for (std::size_t i = 0; i < size.size(); ++i) {
        if (i < extra) {
            REEL_CHECK(size[i] >= 0, "expand: size ", size, ": -1 is not allowed in a new leading dimension");
            continue;
        }
        const std::int64_t have = input.sizes()[i - extra];
        if (s[i] == -1) s[i] = have;
        REEL_CHECK(s[i] == have || have == 1, "expand: size ", size, " does not fit input ", input.sizes(), " at dimension ", i);
        strides[i] = have == s[i] ? input.strides()[i - extra] : 0;
    }
    Tensor out = view_raw(input, s, strides, input.storage_offset());
    const Dims shape(input.sizes());
    record("expand", {input}, out, {}, [shape](RuleContext& c) -> GradList { return {reel::sum_to_size(c.grad(), shape)}; });
    return out;
}
REEL_OP("permute(Tensor input, int[] dims) -> Tensor", method, view)
Tensor permute(const Tensor& input, IntArrayRef dims) {
    REEL_CHECK(std::int64_t(dims.size()) == input.dim(), "permute: dims ", dims, " must name each of the ", input.dim(), " dimensions once");
    const Dims d = wrap_dims("permute", dims, input.dim());
    Dims s, strides;
    for (const std::int64_t i : d) {
        s.push_back(input.sizes()[std::size_t(i)]);
        strides.push_back(input.strides()[std::size_t(i)]);
    }
    Tensor out = view_raw(input, s, strides, input.storage_offset());
    record("permute", {input}, out, {}, [d](RuleContext& c) -> GradList {
        Dims inverse(d.size());
        for (std::size_t i = 0; i < d.size(); ++i) inverse[std::size_t(d[i])] = std::int64_t(i);
        return {reel::permute(c.grad(), inverse)};
    });
    return out;
}
REEL_OP("transpose(Tensor input, int dim0, int dim1) -> Tensor", method, view, alias("swapaxes"), alias("swapdims"))
Tensor transpose(const Tensor& input, std::int64_t dim0, std::int64_t dim1) {
    const std::int64_t a = wrap_dim("transpose", dim0, input.dim()), b = wrap_dim("transpose", dim1, input.dim());
    Dims order(std::size_t(input.dim()));
    std::iota(order.begin(), order.end(), 0);
    if (input.dim() > 0) std::swap(order[std::size_t(a)], order[std::size_t(b)]);
    return permute(input, order);
}
REEL_OP("t(Tensor input) -> Tensor", method, view)
Tensor t(const Tensor& input) {
    REEL_CHECK(input.dim() <= 2, "t: expected a tensor of at most 2 dimensions, got ", input.sizes(), "; use transpose or mT");
    return input.dim() < 2 ? permute(input, input.dim() == 0 ? IntArrayRef() : IntArrayRef(0)) : transpose(input, 0, 1);
}
REEL_OP("mT(Tensor input) -> Tensor", method, view)
Tensor mT(const Tensor& input) {
    REEL_CHECK(input.dim() >= 2, "mT: expected at least 2 dimensions, got ", input.sizes());
    return transpose(input, -2, -1);
}
REEL_OP("squeeze(Tensor input) -> Tensor", method, view)
Tensor squeeze(const Tensor& input) {
    Dims s, strides;
    for (std::size_t i = 0; i < input.sizes().size(); ++i)
        if (input.sizes()[i] != 1) s.push_back(input.sizes()[i]), strides.push_back(input.strides()[i]);
    return reshaped_view("squeeze", input, s, strides);
}
REEL_OP("squeeze(Tensor input, int dim) -> Tensor", method, view)
Tensor squeeze(const Tensor& input, std::int64_t dim) {
    const std::int64_t d = wrap_dim("squeeze", dim, input.dim());
    Dims s(input.sizes()), strides(input.strides());
    if (input.dim() > 0 && s[std::size_t(d)] == 1) s.erase(s.begin() + d), strides.erase(strides.begin() + d);
    return reshaped_view("squeeze", input, s, strides);
}
REEL_OP("unsqueeze(Tensor input, int dim) -> Tensor", method, view)
Tensor unsqueeze(const Tensor& input, std::int64_t dim) {
    const std::int64_t d = wrap_dim("unsqueeze", dim, input.dim() + 1);
    Dims s(input.sizes()), strides(input.strides());
    const std::int64_t step = d < input.dim() ? s[std::size_t(d)] * strides[std::size_t(d)] : 1;
    s.insert(s.begin() + d, 1);
    strides.insert(strides.begin() + d, step);
    return reshaped_view("unsqueeze", input, s, strides);
}
REEL_OP("slice(Tensor input, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor", method, view)
Tensor slice(const Tensor& input, std::int64_t dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end, std::int64_t step) {
    REEL_CHECK(input.dim() > 0, "slice: a 0-dim tensor cannot be sliced");
    REEL_CHECK_VALUE(step > 0, "slice: step must be positive, got ", step);
    const std::size_t d = std::size_t(wrap_dim("slice", dim, input.dim()));
    const std::int64_t n = input.sizes()[d];
    const auto clamp = [n](std::int64_t i) { return std::min(std::max<std::int64_t>(i < 0 ? i + n : i, 0), n); };
    const std::int64_t a = clamp(start.value_or(0)), b = std::max(a, clamp(end.value_or(n)));
    Dims s(input.sizes()), strides(input.strides());
    s[d] = (b - a + step - 1) / step;
    const std::int64_t offset = input.storage_offset() + a * strides[d];
    strides[d] *= step;
    Tensor out = view_raw(input, s, strides, offset);
    const Dims shape(input.sizes());
    record("slice", {input}, out, {}, [shape, dim = std::int64_t(d), a, b, step](RuleContext& c) -> GradList {
        return {reel::slice_scatter(reel::zeros(shape, c.grad().options()), c.grad(), dim, a, b, step)};
    });
    return out;
}
/// `input` with `src` written into the slice.
REEL_OP("slice_scatter(Tensor input, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor", method)
Tensor slice_scatter(const Tensor& input, const Tensor& src, std::int64_t dim, std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                     std::int64_t step) {
    Tensor out = empty_raw(input.sizes(), input.scalar_type(), input.device());
    copy_raw(out, input);
    {
        NoGradGuard guard;
        const Tensor part = slice(out, dim, start, end, step);
        REEL_CHECK(part.sizes().equals(src.sizes()), "slice_scatter: src has shape ", src.sizes(), "; expected that of the slice, ", part.sizes());
        copy_raw(part, src);
    }
    record("slice_scatter", {input, src}, out, {}, [dim, start, end, step](RuleContext& c) -> GradList {
        GradList r{Tensor(), Tensor()};
        const Tensor part = reel::slice(c.grad(), dim, start, end, step);
        if (c.needs(0)) r[0] = reel::slice_scatter(c.grad(), reel::zeros_like(part), dim, start, end, step);
        if (c.needs(1)) r[1] = part;
        return r;
    });
    return out;
}
REEL_OP("narrow(Tensor input, int dim, int start, int length) -> Tensor", method, view)
Tensor narrow(const Tensor& input, std::int64_t dim, std::int64_t start, std::int64_t length) {
    REEL_CHECK(input.dim() > 0, "narrow: a 0-dim tensor cannot be narrowed");
    const std::int64_t d = wrap_dim("narrow", dim, input.dim()), n = input.size(d);
    REEL_CHECK(length >= 0, "narrow: length must not be negative, got ", length);
    REEL_CHECK_INDEX(start >= -n && start <= n, "narrow: start ", start, " is out of range for size ", n);
    const std::int64_t a = start < 0 ? start + n : start;
    REEL_CHECK(a + length <= n, "narrow: start ", start, " and length ", length, " exceed size ", n);
    return slice(input, d, a, a + length, 1);
}
REEL_OP("select(Tensor input, int dim, int index) -> Tensor", method, view)
Tensor select(const Tensor& input, std::int64_t dim, std::int64_t index) {
    REEL_CHECK_INDEX(input.dim() > 0, "select: a 0-dim tensor has no dimension to select from");
    const std::size_t d = std::size_t(wrap_dim("select", dim, input.dim()));
    const std::int64_t n = input.sizes()[d];
    REEL_CHECK_INDEX(index >= -n && index < n, "select: index ", index, " is out of range for dimension ", d, " of size ", n);
    const std::int64_t i = index < 0 ? index + n : index;
    Dims s(input.sizes()), strides(input.strides());
    const std::int64_t offset = input.storage_offset() + i * strides[d];
    s.erase(s.begin() + d);
    strides.erase(strides.begin() + d);
    Tensor out = view_raw(input, s, strides, offset);
    const Dims shape(input.sizes());
    record("select", {input}, out, {}, [shape, dim = std::int64_t(d), i](RuleContext& c) -> GradList {
        return {reel::slice_scatter(reel::zeros(shape, c.grad().options()), reel::unsqueeze(c.grad(), dim), dim, i, i + 1, 1)};
    });
    return out;
}
/// Any geometry over the storage.  The gradient scatters back into the operand's geometry.
REEL_OP("as_strided(Tensor input, int[] size, int[] stride, int? storage_offset=None) -> Tensor", method, view, layout_sensitive)
Tensor as_strided(const Tensor& input, IntArrayRef size, IntArrayRef stride, std::optional<std::int64_t> storage_offset) {
    REEL_CHECK(size.size() == stride.size(), "as_strided: size ", size, " and stride ", stride, " differ in length");
    const std::int64_t offset = storage_offset.value_or(input.storage_offset());
    std::int64_t last = offset;
    bool empty = false;
    for (std::size_t i = 0; i < size.size(); ++i) {
        REEL_CHECK(size[i] >= 0 && stride[i] >= 0, "as_strided: negative entries in size ", size, " or stride ", stride);
        empty |= size[i] == 0;
        last += (size[i] - 1) * stride[i];
    }
    REEL_CHECK(offset >= 0 && (empty || std::size_t(last + 1) * input.itemsize() <= input.storage()->nbytes()), "as_strided: size ", size,
               ", stride ", stride, " and offset ", offset, " reach outside of the storage of ", input.storage()->nbytes(), " bytes");
    Tensor out = view_raw(input, size, stride, offset);
    const Dims shape(input.sizes()), in_strides(input.strides()), s(size), st(stride);
    const std::int64_t shift = offset - input.storage_offset();
    record("as_strided", {input}, out, {}, [shape, in_strides, s, st, shift](RuleContext& c) -> GradList {
        // Add into a buffer with the operand's geometry; places outside of the operand are dropped with it.
        std::int64_t extent = 1, extent_out = shift + 1;
        for (std::size_t i = 0; i < shape.size(); ++i) extent += (shape[i] - 1) * in_strides[i];
        for (std::size_t i = 0; i < s.size(); ++i) extent_out += (s[i] - 1) * st[i];
        const Tensor buffer = reel::zeros({std::max(extent, extent_out)}, c.grad().options());
        const Tensor filled = reel::as_strided_scatter(buffer, c.grad(), s, st, shift);
        return {reel::as_strided(filled, shape, in_strides, 0)};
    });
    return out;
}
/// `input` with `src` written into the strided part.
REEL_OP("as_strided_scatter(Tensor input, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor", method, layout_sensitive)
Tensor as_strided_scatter(const Tensor& input, const Tensor& src, IntArrayRef size, IntArrayRef stride, std::optional<std::int64_t> storage_offset) {
    Tensor out = empty_raw(input.sizes(), input.scalar_type(), input.device());
    copy_raw(out, input);
    const std::int64_t offset = storage_offset.value_or(0);
    REEL_CHECK(src.sizes().equals(size), "as_strided_scatter: src has shape ", src.sizes(), "; expected ", size);
    copy_raw(alias_raw(out, size, stride, offset), src);
    const Dims s(size), st(stride);
    record("as_strided_scatter", {input, src}, out, {}, [s, st, offset](RuleContext& c) -> GradList {
        GradList r{Tensor(), Tensor()};
        const Tensor g = reel::contiguous(c.grad());
        const Tensor part = reel::as_strided(g, s, st, g.storage_offset() + offset);
        if (c.needs(0)) r[0] = reel::as_strided_scatter(g, reel::zeros(s, g.options()), s, st, offset);
        if (c.needs(1)) r[1] = reel::clone(part);
        return r;
    });
    return out;
}

namespace {
/// Several views of one operand from one node: they forbid in-place work on one of them (E-48).
std::vector<Tensor> split_views(const char* op, const Tensor& input, std::int64_t dim, const Dims& lengths, bool remove_dim) {
    std::vector<Tensor> out;
    std::int64_t at = 0;
    const std::size_t d = std::size_t(dim);
    for (const std::int64_t n : lengths) {
        Dims s(input.sizes()), strides(input.strides());
        s[d] = n;
        const std::int64_t offset = input.storage_offset() + at * strides[d];
        if (remove_dim) s.erase(s.begin() + d), strides.erase(strides.begin() + d);
        out.push_back(view_raw(input, s, strides, offset, CreationMeta::MultiOutput));
        at += n;
    }
    record(op, TensorList(input), TensorList(out), {}, [dim, remove_dim](RuleContext& c) -> GradList {
        std::vector<Tensor> parts;
        for (std::size_t i = 0; i < c.num_grads(); ++i) parts.push_back(remove_dim ? reel::unsqueeze(c.grad_or_zeros(i), dim) : c.grad_or_zeros(i));
        return {reel::cat(parts, dim)};
    });
    return out;
}
} // namespace

REEL_OP("split_with_sizes(Tensor input, int[] split_sizes, int dim=0) -> Tensor[]", method, view)
std::vector<Tensor> split_with_sizes(const Tensor& input, IntArrayRef split_sizes, std::int64_t dim) {
    REEL_CHECK(input.dim() > 0, "split_with_sizes: a 0-dim tensor cannot be split");
    const std::int64_t d = wrap_dim("split_with_sizes", dim, input.dim());
    std::int64_t sum = 0;
    for (const std::int64_t s : split_sizes) {
        REEL_CHECK(s >= 0, "split_with_sizes: negative entry in ", split_sizes);
        sum += s;
    }
    REEL_CHECK(sum == input.size(d), "split_with_sizes: sizes ", split_sizes, " sum to ", sum, "; dimension ", d, " has size ", input.size(d));
    return split_views("split_with_sizes", input, d, split_sizes, false);
}
REEL_OP("split(Tensor input, int split_size, int dim=0) -> Tensor[]", method, view)
std::vector<Tensor> split(const Tensor& input, std::int64_t split_size, std::int64_t dim) {
    REEL_CHECK(input.dim() > 0, "split: a 0-dim tensor cannot be split");
    const std::int64_t d = wrap_dim("split", dim, input.dim()), n = input.size(d);
    REEL_CHECK(split_size > 0 || (split_size == 0 && n == 0), "split: split_size must be positive, got ", split_size);
    Dims lengths;
    for (std::int64_t at = 0; at < n; at += split_size) lengths.push_back(std::min(split_size, n - at));
    if (n == 0) lengths.push_back(0);
    return split_views("split", input, d, lengths, false);
}
REEL_OP("split(Tensor input, int[] split_size, int dim=0) -> Tensor[]", view)
std::vector<Tensor> split(const Tensor& input, IntArrayRef split_size, std::int64_t dim) { return split_with_sizes(input, split_size, dim); }
REEL_OP("chunk(Tensor input, int chunks, int dim=0) -> Tensor[]", method, view)
std::vector<Tensor> chunk(const Tensor& input, std::int64_t chunks, std::int64_t dim) {
    REEL_CHECK(input.dim() > 0, "chunk: a 0-dim tensor cannot be split");
    REEL_CHECK(chunks > 0, "chunk: chunks must be positive, got ", chunks);
    const std::int64_t d = wrap_dim("chunk", dim, input.dim()), n = input.size(d);
    const std::int64_t size = (n + chunks - 1) / chunks;
    if (n == 0) return split_views("chunk", input, d, Dims(std::size_t(chunks), 0), false);
    Dims lengths;
    for (std::int64_t at = 0; at < n; at += size) lengths.push_back(std::min(size, n - at));
    return split_views("chunk", input, d, lengths, false);
}
REEL_OP("unbind(Tensor input, int dim=0) -> Tensor[]", method, view)
std::vector<Tensor> unbind(const Tensor& input, std::int64_t dim) {
    REEL_CHECK(input.dim() > 0, "unbind: a 0-dim tensor cannot be taken apart");
    const std::int64_t d = wrap_dim("unbind", dim, input.dim());
    return split_views("unbind", input, d, Dims(std::size_t(input.size(d)), 1), true);
}

REEL_OP("cat(Tensor[] tensors, int dim=0) -> Tensor", alias("concat"))
Tensor cat(TensorList tensors, std::int64_t dim) {
    REEL_CHECK(!tensors.empty(), "cat: the list of tensors is empty");
    const auto skipped = [](const Tensor& x) { return x.dim() == 1 && x.size(0) == 0; };
    const Tensor* first = nullptr;
    ScalarType t = ScalarType::Undefined;
    for (const Tensor& x : tensors) {
        REEL_CHECK(x.dim() > 0, "cat: 0-dim tensors cannot be concatenated; use stack");
        t = t == ScalarType::Undefined ? x.scalar_type() : promote_types(t, x.scalar_type());
        if (!first && !skipped(x)) first = &x;
    }
    if (!first) first = &tensors[0];
    const std::size_t d = std::size_t(wrap_dim("cat", dim, first->dim()));
    Dims s(first->sizes());
    s[d] = 0;
    Dims lengths;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const Tensor& x = tensors[i];
        lengths.push_back(skipped(x) && first->dim() != 1 ? 0 : x.size(std::min<std::int64_t>(std::int64_t(d), x.dim() - 1)));
        if (lengths.back() == 0 && skipped(x)) continue;
        bool fits = x.dim() == first->dim();
        for (std::size_t k = 0; fits && k < s.size(); ++k) fits = k == d || x.sizes()[k] == first->sizes()[k];
        REEL_CHECK(fits, "cat: tensor ", i, " has shape ", x.sizes(), "; except in dimension ", d, " it must match ", first->sizes());
        s[d] += x.sizes()[d];
    }
    Tensor out = empty_raw(s, t, first->device());
    std::int64_t at = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (lengths[i] == 0) continue;
        Dims part(s);
        part[d] = lengths[i];
        copy_raw(alias_raw(out, part, out.strides(), at * out.strides()[d]), tensors[i]);
        at += lengths[i];
    }
    record("cat", tensors, TensorList(out), {}, [lengths, d](RuleContext& c) -> GradList {
        GradList r;
        std::int64_t at = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            const bool wanted = c.needs(i);
            const Edge& e = c.node().next_edge(i);
            Tensor g = wanted ? reel::narrow(c.grad(), std::int64_t(d), at, lengths[i]) : Tensor();
            if (wanted && lengths[i] == 0) g = reel::reshape(g, e.function->input_metadata(e.input_nr).sizes);
            r.push_back(std::move(g));
            at += lengths[i];
        }
        return r;
    });
    return out;
}
REEL_OP("stack(Tensor[] tensors, int dim=0) -> Tensor")
Tensor stack(TensorList tensors, std::int64_t dim) {
    REEL_CHECK(!tensors.empty(), "stack: the list of tensors is empty");
    const std::int64_t d = wrap_dim("stack", dim, tensors[0].dim() + 1);
    std::vector<Tensor> parts;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        REEL_CHECK(tensors[i].sizes().equals(tensors[0].sizes()), "stack: tensor ", i, " has shape ", tensors[i].sizes(), "; expected ", tensors[0].sizes());
        parts.push_back(unsqueeze(tensors[i], d));
    }
    return cat(parts, d);
}

} // namespace reel
