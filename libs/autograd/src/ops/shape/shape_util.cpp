#include "ops/shape/shape_util.hpp"

#include <reel/autograd/pointwise/scalar_math.hpp>

#include <algorithm>
#include <cstring>

#include "op/dispatch.hpp"
#include "tensor/checked_size.hpp"

namespace reel::shape {

using namespace detail;

std::int64_t count(IntArrayRef sizes) {
    std::int64_t n = 1;
    for (std::int64_t s : sizes) n = checked_mul("tensor", "the number of elements", n, s);
    return n;
}

Dims infer_size(const char* op, IntArrayRef sizes, std::int64_t numel) {
    Dims out(sizes);
    std::int64_t known = 1, unknown = -1;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        REEL_CHECK(sizes[i] >= -1, op, ": size ", sizes[i], " at dimension ", i, " of ", sizes, " is negative");
        if (sizes[i] == -1) {
            REEL_CHECK(unknown < 0, op, ": only one size may be -1, got ", sizes);
            unknown = std::int64_t(i);
        } else known = checked_mul(op, "the number of elements", known, sizes[i]);
    }
    if (unknown >= 0 && known > 0 && numel % known == 0) {
        out[std::size_t(unknown)] = numel / known;
        check_sizes(op, out, kBool); // of no elements, too, the strides must fit
        return out;
    }
    REEL_CHECK(unknown < 0 || known != 0 || numel != 0, op, ": cannot tell the size that -1 stands for in ", sizes,
               " because the tensor has no elements and any size would do");
    REEL_CHECK(unknown < 0 && known == numel, op, ": shape ", sizes, " does not fit ", numel, " elements");
    check_sizes(op, out, kBool);
    return out;
}

std::optional<Dims> view_strides(IntArrayRef old_sizes, IntArrayRef old_strides, IntArrayRef sizes) {
    const std::int64_t numel = count(old_sizes);
    if (numel == 0) return old_sizes.equals(sizes) ? Dims(old_strides) : contiguous_strides(sizes);
    Dims strides(sizes.size(), 1);
    std::int64_t view_d = std::int64_t(sizes.size()) - 1;
    if (old_sizes.empty()) return strides;
    // Walk chunks of old dims that lie contiguously in memory, and split each into new dims.
    std::int64_t chunk_stride = old_strides[old_strides.size() - 1];
    std::int64_t chunk = 1, taken = 1;
    for (std::int64_t d = std::int64_t(old_sizes.size()) - 1; d >= 0; --d) {
        chunk *= old_sizes[std::size_t(d)];
        const bool last_of_chunk =
            d == 0 || (old_sizes[std::size_t(d - 1)] != 1 && old_strides[std::size_t(d - 1)] != chunk * chunk_stride);
        if (!last_of_chunk) continue;
        while (view_d >= 0 && (taken < chunk || sizes[std::size_t(view_d)] == 1)) {
            strides[std::size_t(view_d)] = taken * chunk_stride;
            taken *= sizes[std::size_t(view_d)];
            --view_d;
        }
        if (taken != chunk) return std::nullopt;
        if (d > 0) {
            chunk_stride = old_strides[std::size_t(d - 1)];
            chunk = taken = 1;
        }
    }
    if (view_d != -1) return std::nullopt;
    return strides;
}

Tensor index_as_long(const char* op, const Tensor& index, const char* argument) {
    const ScalarType t = index.scalar_type();
    REEL_CHECK_TYPE(t == kLong || t == kInt, op, ": ", argument, " must be int64 or int32, got ", toString(t));
    if (t == kLong) return index;
    Tensor out = empty_raw(index.sizes(), kLong, index.device());
    assign_raw(out, index);
    return out;
}

Tensor recorded_view(const char* op, const Tensor& input, const Tensor& out) {
    autograd::record({op, autograd::Work::kMoves}, {input}, out, {},
                     [sizes = Dims(input.sizes())](autograd::RuleContext& c) -> autograd::GradList {
                         return {c.grad().reshape(sizes)};
                     });
    return out;
}

} // namespace reel::shape
