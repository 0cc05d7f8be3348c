// One tensor cut into several.

#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"

#include <algorithm>

#include <reel/autograd/ops/shape/join.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/split.hpp>
#include <reel/autograd/ops/shape/stack.hpp>

namespace reel {

using namespace autograd;
using namespace detail;
using namespace shape;

namespace {
/// Views of consecutive stretches of `dim` as outputs of one node. Outputs of such a node may not be changed in place
/// while recording (E-48) unless `safe` is off, in which case they do not even count as views.
std::vector<Tensor> cut(const char* op, const Tensor& input, IntArrayRef lengths, std::int64_t dim, bool safe) {
    std::vector<Tensor> out;
    checked_reserve(op, "pieces", out, std::int64_t(lengths.size()));
    Dims sizes(input.sizes());
    std::int64_t start = 0;
    for (std::int64_t n : lengths) {
        sizes[std::size_t(dim)] = n;
        const std::int64_t offset = input.storage_offset() + start * input.strides()[std::size_t(dim)];
        out.push_back(safe ? view_raw(input, sizes, input.strides(), offset, CreationMeta::MULTI_OUTPUT_NODE)
                           : alias_raw(input, sizes, input.strides(), offset));
        start += n;
    }
    record(op, TensorList(input), TensorList(out), TensorList(), [dim](RuleContext& c) -> GradList {
        std::vector<Tensor> parts;
        for (std::size_t i = 0; i < c.num_grads(); ++i) parts.push_back(c.grad_or_zeros(i));
        return {cat(parts, dim)};
    });
    return out;
}

Dims even_lengths(const char* op, const Tensor& input, std::int64_t split_size, std::int64_t dim) {
    const std::int64_t n = input.sizes()[std::size_t(dim)];
    REEL_CHECK(split_size >= 0, op, ": split_size must not be negative, got ", split_size);
    REEL_CHECK(split_size > 0 || n == 0, op, ": split_size 0 only fits a dimension of size 0, dimension ", dim,
               " has size ", n);
    Dims lengths;
    checked_reserve(op, "pieces", lengths, split_size == 0 ? 0 : n / split_size + 1);
    for (std::int64_t start = 0; start < n; start += split_size) lengths.push_back(std::min(split_size, n - start));
    if (lengths.empty()) lengths.push_back(0);
    return lengths;
}

std::int64_t checked_dim(const char* op, const Tensor& input, std::int64_t dim) {
    REEL_CHECK(input.dim() > 0, op, ": expected at least one dimension, got a 0-dim tensor");
    return wrap_dim(op, dim, input.dim());
}

std::vector<Tensor> cut_even(const char* op, const Tensor& input, std::int64_t size, std::int64_t dim, bool safe) {
    const std::int64_t d = checked_dim(op, input, dim);
    return cut("split", input, even_lengths(op, input, size, d), d, safe);
}

std::vector<Tensor> cut_sizes(const char* op, const Tensor& input, IntArrayRef sizes, std::int64_t dim, bool safe) {
    const std::int64_t d = checked_dim(op, input, dim);
    std::int64_t sum = 0;
    for (std::int64_t s : sizes) {
        REEL_CHECK(s >= 0, op, ": sizes must not be negative, got ", sizes);
        sum = checked_add(op, "the sum of the sizes", sum, s);
    }
    REEL_CHECK(sum == input.sizes()[std::size_t(d)], op, ": sizes ", sizes, " sum to ", sum, ", dimension ", d,
               " has size ", input.sizes()[std::size_t(d)]);
    return cut("split_with_sizes", input, sizes, d, safe);
}

std::int64_t chunk_size(const char* op, const Tensor& input, std::int64_t chunks, std::int64_t dim) {
    REEL_CHECK(chunks > 0, op, ": chunks must be positive, got ", chunks);
    const std::int64_t n = input.sizes()[std::size_t(checked_dim(op, input, dim))];
    return n / chunks + (n % chunks != 0);
}

std::vector<Tensor> chunk_impl(const char* op, const Tensor& input, std::int64_t chunks, std::int64_t dim, bool safe) {
    const std::int64_t size = chunk_size(op, input, chunks, dim);
    if (size > 0) return cut_even(op, input, size, dim, safe);
    Dims none; // an empty dimension gives all its chunks
    checked_reserve(op, "pieces", none, chunks);
    none.resize(std::size_t(chunks), 0);
    return cut_sizes(op, input, none, dim, safe);
}

/// Pieces that count their versions alone: writing to one leaves what others saved valid.
std::vector<Tensor> apart(std::vector<Tensor> parts) {
    for (const Tensor& t : parts) t.impl()->detach_version(0);
    return parts;
}
std::vector<Tensor> copies(std::vector<Tensor> parts) {
    for (Tensor& t : parts) t = t.clone(MemoryFormat::Contiguous);
    return parts;
}

/// Plain slices, which may be changed in place.
std::vector<Tensor> slices_at(const Tensor& input, IntArrayRef ends, std::int64_t dim) {
    std::vector<Tensor> out;
    checked_reserve("tensor_split", "pieces", out, std::int64_t(ends.size()) + 1);
    std::int64_t start = 0;
    for (std::int64_t end : ends) {
        out.push_back(slice(input, dim, start, end, 1));
        start = end;
    }
    out.push_back(slice(input, dim, start, std::nullopt, 1));
    return out;
}

std::int64_t stacking_dim(const char* op, const Tensor& input, std::int64_t least, std::int64_t dim) {
    REEL_CHECK(input.dim() >= least, op, ": expected at least ", least, " dimension(s), got sizes ", input.sizes());
    return dim;
}

std::vector<Tensor> split_evenly(const char* op, const Tensor& input, std::int64_t sections, std::int64_t dim) {
    const std::int64_t n = input.sizes()[std::size_t(dim)];
    REEL_CHECK(sections != 0 && n % sections == 0, op, ": dimension ", dim, " of size ", n, " is not divisible into ",
               sections, " sections");
    return tensor_split(input, sections, dim);
}
} // namespace

/// Pieces of `split_size` along `dim` (the last may be smaller), or of the sizes listed. Views.
REEL_OP("split(Tensor tensor, int split_size_or_sections, int dim=0) -> Tensor[]", rule, method, view,
        alias("split(Tensor input, int split_size, int dim=0)"))
std::vector<Tensor> split(const Tensor& input, std::int64_t split_size, std::int64_t dim) {
    return cut_even("split", input, split_size, dim, true);
}
REEL_OP("split(Tensor tensor, int[] split_size_or_sections, int dim=0) -> Tensor[]", rule, method, view,
        alias("split(Tensor input, int[] split_size, int dim=0)"),
        samples(call(numbers({4, 3})).with("split_size", ints({1, 3}))))
std::vector<Tensor> split(const Tensor& input, IntArrayRef split_size, std::int64_t dim) {
    return cut_sizes("split", input, split_size, dim, true);
}
REEL_OP("split_with_sizes(Tensor input, int[] split_sizes, int dim=0) -> Tensor[]", rule, method, view)
std::vector<Tensor> split_with_sizes(const Tensor& input, IntArrayRef split_sizes, std::int64_t dim) {
    return cut_sizes("split_with_sizes", input, split_sizes, dim, true);
}
REEL_OP("split_copy(Tensor input, int split_size, int dim=0) -> Tensor[]", rule, out,
        samples(call(numbers({3, 4}), 2, 1)))
std::vector<Tensor> split_copy(const Tensor& input, std::int64_t split_size, std::int64_t dim) {
    return copies(cut_even("split_copy", input, split_size, dim, true));
}
REEL_OP("split_with_sizes_copy(Tensor input, int[] split_sizes, int dim=0) -> Tensor[]", rule, out)
std::vector<Tensor> split_with_sizes_copy(const Tensor& input, IntArrayRef split_sizes, std::int64_t dim) {
    return copies(cut_sizes("split_with_sizes_copy", input, split_sizes, dim, true));
}
/// `split` whose pieces may be changed in place; the caller promises that no two of them are used with stale values.
REEL_OP("unsafe_split(Tensor input, int split_size, int dim=0) -> Tensor[]", rule, method)
std::vector<Tensor> unsafe_split(const Tensor& input, std::int64_t split_size, std::int64_t dim) {
    return apart(cut_even("unsafe_split", input, split_size, dim, false));
}

/// At most `chunks` pieces of equal size along `dim` (the last may be smaller). Views.
REEL_OP("chunk(Tensor input, int chunks, int dim=0) -> Tensor[]", rule, method, view)
std::vector<Tensor> chunk(const Tensor& input, std::int64_t chunks, std::int64_t dim) {
    return chunk_impl("chunk", input, chunks, dim, true);
}
REEL_OP("unsafe_chunk(Tensor input, int chunks, int dim=0) -> Tensor[]", rule, method)
std::vector<Tensor> unsafe_chunk(const Tensor& input, std::int64_t chunks, std::int64_t dim) {
    return apart(chunk_impl("unsafe_chunk", input, chunks, dim, false));
}

/// `sections` pieces whose sizes differ by at most one, or pieces between the indices, which a tensor holds on any
/// device: they are read. Views.
REEL_OP("tensor_split(Tensor input, int sections, int dim=0) -> Tensor[]", composite, method, view)
std::vector<Tensor> tensor_split(const Tensor& input, std::int64_t sections, std::int64_t dim) {
    const std::int64_t d = checked_dim("tensor_split", input, dim);
    REEL_CHECK(sections > 0, "tensor_split: sections must be positive, got ", sections);
    const std::int64_t n = input.sizes()[std::size_t(d)], small = n / sections, larger = n % sections;
    Dims ends;
    checked_reserve("tensor_split", "pieces", ends, sections);
    std::int64_t end = 0;
    for (std::int64_t i = 0; i + 1 < sections; ++i) ends.push_back(end += small + (i < larger));
    return slices_at(input, ends, d);
}
REEL_OP("tensor_split(Tensor input, int[] indices, int dim=0) -> Tensor[]", composite, method, view)
std::vector<Tensor> tensor_split(const Tensor& input, IntArrayRef indices, std::int64_t dim) {
    return slices_at(input, indices, checked_dim("tensor_split", input, dim));
}
REEL_OP("tensor_split(Tensor input, Tensor tensor_indices_or_sections, int dim=0) -> Tensor[]", composite, method, view,
        any_device("tensor_indices_or_sections"), samples(call(numbers({4, 3}), longs({1, 2}))))
std::vector<Tensor> tensor_split(const Tensor& input, const Tensor& tensor_indices_or_sections, std::int64_t dim) {
    const Tensor& at = tensor_indices_or_sections;
    REEL_CHECK(at.scalar_type() == kLong && at.dim() <= 1,
               "tensor_split: tensor_indices_or_sections must be an int64 tensor of at most one dimension, got ",
               toString(at.scalar_type()), " ", at.sizes());
    if (at.dim() == 0) return tensor_split(input, at.item().toLong(), dim);
    const HostValues<std::int64_t> places(at, "tensor_split");
    return tensor_split(input, IntArrayRef(places.begin(), std::size_t(places.size())), dim);
}

/// `tensor_split` along the second (for one dimension: first), first, third dimension; sections must divide evenly.
REEL_OP("hsplit(Tensor input, int sections) -> Tensor[]", composite, method, view)
std::vector<Tensor> hsplit(const Tensor& input, std::int64_t sections) {
    return split_evenly("hsplit", input, sections, stacking_dim("hsplit", input, 1, input.dim() == 1 ? 0 : 1));
}
REEL_OP("hsplit(Tensor input, int[] indices) -> Tensor[]", composite, method, view)
std::vector<Tensor> hsplit(const Tensor& input, IntArrayRef indices) {
    return tensor_split(input, indices, stacking_dim("hsplit", input, 1, input.dim() == 1 ? 0 : 1));
}
REEL_OP("vsplit(Tensor input, int sections) -> Tensor[]", composite, method, view)
std::vector<Tensor> vsplit(const Tensor& input, std::int64_t sections) {
    return split_evenly("vsplit", input, sections, stacking_dim("vsplit", input, 2, 0));
}
REEL_OP("vsplit(Tensor input, int[] indices) -> Tensor[]", composite, method, view,
        samples(call(numbers({4, 3}), ints({1, 3}))))
std::vector<Tensor> vsplit(const Tensor& input, IntArrayRef indices) {
    return tensor_split(input, indices, stacking_dim("vsplit", input, 2, 0));
}
REEL_OP("dsplit(Tensor input, int sections) -> Tensor[]", composite, method, view)
std::vector<Tensor> dsplit(const Tensor& input, std::int64_t sections) {
    return split_evenly("dsplit", input, sections, stacking_dim("dsplit", input, 3, 2));
}
REEL_OP("dsplit(Tensor input, int[] indices) -> Tensor[]", composite, method, view)
std::vector<Tensor> dsplit(const Tensor& input, IntArrayRef indices) {
    return tensor_split(input, indices, stacking_dim("dsplit", input, 3, 2));
}

/// All slices along `dim`, each without that dimension. Views.
REEL_OP("unbind(Tensor input, int dim=0) -> Tensor[]", rule, method, view)
std::vector<Tensor> unbind(const Tensor& input, std::int64_t dim) {
    REEL_CHECK_INDEX(input.dim() > 0, "unbind: expected at least one dimension, got a 0-dim tensor");
    const std::int64_t d = wrap_dim("unbind", dim, input.dim());
    Dims sizes(input.sizes()), strides(input.strides());
    const std::int64_t n = sizes[std::size_t(d)], step = strides[std::size_t(d)];
    sizes.erase(sizes.begin() + d);
    strides.erase(strides.begin() + d);
    std::vector<Tensor> out;
    checked_reserve("unbind", "pieces", out, n);
    for (std::int64_t i = 0; i < n; ++i) {
        out.push_back(
            view_raw(input, sizes, strides, input.storage_offset() + i * step, CreationMeta::MULTI_OUTPUT_NODE));
    }
    if (out.empty()) return out;
    record({"unbind", Work::kMoves}, TensorList(input), TensorList(out), TensorList(), [d](RuleContext& c) -> GradList {
        std::vector<Tensor> parts;
        for (std::size_t i = 0; i < c.num_grads(); ++i) parts.push_back(c.grad_or_zeros(i));
        return {stack(parts, d)};
    });
    return out;
}
REEL_OP("unbind_copy(Tensor input, int dim=0) -> Tensor[]", composite, out)
std::vector<Tensor> unbind_copy(const Tensor& input, std::int64_t dim) { return copies(unbind(input, dim)); }

} // namespace reel
