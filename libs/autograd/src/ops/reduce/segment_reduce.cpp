// One reduction for each of many stretches of different length.

#include <algorithm>
#include <limits>
#include <vector>

#include <reel/autograd/ops/factory/full.hpp>
#include <reel/autograd/ops/index/scatter_reduce.hpp>
#include <reel/autograd/ops/pointwise/clamp.hpp>
#include <reel/autograd/ops/pointwise/where.hpp>
#include <reel/autograd/ops/reduce/segment_reduce.hpp>
#include <reel/autograd/ops/shape/expand.hpp>
#include <reel/autograd/ops/shape/slice.hpp>
#include <reel/autograd/ops/shape/view.hpp>

#include "ops/reduce/reduction.hpp"
#include "ops/shape/shape_util.hpp"
#include "tensor/checked_size.hpp"
#include "tensor/host_values.hpp"

namespace reel {

using namespace reduction;

namespace {
constexpr const char* op = "segment_reduce";
constexpr double infinity = std::numeric_limits<double>::infinity();

/// How the words of `reduce` are said to scatter_reduce, and what an empty segment gives.
struct Kind {
    std::string_view word, scattered;
    double empty;
};
const Kind& kind_of(std::string_view reduce) {
    static constexpr Kind kinds[] = {{"sum", "sum", 0},
                                     {"mean", "sum", 0},
                                     {"max", "amax", -infinity},
                                     {"min", "amin", infinity},
                                     {"prod", "prod", 1}};
    for (const Kind& k : kinds)
        if (k.word == reduce) return k;
    REEL_THROW(Error, op, ": reduce is '", reduce, "'; expected 'sum', 'mean', 'max', 'min' or 'prod'");
}

/// Where segments lie along one dimension: for each line in front of it the segment of each element, and how many
/// elements each segment has. Elements of no segment are in one past the last.
struct Segments {
    Tensor of_element; ///< int64 [lines, n]
    Tensor lengths;    ///< int64 [lines, count]
    std::int64_t count;
    bool leftover;
};

/// Reads lengths [lines, count] or, `as_offsets`, the bounds [lines, count + 1] of segments over `n` elements a line.
Segments read_segments(const Tensor& given, bool as_offsets, std::int64_t n, bool whole) {
    const char* const name = as_offsets ? "offsets" : "lengths";
    const std::int64_t width = given.size(-1), count = width - as_offsets;
    REEL_CHECK(count >= 0, op, ": offsets must have at least one element in the last dimension, got sizes ",
               given.sizes());
    std::int64_t lines = 1;
    for (std::int64_t k = 0; k + 1 < given.dim(); ++k) lines = checked_mul(op, "the index", lines, given.size(k));
    const HostValues<std::int64_t> values(shape::index_as_long(op, given, name), op);
    std::vector<std::int64_t> element, length;
    checked_reserve(op, "the index", element, checked_mul(op, "the index", lines, n));
    checked_reserve(op, "the lengths", length, checked_mul(op, "the lengths", lines, count));
    bool leftover = false;
    for (std::int64_t line = 0; line < lines; ++line) {
        const std::int64_t* const v = values.begin() + line * width;
        std::int64_t start = as_offsets ? v[0] : 0;
        REEL_CHECK(start >= 0 && start <= n, op, ": offsets begin at ", start, "; expected 0 to ", n);
        leftover |= start > 0;
        element.insert(element.end(), std::size_t(start), count);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t size = as_offsets ? std::max<std::int64_t>(v[i + 1], -1) - start : v[i];
            REEL_CHECK(size >= 0, op, ": ", name, as_offsets ? " go down by " : " has a negative value, ", size,
                       " at segment ", i);
            REEL_CHECK(size <= n - start, op, ": segment ", i, " of ", size, " elements from ", start,
                       " on exceeds the ", n, " elements of data");
            element.insert(element.end(), std::size_t(size), i);
            length.push_back(size);
            start += size;
        }
        REEL_CHECK(start == n || as_offsets || !whole, op, ": lengths sum to ", start, ", data has ", n,
                   " elements along axis; unsafe=True leaves the others out");
        leftover |= start < n;
        element.insert(element.end(), std::size_t(n - start), count);
    }
    return {tensor_of(element), tensor_of(length), count, leftover};
}

/// `t`, whose dimensions are the first ones of `sizes`, along all of them.
Tensor along(const Tensor& t, IntArrayRef first, IntArrayRef sizes) {
    Dims padded(first);
    padded.resize(sizes.size(), 1);
    return expand(view(t, padded), sizes);
}
} // namespace

/// Sum, mean, max, min or product of consecutive segments along `axis`. `lengths` says how long they are; it has `axis`
/// + 1 dimensions, the leading ones as `data` has them. `offsets`, which wins, holds where they begin and, last, where
/// the last one ends. The result has one element for each segment in place of `axis`. `initial` takes part in each
/// segment; without it empty ones give 0, nan, -inf, inf and 1. Lengths that leave elements of `data` over need
/// `unsafe`. Floating dtypes. The gradient of max and min is shared by equal elements; none goes to `initial`.
REEL_OP("segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, "
        "int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
        composite, any_device("lengths, offsets"),
        samples(call(numbers({6, 2}), "sum").with("lengths", longs({2, 0, 4})),
                call(numbers({6, 2}), "mean").with("lengths", longs({2, 1, 3})),
                call(numbers({6}), "max").with("lengths", longs({2, 4})),
                call(numbers({6}), "min").with("offsets", longs({0, 2, 6})).with("initial", 9.0),
                call(numbers({5, 2}), "prod").with("lengths", longs({2, 3}))))
Tensor segment_reduce(const Tensor& data, std::string_view reduce, const Tensor& lengths, const Tensor& indices,
                      const Tensor& offsets, std::int64_t axis, bool unsafe, const std::optional<Scalar>& initial) {
    const Kind& kind = kind_of(reduce);
    check_floating(data.scalar_type(), op);
    REEL_CHECK(!indices.defined(), op, ": indices are not supported; say lengths or offsets");
    REEL_CHECK(lengths.defined() || offsets.defined(), op, ": expected lengths or offsets, got neither");
    const bool by_offsets = offsets.defined();
    const Tensor& given = by_offsets ? offsets : lengths;
    REEL_CHECK(data.dim() > 0, op, ": data must have at least one dimension");
    const std::int64_t d = wrap_dim(op, axis, data.dim());
    const char* const name = by_offsets ? "offsets" : "lengths";
    REEL_CHECK(given.dim() == d + 1, op, ": axis must be the last dimension of ", name, ", got axis ", d, " and sizes ",
               given.sizes());
    for (std::int64_t k = 0; k < d; ++k)
        REEL_CHECK(given.size(k) == data.size(k), op, ": ", name, " has sizes ", given.sizes(), ", data ", data.sizes(),
                   "; they must agree before axis ", d);
    const Segments s = read_segments(given, by_offsets, data.size(d), !unsafe);

    Dims first(IntArrayRef(data.sizes().data(), std::size_t(d + 1))), counted(first), out_sizes(data.sizes());
    counted.back() = s.count;
    out_sizes[std::size_t(d)] = s.count + s.leftover;
    const Tensor at = along(s.of_element.to(data.device()), first, data.sizes());
    const Tensor start = full(out_sizes, kind.empty, data.options());
    Tensor out = scatter_reduce(start, d, contiguous_raw(at), data, kind.scattered, false);
    if (s.leftover) out = narrow(out, d, 0, s.count);

    if (initial) {
        const Tensor with = full({}, *initial, data.options());
        if (kind.word == "prod") out = out * with;
        else if (kind.word == "max") out = where(with > out, with, out); // equal elements keep their gradient
        else if (kind.word == "min") out = where(with < out, with, out);
        else out = out + with;
    }
    if (kind.word != "mean") return out;
    // An empty segment is 0 / 0, or `initial` alone.
    const Tensor n = initial ? clamp_min(s.lengths, 1) : s.lengths;
    return out / along(n.to(data.device(), data.scalar_type()), counted, out.sizes());
}

} // namespace reel
